"""Pictures of fitted paths, drawn with matplotlib."""

from holdfast.display.path import PathDisplay

__all__ = ["PathDisplay"]
