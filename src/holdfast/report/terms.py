"""How errors are told, what models are made of, and names in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from holdfast.report.numbers import count, shown

MOST_NAMES = 6
LONGEST = 48  # letters of a name in a sentence
Findings = Mapping[str, Any]


@dataclass(frozen=True)
class Measure:
    """How an error is told: of regression as the root, which is in the units of the target.

    Attributes
    ----------
    word : str
        What the number is called.
    axis : str
        The same on an axis.
    root : bool
        Whether it is the root of the error of the findings.
    """

    word: str
    axis: str
    root: bool

    @classmethod
    def of_findings(cls, findings: Findings) -> Measure:
        """The measure that suits a task."""
        name = findings["error_name"]
        if findings["task"] == "regression" and name == "squared error":
            return cls("typical miss", f"typical miss (RMSE), {findings['target']}", True)
        short = name.removesuffix(" of -1/+1 labels")
        return cls(short, short, False)

    def of(self, error: float) -> float:
        """An error as it is told."""
        return sqrt(max(error, 0.0)) if self.root else error

    def spread(self, error: float, std_error: float | None) -> float | None:
        """Standard error of an error as it is told: of a root, by the slope of the root.

        None where it is not known, or where the root of zero has no slope.
        """
        if std_error is None or not self.root:
            return std_error
        return std_error / (2 * sqrt(error)) if error > 0 else None

    def with_error(self, error: float | None, std_error: float | None) -> str:
        """``0.56 ± 0.02``: the number that is told, and its own standard error."""
        if error is None:
            return self.text(None)
        return with_error(self.of(error), self.spread(error, std_error))

    def text(self, error: float | None) -> str:
        """The same as text; a dash for None."""
        return shown(None if error is None else self.of(error))


@dataclass(frozen=True)
class Noun:
    """What the models are made of: columns of the table where they enter whole, else features."""

    one: str
    many: str

    @classmethod
    def of_findings(cls, findings: Findings) -> Noun:
        """``column`` where every size counts columns of the table, else ``feature``."""
        made_of = findings["feature_columns"]
        whole = all(
            entry["size"] == len({made_of[column] for column in entry["columns"]})
            for entry in findings["path"] or []
        )
        return cls("column", "columns") if whole else cls("feature", "features")

    def count(self, number: int) -> str:
        """``4 columns``."""
        return count(number, self.one, self.many)


def own_hold_out(findings: Findings) -> str:
    """How the model judged itself, and that it did so approximately if it did."""
    by = str(findings["hold_out"])
    said = not findings.get("approximate") or "approximate" in by
    return by if said else f"approximate {by}"


def listed(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """``a, b and c``; of many the first, and how many more; of very long names the beginning."""
    if not names:
        return "none"
    names = [name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…" for name in names]
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most:,} more"
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def chosen_columns(findings: Findings) -> list[str] | None:
    """Columns of the table in the chosen model, largest effect first; None of a kernel model."""
    effects, names = findings["effects"] or findings["coef"], findings["feature_columns"]
    if effects is None:
        return None
    largest: dict[str, float] = {}
    for column, of_outputs in zip(names, zip(*effects, strict=True), strict=True):
        effect = max(map(abs, of_outputs))
        if effect:
            largest[column] = max(effect, largest.get(column, 0.0))
    if findings["path"] is not None:
        # A constant or a column of effect zero may be in the support.
        for j in findings["path"][findings["chosen"]]["columns"]:
            largest.setdefault(names[j], 0.0)
    return sorted(largest, key=lambda name: -largest[name])


def n_columns(findings: Findings) -> int:
    """Columns of the table; of files without names for them, columns of numbers."""
    return len(findings["data"]["columns"]) or len(set(findings["feature_columns"]))


def with_error(value: float, std_error: float | None) -> str:
    """``0.31 ± 0.02``: an error and its standard error."""
    return shown(value) if std_error is None else f"{shown(value)} ± {shown(std_error, 2)}"


def tick_count(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Sizes that were chosen, and in how many folds."""
    return [(size, sizes.count(size)) for size in sorted(set(sizes))]
