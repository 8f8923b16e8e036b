"""The record of a search, and the choice of a size from it.

A path holds one entry per visited model in the order visited, the starting model included:
k moves, k + 1 entries. Its errors are optimistic: the same rows chose the features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from holdfast.rows.ledger import TIE, Ledger, Move, Solution
from holdfast.rows.sums import Array


@dataclass(frozen=True)
class Visit:
    """One visited model.

    Attributes
    ----------
    move : Move or None
        What led here; None for the starting model.
    support : tuple of int
        Features of the model, in the order they entered.
    alpha : int
        Position of the best penalty.
    errors, std_errors : array of shape (R,)
        Error and its standard error at every penalty.
    solution : Solution
        The model at the best penalty.
    fold_errors : array of shape (K, R) or None
        Error of every split at every penalty, where there are splits.
    lost : str or None
        What costs the digits of the errors: "dependence", rounding decides what the model is, the
        penalty being too small; "leverage", a row is all but interpolated.
    """

    move: Move | None
    support: tuple[int, ...]
    alpha: int
    errors: Array
    std_errors: Array
    solution: Solution
    fold_errors: Array | None = None
    lost: str | None = None

    @property
    def size(self) -> int:
        """Number of features; a group counts as one."""
        return len(self.support)

    @property
    def error(self) -> float:
        """Error at the best penalty."""
        return float(self.errors[self.alpha])

    @property
    def std_error(self) -> float:
        """Standard error at the best penalty."""
        return float(self.std_errors[self.alpha])


class Judged(Protocol):
    """What a choice of size has to know of a visited model."""

    @property
    def size(self) -> int:
        """Number of features."""
        ...

    @property
    def error(self) -> float:
        """Error at the best penalty."""
        ...

    @property
    def std_error(self) -> float:
        """Standard error at the best penalty."""
        ...


def visit(ledger: Ledger, move: Move | None) -> Visit:
    """Record where the ledger stands."""
    errors, std_errors, fold_errors, lost, lost_by = ledger.standing
    least = errors.min()
    alpha = int((errors <= least + TIE * abs(least)).argmax())
    support, solution = tuple(ledger.support), ledger.solution(alpha)
    in_doubt = lost_by if lost is not None and lost[alpha] else None
    return Visit(move, support, alpha, errors, std_errors, solution, fold_errors, in_doubt)


@dataclass(frozen=True)
class SizeRule:
    """How a size is chosen from a path.

    Attributes
    ----------
    kind : {"best", "1se", "size"}
        Smallest error (ties to the smaller model); smallest model whose error is at most
        the best plus its standard error; or exactly ``size`` features.
    size : int
        For ``kind="size"``.
    limit : int or None
        Larger models are not considered.
    """

    kind: str
    size: int = 0
    limit: int | None = None

    def choose(self, path: Sequence[Judged]) -> int | None:
        """Position of the chosen model in the path; None while there is none to choose."""
        limit = self.limit if self.limit is not None else max(v.size for v in path)
        open_to_choice = [i for i, v in enumerate(path) if v.size <= limit]
        if self.kind == "size":
            open_to_choice = [i for i in open_to_choice if path[i].size == self.size]
        if not open_to_choice:
            return None
        least = min(path[i].error for i in open_to_choice)
        best = _smallest(path, open_to_choice, least + TIE * abs(least))
        if self.kind != "1se":
            return best
        return _smallest(path, open_to_choice, path[best].error + path[best].std_error)


def _smallest(path: Sequence[Judged], positions: Sequence[int], bound: float) -> int:
    """Smallest model with an error within the bound; of equals the best, then the first.

    A floating search may visit one model twice; rounding must not tell the visits apart.
    """
    within = [i for i in positions if path[i].error <= bound]
    size = min(path[i].size for i in within)
    least = min(path[i].error for i in within if path[i].size == size)
    return next(
        i for i in within if path[i].size == size and path[i].error <= least + TIE * abs(least)
    )


class Watch(Protocol):
    """Who watches a search, and may end it."""

    def begin(self) -> None:
        """A move is about to be looked for."""
        ...

    def end(self, path: Sequence[Visit]) -> bool:
        """A move was made; True asks the search to stop."""
        ...


class Patience:
    """Ends a search after so many moves without a new candidate for the choice.

    A move brings a new candidate when the choice changes, or the best model: of ``"1se"``
    that moves the bound.

    Parameters
    ----------
    rule : SizeRule
        Whose choice is followed.
    moves : int or None
        None: never.
    """

    def __init__(self, rule: SizeRule, moves: int | None) -> None:
        self._rules = (rule, SizeRule("best", limit=rule.limit))
        self._moves = moves
        self._choices: tuple[int | None, ...] = ()
        self._since = 0

    def follow(self, path: Sequence[Visit], sign: int) -> bool:
        """Whether the search by moves of that sign, that made the path, had come to its end."""
        moves = [entry.move for entry in path[1:]]
        asked = [i for i, move in enumerate(moves, 1) if move is not None and move.sign == sign]
        return any(self.exhausted(path[:count]) for count in (*asked, len(path)))

    def exhausted(self, path: Sequence[Judged]) -> bool:
        """Whether the candidates have been the same for too long."""
        rule, _ = self._rules
        if self._moves is None or rule.kind == "size":
            return False
        choices = tuple(rule.choose(path) for rule in self._rules)
        same = choices == self._choices and choices[0] is not None
        self._since = self._since + 1 if same else 0
        self._choices = choices
        return self._since >= self._moves
