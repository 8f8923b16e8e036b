"""
Twenty columns out of 20 000
============================

A sparse table, 3000 rows and 20 000 columns with two percent of their entries filled. Twenty of
them make ``y``. The table is never densified, and only candidates whose bound comes close to the
best are scored.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse

from holdfast import ForwardRidge, PathDisplay

rng = np.random.default_rng(0)
X = sparse.random_array((3000, 20000), density=0.02, rng=rng, format="csr")
relevant = np.sort(rng.choice(20000, size=20, replace=False))
y = X[:, relevant] @ rng.uniform(1, 2, size=20) + 0.1 * rng.normal(size=3000)

begin = time.perf_counter()
search = ForwardRidge(alphas=0.1, max_features=40).fit(X, y)
seconds = time.perf_counter() - begin

found = np.intersect1d(search.get_support(indices=True), relevant)
print(f"{search.n_features_} columns chosen in {seconds:.1f} s")
print(f"{len(found)} of the 20 relevant ones are among them")
print(f"the first 20 to enter hold {np.isin(search.selection_order_[:20], relevant).sum()} of them")

# %%
# The error falls to the noise, 0.01, with the twentieth column, and stays there.

PathDisplay.from_estimator(search)
plt.axhline(0.01, color="black", linewidth=1, linestyle=":")
plt.show()
