"""A selector as a step of a pipeline, its options chosen by a grid search."""

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
    "forwardridge__n_features_to_select": [2, 4, 6, "1se", "best"],
    "forwardridge__alphas": [1.0, [1.0, 10.0, 100.0]],
}
search = GridSearchCV(pipeline, grid, cv=5).fit(X, y)

print("best options:", search.best_params_)
print("columns:", ", ".join(search.best_estimator_[:-1].get_feature_names_out()))
print(f"R2 in cross-validation: {search.best_score_:.3f}")
