"""Relevance vector machines: one precision for every function, most of which become infinite.

Targets ``y ~ N(Phi'w, s)``, ``w_i ~ N(0, 1 / a_i)``; the precisions a and the noise variance s are
those of the largest evidence. Functions are lines Phi (M, m), times sqrt(weight) and centred where
there is an intercept, as everywhere. One vertical file: a precision for every function does not fit
into a ledger of one penalty for all.

===========  ======================================================================================
here         meaning, in the letters of the papers
===========  ======================================================================================
used         functions of finite precision (k of them)
scale        D = a^-1/2
factor       L L' = I + D G D / s, G = Phi Phi' over the used ones; eigenvalues of at least 1
stays        diagonal of (L L')^-1 = a_i Sigma_ii, so that gamma_i = 1 - stays_i
mean         mu = Sigma Phi y / s, Sigma = D (L L')^-1 D
s_i, q_i     sparsity and quality of a function, all others being given
===========  ======================================================================================

**Re-estimation** (1): ``a_i = gamma_i / mu_i^2``, ``s = |y - Phi'mu|^2 / (M - sum gamma)`` until
no log precision moves by more than ``tol``. Functions whose variance ``|phi_i|^2 / a_i`` has
fallen below 1e-8 s are dropped; below 1e-3 s where q_i^2 <= s_i too, so that dropping them raises
the evidence. Re-estimation may leave a maximum: then the best model on the way is returned, as not
converged. O(M^3) an iteration, later O(k^3).

**Sequential** (2): alone, function i contributes
``f(a_i) = - log(1 + s_i / a_i) + q_i^2 / (a_i + s_i)`` to twice the log evidence; the best a_i is
``s_i^2 / (q_i^2 - s_i)`` where q_i^2 > s_i, else infinite. Every move gives the function with the
largest gain its best precision: this adds, re-estimates or deletes. O(M k + k^3) a move, M m when a
function is new, and every fifth move O(M k^2).

**Digits.** The second is known to break down (3): its up-dates of s, q and Sigma lose the digits
that tell a near copy of a used function from noise. Here the model is computed afresh at every
move. For used functions ``s_i = a_i (1 - stays_i) / stays_i`` and ``q_i = a_i mu_i / stays_i`` do
not cancel; for others, with C the covariance of y,

    s_i = phi_i'C^-1 phi_i = (|phi_i|^2 - |V_i|^2) / s,    V = L^-1 D Phi_used Phi' / sqrt(s)

does, and a function of which less than 1e-10 is left is not added. These are followed by
``- c_i^2 change / (1 + change S_j)``, ``c = Phi C^-1 phi_j``, where a_j moves and
``change = 1 / a_j(new) - 1 / a_j``, and computed afresh every fifth move, with every change of the
noise, and before the end is believed. L comes from products of functions while no prior variance
exceeds 1e10 s, beyond that from a QR of ``[Phi' D / sqrt(s); I]``; none may exceed 1e14 s. A change
of the noise is taken only if it raises the evidence, by halved steps if need be. So every step
raises the evidence, and the search cannot go in circles.

References
----------
.. [1] M. E. Tipping, "Sparse Bayesian learning and the relevance vector machine", JMLR 1 (2001),
   section 2.3.
.. [2] M. E. Tipping, A. C. Faul, "Fast marginal likelihood maximisation for sparse Bayesian
   models", AISTATS 2003, section 4.
.. [3] P. Sun, X. Yao, "Efficient forward regression with marginal likelihood", ESANN 2006,
   sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, lapack, solve_triangular

from holdfast.rows.sums import Array

_DROPPED = 1e-8
_VAIN = 1e-3
_IN_SPAN = 1e-10
_BY_PRODUCTS = 1e10
_MOST_VARIANCE = 1e14
_WORSE = 1e-3
_LEAST_NOISE = 1e-10
_FIRST_NOISE = 0.1
_AFRESH = 5
_HALVINGS = 8
_LEAST_FREEDOM = 1e-6


class Functions:
    """Functions and a target, and products between them as they are asked for.

    Parameters
    ----------
    lines : array of shape (M, m)
        Phi.
    target : array of shape (m,)
        y.
    count : int
        Numbers that are modelled: m, or one less with an intercept.
    constant : float
        What weights add to the log density.
    """

    def __init__(self, lines: Array, target: Array, count: int, constant: float) -> None:
        self.lines, self.target, self.count, self.constant = lines, target, count, constant
        self.squares = np.einsum("ij,ij->i", lines, lines)
        self.on_target = lines @ target
        self.energy = float(target @ target)
        self._place = np.full(len(lines), -1, dtype=np.intp)
        self._products = np.empty((0, len(lines)))
        self._known = 0

    @property
    def least_noise(self) -> float:
        """What the noise variance does not fall below."""
        return _LEAST_NOISE * self.energy / self.count

    def least(self, used: Array, noise: float) -> Array:
        """Precisions that functions do not fall below: their variance is 1e14 times the noise."""
        least: Array = self.squares[used] / (noise * _MOST_VARIANCE)
        return least

    def products(self, used: Array) -> Array:
        """Products of some functions with all, (used, M)."""
        places = self._places(used)
        return self._products[places]

    def gram(self, used: Array) -> Array:
        """Products of some functions with each other."""
        places = self._places(used)
        return self._products[np.ix_(places, used)]

    def _places(self, used: Array) -> Array:
        """Where the products of some functions with all are; made if need be."""
        new = used[self._place[used] < 0]
        if len(new):
            stop = self._known + len(new)
            if stop > len(self._products):
                more = np.empty((max(stop, 2 * self._known), len(self.lines)))
                more[: self._known] = self._products[: self._known]
                self._products = more
            np.matmul(self.lines[new], self.lines.T, out=self._products[self._known : stop])
            self._place[new] = np.arange(self._known, stop)
            self._known = stop
        places: Array = self._place[used]
        return places


class Products(NamedTuple):
    """``phi'C^-1 phi`` and ``phi'C^-1 y`` of every function, (M,), C being the covariance of y."""

    square: Array
    target: Array


@dataclass(frozen=True)
class Relevance:
    """A model: which functions, under which precisions and noise variance.

    Attributes
    ----------
    functions : Functions
        All of them.
    used : int array of shape (k,)
        Those of finite precision, in the order in which they were added.
    precisions : array of shape (k,)
        Their precisions.
    noise : float
        Noise variance.
    """

    functions: Functions
    used: Array
    precisions: Array
    noise: float

    @cached_property
    def scale(self) -> Array:
        """D, (k,)."""
        return 1 / np.sqrt(self.precisions)

    @cached_property
    def _factored(self) -> tuple[Array, Array]:
        """L, lower triangular, and ``L^-1 D Phi y / s``."""
        functions, scale = self.functions, self.scale / np.sqrt(self.noise)
        if self._largest <= _BY_PRODUCTS:
            inner = functions.gram(self.used) * (scale[:, None] * scale)
            inner[np.diag_indices_from(inner)] += 1.0
            factor = np.tril(cho_factor(inner, lower=True, check_finite=False)[0])
            right = scale * functions.on_target[self.used] / np.sqrt(self.noise)
            half = solve_triangular(factor, right, lower=True, check_finite=False)
            return factor, half
        # Products have twice the digits to lose: QR of the functions over the unit matrix.
        k, m = len(self.used), len(functions.target)
        whole = np.zeros((k + 1, m + k))
        whole[:k, :m] = functions.lines[self.used] * scale[:, None]
        whole[:k, m:] = np.eye(k)
        whole[k, :m] = functions.target / np.sqrt(self.noise)
        made = lapack.dgeqrf(whole.T, overwrite_a=True)[0]
        upper = np.triu(made[:k, :k])
        signs = np.where(np.diagonal(upper) < 0, -1.0, 1.0)
        return (upper * signs[:, None]).T, made[:k, k] * signs

    @property
    def _largest(self) -> float:
        """The largest prior variance of a function, in units of the noise."""
        shares = self.functions.squares[self.used] / (self.precisions * self.noise)
        return float(shares.max(initial=0.0))

    @property
    def factor(self) -> Array:
        """L, lower triangular."""
        return self._factored[0]

    @cached_property
    def inverse_factor(self) -> Array:
        """L^-1."""
        unit = np.eye(len(self.used))
        return solve_triangular(self.factor, unit, lower=True, check_finite=False)

    @cached_property
    def stays(self) -> Array:
        """Share of the prior variance of a weight that the data leave, (k,); above zero."""
        stays: Array = np.clip(
            np.einsum("ij,ij->j", self.inverse_factor, self.inverse_factor), 0, 1
        )
        return stays

    @cached_property
    def mean(self) -> Array:
        """Posterior means of the weights, (k,)."""
        _, half = self._factored
        mean: Array = self.scale * (half @ self.inverse_factor)
        return mean

    @property
    def root(self) -> Array:
        """R with ``R R' = Sigma / s``, (k, k)."""
        root: Array = self.scale[:, None] * self.inverse_factor.T / np.sqrt(self.noise)
        return root

    @cached_property
    def misfit(self) -> float:
        """``|y - Phi'mu|^2``."""
        residual = self.functions.target - self.mean @ self.functions.lines[self.used]
        return float(residual @ residual)

    @cached_property
    def log_evidence(self) -> float:
        """The log density of the targets."""
        exponent = self.misfit / self.noise + (self.precisions * self.mean**2).sum()
        determinant = 2 * np.log(np.abs(np.diagonal(self.factor))).sum()
        scale = self.functions.count * np.log(2 * np.pi * self.noise)
        return float(self.functions.constant - (exponent + determinant + scale) / 2)

    @property
    def noise_estimate(self) -> float:
        """The noise variance re-estimated from the misfit."""
        functions = self.functions
        free = functions.count - (1 - self.stays).sum()
        free = max(float(free), _LEAST_FREEDOM * functions.count)
        return max(self.misfit / free, functions.least_noise)

    @property
    def _own(self) -> tuple[Array, Array]:
        """``phi'C^-1 phi`` and ``phi'C^-1 y`` of the used functions, C with themselves."""
        return self.precisions * (1 - self.stays), self.precisions * self.mean

    def products(self) -> Products:
        """``phi'C^-1 phi`` and ``phi'C^-1 y`` of every function."""
        functions, noise = self.functions, self.noise
        half = solve_triangular(
            self.factor,
            functions.products(self.used) * (self.scale / np.sqrt(noise))[:, None],
            lower=True,
            check_finite=False,
            overwrite_b=True,
        )
        on_target = np.sqrt(noise) * (self._factored[1] @ half)
        np.square(half, out=half)
        square = np.maximum(functions.squares - half.sum(axis=0), 0) / noise
        return self._with_own(Products(square, (functions.on_target - on_target) / noise))

    def _with_own(self, products: Products) -> Products:
        products.square[self.used], products.target[self.used] = self._own
        return products

    def after(
        self, products: Products, chosen: int, precision: float, model: Relevance
    ) -> Products:
        """The products under ``model``, which differs from this one by one precision."""
        place = np.flatnonzero(self.used == chosen)
        line = self.functions.products(np.array([chosen]))[0]
        inner = self.inverse_factor @ (self.scale * line[self.used])
        weights = self.scale * (inner @ self.inverse_factor)
        across = (line - weights @ self.functions.products(self.used) / self.noise) / self.noise
        if len(place):
            own, stays = float(self.precisions[place[0]]), float(self.stays[place[0]])
            change = 1 / precision - 1 / own
            share = stays + own / precision * (1 - stays)
        else:
            change = 1 / precision
            share = 1 + change * float(products.square[chosen])
        step = across * (change / share)
        square = np.maximum(products.square - step * across, 0)
        return model._with_own(Products(square, products.target - step * products.target[chosen]))

    def alone(self, products: Products) -> tuple[Array, Array, Array]:
        """The numbers s and q of every function, and which may be used."""
        lost = _IN_SPAN + np.finfo(float).eps * np.sqrt(self._largest)
        usable = products.square * self.noise > lost * self.functions.squares
        sparsity, quality = products.square.copy(), products.target.copy()
        stays = np.maximum(self.stays, np.finfo(float).tiny)
        sparsity[self.used] /= stays
        quality[self.used] /= stays
        usable[self.used] = True
        return sparsity, quality, usable


