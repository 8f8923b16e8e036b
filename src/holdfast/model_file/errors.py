"""What is raised where a model file cannot be trusted."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A model file that is damaged, edited, of a newer version, or no model file at all.

    The message says what was found, where in the file, what was expected, and what to do.
    """
