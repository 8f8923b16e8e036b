"""Which columns predict the price of a car, and how well?"""

from sklearn.model_selection import cross_val_score

from holdfast import ForwardRidge
from holdfast.data import load_auto_price

cars = load_auto_price()
search = ForwardRidge(alphas=[0.1, 1, 10, 100], standardize=True)
search.fit(cars.X, cars.y)

print("columns  leave-one-out RMSE  entered last")
names = ["(none)", *(cars.feature_names[column] for column in search.selection_order_)]
for size, error, name in zip(search.path_sizes_, search.path_errors_, names, strict=True):
    mark = "  <- chosen" if size == search.n_features_ else ""
    print(f"{size:7}  {error**0.5:18,.0f}  {name}{mark}")

# The errors above chose the model, so they flatter it. Repeating the whole search in every fold
# of a cross-validation does not.
scores = cross_val_score(search, cars.X, cars.y, cv=10, scoring="neg_mean_squared_error")
print(f"to expect on new cars: {(-scores.mean()) ** 0.5:,.0f}")
