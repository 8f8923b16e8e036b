"""Paths in a model file: visited models of a search, judged models and knots of LARS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from holdfast.estimators.lars_judging import Judgement
from holdfast.model_file.arrays import Wholes, numbers, predicting
from holdfast.model_file.kinds import LARGEST, Choice, Maybe, Number, Place, Record, Several, Whole
from holdfast.rows.ledger import Move, Solution
from holdfast.searches.lars_path import LarsPath
from holdfast.searches.path import Visit

_SOLUTION = Record(
    {
        "columns": Wholes("_columns", below="features"),
        "coef": predicting("outputs", "_columns"),
        "intercept": predicting("outputs"),
    },
    Solution,
)


def _move(sign: str, feature: int) -> Move:
    return Move(_SIGNS[sign], feature)


_SIGNS = {"add": 1, "remove": -1}


class _MoveKind:
    """A move in words."""

    _record = Record({"sign": Choice(tuple(_SIGNS)), "feature": Whole(below="units")}, _move)

    def write(self, value: Move) -> dict[str, Any]:
        """As JSON values."""
        return {"sign": "add" if value.sign > 0 else "remove", "feature": int(value.feature)}

    def read(self, value: Any, place: Place) -> Move:
        """From JSON values."""
        move: Move = self._record.read(value, place)
        return move


def _visit(**found: Any) -> Visit:
    return Visit(**{**found, "support": tuple(found["support"].tolist())})


VISIT = Record(
    {
        "move": Maybe(_MoveKind()),
        "support": Wholes("_support", below="units"),
        "alpha": Whole(below="alphas"),
        "errors": numbers("alphas", open_ended=True),
        "std_errors": numbers("alphas", open_ended=True),
        "solution": _SOLUTION,
        "fold_errors": Maybe(numbers("splits", "alphas", open_ended=True)),
        "lost": Maybe(Choice(("dependence", "leverage"))),
    },
    _visit,
)
"""A visited model of a search. Dimensions: features (columns), units (that move), outputs."""

JUDGEMENT = Record(
    {
        "size": Whole(),
        "alpha": Whole(below="alphas"),
        "errors": numbers("alphas", open_ended=True),
        "std_errors": numbers("alphas", open_ended=True),
        "solution": _SOLUTION,
        "fold_errors": Maybe(numbers("splits", open_ended=True)),
    },
    Judgement,
)
"""A judged model of a path of generalised LARS."""


def check_errors(path: Sequence[Any], place: Place) -> None:
    """The error of every model is a number, and errors of splits are everywhere or nowhere."""
    by_fold = path[0].fold_errors is not None
    for number, entry in enumerate(path):
        if np.isnan(entry.error):
            raise place.inside(number).refusal("an error that is no number", "a number")
        if (entry.fold_errors is not None) != by_fold:
            raise place.inside(number).refusal("errors of splits, or none", "the other")


class LarsPathKind:
    """A path of generalised LARS: its knots, and the model at each."""

    _knots = Several(
        Record(
            {
                "lambda_1": Number(),
                "columns": Wholes("_columns", below="features"),
                "coef": predicting("_columns"),
                "intercept": Number(most=LARGEST),
            }
        ),
        least=1,
    )
    _record = Record(
        {
            "ended": Choice(("zero", "size", "stopped", "digits")),
            "order": Wholes("_entries", below="features", distinct=False),
            "signs": predicting("_entries"),
            "skipped": Wholes("_skipped", below="features", distinct=False),
            "knots": _knots,
        }
    )

    def write(self, value: LarsPath) -> dict[str, Any]:
        """As JSON values."""
        knots = [
            {"lambda_1": knot, "columns": columns, "coef": coef, "intercept": intercept}
            for knot, (columns, coef), intercept in zip(
                value.knots, value._models, value.intercepts, strict=True
            )
        ]
        parts = {name: getattr(value, name) for name in ("ended", "order", "signs", "skipped")}
        return self._record.write({**parts, "knots": knots})

    def read(self, value: Any, place: Place) -> LarsPath:
        """From JSON values."""
        found = self._record.read(value, place)
        knots = found.pop("knots")
        features = place.size("features")
        assert features is not None
        models = []
        columns = np.empty(0, dtype=np.int32)
        for knot in knots:
            # As Recorder: knots with the same columns share the list of them.
            if not np.array_equal(columns, knot["columns"]):
                columns = knot["columns"].astype(np.int32)
            models.append((columns, knot["coef"]))
        return LarsPath(
            **found,
            knots=np.array([knot["lambda_1"] for knot in knots]),
            intercepts=np.array([knot["intercept"] for knot in knots]),
            sizes=np.array([len(coef) for _, coef in models]),
            _models=models,
            _n_columns=features,
        )
