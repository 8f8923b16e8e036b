"""Models on a basis: from parameters to a basis, its columns, and hold-out that lets it go."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from holdfast.basis.asked import BasisChoice
from holdfast.basis.hold_out import BasisHoldOut
from holdfast.basis.kernels import PRECOMPUTED, Kernel, KernelTable
from holdfast.basis.per_split import PerSplitPenalties
from holdfast.basis.rows import BasisColumns
from holdfast.criteria.penalty import Penalties, PenaltyProblem
from holdfast.criteria.penalty_leave_one_out import LeaveOneOutPenalties
from holdfast.criteria.penalty_routes import cheapest
from holdfast.estimators.checks import check_choice, check_flags
from holdfast.estimators.folds import RowPairs
from holdfast.estimators.kernel_models import KernelModel, Opened
from holdfast.estimators.penalty import FitData, n_penalties
from holdfast.rows import rows_of, spare_bytes
from holdfast.rows.fetched import as_floats
from holdfast.rows.splits import Splits
from holdfast.rows.sums import Array, Rows
from holdfast.searches.alphas import PenaltyChoice

_POLICIES = ("drop", "keep", "skip")


class BasisModel(KernelModel):
    """A kernel model on few basis vectors; its faces say of what target."""

    _takes_stored = True

    def _solve(
        self, data: FitData, grid: Array | None
    ) -> tuple[PenaltyProblem, Penalties, PenaltyChoice]:
        self._check_table(data.X)
        check_choice(self.held_out_basis, "held_out_basis", _POLICIES)
        check_flags(basis_per_split=self.basis_per_split)
        kernels = self._kernels()
        choice = BasisChoice.of(
            self.basis,
            self.n_basis,
            self.random_state,
            data.weights,
            0 if data.pairs is None else len(data.pairs),
            grid,
            bool(self.fit_intercept),
        )
        self._check_per_split(choice, data)
        opening = _Opening(data, choice, len(kernels) > 1, bool(self.fit_intercept))
        opened = self._best_width(kernels, data, lambda kernel: self._open(kernel, opening, grid))
        columns, problem = opened.columns, opened.problem
        self.basis_indices_ = columns.basis
        self.basis_vectors_: Any = columns.vectors
        if columns.whitening.flipped:
            warnings.warn(
                f"kernel={self.kernel!r} is no inner product on the basis: its matrix has negative "
                "eigenvalues, whose signs were turned in the penalty. Expected a kernel that is "
                "positive semidefinite: change its parameters, or take another.",
                UserWarning,
                stacklevel=5,
            )
        self._weights, self._target_shape = data.weights, data.targets.values.shape[1:]
        whole = opened.penalties.whole  # type: ignore[attr-defined]
        self._hold_out = BasisHoldOut(problem, whole, columns, self.held_out_basis)
        return problem, opened.penalties, opened.choice

    def _check_per_split(self, choice: BasisChoice, data: FitData) -> None:
        if not self.basis_per_split:
            return
        if choice.given is not None:
            raise ValueError(
                "basis_per_split=True with a list of rows as basis leaves nothing to choose; "
                "expected 'random', 'entropy' or 'greedy': choose one, or set it to False."
            )
        if data.pairs is None:
            raise ValueError(
                "basis_per_split=True under leave-one-out would choose a basis for every row; "
                "expected splits: set cv, for instance cv=10."
            )

    def _open(self, kernel: Kernel, opening: _Opening, grid: Array | None) -> Opened:
        """Choose a basis, make its columns, and choose a penalty."""
        data = opening.data
        columns = opening.columns(kernel)
        problem = self._problem(data, opening.rows(columns), columns)
        penalties: Penalties
        if self.basis_per_split:
            penalties = PerSplitPenalties(
                problem,
                LeaveOneOutPenalties(replace(problem, splits=None)),
                lambda split, rows: opening.columns(kernel, rows, 1 + split),
            )
        else:
            penalties = cheapest(problem, n_penalties(grid)).take(problem)
        choice = self._choose(penalties, grid, self._scores(data, problem))
        return Opened(kernel, columns, problem, penalties, choice)

    def _problem(self, data: FitData, rows: Rows, columns: BasisColumns) -> PenaltyProblem:
        """What is held out, and what leaves with it."""
        n_rows, pairs, spared, leaving = len(data.weights), data.pairs, None, None
        policy = "keep" if self.basis_per_split else self.held_out_basis
        if policy == "skip":
            spared = np.zeros(n_rows, dtype=bool)
            spared[columns.basis] = True
            judged = ~spared & (data.weights > 0)
            pairs = None if pairs is None else _sparing(pairs, spared, judged)
            if not (judged.any() if pairs is None else pairs):
                raise ValueError(
                    "held_out_basis='skip' holds no row of the basis out, and there are no others "
                    "to be held out; expected some: take fewer basis vectors, or 'drop'."
                )
        elif policy == "drop":
            leaving = columns.leaving
        return PenaltyProblem(
            rows,
            None if pairs is None else Splits.of(pairs, n_rows),
            data.targets.classes,
            fit_intercept=bool(self.fit_intercept),
            standardize=False,
            leaving=leaving,
            spared=spared,
            by_rows=False,
        )

    # -- the fitted model ------------------------------------------------------------------

    def _dual(self, coef: Array) -> Array:
        return self._hold_out.whitening.dual(coef)

    def _centres(self) -> Any:
        if self.kernel == PRECOMPUTED:
            return self.basis_indices_
        return as_floats(self.basis_vectors_)

    def holdout_predict(self, indices: Any, alpha: float | None = None) -> Array:
        """Predictions of training rows by the model trained without them.

        All of ``indices`` are held out together, and their basis vectors with them as
        ``held_out_basis`` says: under ``"drop"`` they leave the basis, under ``"keep"`` they stay,
        under ``"skip"`` rows of the basis are trained on, and their prediction is NaN.

        Parameters
        ----------
        indices : int array-like, or bool array of shape (m,)
            Rows of the training data, in any order.
        alpha : float, optional
            Any positive penalty; the chosen one without it.

        Returns
        -------
        array of shape (indices,) or (indices, targets)
            In the order of ``indices``; for classifiers decision values.

        Notes
        -----
        Exact: equal to refitting on the same penalty matrix, up to rounding, with this basis.
        O(min(f^2 n, f n^2)) for f rows and n basis vectors, from the caches of the fit, which the
        first call turns into eigen coordinates, once, O(m n^2). Of sets larger than the basis
        training anew costs no more. With ``class_weight="balanced"``
        O(m n^2) every time (and NaN for rows of weight zero). Where the caches did not fit into
        half of the free memory, kernel values are made anew from X, which must not have been
        changed. Pickles and copies leave the caches behind.
        """
        rows, places = self._held_out_rows(indices)
        alpha = self._held_out_alpha(alpha)
        outputs: Array = self._hold_out.predictions(rows, alpha).T[places]
        return outputs[:, 0] if self.dual_coef_.ndim == 1 else outputs


class _Opening:
    """Data, the choice of a basis, and what kernels of several widths share."""

    def __init__(self, data: FitData, choice: BasisChoice, several: bool, centred: bool) -> None:
        self.data, self._choice, self._several, self._centred = data, choice, several, centred
        self._targets = np.ascontiguousarray(data.targets.values.reshape(len(data.y), -1).T)
        self._base: tuple[Array, Array] | None = None
        self._fetched: tuple[Array, Any] | None = None

    def columns(self, kernel: Kernel, rows: Array | None = None, place: int = 0) -> BasisColumns:
        """The columns of a basis chosen among some rows, or all that count."""
        table, weights = KernelTable(kernel, self.data.X), self.data.weights
        rows = np.flatnonzero(weights > 0) if rows is None else rows
        basis = self._choice.choose(table, self._targets, weights, rows, place)
        return BasisColumns(table, basis, self._vectors(kernel, basis))

    def _vectors(self, kernel: Kernel, basis: Array) -> Any:
        """The rows of a basis, fetched once for all widths; None of a kernel that is given."""
        if kernel.metric == PRECOMPUTED:
            return None
        if self._fetched is None or not np.array_equal(self._fetched[0], basis):
            self._fetched = basis, rows_of(self.data.X, basis)
        return self._fetched[1]

    def rows(self, columns: BasisColumns) -> Rows:
        """Columns as rows, kept where there is memory for it."""
        shares = self._several and columns.table.kernel.shares
        numbers = len(columns.table) * len(columns.basis) * (2 if shares else 1)
        if 8 * numbers > spare_bytes(columns.table.X):
            return columns.streamed(self._targets, self.data.weights)
        base = self._shared(columns) if shares else None
        return columns.kept(self._targets, self.data.weights, base, centred=self._centred)

    def _shared(self, columns: BasisColumns) -> Array:
        """What kernels of all widths have in common, on a basis."""
        if self._base is None or not np.array_equal(self._base[0], columns.basis):
            self._base = None  # its memory, before the next takes as much
            self._base = columns.basis, columns.base()
        return self._base[1]


def _sparing(pairs: RowPairs, spared: Array, judged: Array) -> RowPairs:
    """Splits that train on spared rows where they would hold them out, and judge some others."""
    moved = [
        (np.concatenate([train, held[spared[held]]]), held[~spared[held]]) for train, held in pairs
    ]
    return [(train, held) for train, held in moved if judged[held].any()]
