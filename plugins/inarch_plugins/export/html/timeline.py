"""Time as bars: spans on one axis, overlapping ones side by side. No style is written into the page.

A bar's position is in thousandths of the axis. The browser stretches the picture to the available width.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import evolve, frozen

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


@frozen
class _Bar:
    kind: SpanKind
    span: Span
    said: str


def turn_timeline(exchange: Exchange) -> Html:
    """Return the timeline of a turn; empty for one that took no time."""
    whole = exchange.span
    bars = [bar for step in exchange.steps for bar in _bars_of(step)]
    if whole is None or whole.seconds <= 0 or not bars:
        return Html()
    begun = [evolve(bar, span=_moved(bar.span, -whole.begin)) for bar in bars]
    return _figure(begun, whole.seconds, f"Timeline of turn {exchange.number}: {duration(whole.seconds)}")


def _bars_of(step: Step) -> Iterator[_Bar]:
    for kind, span in spans_of([step]):
        waits = " waits for approval" if kind == "asking" else ""
        yield _Bar(kind, span, f"{_name(step)}{waits} · {duration(span.seconds)}")


def _name(step: Step) -> str:
    if isinstance(step, Remark):
        return headline_of(step).title
    return step.name if isinstance(step, Call) else step.model


def _moved(span: Span, by: float) -> Span:
    return Span(span.begin + by, span.end + by)


def _figure(bars: Sequence[_Bar], seconds: float, said: str) -> Html:
    lanes = _lanes(bars)
    height = (max(lanes) + 1) * (ROW + GAP) - GAP
    drawn = join(_rect(bar, lane, seconds) for bar, lane in zip(bars, lanes, strict=True))
    picture = tag("svg", drawn, viewBox=f"0 0 {WIDTH} {height}", height=height, preserveAspectRatio="none",
                  role="img", aria_label=said)  # fmt: skip
    axis = _axis(duration(seconds * quarter / 4) if quarter else "0" for quarter in range(5))
    return tag("figure", picture, axis, _legend({bar.kind for bar in bars}), class_="timeline")


def _axis(labels: Iterable[str]) -> Html:
    return tag("div", *(tag("span", label) for label in labels), class_="axis", aria_hidden="true")


def _legend(kinds: set[SpanKind]) -> Html:
    shown = [tag("span", tag("i", class_=f"swatch is-{kind}"), name) for kind, name in NAMES.items() if kind in kinds]
    return tag("figcaption", *shown)


def _lanes(bars: Sequence[_Bar]) -> list[int]:
    """Return each bar's lane: the first that is free when it begins."""
    free: list[float] = []
    lanes = [0] * len(bars)
    for place in sorted(range(len(bars)), key=lambda place: bars[place].span.begin):
        span = bars[place].span
        fitting = (lane for lane, end in enumerate(free) if end <= span.begin + 1e-9)
        lane = next(fitting, min(len(free), MOST_LANES - 1))
        if lane == len(free):
            free.append(0.0)
        free[lane] = max(free[lane], span.end)
        lanes[place] = lane
    return lanes


def _rect(bar: _Bar, lane: int, seconds: float) -> Html:
    scale = WIDTH / seconds
    width = min(max(bar.span.seconds * scale - APART, THINNEST), WIDTH)
    x = min(max(bar.span.begin * scale, 0.0), WIDTH - width)
    return tag("rect", tag("title", bar.said), x=f"{x:.1f}", y=lane * (ROW + GAP), width=f"{width:.1f}", height=ROW,
               class_=f"bar is-{bar.kind}")  # fmt: skip
