"""The other pictures: effects, predictions, ROC, penalties, evidence, stability.

Data sets with a name ("effects", "threshold") are handed in by the script of the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from holdfast.report.drawing import (
    AGAINST,
    FULL,
    INK,
    KEY,
    MUTED,
    OWN,
    PLAIN,
    STEP,
    Spec,
    axis_of,
    data_of,
    finished,
    names_axis,
)
from holdfast.report.numbers import rounded
from holdfast.report.stability import Share
from holdfast.report.terms import Measure, Noun

_DEEP = 20.0  # values so many times as far below the best as the middle one are cut off


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
                axis=names_axis(),
            ),
            fill=alt.condition("datum.effect < 0", alt.value(AGAINST), alt.value(OWN)),
            tooltip=[
                alt.Tooltip("name:N", title="feature"),
                alt.Tooltip("effect:Q", title=title, format=",.4~r"),
            ],
        )
    )
    return finished(chart, height=STEP)


def predictions(findings: Mapping[str, Any]) -> Spec:
    """Held-out predictions against truth, and the line on which they are equal."""
    held_out = findings["held_out"]
    points = [
        {"truth": rounded(truth, FULL), "prediction": rounded(output[0], FULL), "row": row}
        for row, truth, output in zip(
            held_out["rows"], held_out["truth"], held_out["outputs"], strict=True
        )
    ]
    values = [value for p in points for value in (p["truth"], p["prediction"])]
    low, high = min(values), max(values)
    scale = alt.Scale(domain=[low, high], nice=True, zero=False)
    target = findings["target"]
    x = alt.X("truth:Q", title=f"true {target}", scale=scale, axis=axis_of(high))
    y = alt.Y("prediction:Q", title=f"predicted {target}", scale=scale, axis=axis_of(high))
    line = alt.Chart(
        data_of([{"truth": low, "prediction": low}, {"truth": high, "prediction": high}])
    )
    dots = alt.Chart(data_of(points)).mark_circle(
        size=36 if len(points) < 500 else 16,
        fill=OWN,
        opacity=0.65 if len(points) < 500 else 0.45,
    )
    return finished(
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
    guess = alt.Chart(data_of([{"x": 0, "y": 0}, {"x": 1, "y": 1}]))
    return finished(
        alt.layer(
            guess.mark_line(stroke=MUTED, strokeDash=[6, 4], strokeWidth=1.5).encode(x=x, y=y),
            alt.Chart(data_of(points))
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
            "error": rounded(measure.of(error), FULL),
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
                axis=axis_of(max(point["error"] for point in points))),
        tooltip=[alt.Tooltip("alpha:Q", title="penalty", format=",.4~r"),
                 alt.Tooltip("error:Q", title=measure.word, format=",.4~r")],
    )  # fmt: skip


def _decades(positive: Sequence[float]) -> Any:
    """Powers of ten between the smallest and the largest penalty; None: as Vega likes."""
    if not positive:
        return alt.Undefined
    powers = [10.0**power for power in range(-20, 21)]
    inside = [p for p in powers if min(positive) / 1.001 <= p <= max(positive) * 1.001]
    return inside if len(inside) >= 2 else alt.Undefined


def curve(found: Mapping[str, Any]) -> tuple[Spec, float | None]:
    """Evidence, or whatever else a model was chosen by, along its search.

    Returns the specification and, where far lower values are cut off, the value below which.
    """
    points = [
        {"x": x, "y": rounded(y, FULL), "chosen": place == found["chosen"]}
        for place, (x, y) in enumerate(zip(found["x"], found["y"], strict=True))
    ]
    below = sorted(max(found["y"]) - y for y in found["y"])
    usual = _DEEP * below[len(below) // 2]
    bottom = rounded(max(found["y"]) - usual) if below[-1] > usual > 0 else None
    y_scale = alt.Scale(zero=False)
    if bottom is not None:
        y_scale = alt.Scale(domain=[bottom, rounded(max(found["y"]) + usual / 20, FULL)])
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
    base = alt.Chart(data_of(points))
    return finished(
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
            "share": rounded(share.share, FULL),
            "kind": "in the model" if share.chosen else "not in the model",
        }
        for share in shares
    ]
    chart = (
        alt.Chart(data_of(rows))
        .mark_bar(cornerRadius=1.5)
        .encode(
            x=alt.X("share:Q", title="share of the folds that chose it",
                    scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%", tickCount=5)),
            y=alt.Y("key:N", sort=None, title=None, axis=names_axis()),
            color=alt.Color("kind:N", scale=alt.Scale(
                domain=["in the model", "not in the model"], range=[OWN, PLAIN])),
            tooltip=[alt.Tooltip("name:N", title=noun.one),
                     alt.Tooltip("share:Q", title="folds", format=".0%")],
        )
    )  # fmt: skip
    return finished(chart, height=STEP * len(rows))
