"""A storage that offers the interface of ``rows/`` and nothing else.

A dense array lies in seven uneven blocks. The states stay with the blocks: an algorithm gets
a ticket that it can pass on but not open. Any access beyond the interface raises, a step
cannot see more of a block than it is allowed to, and sweeps and fetched columns are counted.
"""

import itertools

import numpy as np

from holdfast.rows.sums import Counts

SHARES = (0.05, 0.3, 0.02, 0.2, 0.13, 0.29, 0.01)


class Ticket:
    """Stands for the states of all blocks; has nothing to read."""

    __slots__ = ()


class SevenBlocks:
    """Rows in seven blocks behind the interface."""

    _OFFERED = frozenset(
        (
            *("n_rows", "n_columns", "n_targets", "counts", "fetch_width", "product_width"),
            *("entries_per_column", "origin", "kept_bytes"),
            *("sweep", "joined", "gather", "scatter"),
        )
    )

    def __init__(self, X, y, sample_weight=None, entries=None):
        X = np.asarray(X)
        entries = len(X) if entries is None else entries
        targets = np.reshape(y, (len(y), -1)).T.astype(float)
        weights = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, float)
        cuts = np.unique(np.rint(np.cumsum((0.0, *SHARES)) * len(X)).astype(int))
        rows = [slice(a, b) for a, b in itertools.pairwise(cuts)]
        blocks = [(X[r], targets[:, r], weights[r]) for r in rows]
        counts, drawers = Counts(), {}

        def sweep(step, states, shared):
            counts.sweeps += 1
            held = drawers[states] if states is not None else [{}] * len(blocks)
            kept, totals, seen = [], None, {"product": False, "columns": 0}
            for (X, y, w), state in zip(blocks, held, strict=True):
                part, new = step(_Block(X, y, w, seen), state, shared)
                totals = part if totals is None else totals + part
                kept.append(new)
            counts.products += seen["product"]
            counts.fetches += seen["columns"] > 0
            counts.columns += seen["columns"]
            return totals, put(kept)

        def put(kept):
            ticket = Ticket()
            drawers[ticket] = kept
            return ticket

        def joined(first, second):
            pairs = zip(drawers[first], drawers[second], strict=True)
            return put([one | other for one, other in pairs])

        def gather(states, name):
            return np.concatenate([state[name] for state in drawers[states]], axis=-1)

        def scatter(name, values):
            return put([{name: values[..., r]} for r in rows])

        self.__dict__.update(
            n_rows=len(X),
            n_columns=X.shape[1],
            n_targets=len(targets),
            counts=counts,
            fetch_width=24,
            product_width=24,
            kept_bytes=8 * X.size // 6,
            entries_per_column=entries,
            origin=X[0].astype(float),
            sweep=sweep,
            joined=joined,
            gather=gather,
            scatter=scatter,
        )

    def __getattribute__(self, name):
        if name in type(self)._OFFERED or name.startswith("__"):
            return object.__getattribute__(self, name)
        raise AttributeError(f"{name} is not in the interface of rows")

    def __setattr__(self, name, value):
        raise AttributeError(f"rows are not to be changed, not their {name} either")


class _Block:
    """What a step may see of a block; its numbers are locked."""

    __slots__ = (
        *("columns", "cross", "cross_by_part", "gram", "narrow", "outputs", "points"),
        *("some", "spread", "squares"),
        *("targets", "weights"),
    )

    def __init__(self, X, targets, weights, seen):
        def cross(vectors):
            seen["product"] = True
            return vectors @ X

        def columns(indices):
            seen["columns"] = max(seen["columns"], len(indices))
            return np.ascontiguousarray(X[:, indices].T, dtype=float)

        def outputs(coef, chosen, centre):
            seen["product"] = True
            return coef @ (X[chosen] - centre).T

        def spread(weights, centre):
            seen["product"] = True
            deviation = X - centre[:, None]
            return (
                np.einsum("vm,vmn->vn", weights, deviation),
                np.einsum("vm,vmn->vn", weights, deviation**2),
            )

        def gram(parts, extra, root, centre):
            seen["product"] = True
            lines = np.vstack([(X - centre).T, extra]) * root
            return np.array([(lines * (parts.labels == p)) @ lines.T for p in range(parts.count)])

        def cross_by_part(vectors, parts, centre):
            seen["product"] = True
            return np.array(
                [(vectors * (parts.labels == p)) @ (X - centre) for p in range(parts.count)]
            )

        def points(chosen, length):
            seen["product"] = True
            rows = X[chosen].astype(float)
            return (rows[start : start + length] for start in range(0, len(rows), length))

        def narrow(columns, centre):
            seen["columns"] = max(seen["columns"], len(columns))
            return _Narrow(X[:, columns] - centre)

        def some(chosen):
            seen["product"] = True
            return _Block(X[chosen], targets[:, chosen], weights[chosen], seen)

        def squares(centre):
            seen["product"] = True
            return ((X - centre) ** 2).sum(axis=1)

        self.narrow, self.some, self.squares, self.points = narrow, some, squares, points
        self.cross, self.columns, self.spread = cross, columns, spread
        self.gram, self.cross_by_part, self.outputs = gram, cross_by_part, outputs
        self.targets, self.weights = _locked(targets), _locked(weights)


class _Narrow:
    """Some columns, and products with them as they are defined."""

    def __init__(self, columns):
        columns = _locked(columns)
        self.outputs = lambda coef, places: coef @ columns[:, places].T
        self.cross = lambda vectors, places: vectors @ columns[:, places]
        self.line = lambda place, weights, start: (
            np.einsum("i,i,ij->j", weights, columns[:, place], columns[:, start:]),
            weights @ columns[:, place],
        )
        self.between = lambda first, second, weights: np.einsum(
            "i,ij,ik->jk", weights, columns[:, first], columns[:, second]
        )
        self.entries = lambda chosen: (
            np.full(len(chosen), columns.shape[1]),
            np.tile(np.arange(columns.shape[1]), len(chosen)),
            columns[chosen].ravel(),
        )
        self.gram = lambda places, weights: np.einsum(
            "i,ij,ik->jk", weights, columns[:, places], columns[:, places]
        )
        self.rows = lambda chosen: columns[chosen].copy()
        self.rows_times = lambda chosen, places, matrix: columns[chosen][:, places] @ matrix
        self.squares = lambda: (columns**2).sum(axis=1)


def _locked(array):
    array = array.view()
    array.flags.writeable = False
    return array
