"""The command line ``holdfast``: one file per verb, each thin.

====  =====================================================================
exit  meaning
====  =====================================================================
0     done
1     the work could not be done; one line on stderr says why
2     wrong usage, or a package of the extras is missing
130   interrupted from the keyboard
====  =====================================================================

A traceback is shown only with ``--debug``. Heavy imports are left to the verbs that need them.
"""

import sys

_EXTRAS = {"altair", "jinja2", "markupsafe", "matplotlib", "polars", "rich", "typer", "vl_convert"}


def main() -> None:
    """Run the command line; an error ends as one line on stderr and an exit code."""
    try:
        from holdfast.cli.app import app

        app(prog_name="holdfast")
    except KeyboardInterrupt:
        _stop("interrupted", 130)
    except Exception as error:
        if "--debug" in sys.argv[1:]:
            raise
        _stop(*_explain(error))


def _stop(message: str, code: int) -> None:
    sys.stderr.write("holdfast: " + " ".join(message.split()) + "\n")
    sys.exit(code)


def _explain(error: Exception) -> tuple[str, int]:
    """What to tell the user, and the exit code."""
    package = (getattr(error, "name", None) or "").partition(".")[0]
    if isinstance(error, ModuleNotFoundError) and package in _EXTRAS:
        message = (
            f"{package} is not installed, and this command needs it; "
            'install all extras with: pip install "holdfast[all]" '
            '(in a checkout: pip install ".[all]")'
        )
        return message, 2
    if isinstance(error, ImportError) and "pip install" in str(error):
        return str(error), 2
    if isinstance(error, OSError | ValueError):
        return str(error), 1
    kind = type(error).__name__
    return f"unexpected {kind}: {error}; run it again with --debug and report what it shows", 1
