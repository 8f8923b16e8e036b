"""How much memory there is, also in containers with a limit."""

import pytest

from holdfast.rows import memory


def test_the_machine_tells():
    assert memory.available_bytes() > 0


@pytest.mark.parametrize(
    ("limit", "use"),
    [
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ],
)
def test_the_limit_of_a_container_counts(monkeypatch, tmp_path, limit, use):
    (tmp_path / "memory").mkdir()
    (tmp_path / limit).write_text("5000\n")
    (tmp_path / use).write_text("3000\n")
    monkeypatch.setattr(memory, "_CONTROL_GROUPS", tmp_path)
    assert memory.available_bytes() == 2000


def test_no_limit_is_the_machine(monkeypatch, tmp_path):
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("3000\n")
    monkeypatch.setattr(memory, "_CONTROL_GROUPS", tmp_path)
    assert memory.available_bytes() > 3000
