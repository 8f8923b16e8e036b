"""The verbs, put together."""

from typing import Annotated

import typer

import holdfast
from holdfast.cli.compare import compare
from holdfast.cli.demo import demo
from holdfast.cli.export import export
from holdfast.cli.fit import fit
from holdfast.cli.inspect import inspect
from holdfast.cli.options import Debug
from holdfast.cli.predict import predict
from holdfast.cli.report import report

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    epilog="Exit codes: 0 done, 1 the work could not be done, 2 wrong usage or a missing package, "
    "130 interrupted.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"holdfast {holdfast.__version__}")
        raise typer.Exit


@app.callback()
def every_command(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
    debug: Debug = False,  # read by holdfast.cli.main, before anything is parsed
) -> None:
    """Sparse least-squares models chosen by exact cross-validation, at the cost of one fit.

    Begin with `holdfast demo`, or with a table of yours: `holdfast fit TABLE --target COLUMN`.
    """


for verb in (fit, predict, compare, report, inspect, export, demo):
    app.command()(verb)
