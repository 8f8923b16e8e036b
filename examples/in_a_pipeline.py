"""
A selector in a pipeline
========================

A selector is a transformer too. Here it hands its columns to a model of neighbours, and a grid
search finds out how many that model wants.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from holdfast import ForwardRidge

X, y = load_diabetes(return_X_y=True, as_frame=True)
pipeline = make_pipeline(StandardScaler(), ForwardRidge(), KNeighborsRegressor(20))
pipeline.set_output(transform="pandas")
grid = {
    "forwardridge__n_features_to_select": [1, 2, 3, 4, 5, 6, 8, 10],
    "kneighborsregressor__n_neighbors": [5, 20, 40],
}
search = GridSearchCV(pipeline, grid, cv=5).fit(X, y)

print("best options:", search.best_params_)
print("columns:", ", ".join(search.best_estimator_[:-1].get_feature_names_out()))
print(f"R2 in cross-validation: {search.best_score_:.3f}")

# %%
# Neighbours are near each other in few columns and far apart in many: the selection helps them all.

results = search.cv_results_
sizes = np.array(results["param_forwardridge__n_features_to_select"], dtype=int)
neighbours = np.array(results["param_kneighborsregressor__n_neighbors"], dtype=int)
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for number in np.unique(neighbours):
    here = neighbours == number
    ax.plot(sizes[here], results["mean_test_score"][here], "o-", label=f"{number} neighbours")
ax.set(xlabel="columns selected", ylabel="R2 in cross-validation")
ax.legend(frameon=False)
plt.show()
