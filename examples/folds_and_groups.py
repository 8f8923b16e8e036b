"""
Rows that belong together
=========================

Sixty patients, measured eight times each. What is to be predicted hangs on the patient as much as
on the measurements, and some columns tell the patients apart. Leaving out one row leaves seven of
the same patient in training.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GroupKFold

from holdfast import ForwardRidge

PATIENTS, VISITS, MARKERS = 60, 8, 30


def draw(rng, patients):
    """Measurements, markers that belong to a patient, and the outcome."""
    markers = rng.standard_normal((patients, MARKERS)).repeat(VISITS, axis=0)
    measured = rng.standard_normal((patients * VISITS, 5))
    level = rng.standard_normal(patients).repeat(VISITS)
    y = measured[:, 0] + 2 * level + 0.5 * rng.standard_normal(patients * VISITS)
    return np.hstack([measured, markers]), y


rng = np.random.default_rng(1)
X, y = draw(rng, PATIENTS)
patient = np.arange(PATIENTS).repeat(VISITS)
X_new, y_new = draw(rng, 2000)  # patients nobody has seen

options = {"alphas": [0.1, 1.0, 10.0, 100.0], "n_features_to_select": "1se", "patience": None}
by_rows = ForwardRidge(**options).fit(X, y)
by_patients = ForwardRidge(**options, cv=GroupKFold(10)).fit(X, y, groups=patient)

# %%
# Held out row by row, markers of the patients seem to predict. They only say who it is: on new
# patients they do harm. Held out patient by patient, hardly any of them is worth having. What is
# left of the difference on the right is luck: sixty patients have chosen among thirty markers. The
# lines mark the smallest model within one standard error of the best.

figure, axes = plt.subplots(ncols=2, figsize=(11, 4), sharey=True, layout="constrained")
for ax, search, title in zip(axes, [by_rows, by_patients], ["rows", "patients"], strict=True):
    on_new = []
    for size in search.path_sizes_:
        predictions = search.truncate(int(size)).predict(X_new)
        on_new.append(np.mean((y_new - predictions) ** 2))
    ax.plot(search.path_sizes_, search.path_errors_, "o-", label="hold-out error")
    ax.plot(search.path_sizes_, on_new, "s--", color="black", label="on new patients")
    ax.axvline(search.n_features_, color="grey", linewidth=1)
    ax.set(title=f"held out: {title}", xlabel="columns")
    print(
        f"held out: {title:8}  chosen: {search.n_features_:2} columns, "
        f"error {-search.best_score_:.2f}, on new patients {on_new[search.n_features_]:.2f}"
    )
axes[0].set_ylabel("mean squared error")
axes[0].legend(frameon=False)
plt.show()
