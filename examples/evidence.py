"""
A function, and how sure it is
==============================

Forward regression by marginal likelihood: functions are added as long as the evidence rises, noise
and penalty are found by it too, and nothing is held out. The model tells how sure it is - near the
data.
"""

import matplotlib.pyplot as plt
import numpy as np

from holdfast import EvidenceRegressor, RelevanceVectorRegressor

rng = np.random.default_rng(0)
X = np.sort(rng.uniform(-8, 8, (150, 1)), axis=0)
y = np.sinc(X[:, 0] / np.pi) + 0.1 * rng.standard_normal(150)
models = {
    "EvidenceRegressor": EvidenceRegressor(gamma=0.3).fit(X, y),
    "RelevanceVectorRegressor": RelevanceVectorRegressor(gamma=0.3).fit(X, y),
}

# %%
# The band is twice the standard deviation of a new observation, the circles are the basis.

line = np.linspace(-14, 14, 500)[:, None]
figure, axes = plt.subplots(ncols=2, figsize=(12, 4), sharey=True, layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    mean, deviation = model.predict(line, return_std=True)
    ax.plot(X[:, 0], y, ".", color="grey")
    ax.plot(line, np.sinc(line / np.pi), "k:", label="truth")
    ax.plot(line, mean, label="prediction")
    ax.fill_between(line[:, 0], mean - 2 * deviation, mean + 2 * deviation, alpha=0.2)
    basis = model.basis_vectors_
    ax.plot(basis, model.predict(basis), "o", markerfacecolor="none", label="basis")
    ax.set_title(f"{name}: {len(basis)} functions")
    noise = model.noise_variance_**0.5
    print(f"{name:25} {len(basis):2} functions, noise {noise:.3f} (true: 0.1)")
axes[0].legend(frameon=False)
plt.show()

# %%
# Beyond the data all functions vanish and so does all doubt but the noise: both models are surest
# where they know least. That is a property of every model of finitely many local functions; do not
# take the band for more than it is.
#
# The evidence along the path, the full log density of the targets with each number of functions:

path = models["EvidenceRegressor"].log_evidence_path_
figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
ax.plot(path, "o-")
ax.axvline(len(models["EvidenceRegressor"].basis_indices_), color="grey", linewidth=1)
ax.set(xlabel="functions", ylabel="log evidence", ylim=(path.max() - 80, path.max() + 5))
plt.show()
