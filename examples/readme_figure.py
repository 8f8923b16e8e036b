"""The figure of the README: the path of a search, and the error that the path does not show.

Progress of diabetes in 442 patients, from 10 measurements, their squares and their products. Left,
the exact leave-one-out error of every model on the path, and the error of models of the same sizes
on patients whom the search has not seen. Right, the coefficients along the path.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from holdfast import ForwardRidge, PathDisplay

LARGEST = 25
FIGURE = Path(__file__).parents[1] / "docs" / "images" / "path.png"

measurements, y = load_diabetes(return_X_y=True, as_frame=True)
columns = make_pipeline(
    StandardScaler(), PolynomialFeatures(degree=2, include_bias=False), StandardScaler()
)
X = columns.set_output(transform="pandas").fit_transform(measurements)
search = ForwardRidge(
    alphas=[1, 10, 100], n_features_to_select="1se", max_features=LARGEST, patience=None
)

nested = np.empty((LARGEST + 1, len(y)))
for training, held_out in KFold(10, shuffle=True, random_state=0).split(X):
    search.fit(X.iloc[training], y.iloc[training])
    for size in range(LARGEST + 1):
        predictions = search.truncate(size).predict(X.iloc[held_out])
        nested[size, held_out] = (y.iloc[held_out] - predictions) ** 2

figure, (errors, coefficients) = plt.subplots(ncols=2, figsize=(11, 4.2), layout="constrained")
search.fit(X, y)
PathDisplay.from_estimator(search, ax=errors)
errors.plot(nested.mean(axis=1), color="black", linestyle="--", label="on unseen patients")
errors.set_ylim(2500, 4100)  # the model without columns, near 6000, is far above
errors.legend(frameon=False)
PathDisplay.from_estimator(search, kind="coefficients", ax=coefficients)
FIGURE.parent.mkdir(exist_ok=True)
figure.savefig(FIGURE, dpi=150)
print(f"wrote {FIGURE}")
