"""Models from files, for the verbs that take one."""

from pathlib import Path
from typing import Any


def any_model(path: Path) -> Any:
    """A model from a file, saved by ``holdfast fit`` or from Python."""
    from holdfast import load_model

    if not path.exists():
        from holdfast.tables.reading import check_file

        check_file(path)
    if path.is_dir():
        raise ValueError(
            f"{path} is a folder; expected a model file: name the file, such as {path}/model.json."
        )
    return load_model(path)


def table_model(path: Path) -> Any:
    """A model of a table; estimators that were saved from Python know no table."""
    from holdfast.model_file import is_of_table

    loaded = any_model(path)
    if not is_of_table(loaded):
        raise ValueError(
            f"{path} holds a {type(loaded).__name__} that was saved from Python and knows nothing "
            "of tables; expected a file that holdfast fit has written: load it with "
            "holdfast.load_model instead."
        )
    return loaded
