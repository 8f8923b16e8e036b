"""A progress bar over fits, fed by scikit-learn's callbacks."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn


class FitProgress:
    """One bar over a known number of fits, moved by every move of every fit.

    A callback in the sense of :mod:`sklearn.callback`: give it to ``estimator.set_callbacks``.
    Clones of the estimator share it, so it sees the fits of a cross-validation too.

    Parameters
    ----------
    progress : rich.progress.Progress
        The running display the bar belongs to.
    description : str
        What stands before the bar.
    fits : int
        How many fits fill the bar.
    """

    def __init__(self, progress: Progress, description: str, *, fits: int) -> None:
        self._progress = progress
        self._bar = progress.add_task(description, total=fits)
        self._fits_done = 0

    def setup(self, estimator: Any, context: Any) -> None:
        """Nothing to prepare; the protocol asks for it."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Nothing to show before a task has ended; the protocol asks for it."""

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        """Advance by one move out of all the moves the fit can make."""
        if context.parent is not None and context.parent.max_subtasks:
            self._progress.advance(self._bar, 1 / context.parent.max_subtasks)

    def teardown(self, estimator: Any, context: Any) -> None:
        """Round up to whole fits: a search may end before its last possible move."""
        self._fits_done += 1
        self._progress.update(self._bar, completed=self._fits_done)


def bars(console: Console, *, disable: bool = False) -> Progress:
    """Bars with the time left."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=console,
        disable=disable,
    )


@contextmanager
def progress_display(*, disable: bool = False) -> Iterator[Progress]:
    """Show bars on stderr while the block runs; without a terminal only their last state."""
    with bars(Console(stderr=True), disable=disable) as progress:
        yield progress
