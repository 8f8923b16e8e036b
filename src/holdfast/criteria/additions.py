"""Scores of adding a feature, by exact leave-one-out (greedy-rls-2010, without its cache).

With G = (X_S X_S' + alpha I)^-1 everything is kept as alpha G, which is free of 1/alpha:
``alpha a`` is the training residual and ``alpha d`` is 1 - leverage, so the leave-one-out
error of row j is the textbook ``res_j / (1 - leverage_j)``. In the basis Q of
:mod:`holdfast.criteria.span`

    alpha G = (outside the span: identity) + Q' E Q,      E = alpha (T T' + alpha I)^-1
    res = beyond + fitted_in,  fitted_in = Q' E Q y;      1 - leverage = free + diag(Q' E Q)

so residuals and leverages keep their digits up to interpolation, where ``beyond`` and
``free`` vanish.

Adding column b with coordinates (inside, outside) = (z0, tau), z = E z0,
c = alpha G x_b = tau n + z Q (n its new basis line), sigma = alpha + x_b'c:

    h = x_b'res / sigma;   res -= h c;   1 - leverage -= c^2 / sigma
    E <- [E - z z'/sigma, -z tau/sigma; . , (alpha + z0'z)/sigma]

For every candidate i four numbers are carried, from which an O(1) lower bound of its score
follows:

    p_i = x_i'res    q_i = x_i' alpha G x_i    N_i = ||alpha G x_i||^2    r_i = x_i' alpha G g,
    g = res / (1 - leverage)^2,     h_i = p_i/(alpha + q_i)
    score_i >= sum (res/(1 - leverage))^2 - 2 h_i r_i + h_i^2 N_i / max(1 - leverage)^2

They need X only through products with the new basis lines (shared by all penalties) and
with g (one per penalty and target): at most one sweep per selected feature
(:mod:`holdfast.criteria.direct`), and fewer where a history of products pays
(:mod:`holdfast.criteria.history`).

Candidates are scored exactly, from fetched columns, in the order of their bounds until the
next bound exceeds the best score: the winner is that of exhaustive scoring. A bound is
trusted only while q has kept its digits: (alpha + q at the start) / (alpha + q now), times
the digits lost to a large mean, at most 1e8; it gets a slack of 1e-10 of the empty model's
score. Groups are scored as one block update. The zero-one error has no bound: every
candidate is scored.

Cost of a step: at most one sweep, O(R l n k) with R penalties and l targets, and O(m k) per
candidate scored. Memory: the candidates at hand, at most 16 MB or a sixth of X, but 32 columns
or one group in any case; they are scored 64 columns and a piece of rows at a time. Exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast.criteria.bounds import Bounds
from holdfast.criteria.changes import Added, Push
from holdfast.criteria.direct import Direct
from holdfast.criteria.history import History
from holdfast.criteria.inner import Inner
from holdfast.criteria.labels import LeftOut, Readers
from holdfast.criteria.losses import LOSSES
from holdfast.criteria.span import IN_SPAN, Extension, Span, stacked
from holdfast.rows.ledger import TIE, Features, choose
from holdfast.rows.sums import Array, Block, State, States, Totals, ranges

_SLACK = 1e-10
_FEWEST = 1
_TOO_MANY = 24
_FEW_ENTRIES = 64
_MOST = 64
_KEPT_COLUMNS = 32
_TOGETHER = 64
_SCORED_BYTES = 1 << 18


@dataclass(frozen=True)
class Pairs:
    """Feature and penalty of every move to be scored; features of one size at a time."""

    features: Array
    alphas: Array

    def __len__(self) -> int:
        return len(self.features)


class Additions:
    """The adding half of the leave-one-out ledger.

    Parameters
    ----------
    span : Span
        The selected columns.
    features : Features
        What may be added.
    alphas : array of shape (R,)
        Penalties.
    error : {"squared", "zero_one"}
        What is minimised.
    """

    def __init__(self, span: Span, features: Features, alphas: Array, error: str) -> None:
        self._span = span
        self._features = features
        self._alphas = alphas
        self._error = error
        views, n_alphas = span.n_views, len(alphas)
        reads_fits = LOSSES[error].reads_fits
        _, self._states = span.rows.sweep(_open, span.states, (n_alphas, reads_fits))
        self._penalised = Inner(views, alphas)
        self._added: list[Added] = []
        self._ranking = np.empty(0, dtype=np.intp)
        self._needed = _FEWEST
        # Columns with few entries are multiplied anew rather than from a history; so is what
        # differing importances ask for.
        few = span.rows.entries_per_column < _FEW_ENTRIES
        self._direct = few or not span.weighting.uniform
        self._bounds: Bounds | None = None
        if error == "squared":
            products = Direct(span, n_alphas) if self._direct else History(span, n_alphas)
            self._bounds = Bounds(span, features, alphas, products)
        for extension in list(span.extensions):
            self.extend(extension)

    # -- the current model -----------------------------------------------------------------

    @property
    def states(self) -> States:
        """Row states of the span and of the additions together."""
        return self._span.rows.joined(self._span.states, self._states)

    @property
    def _inner(self) -> Array:
        """E, (views, R, k, k)."""
        return self._penalised.matrix

    def shrunk_target(self, alpha: int) -> Array:
        """E Q y of the last view, (targets, k): the coefficients are its products with T."""
        return self._span.target[-1] @ self._inner[-1, alpha]

    # -- moves -----------------------------------------------------------------------------

    def extend(self, extension: Extension) -> None:
        """Follow the span by one column."""
        count = extension.inside.shape[1]
        before = self._inner
        z, sigma, h, corner, along = self._penalised.follow(extension, self._span.target)
        shared = {
            "position": count,
            "z": z,
            "outside": extension.outside,
            "sigma": sigma,
            "h": h,
            "corner": corner,
            "along": along,
            "waiting": self._bounds is not None and self._direct,
            "first": not self._added,
            "weighted": not self._span.weighting.uniform,
        }
        totals, self._states = self._span.rows.sweep(_follow, self.states, shared)
        push: Push | None = None
        if shared["weighted"]:
            # With E before this column.
            pushed = totals["push"] - (before @ totals["push"][..., None])[..., 0]
            push = Push(pushed, totals["square"])
        column = self._span.columns[count]
        self._added.append(Added(column, z, extension.inside, extension.outside, sigma, h, push))

        if self._penalised.worn:
            self._refresh()

    def _refresh(self) -> None:
        """Rebuild E, residuals and leverages from the triangle: differences lost digits."""
        size = self._inner.shape[-1]
        left, squares = self._penalised.refresh(self._span.triangle[:, :size, :size])
        # I - E, which is what fits and leverages of the columns are made of.
        taken = squares / (squares + self._alphas[:, None])
        fitting = (left[:, None] * taken[..., None, :]) @ left[:, None].swapaxes(-1, -2)
        target = self._span.target[:, None, :, :size]
        shared = (self._inner, target @ self._inner, fitting, target @ fitting)
        _, self._states = self._span.rows.sweep(_rebuild, self.states, shared)

    # -- scores ----------------------------------------------------------------------------

    def best(self, allowed: Array) -> tuple[int, int, float]:
        """Best feature among ``allowed`` (ascending), its penalty and unnormalised score."""
        bounds = self._lower_bounds(allowed)
        slack = _SLACK * self._bounds.empty_score if self._bounds is not None else 0.0
        first_bounds, promise = bounds.copy(), bounds.min(axis=0)
        scores = np.full(bounds.shape, np.inf)
        batch = self._needed
        n_scored = 0
        while True:
            # Moves already scored have an infinite bound.
            best = scores.min()
            hopeful = bounds <= best * (1 + TIE) + slack if best < np.inf else bounds < np.inf
            alphas, lines = _lowest(np.where(hopeful, bounds, np.inf), batch)
            if len(lines) == 0:
                break
            alphas, lines = self._fetch(allowed, alphas, lines, promise)
            scores[alphas, lines] = self._score(Pairs(allowed[lines], alphas))
            bounds[alphas, lines] = np.inf
            promise[lines] = scores[:, lines].min(axis=0)
            n_scored += len(lines)
            batch = min(2 * batch, self._capacity)
            if n_scored >= _TOO_MANY * len(self._alphas):
                bounds = self._sharper(allowed, bounds)
        alpha, line = choose(scores, allowed)
        needed = int(np.count_nonzero(first_bounds <= scores.min()))
        self._needed = min(max(needed, _FEWEST), _MOST)
        # What was scored is known to be good; a bound of what was not flatters it.
        order = _lowest(promise[None], _KEPT_COLUMNS)[1]
        scored = np.isfinite(scores[:, order]).any(axis=0)
        self._ranking = allowed[np.concatenate([order[scored], order[~scored]])]
        return int(allowed[line]), alpha, float(scores[alpha, line])

    def score(self, features: Array) -> Array:
        """Exact (unnormalised) scores of adding each feature alone, (features, alphas)."""
        every = np.arange(len(self._alphas))
        scores = np.empty((len(features), len(every)))
        for position, feature in enumerate(features):
            self.keep(np.array([feature]))
            scores[position] = self._score(Pairs(np.full(len(every), feature), every))
        return scores

    def keep(self, features: Array, retain: Array | None = None) -> None:
        """Have the columns of these features at hand; go on keeping others where there is room.

        ``retain`` are features worth keeping, the best first; all that are kept, by default.
        """
        columns = self._features.columns(features)
        at_hand = self._span.is_kept(columns)
        if at_hand.all():
            return
        older = self._span.kept if retain is None else self._features.columns(retain).tolist()
        asked = set(columns.tolist())
        kept = set(self._span.kept)
        older = [c for c in older if c in kept and c not in asked]
        room = max(self._capacity - len(columns), 0)
        self._span.fetch(columns[~at_hand], columns[at_hand].tolist() + older[:room])

    def keep_first(self, features: Array) -> None:
        """Have the first of some features at hand; if it must be fetched, those that follow too."""
        if self._at_hand(features[:1]).all():
            return
        width = min(self._span.rows.fetch_width, self._capacity // 2)
        used = np.cumsum(self._features.sizes[features])
        self.keep(features[: max(1, int(np.searchsorted(used, width, side="right")))])

    def _at_hand(self, features: Array) -> Array:
        """Which features have all their columns kept."""
        if self._features.single:
            return self._span.is_kept(self._features.flat[self._features.starts[features]])
        whole = [self._span.is_kept(self._features.columns([f])).all() for f in features]
        return np.array(whole, dtype=bool)

    def _fetch(
        self, allowed: Array, alphas: Array, lines: Array, promise: Array
    ) -> tuple[Array, Array]:
        """Have at least the first of the candidates at hand; those that are.

        When one must be fetched the next promising ones come with it: on a storage where
        fetching is a pass they cost nothing more, and they are likely to be asked for.
        """
        if self._at_hand(allowed[lines]).all():
            return alphas, lines
        wanted = allowed[np.unique(lines)]
        promising = allowed[_lowest(promise[None], self._capacity)[1]]
        others = promising[~np.isin(promising, wanted)]
        width = min(self._span.rows.fetch_width, self._capacity // 2)
        asked = np.concatenate([wanted, others[~self._at_hand(others)][:width]])
        used = np.cumsum(self._features.sizes[asked])
        fitting = max(1, int(np.searchsorted(used, self._capacity, side="right")))
        self.keep(asked[:fitting], promising)
        ready = self._at_hand(allowed[lines])
        return alphas[ready], lines[ready]

    def _lower_bounds(self, allowed: Array) -> Array:
        if self._bounds is None:
            return np.zeros((len(self._alphas), len(allowed)))
        ranked = self._features.columns(self._ranking)
        promising = ranked[self._span.is_kept(ranked)].tolist()
        self._bounds.catch_up(self.states, self._added, self._inner, promising)
        self._added = []
        return self._bounds.lower(allowed)

    def _sharper(self, allowed: Array, bounds: Array) -> Array:
        """Better bounds of what is not scored yet, where they are not exact already."""
        if self._bounds is None or self._bounds.exact_gradient:
            return bounds
        self._bounds.sharpen(self.states, self._inner)
        return np.where(np.isposinf(bounds), np.inf, self._bounds.lower(allowed))

    @property
    def _capacity(self) -> int:
        """Columns kept: a few dozen, or what the rows say is worth it, at least one feature."""
        per_column = 8 * self._span.rows.n_rows * self._span.n_views
        largest = int(self._features.sizes.max())
        return max(_KEPT_COLUMNS, self._span.rows.kept_bytes // per_column, largest)

    def _score(self, pairs: Pairs) -> Array:
        """Exact scores of pairs whose columns are kept."""
        scores = np.empty(len(pairs))
        sizes = self._features.sizes[pairs.features]
        for size in set(sizes.tolist()):
            lines = np.flatnonzero(sizes == size)
            lines = lines[np.argsort(pairs.features[lines], kind="stable")]
            for some in ranges(len(lines), max(1, _TOGETHER // size)):
                few = lines[some]
                same = Pairs(pairs.features[few], pairs.alphas[few])
                scores[few] = self._score_same_size(same, size)
        return scores

    def _score_same_size(self, pairs: Pairs, size: int) -> Array:
        """Scores of pairs whose features ascend; those that complete the span apart."""
        first = np.ones(len(pairs), dtype=bool)
        np.not_equal(pairs.features[1:], pairs.features[:-1], out=first[1:])
        columns = self._features.columns(pairs.features[first])
        self._span.project(columns)
        own = columns.reshape(-1, size)
        squares = self._span.frame.squares[:, own]
        outside = _Outside.of(*self._span.outside(own), squares)
        candidates = _Candidates(columns, self._span.coordinates(own), outside)
        which = np.cumsum(first) - 1
        if (self._span.rank + size < self._span.full_rank).all():
            return self._updated(candidates, which, pairs.alphas, completes=False)

        rank = outside.factors[0]
        reached = self._span.rank[:, None] + rank >= self._span.full_rank
        completing = np.any(reached & (rank > 0), axis=0)[which]
        scores = np.empty(len(pairs))
        for completes in (False, True):
            lines = np.flatnonzero(completing == completes)
            if len(lines):
                alphas = pairs.alphas[lines]
                scores[lines] = self._updated(candidates, which[lines], alphas, completes=completes)
        return scores

    def _updated(
        self, candidates: _Candidates, which: Array, alphas: Array, *, completes: bool
    ) -> Array:
        """Scores after one block update per pair; ``_block_update`` has the algebra."""
        inside = candidates.inside[:, which]
        shared = self._block_update(inside, candidates.outside.of_lines(which), alphas, completes)
        shared |= {
            "columns": candidates.columns.tolist(),
            "positions": np.arange(len(candidates.columns)).reshape(-1, inside.shape[2])[which],
            "alphas": alphas,
            "completes": completes,
            "error": self._error,
            "frame": self._span.frame,
        }
        totals, _ = self._span.rows.sweep(_score, self.states, shared)
        return totals["score"]

    def _block_update(
        self, inside: Array, outside: _Outside, alphas: Array, completes: bool
    ) -> dict[str, Any]:
        """Small matrices that turn kept columns into the residuals and leverages after.

        With C = alpha G X_g = (outside part) + Q' E inside and M = alpha I + X_g'C:
        ``res - C M^-1 p`` and ``1 - leverage - rowsum(C M^-1 * C)``. When the feature
        completes the span, what is left outside is zero exactly and only the parts inside
        may be used: with orthonormal lines N of the outside part, X_g outside = N R,

            W = [Q' E inside, N],    rows of E after the move,
            K = (I + R (alpha I + inside' E inside)^-1 R')^-1
        """
        inner = self._inner[:, alphas]
        shrunk = inside @ inner
        within = shrunk @ inside.swapaxes(-1, -2)
        size = inside.shape[2]
        ridge = self._alphas[alphas][:, None, None] * np.eye(size) + within
        matrix = np.linalg.inv(ridge + outside.square)
        on_target = shrunk @ self._span.target.swapaxes(-1, -2)[:, None]
        solved = matrix @ (outside.target + on_target)
        if not completes:
            alive = np.eye(size) * outside.alive[..., None, :]
            shift = -solved.swapaxes(-1, -2)
            return {
                "inside": shrunk,
                "mix": alive if not outside.alive.all() else None,
                "shift": shift,
                "form": -matrix,
                "fitting": (shift, -matrix),
            }
        _, lines, root = outside.factors
        corner = np.linalg.inv(np.eye(size) + root @ np.linalg.inv(ridge) @ root.swapaxes(-1, -2))
        cross = -root @ matrix
        new_target = lines @ outside.target
        shift = corner @ new_target + cross @ on_target
        zero = np.zeros_like(shrunk)
        # C from W: fits and leverages of the columns add up as long as nothing is subtracted.
        back = np.concatenate([np.broadcast_to(np.eye(size), root.shape), root], axis=2)
        return {
            "inside": np.concatenate([shrunk, zero], axis=2),
            "mix": np.concatenate([np.zeros_like(lines), lines], axis=2),
            "shift": np.concatenate([-solved, shift], axis=2).swapaxes(-1, -2),
            "form": np.block([[-matrix, cross.swapaxes(-1, -2)], [cross, corner]]),
            "fitting": (
                -solved.swapaxes(-1, -2) @ back.swapaxes(-1, -2),
                -back @ matrix @ back.swapaxes(-1, -2),
            ),
        }


@dataclass(frozen=True)
class _Outside:
    """Outside parts of candidates of one size s, (views, candidates, ...).

    ``square`` (s, s) are their products, ``target`` (s, targets) those with the target,
    ``alive`` (s,) marks columns that are not in the span, ``length`` () is the largest
    squared length of a whole column.
    """

    square: Array
    target: Array
    alive: Array
    length: Array

    @classmethod
    def of(cls, square: Array, target: Array, lengths: Array) -> _Outside:
        """Clear what is rounding; ``lengths`` are the squared lengths of whole columns."""
        alive = np.diagonal(square, axis1=-2, axis2=-1) > IN_SPAN**2 * lengths
        if not alive.all():
            square = np.where(alive[..., :, None] & alive[..., None, :], square, 0.0)
            target = np.where(alive[..., None], target, 0.0)
        return cls(square, target, alive, lengths.max(axis=-1))

    @property
    def factors(self) -> tuple[Array, Array, Array]:
        """Rank; what makes the outside parts orthonormal lines; what makes them from lines."""
        values, vectors = np.linalg.eigh(self.square)
        new = values > IN_SPAN**2 * self.length[..., None]
        singular = np.sqrt(np.where(new, values, 1.0))
        across = vectors.swapaxes(-1, -2)
        lines = across * np.where(new, 1 / singular, 0.0)[..., None]
        return new.sum(axis=-1), lines, across * np.where(new, singular, 0.0)[..., None]

    def of_lines(self, lines: Array) -> _Outside:
        """The named candidates, repeated where named twice."""
        if np.array_equal(lines, np.arange(self.square.shape[1])):
            return self
        parts = (self.square, self.target, self.alive, self.length)
        return _Outside(*(part[:, lines] for part in parts))


@dataclass(frozen=True)
class _Candidates:
    """Projected candidates of one size s: columns, and their parts in the basis and outside.

    ``columns`` (candidates * s,), ``inside`` (views, candidates, s, k).
    """

    columns: Array
    inside: Array
    outside: _Outside


def _open(block: Block, state: State, shared: tuple[int, bool]) -> tuple[Totals, State]:
    """Nothing selected: no part of residuals and leverages lies inside the span."""
    n_alphas, reads_fits = shared
    views, n_targets, rows = state["target"].shape
    own = {
        "residual": np.zeros((views, n_alphas, n_targets, rows)),
        "slack": np.zeros((views, n_alphas, rows)),
        "changes": np.zeros((views, 0, n_alphas, rows)),
    }
    if reads_fits:
        own |= {"fit": np.zeros_like(own["residual"]), "leverage": np.zeros_like(own["slack"])}
    return Totals(), own


def whole(state: State) -> tuple[Array, Array]:
    """Residuals (views, R, targets, m) and 1 - leverages (views, R, m)."""
    residual = state["beyond"][:, None] + state["residual"]
    return residual, state["free"][:, None] + state["slack"]


def _follow(block: Block, state: State, shared: dict[str, Array]) -> tuple[Totals, State]:
    """Update residuals and leverages for the basis line joined last."""
    position = int(shared["position"])
    line = state["basis"][:, None, position]
    inside = shared["z"] @ state["basis"][:, :position]
    outside, sigma = shared["outside"][:, None, None], shared["sigma"][..., None]
    step = outside * line + inside

    residual = state["residual"] - shared["h"][..., None] * inside[:, :, None]
    residual += shared["along"][..., None] * line[:, :, None]
    slack = state["slack"] - inside * (inside + 2 * outside * line) / sigma
    slack += shared["corner"][..., None] * line**2

    sums = {}
    if shared["weighted"]:
        push = step * (state["importance"][:, None] / sigma)
        sums["square"] = (push * step).sum(axis=-1) / shared["sigma"]
        sums["push"] = push @ state["basis"][:, :position].swapaxes(-1, -2)
    # Changes wait for the next sweep; those of moves that the bounds have followed are spent.
    changes = state["changes"][:, :0] if shared["first"] else state["changes"]
    if shared["waiting"]:
        changes = np.concatenate([changes, step[:, None]], axis=1)
    own = {"residual": residual, "slack": slack, "changes": changes}
    if "fit" in state:
        own["fit"] = state["fit"] + shared["h"][..., None] * step[:, :, None]
        own["leverage"] = state["leverage"] + step**2 / sigma
    return Totals(sums), own


def _rebuild(block: Block, state: State, shared: tuple[Array, ...]) -> tuple[Totals, State]:
    """Parts inside the span, from E itself."""
    inner, target, fitting, fitted = shared
    basis = state["basis"][:, : inner.shape[-1]]
    own = {"changes": state["changes"]}
    own["residual"] = np.einsum("vrlk,vkm->vrlm", target, basis)
    own["slack"] = _diagonals(inner, basis)
    if "fit" in state:
        own["fit"] = np.einsum("vrlk,vkm->vrlm", fitted, basis)
        own["leverage"] = _diagonals(fitting, basis)
    return Totals(), own


def _diagonals(matrices: Array, basis: Array) -> Array:
    """Diagonals of Q'M Q for every penalty, (views, R, m)."""
    forms = [((matrices[:, r] @ basis) * basis).sum(axis=1) for r in range(matrices.shape[1])]
    return np.stack(forms, axis=1)


def _score(block: Block, state: State, shared: dict[str, Any]) -> tuple[Totals, State]:
    """Losses after each of the block updates, in pieces of rows that fit in the cache."""
    inside, alphas = shared["inside"], shared["alphas"]
    views, n_pairs, lines, depth = inside.shape
    inside = inside.reshape(views, n_pairs * lines, depth)
    columns, positions = shared["columns"], shared["positions"]
    # Single columns, each once: no copy is needed to bring them into place.
    in_place = positions.shape == (len(columns), 1)
    length = max(64, _SCORED_BYTES // (8 * views * n_pairs * lines))
    loss = LOSSES[shared["error"]]
    # One penalty broadcasts over the pairs; several are picked for each.
    picked = alphas if (alphas != alphas[0]).any() else alphas[:1]
    residuals, slacks = (state["residual"], state["slack"]) if shared["completes"] else whole(state)
    weights = loss.weights(state)[..., None]
    readers = Readers.of(block.targets, state, shared["frame"])
    total = np.zeros(n_pairs)
    for rows in ranges(block.targets.shape[1], length):
        kept = stacked(state, columns, rows)
        outside = kept[:, :, None] if in_place else kept[:, positions]
        update = (inside @ state["basis"][:, :, rows]).reshape(views, n_pairs, lines, -1)
        if shared["mix"] is None:
            update += outside
        else:
            update += shared["mix"] @ outside
        slack = row_dots(times(shared["form"], update), update)
        slack += slacks[:, picked][..., rows]
        if shared["completes"]:
            # A row of weight zero has no leverage left; its residual is zero.
            slack[slack <= 0] = 1.0
        residual = times(shared["shift"], update)
        residual += residuals[:, picked][..., rows]
        residual /= slack[:, :, None]
        fit, leverage = residual, slack
        if loss.reads_fits:
            against, form = shared["fitting"]
            fit = state["fit"][:, picked][..., rows] - times(against, update)
            leverage = state["leverage"][:, picked][..., rows] - row_dots(
                times(form, update), update
            )
        losses = loss.of_rows(LeftOut(residual, slack, fit, leverage), readers.part(rows))
        total += (losses @ weights[:, rows])[..., 0].sum(axis=0)
    return Totals({"score": total}), state


def times(small: Array, lines: Array) -> Array:
    """``small @ lines``; a product of scalars where a line is alone."""
    return small * lines if small.shape[-1] == 1 else small @ lines


def row_dots(first: Array, second: Array) -> Array:
    """Sums over the lines (last axis but one) of the products of two arrays."""
    if first.shape[-2] == 1:
        single: Array = (first * second)[..., 0, :]
        return single
    return np.einsum("...sm,...sm->...m", first, second)


def _lowest(values: Array, count: int) -> tuple[Array, Array]:
    """Positions of the ``count`` smallest finite entries of a table, smallest first."""
    flat = values.ravel()
    count = min(count, flat.size)
    chosen = np.argpartition(flat, count - 1)[:count]
    chosen = chosen[np.isfinite(flat[chosen]) | np.isneginf(flat[chosen])]
    chosen = chosen[np.argsort(flat[chosen], kind="stable")]
    rows, columns = np.unravel_index(chosen, values.shape)
    return rows, columns
