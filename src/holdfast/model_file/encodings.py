"""How a table becomes numbers, in a model file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from holdfast.model_file.kinds import (
    LARGEST,
    Choice,
    Flag,
    Kind,
    Maybe,
    Number,
    Place,
    Record,
    Several,
    Text,
)
from holdfast.model_file.labels import distinct
from holdfast.model_file.of_findings import FINDINGS, PROVENANCE

_COLUMNS = {
    "numeric": Record(
        {
            "kind": Choice(("numeric",)),
            "name": Text(),
            "fill": Maybe(Number(most=LARGEST)),
            "centre": Number(most=LARGEST),
            "scale": Number(above=1 / LARGEST, most=LARGEST),
        }
    ),
    "categorical": Record(
        {
            "kind": Choice(("categorical",)),
            "name": Text(),
            "levels": Several(Text()),
            "other": Flag(),
            "missing": Flag(),
        }
    ),
}


class EncodingKind:
    """Columns of a table in the order of their columns of numbers, whose count is a dimension."""

    def __init__(self, dimension: str) -> None:
        self._dimension = dimension

    def write(self, value: Any) -> list[dict[str, Any]]:
        """As JSON values."""
        return [_COLUMNS[record["kind"]].write(record) for record in value.records()]

    def read(self, value: Any, place: Place) -> Any:
        """From JSON values."""
        if not isinstance(value, list):
            raise place.wrong(value, "a list of columns")
        records = []
        for number, one in enumerate(value):
            here = place.inside(number)
            kind = one.get("kind") if isinstance(one, dict) else None
            if not isinstance(kind, str) or kind not in _COLUMNS:
                raise here.wrong(one, "a numeric or categorical column")
            found = _COLUMNS[kind].read(one, here)
            if "levels" in found:
                distinct(found["levels"], here)
            records.append(found)
        distinct([record["name"] for record in records], place)
        encoding = rooms_of_tables().Encoding.of_records(records)
        place.bind(self._dimension, len(encoding.names))
        return encoding


class RoomsOfTables(NamedTuple):
    """Classes that need polars, which a model without a table does not."""

    TableModel: Any
    Encoding: Any


def rooms_of_tables() -> RoomsOfTables:
    """Import them."""
    try:
        from holdfast.table_models.table_model import TableModel
        from holdfast.tables.encoding import Encoding
    except ImportError as error:
        raise ImportError(
            f"a model of a table needs polars, which is not installed ({error}); expected the "
            "extra 'tables': pip install 'holdfast[tables]'."
        ) from error
    return RoomsOfTables(TableModel, Encoding)


TABLE: Mapping[str, Kind] = {
    "target": Text(),
    "task": Choice(("regression", "classification")),
    "findings": FINDINGS,
    "provenance": PROVENANCE,
}
"""What a model of a table holds beside its encoding and its estimator."""
