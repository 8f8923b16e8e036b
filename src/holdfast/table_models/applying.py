"""A model applied to a file: predictions, what was odd about the rows, and how well it did."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

import numpy as np
import polars as pl

from holdfast.table_models.table_model import TableModel
from holdfast.tables.reading import is_sparse, read_svmlight, read_table


@dataclass(frozen=True)
class Applied:
    """What came of it.

    Attributes
    ----------
    predictions : polars.DataFrame
        One line for every row.
    frame : polars.DataFrame or None
        The table; None where rows are sparse.
    notes : list of str
        New levels and filled cells, counted.
    judged : dict
        Errors, where the target is in the table: ``rmse`` and ``mean_squared_error``, or
        ``wrong_labels``, a share.
    """

    predictions: pl.DataFrame
    frame: pl.DataFrame | None
    notes: list[str] = field(default_factory=list)
    judged: dict[str, float] = field(default_factory=dict)


def apply(model: TableModel, path: Path) -> Applied:
    """Predict the rows of a file.

    Raises
    ------
    ValueError, FileNotFoundError
        In one sentence: what was found, what was expected, what to do.
    """
    if (model.encoding is None) != is_sparse(path):
        kinds = ("a table with names of columns", "sparse rows (svmlight)")
        expected = kinds[model.encoding is None]
        raise ValueError(
            f"{path} is of another kind than what the model was fitted on; expected {expected}."
        )
    if model.encoding is None:
        rows, labels = read_svmlight(path, int(model.estimator.n_features_in_))
        predictions = model.predict(rows)
        return Applied(predictions, None, [], _judged(model, predictions, pl.Series(labels)))
    frame = read_table(path, _texts(model))
    _check_columns(model, frame, path)
    predictions = model.predict(frame)
    judged = {}
    if model.target in frame.columns:
        judged = _judged(model, predictions, frame[model.target])
    return Applied(predictions, frame, _notes(model, frame), judged)


def _texts(model: TableModel) -> set[str]:
    """Columns that the model knows as texts: their levels, and labels, may look like numbers."""
    assert model.encoding is not None
    levels = {one.name for one in model.encoding.columns if one.record()["kind"] == "categorical"}
    labels = getattr(model.estimator, "classes_", np.zeros(0))
    return levels | ({model.target} if labels.dtype.kind in "OSU" else set())


def _check_columns(model: TableModel, frame: pl.DataFrame, path: Path) -> None:
    missing = [name for name in model.needed if name not in frame.columns]
    if not missing:
        return
    near = get_close_matches(missing[0], frame.columns, n=1)
    hint = f"; is it {near[0]!r}?" if near else ""
    names = ", ".join(repr(name) for name in missing[:5]) + (", ..." if len(missing) > 5 else "")
    raise ValueError(
        f"{path} lacks {len(missing)} of the {len(model.needed)} columns that the model uses: "
        f"{names}{hint}; expected all of them, in any order: add or rename them."
    )


def _notes(model: TableModel, frame: pl.DataFrame) -> list[str]:
    """What was not as in the table of the fit."""
    notes, used = [], set(model.needed)
    assert model.encoding is not None
    for column in model.encoding.columns:
        if column.name not in used:
            continue
        told = column.summary(frame[column.name])
        if told.get("pooled"):
            have = "has" if told["pooled"] == 1 else "have"
            notes.append(
                f"column {column.name!r}: {told['pooled']} of {len(frame)} rows {have} a level "
                "that was rare or not there when the model was fitted"
            )
        if told["missing"]:
            are = "is" if told["missing"] == 1 else "are"
            notes.append(
                f"column {column.name!r}: {told['missing']} of {len(frame)} cells {are} empty and "
                "filled as in the fit"
            )
    return notes


def _judged(model: TableModel, predictions: pl.DataFrame, truth: pl.Series) -> dict[str, float]:
    """Errors on rows whose target is known."""
    known = truth.is_not_null()
    if model.task == "regression":
        numbers = truth.cast(pl.Float64, strict=False)
        known = known & numbers.is_finite().fill_null(value=False)
        if not known.any():
            return {}
        gaps = (numbers - predictions["prediction"]).filter(known).to_numpy()
        square = float(np.mean(gaps**2))
        return {"rmse": square**0.5, "mean_squared_error": square}
    if not known.any():
        return {}
    labels = truth.cast(predictions["prediction"].dtype, strict=False)
    wrong = (labels != predictions["prediction"]).fill_null(value=True).filter(known)
    return {"wrong_labels": float(wrong.to_numpy().mean())}
