"""
Hold-out for a kernel model
===========================

A kernel model on few basis vectors. A row can be two things in it: an example to train on, and a
point whose kernel values the model is made of. What becomes of the point when the row is held out
matters most where rows come in groups.
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
# Every curve is exact, for every penalty, without a refit.

questions = {
    "leave one row out": {},
    "groups, basis vectors kept": {"cv": LeaveOneGroupOut(), "held_out_basis": "keep"},
    "groups, basis vectors dropped": {"cv": LeaveOneGroupOut(), "held_out_basis": "drop"},
}
models = {}
for name, how in questions.items():
    groups = {"groups": group} if how else {}
    models[name] = SparseKernelRidge(**options, **how).fit(X, y, **groups)
    print(f"{name:30} alpha {models[name].alpha_:.3g}")

on_new = []
for alpha in alphas:
    single = SparseKernelRidge(**{**options, "alphas": alpha}).fit(X, y)
    on_new.append(np.mean((y_new - single.predict(x_new)) ** 2))

figure, (left, right) = plt.subplots(ncols=2, figsize=(12, 4.2), layout="constrained")
for name, model in models.items():
    left.loglog(alphas, model.alpha_errors_, label=name)
left.loglog(alphas, on_new, "k--", label="on new rows")
left.set(xlabel="alpha", ylabel="error", ylim=(0.008, 3))
left.legend(frameon=False)

line = np.linspace(-3, 3, 400)[:, None]
right.plot(X[:, 0], y, ".", color="grey", markersize=3)
right.plot(line, models["leave one row out"].predict(line), label="penalty by rows")
right.plot(line, models["groups, basis vectors dropped"].predict(line), label="penalty by groups")
right.plot(line, np.sin(2 * line), "k:", label="truth")
right.set(ylim=(-2.5, 2.5), xlabel="x")
right.legend(frameon=False)
plt.show()

# %%
# Rows left out one at a time are predicted by their neighbours of the same group: hardly any
# penalty seems best, and the function follows every group. Groups left out together tell the truth
# about new rows. Any rows can be held out afterwards:

print(models["groups, basis vectors dropped"].holdout_predict([0, 1, 2], alpha=1.0).round(2))
