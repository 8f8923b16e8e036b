"""Which way to the held-out errors is the cheapest: a table of routes.

Every route gives the same numbers. Each says what it is good for, and the flops and bytes it
needs, to leading order; the cheapest that fits into memory is taken, and of those too small to
tell apart the one that keeps more digits. With m rows, n columns, K splits of f held-out rows, R
penalties, l targets, p parts:

==================  ====================================  ===================================
route               flops                                 numbers in memory
==================  ====================================  ===================================
kernel blocks       m^2 n + 10 m^3 + sum_F R f^2 (m + f)  3 m^2
kernels of splits   m^2 n + K (10 m^3 + 2 m^2 R l)        4 m^2
hat blocks          3 m n^2 + 10 n^3 + R f^2 (n + f) ...  2 n^2 p (classes)
moments             m n^2 + K (10 n^3 + 2 n^2 R l)        2 p n^2 + K n^2
leave-one-out       3 m n^2 + 10 n^3 + 2 m n R (1 + l)    4 n^2 for every class
==================  ====================================  ===================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from holdfast.criteria.penalty import Penalties, PenaltyProblem
from holdfast.criteria.penalty_blocks import BlockPenalties
from holdfast.criteria.penalty_dual import trains_on_the_rest
from holdfast.criteria.penalty_kernel import KernelPenalties
from holdfast.criteria.penalty_leave_one_out import LeaveOneOutPenalties
from holdfast.criteria.penalty_moments import MomentPenalties
from holdfast.rows.memory import available_bytes

_DECOMPOSITION = 10
"""Flops of a symmetric eigendecomposition in n^3."""

_TOO_SMALL = 5e7
"""Flops that take about as long as calling the functions."""


@dataclass(frozen=True)
class Route:
    """A way to the held-out errors: what it needs, and how it is taken."""

    name: str
    flops: float
    bytes: float
    take: Callable[[PenaltyProblem], Penalties]


def cheapest(problem: PenaltyProblem, n_alphas: int) -> Route:
    """The cheapest route that fits into memory.

    Raises
    ------
    MemoryError
        When none does; it says what each would need.
    """
    table = routes(problem, n_alphas)
    available = available_bytes()
    fitting = [route for route in table if available is None or route.bytes <= available]
    if fitting:
        return min(fitting, key=lambda route: max(route.flops, _TOO_SMALL))
    assert available is not None
    needs = "; ".join(f"{route.name} {route.bytes / 2**30:.1f} GiB" for route in table)
    raise MemoryError(
        f"choosing the penalty needs matrices over all columns or all rows: {needs}. Available are "
        f"{available / 2**30:.1f} GiB; select columns first, for instance by ForwardRidge, which "
        "needs no such matrix, take fewer splits, or use a machine with more memory."
    )


def routes(problem: PenaltyProblem, n_alphas: int) -> list[Route]:
    """The routes that answer a problem, those that keep more digits first."""
    table = _by_splits(problem, n_alphas) if problem.splits else _one_by_one(problem, n_alphas)
    if not problem.by_rows:
        table = [route for route in table if route.take is not KernelPenalties]
    # A kernel matrix of more rows than columns is singular, one of products the other way round.
    wide = problem.rows.n_columns >= problem.rows.n_rows
    return sorted(table, key=lambda route: (route.take is KernelPenalties) != wide)


def _one_by_one(problem: PenaltyProblem, n_alphas: int) -> list[Route]:
    """Routes to leave-one-out."""
    size = _Size.of(problem, n_alphas)
    m, n, views = size.rows, size.columns, len(problem.views.train)
    return [
        Route(
            "a kernel matrix of the rows",
            size.kernel + views * (_DECOMPOSITION * m**3 + 2 * m * m * size.solved),
            8 * 4 * m * m,
            KernelPenalties,
        ),
        Route(
            "the products of the columns",
            size.products
            + views * _DECOMPOSITION * n**3
            + 2 * m * n * (n + n_alphas + size.solved),
            8 * n * n * (2 * len(problem.classes) + 2 * views),
            LeaveOneOutPenalties,
        ),
    ]


def _by_splits(problem: PenaltyProblem, n_alphas: int) -> list[Route]:
    """Routes to the hold-out of splits."""
    assert problem.splits is not None
    size, splits = _Size.of(problem, n_alphas), len(problem.splits)
    m, n = size.rows, size.columns
    rest = trains_on_the_rest(problem)
    if rest:
        kernels = size.kernel + _DECOMPOSITION * m**3 + size.blocks(m, problem)
    else:
        kernels = size.kernel * (splits if problem.standardize else 1)
        kernels += splits * (_DECOMPOSITION * m**3 + 2 * m * m * size.solved)
    moments = len(problem.splits.labels) * size.products
    moments += splits * (_DECOMPOSITION * n**3 + 2 * n * n * size.solved)
    table = [
        Route("kernel matrices of the rows", kernels, 8 * 5 * m * m, KernelPenalties),
        Route(
            "moments of the splits",
            moments,
            8 * n * n * (2 * problem.n_parts + splits + 4),
            MomentPenalties.on_rows,
        ),
    ]
    if rest:
        blocks = size.products + 2 * m * n * n + _DECOMPOSITION * n**3 + size.blocks(n, problem)
        memory = 8 * n * n * (2 * len(problem.classes) + 2)
        table.append(Route("blocks of the hat matrix", blocks, memory, BlockPenalties))
    return table


class _Size(NamedTuple):
    """How large a problem is: its shape, and flops that several routes need."""

    rows: int
    columns: int
    alphas: int
    solved: int
    kernel: float
    products: float

    @classmethod
    def of(cls, problem: PenaltyProblem, n_alphas: int) -> _Size:
        """``solved`` are systems with one penalty and one target."""
        m, n = problem.rows.n_rows, problem.rows.n_columns
        per_column = problem.rows.entries_per_column
        solved = n_alphas * len(problem.targets)
        return cls(m, n, n_alphas, solved, m * m * n, per_column * n * n)

    def blocks(self, inner: int, problem: PenaltyProblem) -> float:
        """Making and solving the block of every held-out set."""
        sizes = problem.held_sizes.astype(float)
        return self.alphas * float(np.sum(sizes**2 * (2 * inner + sizes)))
