"""``holdfast predict``: the rows of another table by a model file."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli.models import table_model
from holdfast.cli.options import Debug, Json, Model, Quiet, Table
from holdfast.cli.outputs import check_not_read, check_output
from holdfast.whole_file import write_whole

if TYPE_CHECKING:
    import polars as pl

_WRITERS = {
    ".csv": "write_csv",
    ".tsv": "write_csv",
    ".parquet": "write_parquet",
    ".jsonl": "write_ndjson",
    ".arrow": "write_ipc",
}


def predict(
    model: Model,
    table: Table,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Where the predictions go (.csv, .tsv, .parquet, .jsonl, .arrow); without it, CSV "
            "on standard output.",
        ),
    ] = None,
    keep_columns: Annotated[
        bool, typer.Option("--keep-columns", help="Write the columns of the table too, first.")
    ] = False,
    quiet: Quiet = False,
    json_output: Json = False,
    debug: Debug = False,  # read by holdfast.cli.main, before anything is parsed
) -> None:
    """Predict every row of a table with a model file.

    The table needs the columns that the model uses, in any order; others are not looked at. Levels
    of texts that are new are counted among the rare ones. If the target is there too, the error is
    told.
    """
    from holdfast.table_models.applying import apply

    check_output(output, tuple(_WRITERS))
    check_not_read(output, model, table)
    found = apply(table_model(model), table)
    written = found.predictions
    if keep_columns and found.frame is not None:
        clash = [name for name in written.columns if name in found.frame.columns]
        if clash:
            raise ValueError(
                f"the table has a column {clash[0]!r} already; expected none of that name beside "
                "--keep-columns: rename it, or leave the option out."
            )
        written = found.frame.hstack(written)
    if json_output:
        told = {"rows": len(written), "notes": found.notes, **found.judged}
        if output is None:
            told["predictions"] = written.to_dicts()
        sys.stdout.write(json.dumps(told, default=str, allow_nan=False) + "\n")
    elif output is None:
        sys.stdout.write(written.write_csv())
    if output is not None:
        write_whole(output, lambda path: _write(written, path))
    if not (quiet or json_output):
        _say(found, output, len(written))


def _write(predictions: "pl.DataFrame", path: Path) -> None:
    options = {"separator": "\t"} if path.suffix == ".tsv" else {}
    getattr(predictions, _WRITERS[path.suffix.lower()])(path, **options)


def _say(found: Any, output: Path | None, n_rows: int) -> None:
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    for note in found.notes:
        console.print(f"Note: {note}", markup=False, soft_wrap=True)
    for name, value in found.judged.items():
        console.print(f"{name.replace('_', ' ')}: {value:.6g}", markup=False)
    if output is not None:
        console.print(f"{n_rows:,} predictions: {output}", markup=False, soft_wrap=True)
