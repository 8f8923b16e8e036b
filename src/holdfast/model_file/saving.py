"""Fitted models in files: JSON that a person can read, and that executes nothing when it is read.

A file holds what was fitted, by a schema for every class (:mod:`holdfast.model_file.schemas`): its
parameters, the names of its columns, the whole path of a search or the coefficients, hold-out
errors, the versions that wrote it, and a checksum of all of it. Every value is checked before
anything is made of it. Numbers come back bit for bit, and with them the predictions.
"""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn

import holdfast
from holdfast.model_file.documents import ModelKind
from holdfast.model_file.errors import ModelFileError
from holdfast.model_file.kinds import Place, Record, Several, Text
from holdfast.model_file.text import from_text, to_text
from holdfast.whole_file import write_whole

_CONTENT = Record(
    {
        "written_by": Several(Record({"package": Text(), "version": Text()})),
        "model": ModelKind(),
    }
)


def save_model(model: Any, path: Any) -> None:
    """Write a fitted model to a file.

    Parameters
    ----------
    model : fitted estimator of holdfast, or TableModel
        Selectors, penalty choosers, kernel models, models with a posterior, LARS models.
    path : str or Path
        Where to; by custom ``model.json``. The file appears whole or not at all.

    Raises
    ------
    ValueError
        If something cannot be said in a file: functions among the parameters (a kernel or a scorer
        of your own), labels that are neither texts nor numbers. Nothing is written then.

    See Also
    --------
    load_model : Reads it.

    Notes
    -----
    Kept are parameters, names of columns, the whole path (so that ``truncate``, displays and warm
    starts work afterwards), coefficients or basis vectors, errors, and with
    ``store_cv_results=True`` what that stored. Left behind are the caches of ``holdout_predict``,
    as large as the training data, metadata requests and callbacks.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from holdfast import ForwardRidge, load_model, save_model
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((50, 6))
    >>> model = ForwardRidge().fit(X, X[:, 2] + 0.1 * rng.standard_normal(50))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/model.json")
    ...     loaded = load_model(f"{folder}/model.json")
    >>> bool((loaded.predict(X) == model.predict(X)).all())
    True
    >>> loaded.truncate(1).get_support(indices=True).tolist()
    [2]
    """
    content = {
        "written_by": [{"package": name, "version": found} for name, found in _versions()],
        "model": ModelKind().write(model),
    }
    text = to_text(content)
    # A file that is written can be read: what would be refused later is refused now.
    _CONTENT.read(from_text(text.encode()), Place("the model"))
    write_whole(Path(path), lambda unfinished: unfinished.write_bytes(text.encode()))


def load_model(path: Any) -> Any:
    """Read a model that :func:`save_model` wrote.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    fitted estimator or TableModel
        Of the class that was saved; predictions are the same bit for bit.

    Raises
    ------
    ModelFileError
        If the file is damaged, was changed since it was written, is of a newer version or none of
        ours. It is a ``ValueError``.

    Notes
    -----
    Nothing in a file is executed, and nothing is imported by its say. The checksum finds accidents
    and edits; it does not say who wrote a file.
    """
    raw = Path(path).read_bytes()
    try:
        found: dict[str, Any] = _CONTENT.read(from_text(raw), Place(""))
    except ModelFileError as error:
        raise ModelFileError(f"{path} cannot be read: {error}") from None
    return found["model"]


def _versions() -> list[tuple[str, str]]:
    return [
        ("holdfast", holdfast.__version__),
        ("python", platform.python_version()),
        ("numpy", np.__version__),
        ("scipy", scipy.__version__),
        ("scikit-learn", sklearn.__version__),
    ]
