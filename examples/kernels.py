"""
Hold-out for a kernel model
===========================

A kernel model on few basis vectors, its penalty chosen by exact hold-out. Where rows come in groups
of neighbours it matters what is held out: a row, or all of its group.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import LeaveOneGroupOut

from holdfast import SparseKernelRidge

# %%
# Forty groups of ten rows: near each other within a group, and with noise in common.

rng = np.random.default_rng(0)
centre = rng.uniform(-3, 3, (40, 1))
group = np.arange(40).repeat(10)
X = centre[group] + 0.02 * rng.standard_normal((400, 1))
y = np.sin(2 * X[:, 0]) + 0.5 * rng.standard_normal(40)[group] + 0.1 * rng.standard_normal(400)
alphas = np.logspace(-4, 2, 25)
options = {"alphas": alphas, "gamma": 4.0, "n_basis": 60, "random_state": 0}

x_new = rng.uniform(-3, 3, (4000, 1))
y_new = np.sin(2 * x_new[:, 0]) + np.hypot(0.5, 0.1) * rng.standard_normal(4000)

# %%
# Both curves are exact, for every penalty, without a refit. When a group is held out, its basis
# vectors leave the model with it.

questions = {
    "one row at a time": {},
    "one group at a time": {"cv": LeaveOneGroupOut()},
}
models = {}
for name, how in questions.items():
    groups = {"groups": group} if how else {}
    models[name] = SparseKernelRidge(**options, **how).fit(X, y, **groups)
    print(f"{name:20} alpha {models[name].alpha_:.3g}")

on_new = []
for alpha in alphas:
    single = SparseKernelRidge(**{**options, "alphas": alpha}).fit(X, y)
    on_new.append(np.mean((y_new - single.predict(x_new)) ** 2))

figure, (left, right) = plt.subplots(ncols=2, figsize=(12, 4.2), layout="constrained")
for name, model in models.items():
    left.loglog(alphas, model.alpha_errors_, label=name)
left.loglog(alphas, on_new, "k--", label="on new rows")
left.set(xlabel="alpha", ylabel="error", ylim=(0.1, 4))
left.legend(frameon=False)

line = np.linspace(-3, 3, 400)[:, None]
right.plot(X[:, 0], y, ".", color="grey", markersize=3)
right.plot(line, models["one row at a time"].predict(line), label="penalty by rows")
right.plot(line, models["one group at a time"].predict(line), label="penalty by groups")
right.plot(line, np.sin(2 * line), "k:", label="truth")
right.set(ylim=(-2.5, 2.5), xlabel="x")
right.legend(frameon=False)
plt.show()

# %%
# Rows left out one at a time are predicted by their neighbours of the same group: hardly any
# penalty seems best, and the function follows every group. Groups left out together choose a
# penalty that is right for new rows. Any rows can be held out afterwards:

by_others = models["one group at a time"].holdout_predict([0, 1, 2], alpha=1.0)
print(by_others.round(2))
