"""Kernel columns that look like rows, and the choice of the rows that make them."""

from holdfast.basis.folds import basis_folds

__all__ = ["basis_folds"]
