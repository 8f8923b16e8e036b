"""``holdfast report``: the page of pictures of a model file."""

from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.models import table_model
from holdfast.cli.options import Debug, Model, Quiet
from holdfast.cli.outputs import check_output


def report(
    model: Model,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Where the page goes (.html); default: beside the model."
        ),
    ] = None,
    quiet: Quiet = False,
    debug: Debug = False,  # read by holdfast.cli.main, before anything is parsed
) -> None:
    """Write the report of a model: one page, with pictures, that needs no network.

    The model file holds all that it shows; the table is not needed.
    """
    from holdfast.report import write_report

    place = model.with_suffix(".html") if output is None else output
    check_output(place, (".html",))
    loaded = table_model(model)
    if not loaded.findings:
        raise ValueError(
            f"{model} holds no findings, only a model that was put together in Python; expected a "
            "file that holdfast fit has written: fit the table with it, or look at this one with "
            "holdfast inspect."
        )
    write_report(loaded.findings, place, provenance=loaded.provenance)
    if not quiet:
        typer.echo(f"Report: {place}")
