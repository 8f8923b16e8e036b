"""Weighted ridge regression and its leave-one-out error, by fitting again and again.

Pahikkala, Airola, Salakoski, "Speeding up greedy forward selection for regularized least-squares"
(2010), section II, equations (2), (3) and (5), with what the paper leaves out: sample weights, an
unpenalised intercept, several targets, class weights, and the share of wrong labels as an error.

A *training set* is an array of row numbers. A model of the training set ``T`` with weights ``v`` is

    argmin over w, b of   sum_{j in T} v_j (y_j - x_j'w - b)^2 + alpha ||w||^2

and the leave-one-out prediction of row ``j`` is that of the model of all rows but ``j``.
Rows of sample weight zero are in no training set and are never held out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

# ---------------------------------------------------------------------------------------- one model


def fit_ridge(X, Y, alpha, weights, fit_intercept):
    """One ridge model: (coefficients, columns x targets; means of X; means of Y).

    Least squares on the rows ``sqrt(v_j) (x_j, y_j)``, about their weighted means if there is an
    intercept (else "about" zero), with one further row ``sqrt(alpha) e_i, 0`` for every column i;
    solved by QR.
    """
    columns = X.shape[1]
    x_mean, y_mean = np.zeros(columns), np.zeros(Y.shape[1])
    if fit_intercept:
        x_mean = np.average(X, axis=0, weights=weights)
        y_mean = np.average(Y, axis=0, weights=weights)
    root = np.sqrt(weights)[:, None]
    design = np.vstack([root * (X - x_mean), np.sqrt(alpha) * np.eye(columns)])
    target = np.vstack([root * (Y - y_mean), np.zeros((columns, Y.shape[1]))])
    Q, R = np.linalg.qr(design)
    return np.linalg.solve(R, Q.T @ target), x_mean, y_mean


def predict(model, X):
    """w'x + b with b = mean of y - w'(mean of x): subtract before multiplying, it keeps digits."""
    coef, x_mean, y_mean = model
    return y_mean + (X - x_mean) @ coef


# -------------------------------------------------------------------------------------- the problem


@dataclass(frozen=True)
class Problem:
    """What is to be modelled, and how an error is counted.

    ``labels`` are class numbers 0, 1, ... of the rows, or None for regression; then ``Y`` holds the
    coded targets (see ``coded``). ``class_weight`` is None, "balanced" or {class number: weight}.
    """

    X: np.ndarray
    Y: np.ndarray
    sample_weight: np.ndarray
    fit_intercept: bool = True
    error: str = "squared"
    labels: np.ndarray | None = None
    class_weight: str | dict | None = None

    @property
    def used(self):
        """The rows that count: those of positive sample weight."""
        return np.flatnonzero(self.sample_weight > 0)

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


def regression(X, y, sample_weight=None, fit_intercept=True, standardize=False):
    """The problem of a regressor; ``standardize`` divides columns by their standard deviation."""
    X = np.asarray(X, dtype=float)
    Y = np.asarray(y, dtype=float).reshape(len(X), -1)
    sample_weight = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, float)
    problem = Problem(X, Y, sample_weight, fit_intercept)
    return standardized(problem) if standardize else problem


def classification(
    X,
    y,
    sample_weight=None,
    fit_intercept=True,
    standardize=False,
    error="squared",
    class_weight=None,
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
    return standardized(problem) if standardize else problem


def coded(labels, n_classes):
    """-1 / +1 in one column for two classes (+1 = class 1), else +1 in the column of the class."""
    if n_classes == 2:
        return np.where(labels == 1, 1.0, -1.0)[:, None]
    return np.where(labels[:, None] == np.arange(n_classes), 1.0, -1.0)


def scales(problem):
    """Weighted standard deviation (ddof 0) of every column over all rows; 1 for a constant one."""
    rows = problem.used
    X, weights = problem.X[rows], problem.weights(rows)
    variance = np.average(
        (X - np.average(X, axis=0, weights=weights)) ** 2, axis=0, weights=weights
    )
    constant = np.ptp(X, axis=0) == 0
    return np.where(constant, 1.0, np.sqrt(variance))


def standardized(problem):
    """The same problem with every column divided by its scale, once, over all rows."""
    return Problem(**{**vars(problem), "X": problem.X / scales(problem)})


# ------------------------------------------------------------------------------------ leave one out


def refitted_predictions(problem, columns, alpha):
    """Prediction of every row by the model refitted without it, rows x targets.

    The definition: as many fits as there are rows. NaN for a row that is never held out.
    """
    X, Y = problem.X[:, list(columns)], problem.Y
    predictions = np.full(Y.shape, np.nan)
    for j in problem.used:
        training_set = problem.used[problem.used != j]
        weights = problem.weights(training_set)
        model = fit_ridge(X[training_set], Y[training_set], alpha, weights, problem.fit_intercept)
        predictions[j] = predict(model, X[j])
    return predictions


def leverage_predictions(problem, columns, alpha):
    """The same predictions by equation (5): (f_j - h_j y_j) / (1 - h_j), h_j the leverage of row j.

    f and h belong to the weights the other rows have when j is gone; these depend on the class of j
    only. Digits are lost where h_j is near 1, that is, where a model nearly interpolates.
    """
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
    return np.mean((problem.Y - predictions) ** 2, axis=1)


def zero_one_errors(problem, predictions):
    """1 where the classifier names a wrong class, else 0.

    One target: class 1 if the prediction is positive; several: the first of the largest.
    Predictions closer than 1e-10 are equal, so that no label hangs on rounding.
    """
    if predictions.shape[1] == 1:
        named = (predictions[:, 0] > 1e-10).astype(int)
    else:
        largest = np.max(predictions, axis=1, keepdims=True)
        named = np.argmax(predictions >= largest - 1e-10, axis=1)
    return (named != problem.labels).astype(float)


def error_and_standard_error(problem, predictions):
    """sum_j v_j e_j / sum_j v_j, and the standard error of the row errors e_j.

    The weights v_j are sample weight times the class weight *of all rows*; every row with a
    positive weight is one split, and the spread is that of the plain row errors.
    """
    row_errors = {"squared": squared_errors, "zero_one": zero_one_errors}[problem.error]
    errors = row_errors(problem, predictions)[problem.used]
    error = np.average(errors, weights=problem.weights(problem.used))
    return error, np.std(errors, ddof=1) / np.sqrt(len(errors))


Predictions = Callable[[Problem, Sequence[int], float], np.ndarray]


def leave_one_out(problem, columns, alpha, held_out: Predictions = refitted_predictions):
    """(error, standard error) of the ridge model of some columns."""
    return error_and_standard_error(problem, held_out(problem, columns, alpha))


def refit(problem, columns, alpha):
    """Model of some columns: coefficients over all columns (targets x columns), intercepts."""
    columns = list(columns)
    rows = problem.used
    part, x_mean, y_mean = fit_ridge(
        problem.X[np.ix_(rows, columns)],
        problem.Y[rows],
        alpha,
        problem.weights(rows),
        problem.fit_intercept,
    )
    coef = np.zeros((problem.Y.shape[1], problem.X.shape[1]))
    coef[:, columns] = part.T
    return coef, y_mean - x_mean @ part
