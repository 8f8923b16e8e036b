"""The penalty of a ridge model of all columns, from a grid, by the error of every penalty.

"ridge-cv-selection-2013", section 2: refit under every penalty, take the least error. Of penalties
whose errors are equal (1e-10, relative) the first of the grid. With several targets there is one
penalty for all, by the mean of their errors, or one for each, by its own error.
"""

from dataclasses import replace

import numpy as np

from .forward_wrapper import first_of_best
from .ridge_refit import hold_out, refit, refitted_predictions


def alpha_errors(problem, alphas, predict=refitted_predictions):
    """Error of the model of all columns under every penalty, by splits or by leave-one-out."""
    columns = range(problem.X.shape[1])
    return np.array([hold_out(problem, columns, alpha, predict)[0] for alpha in alphas])


def one_target(problem, target):
    """The problem of one target (of the coded ones, for classes) without the others."""
    assert problem.error == "squared", "wrong labels are counted over all targets together"
    return replace(problem, Y=problem.Y[:, [target]])


def alpha_errors_per_target(problem, alphas, predict=refitted_predictions):
    """The same for every target by itself, penalties x targets."""
    targets = range(problem.Y.shape[1])
    return np.transpose([alpha_errors(one_target(problem, t), alphas, predict) for t in targets])


def chosen_alpha(errors):
    """Number of the penalty that errors, one per penalty, settle on."""
    return first_of_best({(): list(errors)})[1]


def chosen_alphas_per_target(errors):
    """Number of the penalty of every target, from errors, penalties x targets."""
    return np.array([chosen_alpha(of_target) for of_target in np.transpose(errors)])


def refit_per_target(problem, columns, alphas):
    """``refit`` with a penalty for every target: coefficients (targets x columns), intercepts."""
    models = [refit(one_target(problem, t), columns, alpha) for t, alpha in enumerate(alphas)]
    return tuple(np.concatenate(part) for part in zip(*models, strict=True))
