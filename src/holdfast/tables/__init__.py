"""A table as numeric blocks: one-hot groups, rare levels, imputing; learned once, kept as JSON."""

from holdfast.tables.encoding import Encoding
from holdfast.tables.learning import learn

__all__ = ["Encoding", "learn"]
