"""Write ``docs/cli.md`` from the command line itself: ``python docs/make_cli_page.py``.

``tests/cli/test_cli_page.py`` fails when the page is no longer what this script would write.
"""

import inspect
from pathlib import Path

import typer

from holdfast.cli.app import app

PAGE = Path(__file__).with_name("cli.md")

INTRODUCTION = """\
<!-- written by docs/make_cli_page.py; change the help texts in src/holdfast/cli instead -->
# Command line

The command `holdfast` comes with the extra `cli`; pictures need the extra `plot`. Without them it
says in one line what to install. Results go to standard output; progress bars and errors go to
standard error.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | the work could not be done; one line on standard error says why |
| 2 | wrong usage, or a package of the extras is missing |
| 130 | interrupted from the keyboard |

Every command explains itself with `--help`; the tables below are made from the same texts. Output
files appear whole or not at all. A traceback is shown only with `--debug`.
"""

# The same thing from Python. A verb that is missing here has its section all the same.
FROM_PYTHON = {
    "fit": "any estimator of the [reference](reference.md); {func}`holdfast.nested_score` is the "
    "honest error. The [tutorial for analysts](tutorials/analyst.md) begins with this command.",
    "predict": "`holdfast.load_model(MODEL).predict(frame)`, see "
    "[deploying a model](how-to/deploy.md).",
    "compare": "{func}`holdfast.nested_score` of each estimator on the same outer folds.",
    "report": "[the report](report.md), and the {class}`holdfast.PathDisplay` of a search.",
    "inspect": "the attributes of `holdfast.load_model(MODEL)`.",
    "export": "see [deploying a model](how-to/deploy.md).",
    "demo": "{class}`holdfast.ForwardRidge` on {func}`holdfast.data.load_auto_price`, "
    "drawn by {class}`holdfast.PathDisplay`; the [first steps](tutorial.md) are the same.",
}


def page():
    """Text of the whole page: the command, then every verb in the order of ``--help``."""
    command = typer.main.get_command(app)
    sections = [INTRODUCTION, section("holdfast", "COMMAND [OPTIONS]", command)]
    for name, verb in command.commands.items():
        arguments = [one.name.upper() for one in verb.params if is_argument(one)]
        usage = " ".join([*arguments, "[OPTIONS]"])
        sections.append(section(f"holdfast {name}", usage, verb))
        if name in FROM_PYTHON:
            sections.append(f"From Python: {FROM_PYTHON[name]}\n")
    return "\n".join(sections)


def section(name, usage, command):
    """Heading, usage, explanation, arguments and options of one command."""
    shown = [one for one in command.params if not getattr(one, "hidden", False)]
    arguments = [argument(one) for one in shown if is_argument(one)]
    options = [option(one) for one in shown if not is_argument(one)]
    parts = [f"## {name}", f"    {name} {usage}", inspect.cleandoc(command.help)]
    if arguments:
        parts.append("\n".join(["| argument | meaning |", "|---|---|", *arguments]))
    parts.append("\n".join(["| option | meaning | default |", "|---|---|---|", *options]))
    return "\n\n".join(parts) + "\n"


def is_argument(parameter):
    return parameter.param_type_name == "argument"


def argument(parameter):
    return f"| `{parameter.name.upper()}` | {told(parameter)} |"


def option(parameter):
    names = ", ".join(f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts])
    shown = parameter.show_default
    default = shown if isinstance(shown, str) else parameter.default
    if default in (None, False) or callable(default):
        default = ""
    elif default is True:
        default = f"`{parameter.opts[0]}`"
    return f"| {names} | {told(parameter)} | {default} |"


def told(parameter):
    """The help, with the range of a number; bars would end a cell."""
    meaning = " ".join(parameter.help.split()).replace("|", "\\|")
    least, most = getattr(parameter, "min", None), getattr(parameter, "max", None)
    if least is not None and most is not None:
        meaning += f" From {least} to {most}."
    elif least is not None:
        meaning += f" At least {least}."
    return meaning


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