class Fitted(NamedTuple):
    """The last model, iterations, and whether they converged."""

    model: Relevance
    n_iter: int
    converged: bool


Watched = Callable[[Relevance], bool]
"""Told of the model after every iteration; True asks to stop."""


def re_estimate(
    functions: Functions, noise: float | None, *, max_iter: int, tol: float, watched: Watched
) -> Fitted:
    """The original algorithm, from equal precisions whose prior variance is that of the targets.

    Parameters
    ----------
    functions : Functions
        All are used at first, but those that are zero.
    noise : float or None
        Noise variance; None: re-estimated too.
    max_iter : int
        Most iterations.
    tol : float
        Largest change of a log precision at which they end.
    watched : callable
        See :data:`Watched`.
    """
    used = np.flatnonzero(functions.squares > 0)
    start = functions.squares.sum() / functions.energy
    model = Relevance(functions, used, np.full(len(used), start), _first_noise(functions, noise))
    best = model
    for number in range(1, max_iter + 1):
        relevant, square = 1 - model.stays, model.mean**2
        precisions = np.full(len(relevant), np.inf)
        told = (relevant > np.finfo(float).eps) & (square > np.finfo(float).tiny)
        np.divide(relevant, square, out=precisions, where=told)
        precisions = np.maximum(precisions, functions.least(model.used, model.noise))
        own = model.noise if noise is not None else model.noise_estimate
        share = functions.squares[model.used] / (own * precisions)
        # Alone such a function is better without: its precision would only creep to infinity.
        vain = model.precisions * square <= relevant * model.stays
        stays = share > np.where(vain, _VAIN, _DROPPED)
        moved = np.abs(np.log(precisions[stays] / model.precisions[stays])).max(initial=0.0)
        moved = max(moved, abs(np.log(own / model.noise)))
        settled = moved < tol and bool(stays.all())
        model = Relevance(functions, model.used[stays], precisions[stays], own)
        if model.log_evidence > best.log_evidence:
            best = model
        if watched(model):
            return Fitted(model, number, True)
        if settled or len(model.used) == 0:
            model = _at_noise(model, noise)
            kept = model.log_evidence > best.log_evidence - _WORSE * functions.count
            return Fitted(model if kept else best, number, kept)
    return Fitted(best, max_iter, False)


