"""Generalised LARS as printed: Keerthi (2005), algorithms RLS-LARS and SVM-LARS, slips corrected.

One loop per event, everything recomputed at every event from the whole of X: the direction by
solving the linear system, the gradients of all columns, the margins of all examples. Dense, for
tables of a few hundred rows.

    minimise  alpha/2 ||beta||^2 + 1/2 sum_{i in I} w_i e_i^2,   e = t - X beta - b

``I``: all rows for the squared loss, those with ``t_i e_i > 0`` for the squared hinge. Corrected:
the change of the gradients sums over the rows of I; what comes first is decided between the
entering column and the moving row; every update is (new lambda - old lambda) times the direction.
With an intercept, a column of ones without penalty whose gradient is held at zero.
"""

import numpy as np

NEVER = np.inf
ZERO = 1e-12


def follow(
    X,
    t,
    alpha=1.0,
    *,
    hinge=False,
    lasso=False,
    intercept=False,
    max_features=None,
    weights=None,
    max_events=100_000,
):
    """Knots, coefficients (knots, n), intercepts (knots,), entries [(column, sign)], events."""
    X, t = np.asarray(X, float), np.asarray(t, float)
    m, n = X.shape
    w = np.ones(m) if weights is None else np.asarray(weights, float)
    limit = n if max_features is None else max_features
    beta, b = np.zeros(n), (w @ t / w.sum() if intercept else 0.0)
    e = t - b
    inside = (t * e > 0) if hinge else np.ones(m, bool)
    c = X.T @ (w * e * inside)
    lam = np.abs(c).max()
    knots, betas, intercepts, entries, events = [lam], [beta.copy()], [b], [], []
    scale = lam
    A, signs = [], np.zeros(n)
    barred = set()  # columns that are combinations of A on the rows of I: until A or I lose that
    at_this_knot = set()  # rows and columns that have already moved at this value of lambda
    dropped = set()  # columns that left at this value of lambda, with their sign

    def direction():
        XI = X[inside][:, A]
        H = XI.T @ (XI * w[inside, None]) + alpha * np.eye(len(A))
        right = signs[A]
        if intercept:
            s = XI.T @ w[inside]
            H = np.block([[H, s[:, None]], [s[None, :], np.array([[w[inside].sum()]])]])
            right = np.append(right, 0.0)
        d = np.linalg.solve(H, right) if len(right) else right
        return (d[:-1], d[-1]) if intercept else (d, 0.0)

    def dependent(k):
        """Whether column k lies in the span of those selected, on the rows of I, to 1e-10."""
        XI = X[inside] * np.sqrt(w[inside])[:, None]
        old = XI[:, A]
        if intercept:
            old = np.column_stack([old, np.sqrt(w[inside])])
        penalised = np.sqrt(alpha) * np.eye(n)
        old_rows = np.zeros((n, old.shape[1]))
        old_rows[:, : len(A)] = penalised[:, A]
        new = np.append(XI[:, k], penalised[:, k])
        old = np.vstack([old, old_rows])
        rest = new - old @ np.linalg.lstsq(old, new, rcond=None)[0] if old.shape[1] else new
        return rest @ rest <= 1e-10 * max(new @ new, ZERO)

    for _ in range(max_events):
        # What enters now: columns that have reached lambda.
        d_A, d_b = direction()
        rate = X[:, A] @ d_A + d_b
        v = w * rate * inside
        a = X.T @ v
        c = X.T @ (w * e * inside)
        step, event = lam, ("end", None)
        for k in range(n):
            if k in A or k in barred:
                continue
            for sign in (1, -1):
                if (k, sign) in dropped:
                    continue
                if sign * a[k] < 1 - 1e-10:
                    delta = max(0.0, (lam - sign * c[k]) / (1 - sign * a[k]))
                    if delta < step - 1e-10 * scale * (event[0] == "enter"):
                        step, event = delta, ("enter", (k, sign))
        if hinge:
            for i in range(m):
                eta, gap = t[i] * rate[i], t[i] * e[i]
                if ("row", i) in at_this_knot or w[i] == 0:
                    continue
                moves_out, moves_in = inside[i] and eta > ZERO, not inside[i] and eta < -ZERO
                if (moves_out or moves_in) and max(0.0, gap / eta) < step:
                    step, event = max(0.0, gap / eta), ("row", i)
        if lasso:
            for position, j in enumerate(A):
                if d_A[position] * signs[j] < 0:
                    delta = max(0.0, -beta[j] / d_A[position])
                    if delta < step:
                        step, event = delta, ("drop", j)
        if lam - step <= 1e-10 * scale:  # all that is left is lambda = 0
            step, event = lam, ("end", None)
        kind, what = event
        if kind == "enter" and len(A) == limit:
            kind = "end"
        beta[A] += step * d_A
        b += step * d_b
        e -= step * rate
        lam -= step
        if step > 1e-12 * scale:
            at_this_knot, dropped = set(), set()
        if kind == "enter" and dependent(what[0]):
            barred.add(what[0])
            continue
        if kind == "drop":
            beta[what] = 0.0
        if step > 1e-12 * scale:
            knots.append(lam)
            betas.append(beta.copy())
            intercepts.append(b)
        if kind == "end":
            break
        events.append((kind, what))
        if kind == "enter":
            k, sign = what
            A.append(k)
            signs[k] = sign
            entries.append((k, sign))
        elif kind == "row":
            inside[what] = not inside[what]
            barred = set() if inside[what] else barred
            at_this_knot.add(("row", what))
        else:
            A.remove(what)
            dropped.add((what, signs[what]))
            barred = set()
    else:
        raise RuntimeError(f"no end after {max_events} events")
    return np.array(knots), np.array(betas), np.array(intercepts), entries, events


def interpolate(knots, values, lam):
    """Values (knots, ...) at lam; before the first knot those of the first."""
    knots, values = np.asarray(knots), np.asarray(values)
    lam = min(lam, knots[0])
    after = int(np.argmax(knots <= lam))
    if after == 0:
        return values[0]
    share = (knots[after - 1] - lam) / (knots[after - 1] - knots[after])
    return values[after - 1] + share * (values[after] - values[after - 1])


def gradients(X, t, beta, b, alpha, *, hinge, weights=None):
    """Correlations c = -gradient of the smooth part, (n,), and 1's."""
    e = t - X @ beta - b
    w = np.ones(len(t)) if weights is None else weights
    s = w * e * (t * e > 0) if hinge else w * e
    return X.T @ s - alpha * beta, s.sum()
