"""What all pictures share: colours, the theme, axes.

Colours are variables of the style sheet: light, dark and print change without drawing again.
Names of columns appear as data only, never as names of fields, so they may hold anything; as keys
of a scale they begin with a character of no width, because Vega keeps keys as properties of an
object, where a column called ``__proto__`` would be lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

OWN, HONEST, PLAIN, AGAINST, INK, MUTED, GRID = (
    f"var(--{name})" for name in ("own", "honest", "plain", "against", "ink", "muted", "grid")
)
FONT = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif'
KEY = "\u200b"
STEP = 24  # height of a bar
FULL = 7  # digits of what is drawn

Spec = dict[str, Any]
Record = dict[str, Any]

CONFIG: Spec = {
    "background": None,
    # The style sheet's: Vega measures text before it draws it.
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "domainColor": GRID,
        "gridColor": GRID,
        "tickColor": GRID,
        "labelColor": MUTED,
        "titleColor": INK,
        "titleFontWeight": "normal",
        "labelFontSize": 12,
        "titleFontSize": 13,
        "labelOverlap": True,
        "titlePadding": 10,
        "titleLimit": 320,
    },
    "axisY": {"labelLimit": 180},
    "legend": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 12,
        "orient": "top",
        "title": None,
        "labelLimit": 400,
        "columns": 3,
        "symbolStrokeWidth": 2,
    },
    "text": {"fill": INK, "fontSize": 12},
}


def finished(chart: Any, *, height: int) -> Spec:
    """The specification, as wide as its place in the page."""
    spec: Spec = chart.properties(width="container", height=height).to_dict()
    # Colours and sizes of the theme are ours; altair's own defaults would win over the style sheet.
    return spec | {"config": CONFIG, "autosize": {"type": "fit-x", "contains": "padding"}}


def data_of(values: Sequence[Mapping[str, Any]]) -> Any:
    """Records as the data of a picture."""
    return alt.InlineData(values=[dict(value) for value in values])


def names_axis() -> Any:
    """An axis of names."""
    return alt.Axis(ticks=False, domain=False, labelColor=INK, labelPadding=6)


def axis_of(largest: float) -> Any:
    """Long numbers in short: 35M; others as they are."""
    return alt.Axis(format="~s" if abs(largest) >= 1e6 else ",~r", tickCount=5)