def sequential(
    functions: Functions, noise: float | None, *, max_iter: int, tol: float, watched: Watched
) -> Fitted:
    """The fast algorithm, from no function at all; parameters as :func:`re_estimate`.

    ``tol`` is the gain in log evidence below which a move is not made.
    """
    empty = np.empty(0)
    model = Relevance(functions, empty.astype(np.intp), empty, _first_noise(functions, noise))
    products, age = model.products(), 0
    for number in range(1, max_iter + 1):
        move = _best_move(model, products, tol)
        if move is None and age:
            products, age = model.products(), 0
            move = _best_move(model, products, tol)
        before, model = model, model if move is None else _moved(model, *move)
        due = noise is None and (move is None or number % _AFRESH == 0)
        if due:
            again = _better_noise(model)
            if move is None and again.log_evidence <= model.log_evidence + tol:
                return Fitted(again, number, True)
            model = again
        elif move is None:
            return Fitted(model, number, True)
        if due or move is None or number % _AFRESH == 0:
            products, age = model.products(), 0
        else:
            products, age = before.after(products, *move, model), age + 1
        if watched(model):
            return Fitted(model, number, True)
    return Fitted(model, max_iter, False)


def _first_noise(functions: Functions, noise: float | None) -> float:
    return _FIRST_NOISE * functions.energy / functions.count if noise is None else noise


