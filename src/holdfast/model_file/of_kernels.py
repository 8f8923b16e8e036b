"""Kernel models, in a model file: a kernel by name, rows of its basis, dual coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.basis import kernel_checks
from holdfast.basis.kernels import PRECOMPUTED, WITH_GAMMA, Kernel
from holdfast.model_file.arrays import Matrix, Rows, Wholes, numbers, predicting
from holdfast.model_file.kinds import LARGEST, Kind, Maybe, Number, Place
from holdfast.model_file.of_ridges import CHOICE, gathered_choice, restore_choice
from holdfast.model_file.parts import Part, optional, restore_optional
from holdfast.rows.fetched import as_floats
from holdfast.rows.sums import Array

_PROBED = 32
"""Rows of a basis on which the kernel must give finite numbers."""

WIDTHS: dict[str, Kind] = {
    "gamma": Maybe(Number(most=LARGEST)),
    "gammas": Maybe(numbers("gammas")),
    "gamma_errors": Maybe(numbers("gammas", open_ended=True)),
}
_DUAL: dict[str, Kind] = {
    "dual_coef": Matrix("basis", "outputs"),
    "intercept": predicting("outputs"),
}


def _gathered_kernel(estimator: Any) -> dict[str, Any]:
    dual = estimator.dual_coef_.reshape(len(estimator.dual_coef_), -1)
    return {
        **gathered_choice(estimator),
        **optional(estimator, tuple(WIDTHS)),
        "dual_coef": dual,
        "intercept": np.broadcast_to(estimator.intercept_, dual.shape[1]),
    }


def _restore_kernel(estimator: Any, found: dict[str, Any], place: Place) -> None:
    check_kernel(estimator, found["gamma"], place)
    restore_choice(estimator, found)
    restore_optional(estimator, found, tuple(WIDTHS))
    estimator._set_dual(found["dual_coef"], found["intercept"])


_BASIS: dict[str, Kind] = {
    **CHOICE,
    **WIDTHS,
    "basis_indices": Wholes("basis", distinct=False),
    "basis_vectors": Maybe(Rows("basis", "features")),
    **_DUAL,
}


def _gathered_basis(estimator: Any) -> dict[str, Any]:
    return {
        **_gathered_kernel(estimator),
        "basis_indices": estimator.basis_indices_,
        "basis_vectors": estimator.basis_vectors_,
    }


def _restore_basis(estimator: Any, found: dict[str, Any], place: Place) -> None:
    indices, vectors = found["basis_indices"], found["basis_vectors"]
    check_basis(estimator, indices, vectors, place)
    estimator.basis_indices_, estimator.basis_vectors_ = indices, vectors
    _restore_kernel(estimator, found, place)
    probe(estimator, vectors, place)


_FULL_KERNEL: dict[str, Kind] = {
    **CHOICE,
    **WIDTHS,
    "X_fit": Maybe(Rows("basis", "features")),
    **_DUAL,
}


def _gathered_full_kernel(estimator: Any) -> dict[str, Any]:
    # A kernel matrix that was given is not needed to predict.
    rows = None if estimator.kernel == PRECOMPUTED else estimator.X_fit_
    return {**_gathered_kernel(estimator), "X_fit": rows}


def _restore_full_kernel(estimator: Any, found: dict[str, Any], place: Place) -> None:
    rows = found["X_fit"]
    count = np.arange(len(found["dual_coef"]))
    check_basis(estimator, count, rows, place)
    if rows is None and len(count) != estimator.n_features_in_:
        raise place.inside("dual_coef").refusal(f"{len(count)} rows", "one for every feature")
    if rows is not None:
        estimator.X_fit_ = rows
    _restore_kernel(estimator, found, place)
    probe(estimator, rows, place)


def check_kernel(estimator: Any, gamma: float | None, place: Place, *, grid: bool = True) -> None:
    """A kernel that can be computed, with a width where it has one."""
    kernel, here = estimator.kernel, place.inside("parameters")
    try:
        if not isinstance(kernel, str):
            raise ValueError(f"kernel={kernel!r} is no name")
        kernel_checks.check_kernel(
            kernel,
            estimator.gamma,
            estimator.degree,
            estimator.coef0,
            estimator.kernel_params,
            grid=grid,
        )
    except (ValueError, TypeError, OverflowError) as error:
        raise here.refusal(f"a kernel that cannot be computed ({error})", "another") from None
    if (gamma is not None) != (kernel in WITH_GAMMA) or (gamma is not None and gamma < 0):
        raise place.inside("gamma").wrong(gamma, f"the width of the kernel {kernel!r}")


def check_basis(estimator: Any, indices: Array, vectors: Any, place: Place) -> None:
    """Rows of a basis, or numbers of the columns of a kernel matrix that is given."""
    if (vectors is None) != (estimator.kernel in (None, PRECOMPUTED)):
        raise place.refusal("rows of a basis, or none", f"what kernel={estimator.kernel!r} needs")
    if vectors is None and len(indices) and indices.max() >= estimator.n_features_in_:
        raise place.inside("basis_indices").wrong(indices.tolist(), "numbers of columns")


def probe(estimator: Any, vectors: Any, place: Place) -> None:
    """Kernel values of some of the basis must be finite."""
    if vectors is None or vectors.shape[0] == 0:
        return
    some = as_floats(vectors[:_PROBED])
    width = getattr(estimator, "gamma_", None)
    kernel = Kernel(estimator.kernel, width, estimator.degree, estimator.coef0)
    try:
        with np.errstate(all="ignore"):
            finite = bool((np.abs(kernel(some, some)) < LARGEST).all())
    except (ValueError, TypeError, OverflowError) as error:
        raise place.refusal(f"a kernel that cannot be computed ({error})", "another") from None
    if not finite:
        raise place.refusal("a kernel whose values are not finite", "other parameters of it")


BASIS = Part(_BASIS, _gathered_basis, _restore_basis)
FULL_KERNEL = Part(_FULL_KERNEL, _gathered_full_kernel, _restore_full_kernel)
