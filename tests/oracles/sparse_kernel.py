"""Sparse kernel ridge and its hold-out, by fitting again and again.

Pahikkala, Suominen, Boberg, "Efficient cross-validation for kernelized least-squares regression
with sparse basis expansions" (2012): the model (11) and its hold-out (19), with what the paper
leaves out: sample weights, an unpenalised intercept, several targets, class weights. Training sets,
weights and errors are those of ``ridge_refit``: a problem whose ``X`` is the kernel matrix K of all
rows, (m, m), and whose columns are the basis. With basis vectors L and training rows T the model is

    argmin over a, b of   sum_{j in T} v_j (y_j - K_jL a - b)^2 + alpha a' P_LL a

where P = K, or K with a little added to its diagonal (the paper: 1e-7). What becomes of the basis
vectors that are held out is a *policy*, section 6.4 of the paper:

- "drop": basis vectors that are not trained on leave the basis;
- "keep": they stay in the basis, and leave the loss only;
- "skip": they are never held out; a split that would hold them out trains on them.

Rows of weight zero are absent, but a basis vector of weight zero is a point like any other: it
stays in the basis.
"""

from dataclasses import replace
from decimal import localcontext

import numpy as np

from .decimal_refit import DIGITS, decimals, rounded, solve
from .ridge_refit import predict

POLICIES = ("drop", "keep", "skip")


def fit_kernel(columns, Y, penalty, alpha, weights, fit_intercept):
    """One model: (dual coefficients, means of the kernel columns, what is predicted there).

    ``fit_ridge`` with the rows sqrt(alpha) R, R'R = P, in place of sqrt(alpha) I.
    """
    count = columns.shape[1]
    mean, y_mean = np.zeros(count), np.zeros(Y.shape[1])
    if fit_intercept:
        mean = np.average(columns, axis=0, weights=weights)
        y_mean = np.average(Y, axis=0, weights=weights)
    if count == 0:
        return np.zeros((0, Y.shape[1])), mean, y_mean
    root = np.sqrt(weights)[:, None]
    factor = np.linalg.cholesky(penalty).T
    Q, R = np.linalg.qr(np.vstack([root * (columns - mean), np.sqrt(alpha) * factor]))
    target = np.vstack([root * (Y - y_mean), np.zeros((count, Y.shape[1]))])
    return np.linalg.solve(R, Q.T @ target), mean, y_mean


def left_basis(problem, training_set, basis, policy):
    """The basis vectors of the model of a training set."""
    if policy != "drop":
        return np.array(basis, dtype=int)
    stays = np.isin(basis, training_set) | (problem.sample_weight[basis] == 0)
    return np.asarray(basis)[stays]


def refit_by(policy, jitter=0.0):
    """``fit_and_predict`` of ``ridge_refit``; X is the kernel matrix, columns are the basis."""

    def fit_and_predict(problem, training_set, basis, alpha, rows):
        basis = left_basis(problem, training_set, np.asarray(basis), policy)
        penalty = problem.X[np.ix_(basis, basis)] + jitter * np.eye(len(basis))
        model = fit_kernel(
            problem.X[np.ix_(training_set, basis)],
            problem.Y[training_set],
            penalty,
            alpha,
            problem.weights(training_set),
            problem.fit_intercept,
        )
        return predict(model, problem.X[np.ix_(rows, basis)])

    return fit_and_predict


def spared(problem, basis, policy):
    """The problem as a policy judges it: by "skip", basis rows are trained on and not held out."""
    if policy != "skip":
        return problem
    splits = problem.splits
    if splits is None:
        every = problem.used
        splits = [(every[every != j], np.array([j])) for j in every if j not in set(basis)]
    moved = [
        (np.union1d(train, np.intersect1d(held, basis)), np.setdiff1d(held, basis))
        for train, held in splits
    ]
    return replace(problem, splits=moved)


def by_modified_kernel(problem, training_set, basis, alpha, rows):
    """Hold-out by the kernel (18), k(x, B) K_BB^-1 k(B, x'): full kernel ridge, without intercept.

    The straightforward route of section 5: ordinary hold-out of regularised least squares,
    f_H = (I - S_HH)^-1 (f - S y)_H with S = M (M + alpha I)^-1 of the training rows and those held
    out, M being the matrix of (18). The basis is what is left of it.
    """
    assert not problem.fit_intercept
    together = np.concatenate([training_set, rows])
    root = np.sqrt(problem.weights(together))
    columns = root[:, None] * problem.X[np.ix_(together, basis)]
    modified = columns @ np.linalg.solve(problem.X[np.ix_(basis, basis)], columns.T)
    smoother = modified @ np.linalg.inv(modified + alpha * np.eye(len(together)))
    Y = root[:, None] * problem.Y[together]
    held = np.arange(len(training_set), len(together))
    own = smoother[np.ix_(held, held)]
    right = smoother[held] @ Y - own @ Y[held]
    return np.linalg.solve(np.eye(len(held)) - own, right) / root[held, None]


