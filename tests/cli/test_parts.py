"""The parts that verbs share: whole files, and bars fed by callbacks."""

import io
import os
import stat

import numpy as np
import pytest
from rich.console import Console
from rich.progress import Progress
from sklearn.model_selection import cross_val_predict

from holdfast import ForwardRidge
from holdfast.cli.progress import FitProgress
from holdfast.whole_file import write_whole


def test_a_failing_writer_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "picture.png"
    path.write_text("old")

    def write_half(unfinished):
        unfinished.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_whole(path, write_half)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_whole_file_replaces_the_old_one_and_keeps_the_suffix(tmp_path):
    path = tmp_path / "picture.png"
    path.write_text("old")
    suffixes = []

    def write(unfinished):
        suffixes.append(unfinished.suffix)
        unfinished.write_text("new")

    write_whole(path, write)
    assert path.read_text() == "new"
    assert suffixes == [".png"]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="permissions of this kind are POSIX")
def test_a_new_file_has_the_permissions_any_program_would_give_it(tmp_path):
    (tmp_path / "plain").write_text("")
    write_whole(tmp_path / "ours", lambda unfinished: unfinished.write_text(""))
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "ours")]
    assert modes[0] == modes[1]


def test_a_bar_counts_the_moves_of_every_fit_and_ends_full():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 6)), rng.normal(size=30)
    progress = Progress(console=Console(file=io.StringIO()), disable=True)
    watched = []

    class Watch(FitProgress):
        def on_fit_task_end(self, estimator, context):
            super().on_fit_task_end(estimator, context)
            watched.append(progress.tasks[0].completed)

    search = ForwardRidge(max_features=4, patience=None)
    search.set_callbacks(Watch(progress, "fitting", fits=5))
    cross_val_predict(search, X, y, cv=5)
    bar = progress.tasks[0]
    assert bar.finished
    assert bar.completed == bar.total == 5
    assert watched == sorted(watched)
    assert len(set(np.round(watched, 6))) >= 5 * 4


def test_a_bar_is_drawn_on_a_terminal():
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=80)
    with Progress(console=console) as progress:
        search = ForwardRidge().set_callbacks(FitProgress(progress, "Selecting", fits=1))
        search.fit(np.eye(6), np.arange(6.0))
    assert "Selecting" in screen.getvalue()
    assert "100%" in screen.getvalue()
