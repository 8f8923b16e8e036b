"""Greedy backward elimination by trying to do without every feature.

Algorithm 1 of Pahikkala, Airola, Salakoski (2010), section III-A, with the arrow turned round, as
in the paper "ridge-cv-selection-2013", section 3.1: start from all features, at every step drop the
one whose absence gives the least hold-out error. Ties as in ``forward_wrapper``: the lowest
column goes. A column that is zero after centring cannot change any model; it is never in one.
"""

from .forward_wrapper import candidates_of, first_of_best, score_all, start, visit
from .ridge_refit import refitted_predictions


def backward(
    problem,
    alphas,
    steps,
    *,
    feature_groups=None,
    include=(),
    exclude=(),
    predict=refitted_predictions,
):
    """Record of ``steps`` removals, or of fewer where nothing is left that may leave."""
    included, free = candidates_of(problem, feature_groups, include, exclude)
    record = start(problem, sorted(included + free), alphas, predict)
    for _ in range(min(steps, len(free))):
        support = record.supports[-1]
        without = {c: [other for other in support if other != c] for c in support if c in free}
        scores = score_all(problem, without, alphas, predict)
        candidate, number = first_of_best(scores)
        record.scores.append(scores)
        record.moves.append((-1, candidate))
        visit(record, problem, without[candidate], alphas[number], predict)
    return record