def stated_jitter(K_BB):
    """1e-13 of the trace where the condition number (1-norm) is above 1e10, else nothing."""
    bad = not np.linalg.cond(K_BB, 1) < 1e10
    return 1e-13 * np.trace(K_BB) if bad else 0.0


def renyi_entropy(K, basis):
    """Quadratic Renyi entropy of a basis, -log of the mean of its kernel values."""
    return -np.log(np.mean(K[np.ix_(basis, basis)]))


def swap_for_entropy(K, start, candidates):
    """The basis after trials: a candidate takes its best place if the entropy grows."""
    basis = list(start)
    for candidate in candidates:
        trials = [[*basis[:p], candidate, *basis[p + 1 :]] for p in range(len(basis))]
        best = max(trials, key=lambda trial: renyi_entropy(K, trial))
        if renyi_entropy(K, best) > renyi_entropy(K, basis):
            basis = best
    return basis


def training_error(problem, basis, alpha, jitter=0.0):
    """sum_j v_j (y_j - f(x_j))^2 over all rows, added up over the targets."""
    rows = problem.used
    predictions = refit_by("keep", jitter)(problem, rows, basis, alpha, rows)
    return np.sum(problem.weights(rows)[:, None] * (problem.Y[rows] - predictions) ** 2)


def greedy_basis(problem, draws, alpha):
    """Algorithm 1: of the candidates drawn at every step, the one of least training error.

    Ties, within 1e-10, go to the first drawn.
    """
    basis = []
    for drawn in draws:
        errors = np.array([training_error(problem, [*basis, h], alpha) for h in drawn])
        basis.append(drawn[np.flatnonzero(errors <= errors.min() * (1 + 1e-10))[0]])
    return basis


def cawley_talbot(K_B, K_BB, y, alpha):
    """Leave-one-out predictions without dropping: (f - h y)/(1 - h), h by the inverse of (13)."""
    inverse = np.linalg.inv(K_B @ K_B.T + alpha * K_BB)
    h = np.sum(K_B * (inverse @ K_B), axis=0)
    f = K_B.T @ (inverse @ (K_B @ y))
    return (f - h * y) / (1 - h)


def kernel_ridge(problem, training_set, columns, alpha, rows):
    """Full kernel ridge of a training set, ``fit_and_predict`` of ``ridge_refit``; no basis.

    Without intercept (K_TT + alpha W^-1)^-1 y; with one the bordered system with 1'a = 0.
    """
    K, Y = problem.X, problem.Y[training_set]
    count = len(training_set)
    border = 1 if problem.fit_intercept else 0
    system = np.zeros((count + border, count + border))
    system[:count, :count] = K[np.ix_(training_set, training_set)]
    system[:count, :count] += alpha * np.diag(1 / problem.weights(training_set))
    system[count:, :count], system[:count, count:] = 1.0, 1.0
    solved = np.linalg.solve(system, np.vstack([Y, np.zeros((border, Y.shape[1]))]))
    intercept = solved[count] if border else 0.0
    return K[np.ix_(rows, training_set)] @ solved[:count] + intercept


def proposition_1(K_B, K_BB, basis, y, alpha, rows):
    """Hold-out predictions by Proposition 1 as printed, (26)-(32), held-out basis dropped."""
    factor = np.linalg.inv(np.linalg.cholesky(K_BB))
    values, V = np.linalg.eigh(factor @ K_B @ K_B.T @ factor.T)
    Q = factor.T @ V
    inverse = np.diag(1 / (values + alpha))
    leaves = np.flatnonzero(np.isin(basis, rows))
    R = K_B.T @ Q
    Q_E, K_EH = Q[leaves], K_B[np.ix_(leaves, rows)]
    U = R[rows] - K_EH.T @ Q_E
    z = Q.T @ (K_B @ y) - Q_E.T @ (K_B @ y)[leaves] - R[rows].T @ y[rows] + Q_E.T @ K_EH @ y[rows]
    half = U @ inverse
    if len(leaves):
        inner = np.linalg.inv(Q_E @ inverse @ Q_E.T)
        J = half @ U.T - half @ Q_E.T @ inner @ Q_E @ inverse @ U.T
        r = half @ z - half @ Q_E.T @ inner @ Q_E @ inverse @ z
    else:
        J, r = half @ U.T, half @ z
    return -np.linalg.solve(J - np.eye(len(rows)), r)


def in_decimals(K, penalty, y, alpha, training_set, basis, rows):
    """Predictions of rows by the model of a training set, in decimal arithmetic; no intercept.

    ``penalty`` is the matrix P of all rows; both matrices are taken as they are, to the last bit.
    """
    with localcontext() as context:
        context.prec = DIGITS
        columns = decimals(K[np.ix_(training_set, basis)])
        system = columns.T @ columns
        system += decimals(np.array([[alpha]]))[0, 0] * decimals(penalty[np.ix_(basis, basis)])
        dual = solve(system, columns.T @ decimals(y[training_set])[:, None])
        return rounded(decimals(K[np.ix_(rows, basis)]) @ dual)[:, 0].astype(float)
