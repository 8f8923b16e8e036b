"""Whether two fitted estimators are the same to the last bit, in everything they hold."""

import dataclasses

import numpy as np
import scipy.sparse as sp


def assert_alike(one, other):
    """Same class, parameters and fitted attributes."""
    assert type(one) is type(other)
    parameters = one.get_params()
    left_behind = {"_hold_out", "_weights"}
    if parameters.get("kernel") == "precomputed":
        left_behind.add("X_fit_")  # the kernel matrix, which predicts nothing
    if hasattr(one, "coef_") and hasattr(one, "classes_"):
        left_behind.add("_target_shape")  # of moments, which classifiers make no use of
    if getattr(one, "_encoding", None) is None:
        left_behind.add("_encoding")  # of stored rows without texts
    ours = {name: value for name, value in vars(one).items() if name not in left_behind}
    assert ours.keys() == vars(other).keys()
    for name, value in ours.items():
        if name not in parameters:
            assert_same(value, getattr(other, name), name)


def assert_same(one, other, name):
    """Same type and value, bit for bit."""
    assert type(one) is type(other), (name, type(one), type(other))
    if isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape), name
        if one.dtype == object:
            assert one.tolist() == other.tolist(), name
        else:
            assert np.ascontiguousarray(one).tobytes() == np.ascontiguousarray(other).tobytes(), (
                name
            )
    elif sp.issparse(one):
        for part in ("data", "indices", "indptr"):
            assert np.array_equal(getattr(one, part), getattr(other, part)), name
        assert one.shape == other.shape
        assert one.dtype == other.dtype
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other), name
        for number, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            assert_same(mine, theirs, f"{name}[{number}]")
    elif dataclasses.is_dataclass(one):
        for field in dataclasses.fields(one):
            assert_same(
                getattr(one, field.name), getattr(other, field.name), f"{name}.{field.name}"
            )
    elif isinstance(one, float):
        assert np.float64(one).tobytes() == np.float64(other).tobytes(), name
    else:
        assert one == other, name
