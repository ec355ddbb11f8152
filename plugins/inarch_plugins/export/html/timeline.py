"""Time as bars: spans on one axis, overlapping ones side by side. No style is written into the page.

A bar's position is in thousandths of the axis. The browser stretches the picture to the available width.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inarch.figures import duration
from inarch.transcripts import Call, Exchange, Remark, Span, Step
from inarch_plugins.export.html.tags import Html, join, tag
from inarch_plugins.export.overview import SpanKind, spans_of
from inarch_plugins.export.remarks import headline_of

WIDTH = 1000
ROW, GAP = 10, 3
THINNEST = 4
APART = 1
MOST_LANES = 12
NAMES: dict[SpanKind, str] = {
    "model": "model", "call": "tool", "failed": "failed", "asking": "waiting for approval",
    "wait": "waiting for the service",
}  # fmt: skip


_Bar = tuple[SpanKind, Span, str]


def turn_timeline(exchange: Exchange) -> Html:
    """Return the timeline of a turn; empty for one that took no time."""
    whole = exchange.span
    bars = [bar for step in exchange.steps for bar in _bars_of(step)]
    if whole is None or whole.seconds <= 0 or not bars:
        return Html()
    lanes = _lanes([span for _, span, _ in bars])
    height = (max(lanes) + 1) * (ROW + GAP) - GAP
    drawn = join(_rect(bar, lane, whole) for bar, lane in zip(bars, lanes, strict=True))
    said = f"Timeline of turn {exchange.number}: {duration(whole.seconds)}"
    picture = tag("svg", drawn, viewBox=f"0 0 {WIDTH} {height}", height=height, preserveAspectRatio="none",
                  role="img", aria_label=said)  # fmt: skip
    labels = (duration(whole.seconds * quarter / 4) if quarter else "0" for quarter in range(5))
    axis = tag("div", *(tag("span", label) for label in labels), class_="axis", aria_hidden="true")
    kinds = {kind for kind, _, _ in bars}
    legend = [tag("span", tag("i", class_=f"swatch is-{kind}"), name) for kind, name in NAMES.items() if kind in kinds]
    return tag("figure", picture, axis, tag("figcaption", *legend), class_="timeline")


def _bars_of(step: Step) -> Iterator[_Bar]:
    name = headline_of(step).title if isinstance(step, Remark) else step.name if isinstance(step, Call) else step.model
    for kind, span in spans_of(step):
        yield kind, span, f"{name}{' waits for approval' * (kind == 'asking')} · {duration(span.seconds)}"


def _lanes(spans: Sequence[Span]) -> list[int]:
    """Return each bar's lane: the first that is free when it begins."""
    free: list[float] = []
    lanes = [0] * len(spans)
    for place in sorted(range(len(spans)), key=lambda place: spans[place].begin):
        span = spans[place]
        fitting = (lane for lane, end in enumerate(free) if end <= span.begin + 1e-9)
        lane = next(fitting, min(len(free), MOST_LANES - 1))
        if lane == len(free):
            free.append(0.0)
        free[lane] = max(free[lane], span.end)
        lanes[place] = lane
    return lanes


def _rect(bar: _Bar, lane: int, whole: Span) -> Html:
    kind, span, said = bar
    scale = WIDTH / whole.seconds
    width = min(max(span.seconds * scale - APART, THINNEST), WIDTH)
    x = min(max((span.begin - whole.begin) * scale, 0.0), WIDTH - width)
    return tag("rect", tag("title", said), x=f"{x:.1f}", y=lane * (ROW + GAP), width=f"{width:.1f}", height=ROW,
               class_=f"bar is-{kind}")  # fmt: skip
