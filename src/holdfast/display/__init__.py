"""Pictures of fitted estimators, drawn with matplotlib."""

from holdfast.display.alpha import AlphaDisplay
from holdfast.display.path import PathDisplay

__all__ = ["AlphaDisplay", "PathDisplay"]
