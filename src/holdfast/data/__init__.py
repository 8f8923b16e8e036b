"""A small real table, shipped with the package, for ``holdfast demo`` and for examples.

Its source and licence (CC BY 4.0) are named in ``README.md`` beside the table.
"""

from holdfast.data.auto_price import AutoPrice, load_auto_price

__all__ = ["AutoPrice", "load_auto_price"]
