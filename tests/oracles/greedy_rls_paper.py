"""Greedy RLS as printed: Pahikkala, Airola, Salakoski (2010), Algorithm 2, section III-B.

Line for line, with the paper's letters and its orientation: ``X`` is features x examples, ``C`` is
``G X'`` (examples x features). No intercept, no weights, one target, squared error. Loops over the
examples ("foreach j") are written as array operations.
"""

import numpy as np


def greedy_rls(X, y, k, lam):
    """Selected features in order, their weights, and the summed squared error after every step."""
    n, m = X.shape
    a = y / lam  # 1
    d = np.ones(m) / lam  # 2
    C = X.T / lam  # 3
    S = []  # 4
    errors = []
    while len(S) < k:  # 5
        e = np.inf  # 6
        b = 0  # 7
        for i in [i for i in range(n) if i not in S]:  # 8
            u = C[:, i] / (1 + X[i] @ C[:, i])  # 9
            a_new = a - u * (X[i] @ a)  # 10
            d_new = d - u * C[:, i]  # 13
            p = y - a_new / d_new  # 14
            e_i = np.sum((p - y) ** 2)  # 11, 12, 15
            if e_i < e:  # 16
                e = e_i  # 17
                b = i  # 18
        u = C[:, b] / (1 + X[b] @ C[:, b])  # 19
        a = a - u * (X[b] @ a)  # 20
        d = d - u * C[:, b]  # 21, 22
        C = C - np.outer(u, X[b] @ C)  # 23
        S.append(b)  # 24
        errors.append(e)
    w = X[S] @ a  # 25
    return S, w, errors
