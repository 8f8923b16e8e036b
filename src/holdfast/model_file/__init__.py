"""Fitted models in files: JSON by a schema, and expressions and functions that score without us."""

from holdfast.model_file.documents import is_of_table
from holdfast.model_file.errors import ModelFileError
from holdfast.model_file.export import export_model, exported
from holdfast.model_file.saving import load_model, save_model

__all__ = ["ModelFileError", "export_model", "exported", "is_of_table", "load_model", "save_model"]
