"""Greedy forward selection by trying every feature.

Pahikkala, Airola, Salakoski (2010), Algorithm 1 ("standard wrapper algorithm for RLS"), section
III-A, generalised: the candidates are groups of columns, some may be in from the start, and the
penalty is chosen from a grid at every step. The error of a feature set is that of
``ridge_refit.hold_out``: by leave-one-out, or by the splits of the problem, which is the selection
of "ridge-cv-selection-2013", section 3.

Ties: scores within 1e-10 (relative) of the best count as equal; then the candidate with the lowest
column wins, then the first alpha. A column that is zero after centring is never a candidate.
"""

from dataclasses import dataclass, field

import numpy as np

from .ridge_refit import hold_out, refitted_predictions

TIE = 1e-10


@dataclass
class Record:
    """One entry per visited model, the starting model first; ``scores`` has one entry per move."""

    supports: list = field(default_factory=list)  # list of candidates (tuples of columns)
    errors: list = field(default_factory=list)
    standard_errors: list = field(default_factory=list)
    alphas: list = field(default_factory=list)
    moves: list = field(default_factory=list)  # (sign, columns)
    scores: list = field(default_factory=list)  # {candidate: [error for each alpha]}

    @property
    def sizes(self):
        return [len(support) for support in self.supports]

    @property
    def order(self):
        """The columns in the order in which they entered or left."""
        return [column for _, columns in self.moves for column in columns]

    def columns(self, entry):
        return columns_of(self.supports[entry])

    def gaps(self):
        """How far every score of every step was behind the best one of its step, relative.

        What is neither equal to rounding nor clearly apart leaves the search open.
        """
        gaps = [np.zeros(1)]
        for scores in self.scores:
            behind = np.ravel(list(scores.values())) - np.min(list(scores.values()))
            best = np.min(list(scores.values()))
            gaps.append(behind / best if best > 0 else np.where(behind > 0, np.inf, 0.0))
        return np.concatenate(gaps)


def columns_of(support):
    return sorted(column for candidate in support for column in candidate)


def candidates_of(problem, feature_groups=None, include=(), exclude=()):
    """(included, free) candidates: every group, and every column without one, by lowest column.

    A column named in ``include`` or ``exclude`` names its whole group.
    """
    n = problem.X.shape[1]
    groups = [tuple(sorted(group)) for group in feature_groups or []]
    grouped = {column for group in groups for column in group}
    everything = sorted(groups + [(column,) for column in range(n) if column not in grouped])
    included = [c for c in everything if set(c) & set(include)]
    free = [
        c
        for c in everything
        if not set(c) & (set(include) | set(exclude)) and not is_zero(problem, c)
    ]
    return included, free


def is_zero(problem, columns):
    """Whether columns are zero on the rows that count, after centring if there is an intercept."""
    X = problem.X[np.ix_(problem.used, list(columns))]
    return bool(np.all(np.ptp(X, axis=0) == 0)) if problem.fit_intercept else not np.any(X)


def first_of_best(scores):
    """(candidate, alpha number) of the best score; within ties the lowest, then the first alpha."""
    best = min(min(errors) for errors in scores.values())
    for candidate in sorted(scores):
        for number, error in enumerate(scores[candidate]):
            if error <= best + TIE * abs(best):
                return candidate, number
    raise AssertionError("no score equals the best one: is one of them NaN?")


def score_all(problem, supports, alphas, predict):
    """{candidate: [error for each alpha]} for {candidate: support}."""
    return {
        candidate: [hold_out(problem, columns_of(support), alpha, predict)[0] for alpha in alphas]
        for candidate, support in supports.items()
    }


def visit(record, problem, support, alpha, predict):
    """Write down a visited model."""
    error, standard_error = hold_out(problem, columns_of(support), alpha, predict)
    record.supports.append(list(support))
    record.errors.append(error)
    record.standard_errors.append(standard_error)
    record.alphas.append(alpha)


def start(problem, support, alphas, predict):
    """A record that holds the starting model under its best alpha."""
    _, number = first_of_best(score_all(problem, {(): support}, alphas, predict))
    record = Record()
    visit(record, problem, support, alphas[number], predict)
    return record


def add_best(record, problem, free, alphas, predict):
    """Algorithm 1, lines 3-11: score every candidate outside the support, take the best."""
    support = record.supports[-1]
    outside = [c for c in free if c not in support]
    scores = score_all(problem, {c: [*support, c] for c in outside}, alphas, predict)
    candidate, number = first_of_best(scores)
    record.scores.append(scores)
    record.moves.append((1, candidate))
    visit(record, problem, [*support, candidate], alphas[number], predict)


def forward(
    problem,
    alphas,
    steps,
    *,
    feature_groups=None,
    include=(),
    exclude=(),
    predict=refitted_predictions,
):
    """Record of ``steps`` additions, or of fewer where the candidates run out."""
    included, free = candidates_of(problem, feature_groups, include, exclude)
    record = start(problem, included, alphas, predict)
    for _ in range(min(steps, len(free))):
        add_best(record, problem, free, alphas, predict)
    return record


def floating(
    problem,
    alphas,
    size,
    *,
    feature_groups=None,
    include=(),
    exclude=(),
    predict=refitted_predictions,
):
    """Sequential floating forward selection (Pudil, Novovicova, Kittler 1994) up to ``size``.

    After every addition: drop the feature, other than the one just added, without which the model
    is best, as long as that model is better (by more than a tie) than the best visited one of its
    size.
    """
    included, free = candidates_of(problem, feature_groups, include, exclude)
    record = start(problem, included, alphas, predict)
    size = min(size, len(included) + len(free))
    best = {record.sizes[-1]: record.errors[-1]}
    while record.sizes[-1] < size:
        add_best(record, problem, free, alphas, predict)
        added = record.moves[-1][1]
        best[record.sizes[-1]] = min(best.get(record.sizes[-1], np.inf), record.errors[-1])
        while True:
            support = record.supports[-1]
            without = {
                c: [other for other in support if other != c]
                for c in support
                if c in free and c != added
            }
            if not without:
                break
            scores = score_all(problem, without, alphas, predict)
            candidate, number = first_of_best(scores)
            error = scores[candidate][number]
            if not error < best[len(support) - 1] * (1 - TIE):
                break
            record.scores.append(scores)
            record.moves.append((-1, candidate))
            visit(record, problem, without[candidate], alphas[number], predict)
            best[record.sizes[-1]] = error
    return record
