"""
Forward, backward, and a look back
==================================

Some columns help only together. Here ``y`` is the difference of two columns that are nearly the
same, and a third column resembles the difference a little. A forward search takes the third first;
a backward search, which starts from all columns, never needs it.
"""

import matplotlib.pyplot as plt
import numpy as np

from holdfast import BackwardRidge, ForwardRidge

rng = np.random.default_rng(0)
common, difference = rng.standard_normal((2, 300))
first = common + 0.15 * difference
second = common - 0.15 * difference
resembles = difference + 0.8 * rng.standard_normal(300)
X = np.column_stack([first, second, resembles, rng.standard_normal((300, 12))])
y = difference + 0.1 * rng.standard_normal(300)

options = {"alphas": [0.001, 0.01, 0.1, 1.0], "cv": 10, "patience": None}
searches = {
    "forward": ForwardRidge(**options),
    "forward, floating": ForwardRidge(**options, floating=True),
    "backward": BackwardRidge(**options),
}
for name, search in searches.items():
    search.fit(X, y)
    two = search.truncate(2)
    print(f"{name:17}  two columns: {two.get_support(indices=True)}  {-two.best_score_:.4f}")

# %%
# The floating search looks back after every step: once both columns of the pair are in, what came
# before them is superfluous and goes out again.

moves = [(sign, int(columns[0])) for sign, columns in searches["forward, floating"].path_moves_]
print("first moves of the floating search:", moves[:6])

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for name, search in searches.items():
    sizes = np.unique(search.path_sizes_)
    errors = [search.path_errors_[search.path_sizes_ == size].min() for size in sizes]
    style = {"marker": "o", "linestyle": {"forward": "-", "backward": "--"}.get(name, ":")}
    ax.semilogy(sizes, errors, label=name, **style)
ax.set(xlabel="columns", ylabel="exact error in 10 folds")
ax.legend(frameon=False)
plt.show()
