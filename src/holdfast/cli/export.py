"""``holdfast export``: a model as SQL, Python or C that needs no holdfast."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.models import any_model
from holdfast.cli.options import Debug, Model, Quiet, checked_choice
from holdfast.cli.outputs import check_not_read, check_output


def export(
    model: Model,
    to: Annotated[str, typer.Option("--to", help="sql, python or c.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where it goes; without it, standard output."),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(help="For SQL: the name of the table, to be said with every column."),
    ] = None,
    quiet: Quiet = False,
    debug: Debug = False,  # read by holdfast.cli.main, before anything is parsed
) -> None:
    """Write a model as a formula that needs no holdfast: SQL, Python or C.

    Imputing and levels of texts are part of it. Kernel models go to python and c.
    """
    checked_choice(to, "--to", ("sql", "python", "c"))
    check_output(output)
    check_not_read(output, model)
    from holdfast.model_file import export_model, exported

    loaded = any_model(model)
    if output is None:
        sys.stdout.write(exported(loaded, to, table=table))
        return
    export_model(loaded, output, to=to, table=table)
    if not quiet:
        typer.echo(f"{to}: {output}")
