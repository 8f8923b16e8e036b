"""``holdfast report``: the page of pictures of a model file."""

from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.options import Debug, Model, Quiet
from holdfast.cli.outputs import checked_output


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
    from holdfast.cli.predict import _loaded
    from holdfast.report import write_report

    place = model.with_suffix(".html") if output is None else output
    checked_output(place, (".html",))
    loaded = _loaded(model)
    write_report(loaded.findings, place, provenance=loaded.provenance)
    if not quiet:
        typer.echo(f"Report: {place}")