def _at_noise(model: Relevance, noise: float | None) -> Relevance:
    """An empty model has the noise of the targets."""
    if noise is not None or len(model.used):
        return model
    return replace(model, noise=model.noise_estimate)


def _best_move(model: Relevance, products: Products, tol: float) -> tuple[int, float] | None:
    """The function that gains most by its best precision, and that; None where none gains."""
    sparsity, quality, usable = model.alone(products)
    now = np.full(len(sparsity), np.inf)
    now[model.used] = model.precisions
    excess = quality**2 - sparsity
    best = np.full(len(sparsity), np.inf)
    np.divide(sparsity**2, excess, out=best, where=usable & (excess > 0))
    every = np.arange(len(best))
    best = np.maximum(best, model.functions.least(every, model.noise))
    best[model.functions.squares == 0] = np.inf
    gains = (_share(best, sparsity, quality) - _share(now, sparsity, quality)) / 2
    chosen = int(gains.argmax())
    return (chosen, float(best[chosen])) if gains[chosen] > tol else None


def _moved(model: Relevance, chosen: int, precision: float) -> Relevance:
    """The model with another precision of one function."""
    others = model.used != chosen
    used, precisions = model.used, model.precisions
    if np.isinf(precision):
        used, precisions = used[others], precisions[others]
    elif others.all():
        used, precisions = np.append(used, chosen), np.append(precisions, precision)
    else:
        precisions = np.where(others, precisions, precision)
    return replace(model, used=used, precisions=precisions)


def _share(precisions: Array, sparsity: Array, quality: Array) -> Array:
    """What a function adds to twice the log evidence."""
    return quality**2 / (precisions + sparsity) - np.log1p(sparsity / precisions)


def _better_noise(model: Relevance) -> Relevance:
    """The re-estimated noise variance, or a step towards it, where that raises the evidence."""
    step = np.log(model.noise_estimate / model.noise)
    for _ in range(_HALVINGS):
        again = replace(model, noise=float(model.noise * np.exp(step)))
        if again.log_evidence > model.log_evidence:
            return again
        step /= 2
    return model
