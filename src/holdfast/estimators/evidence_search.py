"""From data to the greedy path of the evidence, and from fixed variances to the best ones.

Columns come from the table itself, from kernel columns, or from a kernel matrix of low rank. The
last only proposes an order: the models, and their evidences, are those of the exact kernel columns
in that order.

Where a variance is ``"auto"``, selection and maximisation alternate. A search under given
variances does not stop at their own evidence maximum, which poor variances put far too early, but
goes on to about twice the size chosen last; then size and variances are chosen together, for a
dozen sizes of its path the best variances and the best of these. The next search is made under
them. A round counts only if it raised the evidence, and the best of all rounds is kept: the
evidence never falls, and it ends when it no longer rises.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from holdfast.basis.low_rank import incomplete_cholesky, rotated_rows
from holdfast.basis.rows import kernel_rows
from holdfast.criteria.evidence import Evidence
from holdfast.criteria.nested_models import NestedModels, Sample, nested_models
from holdfast.criteria.span import Frame, frame_of
from holdfast.criteria.variances import Variances
from holdfast.criteria.weighting import PLAIN
from holdfast.estimators.bayes_models import BayesData
from holdfast.rows import as_rows
from holdfast.rows.ledger import Features
from holdfast.rows.sums import Array, Block, Rows, State, Totals
from holdfast.searches.forward import forward
from holdfast.searches.path import SizeRule, Watch

_ROUNDS = 30
_RISE = 1e-5
"""Rise of the evidence, for every number modelled, below which it no longer rises."""
_ROUNDING = 1e-26
_FIRST_NOISE = 0.1
_FIRST_COLUMNS = 10
_FIRST_LENGTH = 32
_SIZES = 12


@dataclass(frozen=True)
class Opened:
    """Columns that can be searched, and what makes models of an order of them.

    ``sample`` is None where the rows show all of the targets, ``models_of`` is None where the
    ledger's own are exact; ``missing`` is the trace that a low rank leaves out.
    """

    rows: Rows
    frame: Frame
    sample: Sample | None
    candidates: Array
    models_of: Callable[[Array], NestedModels] | None
    missing: float | None


class Asked(NamedTuple):
    """How to search: largest size, least gain, which candidates a move looks at."""

    limit: int
    least_gain: float
    offered: Callable[[Array], Array] | None


class Found(NamedTuple):
    """The best round: models in the order found, their variances, the chosen size."""

    models: NestedModels
    variances: Variances
    size: int
    evidences: Array
    n_rounds: int


def open_columns(data: BayesData, low_rank: int | None, *, fit_intercept: bool) -> Opened:
    """Columns of the table, all kernel columns, or those of a kernel matrix of low rank."""
    models_of = sample = missing = None
    if data.table is None:
        rows = as_rows(data.X, data.targets.T, data.weights)
    elif low_rank is None:
        rows = kernel_rows(data.table, data.targets, data.weights)
    else:
        centred = data.centred(fit_intercept=fit_intercept)
        factor = incomplete_cholesky(data.table, low_rank)
        missing = factor.missing
        rows, sample = rotated_rows(factor, centred)

        def models_of(order: Array) -> NestedModels:
            return nested_models(order, data.columns(order), centred)

    own_intercept = fit_intercept and sample is None
    frame = frame_of(rows, PLAIN, fit_intercept=own_intercept, standardize=False)
    too_large = np.flatnonzero(~np.isfinite(frame.squares[0]))
    if len(too_large):
        raise ValueError(
            f"column {too_large[0]} of X is so large that its squared length is not finite; "
            "expected sizes below 1e150: divide the column by a constant."
        )
    candidates = np.flatnonzero(~frame.inert)
    return Opened(rows, frame, sample, candidates, models_of, missing)


def search(
    opened: Opened, noise: float | None, precision: float | None, asked: Asked, watch: Watch
) -> Found:
    """Models of the largest evidence; variances that are None are found too."""
    variances = _first(opened, noise, precision)
    stopping = _Stopping(watch)
    if noise is not None and precision is not None:
        models = _search_once(opened, variances, asked, stopping)
        return _chosen(models, variances, asked)._replace(n_rounds=1)
    best: Found | None = None
    length = _FIRST_LENGTH
    for number in range(1, _ROUNDS + 1):
        beyond = Asked(min(length, asked.limit), -np.inf, asked.offered)
        models = _search_once(opened, variances, beyond, stopping)
        found = _with_best_variances(models, noise, precision, asked)
        least = _RISE * models.sample.count * len(models.target)
        rises = best is None or _top(found) > _top(best) + least
        if best is None or _top(found) > _top(best):
            best = found
        if not rises or stopping.stopped:
            return best._replace(n_rounds=number)
        variances, length = best.variances, 2 * best.size + _FIRST_LENGTH
    assert best is not None
    warnings.warn(
        f"the evidence still rose after {_ROUNDS} rounds of selecting columns and finding "
        "variances; the best of them is kept. Expected fewer: set max_basis, or fix "
        "noise_variance or weight_precision.",
        ConvergenceWarning,
        stacklevel=4,
    )
    return best


def _search_once(opened: Opened, variances: Variances, asked: Asked, watch: Watch) -> NestedModels:
    """Models in the order of one forward search."""
    limit = min(asked.limit, len(opened.candidates))
    ledger = Evidence(
        opened.rows,
        opened.frame,
        np.array([variances.noise]),
        np.array([variances.precision]),
        features=Features.partition(opened.rows.n_columns),
        room=min(limit, 64),
        least_gain=asked.least_gain,
        sample=opened.sample,
    )
    path = forward(
        ledger,
        opened.candidates,
        rule=SizeRule("best", limit=limit),
        limit=limit,
        patience=None,
        floating=False,
        watch=watch,
        offered=asked.offered,
    )
    if opened.models_of is None:
        return ledger.models
    return opened.models_of(np.array(path[-1].support, dtype=np.intp))


def _chosen(models: NestedModels, variances: Variances, asked: Asked) -> Found:
    """The size of the largest evidence; with a least gain above zero, before the first smaller."""
    evidences = models.log_evidences(variances.noise, variances.precision)
    size = int(evidences.argmax())
    small = np.flatnonzero(np.diff(evidences) <= asked.least_gain)
    if asked.least_gain > 0 and len(small):
        size = int(small[0])
    return Found(models, variances, size, evidences, 0)


def _with_best_variances(
    models: NestedModels, noise: float | None, precision: float | None, asked: Asked
) -> Found:
    """The best size and variances: first of a dozen sizes, then each in turn."""
    longest = len(models.columns)
    sizes = np.unique(np.geomspace(1, max(longest, 1), _SIZES).astype(int))
    spectra = [models.spectrum(size) for size in sizes[sizes <= longest]] or [models.spectrum(0)]
    pairs = [spectrum.best(noise, precision) for spectrum in spectra]
    tops = [
        spectrum.log_evidence(pair.noise, pair.precision)
        for spectrum, pair in zip(spectra, pairs, strict=True)
    ]
    found = _chosen(models, pairs[int(np.argmax(tops))], asked)
    for _ in range(_ROUNDS):
        again = _chosen(models, models.spectrum(found.size).best(noise, precision), asked)
        if _top(again) <= _top(found):
            break
        found = again
    return found


def _top(found: Found) -> float:
    return float(found.evidences[found.size])


def _first(opened: Opened, noise: float | None, precision: float | None) -> Variances:
    """Where to start: a tenth of the variance is noise, ten columns make up the rest."""
    totals = opened.rows.sweep(_squares, None, opened.frame)[0]["square"]
    if opened.sample is not None:
        totals = totals + opened.sample.rest
    count = opened.frame.n_counted if opened.sample is None else opened.sample.count
    variance = float(totals.mean()) / count
    own = _FIRST_NOISE * variance if noise is None else noise
    if precision is not None:
        return Variances(own, precision)
    squares = opened.frame.squares[0, opened.candidates]
    typical = float(squares.mean()) / count if len(squares) else 1.0
    return Variances(own, _FIRST_COLUMNS * typical / variance)


def _squares(block: Block, state: State, frame: Frame) -> tuple[Totals, State]:
    """Squared lengths of the centred targets."""
    target = (block.targets - frame.target_mean[0][:, None]) * np.sqrt(block.weights)
    return Totals({"square": (target**2).sum(axis=1)}), state


class _Stopping:
    """Passes a watch on, and remembers whether it asked to stop."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self.stopped = False

    def begin(self) -> None:
        self._watch.begin()

    def end(self, path: Any) -> bool:
        self.stopped = self._watch.end(path)
        return self.stopped


def is_constant(data: BayesData, *, fit_intercept: bool) -> bool:
    """Whether nothing of the targets is left to be explained."""
    centred = data.centred(fit_intercept=fit_intercept)
    whole = (data.targets**2 * data.weights).sum()
    return bool((centred.targets**2).sum() <= _ROUNDING * whole)
