"""A fit in a process that may not have more memory than it is told; run by test_chunked_memory.

``RLIMIT_DATA`` limits what the process allocates and not the files it has mapped, whose pages the
system can take back. Prints the result as JSON.
"""

import json
import resource
import sys

import numpy as np

import holdfast

FITS = {
    "forward": lambda X, y: holdfast.ForwardRidge(n_features_to_select=20).fit(X, y),
    "in memory": lambda X, y: holdfast.ForwardRidge(n_features_to_select=20).fit(
        np.load(X).astype(float), y
    ),
    "folds": lambda X, y: holdfast.ForwardRidge(n_features_to_select=5, cv=5).fit(X, y),
    "penalty": lambda X, y: holdfast.RidgeCV(alphas="auto").fit(X, y),
    "kernel": lambda X, y: holdfast.SparseKernelRidge(
        n_basis=300, gamma=0.01, alphas=[0.1, 1.0], random_state=0
    ).fit(X, y),
    "penalty by folds": lambda X, y: holdfast.RidgeCV(alphas="auto", cv=5).fit(X, y),
}


def main(task):
    limit = task["limit"]
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    y = np.load(task["y"])
    data = task["X"]
    if task["memory"] is not None:
        data = holdfast.RowBlocks(task["X"], memory=task["memory"])
    try:
        model = FITS[task["fit"]](data, y)
    except MemoryError:
        return {"out of memory": True}
    if hasattr(model, "dual_coef_"):
        return {"coef": model.dual_coef_.tolist(), "errors": model.alpha_errors_.tolist()}
    found = {"coef": np.asarray(model.coef_)[np.flatnonzero(model.coef_)].tolist()}
    if hasattr(model, "selection_order_"):
        found["order"] = model.selection_order_.tolist()
        found["errors"] = model.path_errors_.tolist()
    return found


if __name__ == "__main__":
    json.dump(main(json.loads(sys.argv[1])), sys.stdout)
