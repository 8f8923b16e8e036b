"""Weighted ridge regression and its hold-out error, by fitting again and again.

Pahikkala, Airola, Salakoski, "Speeding up greedy forward selection for regularized least-squares"
(2010), section II, equations (2), (3) and (5), with what the paper leaves out: sample weights, an
unpenalised intercept, several targets, class weights, and the share of wrong labels as an error.
Hold-out by splits: "ridge-cv-selection-2013", section 2.

A *training set* is an array of row numbers. A model of the training set ``T`` with weights ``v`` is

    argmin over w, b of   sum_{j in T} v_j (y_j - x_j'w - b)^2 + alpha ||w||^2

and the leave-one-out prediction of row ``j`` is that of the model of all rows but ``j``. A *split*
is a training set and the rows that its model is to predict: the rows held out. Leave-one-out is the
case of one split per row. Rows of sample weight zero are in no training set and are never held out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

# ---------------------------------------------------------------------------------------- one model


def fit_ridge(X, Y, alpha, weights, fit_intercept, scale=1.0):
    """One ridge model: (coefficients, columns x targets; means of X; what is predicted there).

    Least squares on the rows ``sqrt(v_j) (x_j, y_j)``, about their weighted means if there is an
    intercept (else "about" zero), with one further row ``sqrt(alpha) e_i, 0`` for every column i;
    solved by QR. With a ``scale`` the model is that of the columns divided by it, where w is that
    of X, and its penalty alpha ||scale w||^2: X itself is not divided, which would cost digits.
    """
    columns = X.shape[1]
    x_mean, y_mean = np.zeros(columns), np.zeros(Y.shape[1])
    if fit_intercept:
        x_mean = np.average(X, axis=0, weights=weights)
        y_mean = np.average(Y, axis=0, weights=weights)
    root = np.sqrt(weights)[:, None]
    design = np.vstack([root * (X - x_mean), np.sqrt(alpha) * scale * np.eye(columns)])
    target = np.vstack([root * (Y - y_mean), np.zeros((columns, Y.shape[1]))])
    Q, R = np.linalg.qr(design)
    coef = np.linalg.solve(R, Q.T @ target)
    if fit_intercept:
        # A mean of 1e6 spreads is rounded to 1e-10 spreads. That is harmless in the coefficients,
        # to first order; in the intercept it is undone by the residuals, whose mean has to be 0.
        residual = Y - predict((coef, x_mean, y_mean), X)
        y_mean = y_mean + np.average(residual, axis=0, weights=weights)
    return coef, x_mean, y_mean


def predict(model, X):
    """w'x + b with b = mean of y - w'(mean of x): subtract before multiplying, it keeps digits."""
    coef, x_mean, y_mean = model
    return y_mean + (X - x_mean) @ coef


def named_classes(model, X):
    """Class numbers that one model names.

    One target: class 1 if the prediction is positive; several: the first of the largest. Two
    predictions are equal if they are closer than 1e-13 of the sizes of the terms they are sums of,
    so that no label hangs on rounding, and none on the scale of X or of alpha beyond that. The
    terms of an intercept are those of a mean of -1 and +1: their size is 1.
    """
    coef, x_mean, y_mean = model
    predictions = predict(model, X)
    doubt = 1e-13 * ((y_mean != 0) + np.abs(X - x_mean) @ np.abs(coef))
    if predictions.shape[1] == 1:
        return (predictions > doubt)[:, 0].astype(int)
    first = np.argmax(predictions, axis=1)[:, None]
    least = np.take_along_axis(predictions - doubt, first, axis=1)
    return np.argmax(predictions + doubt >= least, axis=1)


# -------------------------------------------------------------------------------------- the problem


@dataclass(frozen=True)
class Problem:
    """What is to be modelled, and how an error is counted.

    ``labels`` are class numbers 0, 1, ... of the rows, or None for regression; then ``Y`` holds the
    coded targets (see ``coded``). ``class_weight`` is None, "balanced" or {class number: weight}.

    ``splits`` is None for leave-one-out, else a list of (training rows, held-out rows). The two
    need not be all rows together; a row may be held out by several splits, or by none. With
    ``standardize`` columns are divided by their standard deviation in every training set anew.
    """

    X: np.ndarray
    Y: np.ndarray
    sample_weight: np.ndarray
    fit_intercept: bool = True
    error: str = "squared"
    labels: np.ndarray | None = None
    class_weight: str | dict | None = None
    splits: list | None = None
    standardize: bool = False

    @property
    def used(self):
        """The rows that count: those of positive sample weight."""
        return np.flatnonzero(self.sample_weight > 0)

    @property
    def used_splits(self):
        """The splits without the rows that do not count."""
        return [
            tuple(rows[self.sample_weight[rows] > 0] for rows in split) for split in self.splits
        ]

    @property
    def error_weights(self):
        """Weight of every row in the error: sample weight times the class weight *of all rows*."""
        weights = np.zeros(len(self.Y))
        weights[self.used] = self.weights(self.used)
        return weights

    def scales(self, training_set):
        """What the columns are divided by for a model of a training set."""
        return scales(self, training_set) if self.standardize else np.ones(self.X.shape[1])

    def weights(self, training_set):
        """Sample weight times class weight of every row of a training set.

        "balanced": the weight of class c is rows / (classes present * rows of c), where all three
        are counted in this very training set.
        """
        if self.class_weight is None:
            return self.sample_weight[training_set]
        labels = self.labels[training_set]
        if self.class_weight == "balanced":
            present, counts = np.unique(labels, return_counts=True)
            class_weight = {
                c: len(training_set) / (len(present) * count)
                for c, count in zip(present, counts, strict=True)
            }
        else:
            class_weight = self.class_weight
        return self.sample_weight[training_set] * np.array(
            [class_weight.get(c, 1.0) for c in labels]
        )


def regression(X, y, sample_weight=None, fit_intercept=True, standardize=False, splits=None):
    """The problem of a regressor; ``standardize`` divides columns by their standard deviation."""
    X = np.asarray(X, dtype=float)
    Y = np.asarray(y, dtype=float).reshape(len(X), -1)
    sample_weight = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, float)
    return judged(Problem(X, Y, sample_weight, fit_intercept), standardize, splits)


def classification(
    X,
    y,
    sample_weight=None,
    fit_intercept=True,
    standardize=False,
    error="squared",
    class_weight=None,
    splits=None,
):
    """The problem of a classifier: targets -1 / +1, one column per class beyond two classes."""
    X = np.asarray(X, dtype=float)
    classes, labels = np.unique(y, return_inverse=True)
    sample_weight = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, float)
    if isinstance(class_weight, dict):
        class_weight = {
            number: class_weight.get(c, 1.0) for number, c in enumerate(classes.tolist())
        }
    Y = coded(labels, len(classes))
    problem = Problem(X, Y, sample_weight, fit_intercept, error, labels, class_weight)
    return judged(problem, standardize, splits)


def judged(problem, standardize, splits):
    """The problem by leave-one-out, scaled once over all rows, or by splits, scaled in each."""
    if splits is None:
        return standardized(problem) if standardize else problem
    splits = [tuple(np.asarray(rows, dtype=int) for rows in split) for split in splits]
    return replace(problem, splits=splits, standardize=standardize)


def coded(labels, n_classes):
    """-1 / +1 in one column for two classes (+1 = class 1), else +1 in the column of the class."""
    if n_classes == 2:
        return np.where(labels == 1, 1.0, -1.0)[:, None]
    return np.where(labels[:, None] == np.arange(n_classes), 1.0, -1.0)


def scales(problem, rows=None):
    """Weighted standard deviation (ddof 0) of every column over rows; 1 for a constant one.

    The weights are those of the rows as a training set; by default all rows that count.
    """
    rows = problem.used if rows is None else rows
    X, weights = problem.X[rows], problem.weights(rows)
    variance = np.average(
        (X - np.average(X, axis=0, weights=weights)) ** 2, axis=0, weights=weights
    )
    constant = np.ptp(X, axis=0) == 0
    return np.where(constant, 1.0, np.sqrt(variance))


def standardized(problem):
    """The same problem with every column divided by its scale, once, over all rows."""
    return replace(problem, X=problem.X / scales(problem))


# ----------------------------------------------------------------------------- held-out predictions


def fit_and_predict(problem, training_set, columns, alpha, rows, read=predict):
    """What the model of a training set predicts for some rows, rows x targets."""
    columns = list(columns)
    model = fit_ridge(
        problem.X[np.ix_(training_set, columns)],
        problem.Y[training_set],
        alpha,
        problem.weights(training_set),
        problem.fit_intercept,
        problem.scales(training_set)[columns],
    )
    return read(model, problem.X[np.ix_(rows, columns)])


def refitted_labels(problem, columns, alpha):
    """Class numbers that the models refitted without the rows name; NaN where not held out.

    (Rows,) by leave-one-out, splits x rows by splits.
    """
    if problem.splits is None:
        labels = np.full(len(problem.Y), np.nan)
        for j in problem.used:
            others = problem.used[problem.used != j]
            labels[[j]] = fit_and_predict(problem, others, columns, alpha, [j], named_classes)
        return labels
    labels = np.full((len(problem.splits), len(problem.Y)), np.nan)
    for number, (training_set, rows) in enumerate(problem.used_splits):
        labels[number, rows] = fit_and_predict(
            problem, training_set, columns, alpha, rows, named_classes
        )
    return labels


def refitted_predictions(
    problem, columns, alpha, fit_and_predict=fit_and_predict, dtype=np.float64
):
    """Prediction of every row by the models refitted without it; NaN where it is not held out.

    The definition: as many fits as there are splits. Splits x rows x targets, and by leave-one-out,
    where a row is held out by its own split only, rows x targets.
    """
    if problem.splits is None:
        predictions = np.full(problem.Y.shape, np.nan, dtype)
        for j in problem.used:
            training_set = problem.used[problem.used != j]
            predictions[[j]] = fit_and_predict(problem, training_set, columns, alpha, [j])
        return predictions
    predictions = np.full((len(problem.splits), *problem.Y.shape), np.nan, dtype)
    for number, (training_set, rows) in enumerate(problem.used_splits):
        predictions[number, rows] = fit_and_predict(problem, training_set, columns, alpha, rows)
    return predictions


def mean_predictions(problem, predictions):
    """Mean over the splits that hold a row out, rows x targets; NaN where none does."""
    if problem.splits is None:
        return predictions
    times = np.sum(~np.isnan(predictions), axis=0)
    mean = np.full(problem.Y.shape, np.nan)
    return np.divide(np.nansum(predictions, axis=0), times, out=mean, where=times > 0)


def leverage_predictions(problem, columns, alpha):
    """The same by equation (5): (f_j - h_j y_j) / (1 - h_j), h_j the leverage of row j.

    For leave-one-out only.

    f and h belong to the weights the other rows have when j is gone; these depend on the class of j
    only. Digits are lost where h_j is near 1, that is, where a model nearly interpolates.
    """
    assert problem.splits is None, "leverages give the leave-one-out predictions"
    X, Y = problem.X[:, list(columns)], problem.Y
    predictions = np.full(Y.shape, np.nan)
    labels = np.zeros(len(Y), int) if problem.class_weight is None else problem.labels
    rows = problem.used
    for c in np.unique(labels[rows]):
        of_class = rows[labels[rows] == c]
        # The weights of all others once the first row of this class is gone. Its own may be any
        # positive number, as long as the weights are those that every row of the class leaves.
        others = rows[rows != of_class[0]]
        weights = np.ones(len(Y))
        weights[others] = problem.weights(others)
        if len(of_class) > 1:
            per_unit = weights[of_class[1]] / problem.sample_weight[of_class[1]]
            weights[of_class[0]] = per_unit * problem.sample_weight[of_class[0]]
        model = fit_ridge(X[rows], Y[rows], alpha, weights[rows], problem.fit_intercept)
        f = predict(model, X[rows])
        h = leverages(X[rows], alpha, weights[rows], problem.fit_intercept)[:, None]
        held_out = (f - h * Y[rows]) / (1 - h)
        predictions[of_class] = held_out[np.isin(rows, of_class)]
    return predictions


def leverages(X, alpha, weights, fit_intercept):
    """Diagonal of H, where H y are the predictions of the ridge model trained on y.

    With [sqrt(v) (X - mean); sqrt(alpha) I] = Q R: the squared lengths of the first rows of Q, and
    v_j / sum v for an intercept.
    """
    constant = np.zeros(len(X))
    if fit_intercept:
        X = X - np.average(X, axis=0, weights=weights)
        constant = weights / weights.sum()
    columns = X.shape[1]
    Q, _ = np.linalg.qr(
        np.vstack([np.sqrt(weights)[:, None] * X, np.sqrt(alpha) * np.eye(columns)])
    )
    return constant + np.sum(Q[: len(X)] ** 2, axis=1)


# ------------------------------------------------------------------------------------------- errors


def squared_errors(problem, predictions):
    """Squared error of every row, mean over the targets."""
    return np.mean((problem.Y - predictions) ** 2, axis=-1)


def zero_one_errors(problem, labels):
    """1 where a wrong class is named, else 0."""
    return (labels != problem.labels).astype(float)


def row_errors(problem, held_out):
    """Error of every held-out row: rows, or splits x rows; means nothing where none is held out.

    ``held_out`` are predictions, for the zero-one error class numbers (``refitted_labels``).
    """
    return {"squared": squared_errors, "zero_one": zero_one_errors}[problem.error](
        problem, held_out
    )


def split_errors(problem, held_out):
    """sum_j v_j e_j / sum_j v_j over the rows j that a split holds out, for every split.

    NaN for a split that holds out no row that counts. By leave-one-out the splits are the rows that
    count.
    """
    errors, weights = row_errors(problem, held_out), problem.error_weights
    if problem.splits is None:
        return errors[problem.used]
    return np.array(
        [
            np.average(errors[number, rows], weights=weights[rows]) if len(rows) else np.nan
            for number, (_, rows) in enumerate(problem.used_splits)
        ]
    )


def error_and_standard_error(problem, held_out):
    """sum v_j e_j / sum v_j over all pairs of a split and a row j it holds out; standard error.

    A row held out twice counts twice, one that is never held out does not count. The weights v_j
    are sample weight times the class weight *of all rows*. The standard error is the plain spread
    (ddof 1) of the errors of the splits, over the square root of how many there are; NaN for one.
    """
    errors, weights = row_errors(problem, held_out), problem.error_weights
    if problem.splits is None:
        error = np.average(errors[problem.used], weights=weights[problem.used])
    else:
        judged = [rows for _, rows in problem.used_splits]
        error = np.average(
            np.concatenate([errors[number, rows] for number, rows in enumerate(judged)]),
            weights=weights[np.concatenate(judged)],
        )
    of_splits = split_errors(problem, held_out)
    of_splits = of_splits[~np.isnan(of_splits)]
    if len(of_splits) == 1:
        return error, np.nan
    return error, np.std(of_splits, ddof=1) / np.sqrt(len(of_splits))


Predictions = Callable[[Problem, Sequence[int], float], np.ndarray]


def hold_out(problem, columns, alpha, predict: Predictions = refitted_predictions):
    """(error, standard error) of the ridge model of some columns, by the problem's splits.

    Squared errors are those of ``predict``; labels are always those of refits.
    """
    outcome = refitted_labels if problem.error == "zero_one" else predict
    return error_and_standard_error(problem, outcome(problem, columns, alpha))


def leave_one_out(problem, columns, alpha, predict: Predictions = refitted_predictions):
    """The same for a problem without splits."""
    assert problem.splits is None, "this problem is judged by its splits: hold_out"
    return hold_out(problem, columns, alpha, predict)


# ---------------------------------------------------------------------------------- the final model


def refit(problem, columns, alpha):
    """Model of some columns: coefficients over all columns (targets x columns), intercepts.

    The training set is all rows, and so are the rows of its scales. The coefficients are those of
    the columns as they are in ``problem.X``: by splits those given, whether standardized or not.
    """
    columns = list(columns)
    rows = problem.used
    part, x_mean, y_mean = fit_ridge(
        problem.X[np.ix_(rows, columns)],
        problem.Y[rows],
        alpha,
        problem.weights(rows),
        problem.fit_intercept,
        problem.scales(rows)[columns],
    )
    coef = np.zeros((problem.Y.shape[1], problem.X.shape[1]))
    coef[:, columns] = part.T
    return coef, y_mean - x_mean @ part
