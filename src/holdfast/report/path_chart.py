"""The picture of error against size: the path, the nested estimate, the best constant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from holdfast.report.drawing import (
    FULL,
    HONEST,
    INK,
    MUTED,
    OWN,
    PLAIN,
    Record,
    Spec,
    axis_of,
    data_of,
    finished,
)
from holdfast.report.models import Model
from holdfast.report.numbers import count, rounded
from holdfast.report.terms import Measure, Noun, tick_count, with_error

_FAR = 2.5  # errors beyond so many times those of interest are cut off


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
            "error": rounded(measure.of(model.error), FULL),
            "low": rounded(measure.of(model.error - (model.std_error or 0.0)), FULL),
            "high": rounded(measure.of(model.error + (model.std_error or 0.0)), FULL),
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
    y = alt.Y("error:Q", title=measure.axis, scale=y_scale, axis=axis_of(cut or highest))
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
        alt.Chart(data_of(best)).mark_area(opacity=0.18, fill=OWN, clip=True).encode(
            x=x, y=alt.Y("low:Q", title=measure.axis), y2="high:Q")
    ]  # fmt: skip
    ends = [models[0].size, models[-1].size]
    if nested is not None:
        middle = rounded(measure.of(nested["error"]), FULL)
        low = rounded(measure.of(nested["error"] - (nested["std_error"] or 0.0)), FULL)
        high = rounded(measure.of(nested["error"] + (nested["std_error"] or 0.0)), FULL)
        flat = [{"size": end, "error": middle, "low": low, "high": high, "kind": honest_word}
                for end in ends]  # fmt: skip
        chosen = [
            {"size": size, "error": middle, "folds": number, "kind": honest_word,
             "said": f"{count(number, 'fold')} chose {noun.count(size)}"}
            for size, number in tick_count(nested["sizes"])
        ]  # fmt: skip
        honest = alt.Chart(data_of(flat))
        layers += [
            honest.mark_area(opacity=0.16, fill=HONEST, clip=True).encode(
                x=x, y=alt.Y("low:Q", title=measure.axis), y2="high:Q"),
            honest.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour),
            alt.Chart(data_of(chosen)).mark_point(
                shape="diamond", filled=True, opacity=1, clip=True
            ).encode(
                x=x, y=y, color=colour,
                size=alt.Size("folds:Q", legend=None, scale=alt.Scale(
                    domain=[0, nested["folds"]], range=[30, 260])),
                tooltip=[alt.Tooltip("said:N", title="sizes chosen")],
            ),
        ]  # fmt: skip
    if cut is None or baseline < cut:
        flat = [{"size": end, "error": rounded(baseline, FULL), "kind": plain_word}
                for end in ends]  # fmt: skip
        layers.append(
            alt.Chart(data_of(flat)).mark_line(strokeDash=[6, 4], strokeWidth=1.5).encode(
                x=x, y=y, color=colour)
        )  # fmt: skip
    layers += [
        alt.Chart(data_of(best)).mark_line(strokeWidth=2, clip=True).encode(x=x, y=y, color=colour),
        alt.Chart(data_of(points)).mark_point(
            filled=True, opacity=1, size=40 if len(points) < 60 else 12, clip=True
        ).encode(x=x, y=y, color=colour, tooltip=tooltip),
        alt.Chart(alt.NamedData("current")).mark_rule(
            color=MUTED, strokeWidth=1).encode(x="size:Q"),
        alt.Chart(alt.NamedData("current")).mark_point(
            color=INK, size=140, strokeWidth=2, clip=True).encode(x="size:Q", y="error:Q"),
    ]  # fmt: skip
    return finished(alt.layer(*layers), height=320), cut


def _whole_axis(models: Sequence[Model]) -> Any:
    """Ticks at whole numbers only."""
    span = models[-1].size - models[0].size
    return alt.Axis(format=",d", tickMinStep=1, tickCount=min(max(span, 1), 15), grid=False)
