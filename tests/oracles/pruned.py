"""Pruned ridge regression as described: rank by LARS, then refit the first 0, 1, 2, ... columns.

"ridge-cv-selection-2013", section 5 (OP-LR and OP-RR): all rows take part in the ranking,
whatever is held out afterwards.
"""

import numpy as np

from .forward_wrapper import first_of_best, score_all, start, visit
from .lars_path import follow
from .ridge_refit import refitted_predictions


def ranking(problem, scale=1.0):
    """Columns in the order in which the literal LARS path (alpha = 0) lets them in."""
    _, _, _, entries, _ = follow(
        problem.X / scale,
        problem.Y[:, 0],
        alpha=0.0,
        intercept=problem.fit_intercept,
        weights=problem.sample_weight,
    )
    return [column for column, _ in entries]


def pruned(problem, alphas, order, predict=refitted_predictions):
    """Record of the models of the first columns of an order, each under its best alpha."""
    record = start(problem, [], alphas, predict)
    for column in order:
        support = [*record.supports[-1], (column,)]
        _, number = first_of_best(score_all(problem, {(): support}, alphas, predict))
        record.moves.append((1, (column,)))
        visit(record, problem, support, alphas[number], predict)
    return record


def least_squares_errors(X, y, order, splits):
    """Mean squared held-out error of plain least squares with intercept on the first columns."""
    errors = []
    for size in range(len(order) + 1):
        columns, squares = order[:size], []
        for train, held in splits:
            A = np.column_stack([np.ones(len(train)), X[np.ix_(train, columns)]])
            coef = np.linalg.lstsq(A, y[train], rcond=None)[0]
            B = np.column_stack([np.ones(len(held)), X[np.ix_(held, columns)]])
            squares.append((y[held] - B @ coef) ** 2)
        errors.append(np.mean(np.concatenate(squares)))
    return np.array(errors)
