"""Where the numbers live: rows as sums over blocks, and the seam of searches and criteria."""

from holdfast.rows.row_blocks import RowBlocks
from holdfast.rows.storage import (
    Near,
    as_rows,
    columns_of,
    near,
    only_rows,
    rows_of,
    rows_together,
    spare_bytes,
)

__all__ = [
    "Near",
    "RowBlocks",
    "as_rows",
    "columns_of",
    "near",
    "only_rows",
    "rows_of",
    "rows_together",
    "spare_bytes",
]
