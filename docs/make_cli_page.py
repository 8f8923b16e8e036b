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

Every command explains itself with `--help`. Output files appear whole or not at all. A traceback is
shown only with `--debug`.
"""

# The same thing from Python, for every verb.
FROM_PYTHON = {
    "demo": "From Python: {class}`holdfast.ForwardRidge` on {func}`holdfast.data.load_auto_price`, "
    "drawn by {class}`holdfast.PathDisplay`; the [tutorial](tutorial.md) takes the same steps.",
}


def page():
    """Text of the whole page."""
    command = typer.main.get_command(app)
    sections = [INTRODUCTION, section("holdfast", "COMMAND [OPTIONS]", command)]
    for name, verb in command.commands.items():
        sections += [section(f"holdfast {name}", "[OPTIONS]", verb), FROM_PYTHON[name] + "\n"]
    return "\n".join(sections)


def section(name, usage, command):
    """Heading, usage, explanation and options of one command."""
    options = [row(option) for option in command.params if not getattr(option, "hidden", False)]
    table = "\n".join(["| option | meaning | default |", "|---|---|---|", *options])
    return f"## {name}\n\n    {name} {usage}\n\n{inspect.cleandoc(command.help)}\n\n{table}\n"


def row(option):
    names = ", ".join(f"`{name}`" for name in option.opts)
    meaning = option.help
    if option.min is not None:
        meaning += f" From {option.min} to {option.max}."
    default = option.show_default if isinstance(option.show_default, str) else option.default
    return f"| {names} | {meaning} | {'' if default in (None, False) else default} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
