"""Specifications of the pictures, by altair.

Data sets with a name ("current", "effects", "threshold") are handed in by the script of the page.

Colours are variables of the style sheet: light, dark and print change without drawing again.
Names of columns appear as data only, never as names of fields, so they may hold anything; as keys
of a scale they begin with a character of no width, because Vega keeps keys as properties of an
object, where a column called ``__proto__`` would be lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from holdfast.report.models import Model
from holdfast.report.numbers import count, rounded, shown
from holdfast.report.stability import Share
from holdfast.report.words import Measure, Noun, tick_count, with_error

OWN, HONEST, PLAIN, AGAINST, INK, MUTED, GRID = (
    f"var(--{name})" for name in ("own", "honest", "plain", "against", "ink", "muted", "grid")
)
FONT = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif'
KEY = "\u200b"
STEP = 24  # height of a bar
_FULL = 7  # digits of what is drawn
_FAR = 2.5  # errors beyond so many times those of interest are cut off
_DEEP = 20.0  # values so many times as far below the best as the middle one are cut off

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


def errors_by_size(
    findings: Mapping[str, Any], models: Sequence[Model], noun: Noun
) -> tuple[Spec, float | None]:
    """Error of every model with its standard error, the nested estimate, the best constant.

    Returns the specification and, where far errors are cut off, the error above which they are.
    """
    measure, nested = Measure.of_findings(findings), findings["nested"]
    own_word, honest_word = "its own hold-out, ± 1 standard error", "nested (honest)"
    plain_word = "best constant"
    points: list[Record] = [
        {
            "size": model.size,
            "error": rounded(measure.of(model.error), _FULL),
            "low": rounded(measure.of(model.error - (model.std_error or 0.0)), _FULL),
            "high": rounded(measure.of(model.error + (model.std_error or 0.0)), _FULL),
            "said": with_error(model.error, model.std_error),
            "kind": own_word,
        }
        for model in models
        if model.error is not None
    ]
    best = [
        min((p for p in points if p["size"] == size), key=lambda point: point["error"])
        for size in sorted({model.size for model in models})
    ]
    baseline = measure.of(findings["baseline"])
    references = [point["high"] for point in points if point["size"]] or [points[0]["high"]]
    interest = min(references)
    if nested is not None:
        interest = max(interest, measure.of(nested["error"] + (nested["std_error"] or 0.0)))
    highest = max([baseline] + [point["high"] for point in points])
    cut = _FAR * interest if highest > _FAR * interest else None
    y_scale = alt.Scale(zero=False, nice=True)
    if cut is not None:
        low = min(point["low"] for point in points)
        y_scale = alt.Scale(domain=[rounded(0.95 * low), rounded(cut)], nice=True)
    x = alt.X("size:Q", title=f"number of {noun.many}", axis=_whole_axis(models), scale=alt.Scale(
        domain=[models[0].size, models[-1].size], nice=False, padding=8))  # fmt: skip
    y = alt.Y("error:Q", title=measure.axis, scale=y_scale, axis=_axis(cut or highest))
    words = [own_word, plain_word] if nested is None else [own_word, honest_word, plain_word]
    colours = [OWN, PLAIN] if nested is None else [OWN, HONEST, PLAIN]
    colour = alt.Color("kind:N", scale=alt.Scale(domain=words, range=colours))
    tooltip = [
        alt.Tooltip("size:Q", title=noun.many),
        alt.Tooltip("error:Q", title=measure.word, format=",.4~r"),
    ]
    if measure.root:
        tooltip.append(alt.Tooltip("said:N", title="squared error"))

    layers: list[Any] = [
        alt.Chart(_data(best)).mark_area(opacity=0.18, fill=OWN, clip=True).encode(
            x=x, y=alt.Y("low:Q", title=measure.axis), y2="high:Q")
    ]  # fmt: skip
    ends = [models[0].size, models[-1].size]
    if nested is not None:
        middle = rounded(measure.of(nested["error"]), _FULL)
        low = rounded(measure.of(nested["error"] - (nested["std_error"] or 0.0)), _FULL)
        high = rounded(measure.of(nested["error"] + (nested["std_error"] or 0.0)), _FULL)
        flat = [{"size": end, "error": middle, "low": low, "high": high, "kind": honest_word}
                for end in ends]  # fmt: skip
        chosen = [
            {"size": size, "error": middle, "folds": number, "kind": honest_word,
             "said": f"{count(number, 'fold')} chose {noun.count(size)}"}
            for size, number in tick_count(nested["sizes"])
        ]  # fmt: skip
        honest = alt.Chart(_data(flat))
        layers += [
            honest.mark_area(opacity=0.16, fill=HONEST, clip=True).encode(
                x=x, y=alt.Y("low:Q", title=measure.axis), y2="high:Q"),
            honest.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour),
            alt.Chart(_data(chosen)).mark_point(
                shape="diamond", filled=True, opacity=1, clip=True
            ).encode(
                x=x, y=y, color=colour,
                size=alt.Size("folds:Q", legend=None, scale=alt.Scale(
                    domain=[0, nested["folds"]], range=[30, 260])),
                tooltip=[alt.Tooltip("said:N", title="sizes chosen")],
            ),
        ]  # fmt: skip
    if cut is None or baseline < cut:
        flat = [{"size": end, "error": rounded(baseline, _FULL), "kind": plain_word}
                for end in ends]  # fmt: skip
        layers.append(
            alt.Chart(_data(flat)).mark_line(strokeDash=[6, 4], strokeWidth=1.5).encode(
                x=x, y=y, color=colour)
        )  # fmt: skip
    layers += [
        alt.Chart(_data(best)).mark_line(strokeWidth=2, clip=True).encode(x=x, y=y, color=colour),
        alt.Chart(_data(points)).mark_point(
            filled=True, opacity=1, size=40 if len(points) < 60 else 12, clip=True
        ).encode(x=x, y=y, color=colour, tooltip=tooltip),
        alt.Chart(alt.NamedData("current")).mark_rule(
            color=MUTED, strokeWidth=1).encode(x="size:Q"),
        alt.Chart(alt.NamedData("current")).mark_point(
            color=INK, size=140, strokeWidth=2, clip=True).encode(x="size:Q", y="error:Q"),
    ]  # fmt: skip
    return _finished(alt.layer(*layers), height=320), cut


def effects(title: str) -> Spec:
    """Bars of standardised effects, or of coefficients; the page hands in the rows of a model."""
    chart = (
        alt.Chart(alt.NamedData("effects"))
        .mark_bar(cornerRadius=1.5)
        .encode(
            x=alt.X("effect:Q", title=title, axis=alt.Axis(tickCount=5)),
            # By rank: Vega would keep names where they first appeared, in another model.
            y=alt.Y(
                "key:N",
                sort=alt.EncodingSortField("rank", op="min", order="ascending"),
                title=None,
                axis=_names_axis(),
            ),
            fill=alt.condition("datum.effect < 0", alt.value(AGAINST), alt.value(OWN)),
            tooltip=[
                alt.Tooltip("name:N", title="feature"),
                alt.Tooltip("effect:Q", title=title, format=",.4~r"),
            ],
        )
    )
    return _finished(chart, height=STEP)


def predictions(findings: Mapping[str, Any]) -> Spec:
    """Held-out predictions against truth, and the line on which they are equal."""
    held_out = findings["held_out"]
    points = [
        {"truth": rounded(truth, _FULL), "prediction": rounded(output[0], _FULL), "row": row}
        for row, truth, output in zip(
            held_out["rows"], held_out["truth"], held_out["outputs"], strict=True
        )
    ]
    values = [value for p in points for value in (p["truth"], p["prediction"])]
    low, high = min(values), max(values)
    scale = alt.Scale(domain=[low, high], nice=True, zero=False)
    target = findings["target"]
    x = alt.X("truth:Q", title=f"true {target}", scale=scale, axis=_axis(high))
    y = alt.Y("prediction:Q", title=f"predicted {target}", scale=scale, axis=_axis(high))
    line = alt.Chart(
        _data([{"truth": low, "prediction": low}, {"truth": high, "prediction": high}])
    )
    dots = alt.Chart(_data(points)).mark_circle(
        size=36 if len(points) < 500 else 16,
        fill=OWN,
        opacity=0.65 if len(points) < 500 else 0.45,
    )
    return _finished(
        alt.layer(
            line.mark_line(stroke=MUTED, strokeDash=[6, 4], strokeWidth=1.5).encode(x=x, y=y),
            dots.encode(
                x=x,
                y=y,
                tooltip=[
                    alt.Tooltip("row:Q", title="row", format=","),
                    alt.Tooltip("truth:Q", title="true", format=",.4~r"),
                    alt.Tooltip("prediction:Q", title="predicted", format=",.4~r"),
                ],
            ),
        ),
        height=380,
    )


def roc_curve(points: Sequence[Mapping[str, float]], classes: Sequence[str]) -> Spec:
    """Share of the second class found against share of the first taken for it."""
    scale = alt.Scale(domain=[0, 1])
    percents = alt.Axis(format=".0%", tickCount=5)
    x = alt.X("x:Q", title=f"{classes[0]} taken for {classes[1]}", scale=scale, axis=percents)
    y = alt.Y("y:Q", title=f"{classes[1]} found", scale=scale, axis=percents)
    guess = alt.Chart(_data([{"x": 0, "y": 0}, {"x": 1, "y": 1}]))
    return _finished(
        alt.layer(
            guess.mark_line(stroke=MUTED, strokeDash=[6, 4], strokeWidth=1.5).encode(x=x, y=y),
            alt.Chart(_data(points))
            .mark_line(stroke=OWN, strokeWidth=2)
            .encode(x=x, y=y, order=alt.Order("index:Q")),
            alt.Chart(alt.NamedData("threshold"))
            .mark_point(color=INK, size=140, strokeWidth=2)
            .encode(x="x:Q", y="y:Q"),
        ),
        height=360,
    )


def penalties(findings: Mapping[str, Any]) -> Spec:
    """Error against penalty, the chosen one marked."""
    measure, grid = Measure.of_findings(findings), findings["alphas"]
    points = [
        {
            "alpha": alpha,
            "error": rounded(measure.of(error), _FULL),
            "chosen": alpha == grid["chosen"],
        }
        for alpha, error in sorted(zip(grid["alphas"], grid["errors"], strict=True))
    ]
    positive = [point["alpha"] for point in points if point["alpha"] > 0]
    # A penalty of zero is allowed; a logarithmic axis has no place for it.
    scale = (
        alt.Scale(type="log", nice=False, padding=8)
        if len(positive) == len(points)
        else alt.Scale(type="symlog", constant=min(positive, default=1.0), padding=8)
    )
    return _marked_line(
        points,
        x=alt.X("alpha:Q", title="penalty (alpha)", scale=scale, axis=alt.Axis(
            values=_decades(positive), format="~g")),
        y=alt.Y("error:Q", title=measure.axis, scale=alt.Scale(zero=False),
                axis=_axis(max(point["error"] for point in points))),
        tooltip=[alt.Tooltip("alpha:Q", title="penalty", format=",.4~r"),
                 alt.Tooltip("error:Q", title=measure.word, format=",.4~r")],
    )  # fmt: skip


def curve(found: Mapping[str, Any]) -> tuple[Spec, float | None]:
    """Evidence, or whatever else a model was chosen by, along its search.

    Returns the specification and, where far lower values are cut off, the value below which.
    """
    points = [
        {"x": x, "y": rounded(y, _FULL), "chosen": place == found["chosen"]}
        for place, (x, y) in enumerate(zip(found["x"], found["y"], strict=True))
    ]
    below = sorted(max(found["y"]) - y for y in found["y"])
    usual = _DEEP * below[len(below) // 2]
    bottom = rounded(max(found["y"]) - usual) if below[-1] > usual > 0 else None
    y_scale = alt.Scale(zero=False)
    if bottom is not None:
        y_scale = alt.Scale(domain=[bottom, rounded(max(found["y"]) + usual / 20, _FULL)])
    whole = all(float(x).is_integer() for x in found["x"])
    spec = _marked_line(
        points,
        x=alt.X("x:Q", title=found["x_name"], scale=alt.Scale(nice=False, padding=8),
                axis=alt.Axis(tickMinStep=1 if whole else 0, tickCount=12)),
        y=alt.Y("y:Q", title=found["y_name"], scale=y_scale, axis=alt.Axis(tickCount=5)),
        tooltip=[alt.Tooltip("x:Q", title=found["x_name"], format=",.4~r"),
                 alt.Tooltip("y:Q", title=found["y_name"], format=",.6~r")],
    )  # fmt: skip
    return spec, bottom


def _marked_line(points: Sequence[Mapping[str, Any]], *, x: Any, y: Any, tooltip: Any) -> Spec:
    base = alt.Chart(_data(points))
    return _finished(
        alt.layer(
            base.mark_line(stroke=OWN, strokeWidth=2, clip=True).encode(x=x, y=y),
            base.mark_point(fill=OWN, filled=True, opacity=1, clip=True,
                            size=40 if len(points) < 60 else 12).encode(x=x, y=y, tooltip=tooltip),
            base.transform_filter("datum.chosen").mark_point(
                color=INK, size=150, strokeWidth=2).encode(x=x, y=y, tooltip=tooltip),
        ),
        height=260,
    )  # fmt: skip


def stability(shares: Sequence[Share], noun: Noun) -> Spec:
    """Share of the folds that chose each column."""
    rows = [
        {
            "name": share.name,
            "key": KEY + share.name,
            "share": rounded(share.share, _FULL),
            "kind": "in the model" if share.chosen else "not in the model",
        }
        for share in shares
    ]
    chart = (
        alt.Chart(_data(rows))
        .mark_bar(cornerRadius=1.5)
        .encode(
            x=alt.X("share:Q", title="share of the folds that chose it",
                    scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%", tickCount=5)),
            y=alt.Y("key:N", sort=None, title=None, axis=_names_axis()),
            color=alt.Color("kind:N", scale=alt.Scale(
                domain=["in the model", "not in the model"], range=[OWN, PLAIN])),
            tooltip=[alt.Tooltip("name:N", title=noun.one),
                     alt.Tooltip("share:Q", title="folds", format=".0%")],
        )
    )  # fmt: skip
    return _finished(chart, height=STEP * len(rows))


def _finished(chart: Any, *, height: int) -> Spec:
    """The specification, as wide as its place in the page."""
    spec: Spec = chart.properties(width="container", height=height).to_dict()
    # Colours and sizes of the theme are ours; altair's own defaults would win over the style sheet.
    return spec | {"config": CONFIG, "autosize": {"type": "fit-x", "contains": "padding"}}


def _data(values: Sequence[Mapping[str, Any]]) -> Any:
    return alt.InlineData(values=[dict(value) for value in values])


def _names_axis() -> Any:
    return alt.Axis(ticks=False, domain=False, labelColor=INK, labelPadding=6)


def _axis(largest: float) -> Any:
    """Long numbers in short: 35M; others as they are."""
    return alt.Axis(format="~s" if abs(largest) >= 1e6 else ",~r", tickCount=5)


def _whole_axis(models: Sequence[Model]) -> Any:
    """Ticks at whole numbers only."""
    span = models[-1].size - models[0].size
    return alt.Axis(format=",d", tickMinStep=1, tickCount=min(max(span, 1), 15), grid=False)


def _decades(positive: Sequence[float]) -> Any:
    """Powers of ten between the smallest and the largest penalty; None: as Vega likes."""
    if not positive:
        return alt.Undefined
    powers = [10.0**power for power in range(-20, 21)]
    inside = [p for p in powers if min(positive) / 1.001 <= p <= max(positive) * 1.001]
    return inside if len(inside) >= 2 else alt.Undefined


def said_cut(cut: float, measure: Measure) -> str:
    """That larger errors are beyond the picture."""
    return f"A {measure.word} above {shown(cut)} is beyond the top of the picture."
