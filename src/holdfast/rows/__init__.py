"""Where the numbers live: rows as sums over blocks, and the seam of searches and criteria."""

from holdfast.rows.storage import as_rows

__all__ = ["as_rows"]
