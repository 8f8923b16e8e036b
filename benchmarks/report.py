"""What a benchmark found, as Markdown for readers and JSON for machines.

Sections hold plain values only, so that a run of some sections (``--only``) can replace them in
the file of an earlier run and leave the others as they were.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

PACKAGES = ["holdfast", "numpy", "scipy", "scikit-learn", "mlxtend", "fastcan", "abess"]
PACKAGES += ["cvmatrix", "himalaya", "fastrvm", "sklearn-rvm", "reservoirpy"]


@dataclass(frozen=True)
class Claim:
    """A bound and what was measured; ``binding`` where the problem has the size claimed for."""

    text: str
    measured: float
    bound: float
    sense: Literal["at most", "at least"]
    binding: bool = True
    unit: str = "x"
    spread: str = ""

    @property
    def holds(self) -> bool:
        """Return whether the measured value keeps the bound."""
        if self.sense == "at most":
            return self.measured <= self.bound
        return self.measured >= self.bound

    def __str__(self) -> str:
        state = ("holds" if self.holds else "MISSED") if self.binding else "not claimed here"
        spread = f" ({self.spread})" if self.spread else ""
        return (
            f"{self.text}: {number(self.measured)}{self.unit}{spread}, "
            f"{self.sense} {self.bound:.3g}{self.unit} - {state}"
        )


@dataclass(frozen=True)
class Table:
    """A table of text, ratios in its first columns."""

    caption: str
    header: list[str]
    rows: list[list[str]]

    def markdown(self) -> str:
        """Return the table in Markdown, its caption above."""
        lines = ["| " + " | ".join(row) + " |" for row in [self.header, *self.rows]]
        lines.insert(1, "|" + "---|" * len(self.header))
        return "\n".join([self.caption, "", *lines])


@dataclass(frozen=True)
class Section:
    """One question, what was claimed, the tables, and the raw seconds for machines."""

    title: str
    claims: list[Claim] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    raw: dict[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Return whether no answer was rejected and every binding claim holds."""
        return not self.rejected and all(claim.holds for claim in self.claims if claim.binding)

    def markdown(self) -> str:
        """Return the section in Markdown."""
        parts = [f"## {self.title}"]
        parts += ["\n".join(f"- {claim}" for claim in self.claims)] if self.claims else []
        parts += [f"**Rejected by the referee:** {text}" for text in self.rejected]
        parts += [table.markdown() for table in self.tables]
        parts += self.notes
        return "\n\n".join(parts)


def number(value: float) -> str:
    """Return three significant digits without an exponent."""
    return f"{value:,.0f}" if value >= 1000.0 else f"{value:.3g}"


def seconds(value: float) -> str:
    """Return a time as people read it."""
    if value < 1e-3:
        return f"{number(value * 1e6)} us"
    if value < 1.0:
        return f"{number(value * 1e3)} ms"
    if value < 120.0:
        return f"{number(value)} s"
    return f"{number(value / 60)} min" if value < 7200.0 else f"{number(value / 3600)} h"


def write(
    folder: Path, name: str, title: str, sections: Mapping[str, Section], machine: str
) -> Path:
    """Write ``name.json`` and ``name.md``, keeping earlier sections; return the latter's path."""
    folder.mkdir(parents=True, exist_ok=True)
    stored = folder / f"{name}.json"
    earlier = json.loads(stored.read_text())["sections"] if stored.exists() else {}
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    for key, section in sections.items():
        record = asdict(section) | {"markdown": section.markdown(), "passed": section.passed}
        earlier[key] = record | {"measured_at": when, "machine": machine, "versions": versions()}
    stored.write_text(json.dumps({"title": title, "sections": earlier}, indent=1) + "\n")
    page = folder / f"{name}.md"
    page.write_text(_page(title, earlier))
    return page


def versions() -> dict[str, str]:
    """Return the versions that matter for a time."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def _page(title: str, sections: Mapping[str, Mapping[str, Any]]) -> str:
    parts = [f"# {title}"]
    for section in sections.values():
        names = ", ".join(f"{name} {number}" for name, number in section["versions"].items())
        stamp = f"*{section['measured_at']}; {section['machine']}; {names}*"
        parts += [section["markdown"], stamp]
    return "\n\n".join(parts) + "\n"
