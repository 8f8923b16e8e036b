"""
How strong should the penalty be?
=================================

The penalty of a ridge model of all columns, judged by rows left out one at a time, by folds and by
groups. None of these refits a model.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import RidgeCV as ScikitLearnRidgeCV
from sklearn.model_selection import KFold, RepeatedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from holdfast import AlphaDisplay, RidgeCV

measurements, y = load_diabetes(return_X_y=True)
columns = make_pipeline(StandardScaler(), PolynomialFeatures(2, include_bias=False))
X = columns.fit_transform(measurements)  # 10 measurements, their squares and products
alphas = np.logspace(-1, 5, 60)

# %%
# Leave-one-out is the default, and gives what scikit-learn's class of the same name gives.

one_by_one = RidgeCV(alphas=alphas).fit(X, y)
print(f"holdfast     {one_by_one.alpha_:.4f}  {-one_by_one.best_score_:.4f}")
reference = ScikitLearnRidgeCV(alphas=alphas).fit(X, y)
print(f"scikit-learn {reference.alpha_:.4f}  {-reference.best_score_:.4f}")

# %%
# Any other splitter costs about as much: one reading of the data makes the sums of all folds, and
# one decomposition for each training set serves all sixty penalties.

folds = RidgeCV(alphas=alphas, cv=KFold(10)).fit(X, y)
repeated = RidgeCV(alphas=alphas, cv=RepeatedKFold(n_splits=5, n_repeats=4, random_state=0))
repeated.fit(X, y)

figure, axes = plt.subplots(ncols=3, figsize=(12, 3.8), sharey=True, layout="constrained")
titles = ["one by one", "ten folds", "five folds, four times"]
for ax, model, title in zip(axes, [one_by_one, folds, repeated], titles, strict=True):
    AlphaDisplay.from_estimator(model, ax=ax)
    ax.set_title(f"{title}: alpha = {model.alpha_:.3g}")
    ax.set_ylim(2950, 3500)
plt.show()
