"""The nested error: choose and fit anew on every outer training set, judge what it leaves out.

"sparse-rls-holdout-2012", section 6.4, measures how much an error flatters that chose what it
judges. ``choose`` is the whole procedure on some rows: it returns the columns and the penalty.
"""

from dataclasses import replace

import numpy as np

from .ridge_refit import error_and_standard_error, fit_and_predict


def nested(problem, outer, choose):
    """(error, standard error, predictions splits x rows x targets, columns of every split).

    ``outer`` are (training rows, held-out rows); ``choose(training rows)`` sees those only.
    """
    predictions = np.full((len(outer), *problem.Y.shape), np.nan)
    chosen = []
    for number, (training_set, rows) in enumerate(outer):
        columns, alpha = choose(training_set)
        used = training_set[problem.sample_weight[training_set] > 0]
        predictions[number, rows] = fit_and_predict(problem, used, columns, alpha, rows)
        chosen.append(sorted(columns))
    judged = replace(problem, splits=list(outer))
    return *error_and_standard_error(judged, predictions), predictions, chosen
