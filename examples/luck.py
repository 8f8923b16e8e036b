"""
How far to believe a path
=========================

Nothing can be predicted here: ``y`` and all columns are noise. A search finds something all the
same, the more so the more columns it may choose from. The nested estimate is not taken in.
"""

import matplotlib.pyplot as plt
import numpy as np

from holdfast import ForwardRidge, nested_score

rng = np.random.default_rng(0)
y = rng.standard_normal(80)
counts = [10, 50, 200, 1000]
path_errors, nested_errors, standard_errors = [], [], []
for count in counts:
    X = rng.standard_normal((80, count))
    search = ForwardRidge(alphas=1.0, max_features=10).fit(X, y)
    nested = nested_score(search, X, y, outer_cv=8)
    path_errors.append(-search.best_score_)
    nested_errors.append(nested.error)
    standard_errors.append(nested.std_error)
    print(f"{count:5} columns: path {-search.best_score_:.2f}, nested {nested.error:.2f}")

# %%
# Each error of the path is exact: it is what refitting *that* model without each row gives. But the
# model was picked among thousands because its error was small.

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.axhline(y.var(), color="black", linewidth=1, label="the mean of y, no column")
ax.semilogx(counts, path_errors, "o-", label="error of the chosen model on the path")
ax.errorbar(counts, nested_errors, standard_errors, marker="s", capsize=3, label="nested")
ax.set(xlabel="columns of noise to choose from", ylabel="mean squared error", ylim=(0, None))
ax.legend(frameon=False)
plt.show()
