"""
Which columns predict the price of a car, and how well?
=======================================================

A forward selection on the table that ships with the package: 159 cars of 1985, 15 numeric columns.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import KFold

from holdfast import ForwardRidge, PathDisplay, nested_score
from holdfast.data import load_auto_price

cars = load_auto_price()
table = pd.DataFrame(cars.X, columns=cars.feature_names)
price = cars.y / 1000  # in thousands of dollars

# %%
# The search starts with no column and adds, at every step, the one with the smallest leave-one-out
# error. The columns have different units, so they are standardised; at every step the best of four
# penalties is taken.

search = ForwardRidge(alphas=[0.1, 1, 10, 100], standardize=True)
search.fit(table, price)

print("columns  leave-one-out error  entered last")
names = ["(none)", *table.columns[search.selection_order_]]
for size, error, name in zip(search.path_sizes_, search.path_errors_, names, strict=True):
    mark = "  <- chosen" if size == search.n_features_ else ""
    print(f"{size:7}  {error:19.2f}  {name}{mark}")

# %%
# The picture shows every model that the search has visited: its error with a band of one standard
# error, and its coefficients.

figure, (errors, coefficients) = plt.subplots(ncols=2, figsize=(11, 4.2), layout="constrained")
PathDisplay.from_estimator(search, ax=errors)
errors.set_ylim(4, 12)  # the model without columns is far above
PathDisplay.from_estimator(search, kind="coefficients", ax=coefficients)
plt.show()

# %%
# These errors have chosen the model, so they flatter it. Repeating the whole search in every fold
# of a cross-validation does not.

nested = nested_score(search, table, price, outer_cv=KFold(10, shuffle=True, random_state=0))
print(f"path:   {-search.best_score_:.2f}")
print(f"nested: {nested.error:.2f}, standard error {nested.std_error:.2f}")
