"""A flow as an SVG picture: entry points at the left, the target marked, each box a link to its code."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from inarch_brief.tracer.answers.flow_graph import FlowGraph, Item, graph_of
from inarch_brief.tracer.answers.flow_text import ordered, targets_of
from inarch_brief.tracer.answers.flow_words import at, count, entered, joined, named, plain
from inarch_brief.tracer.graph.model import Entry, Flow, Node

_MOST_CELLS = 30
_CELL, _SMALL = 7.8, 6.6
"""Width of a letter of a name and of other text. `textLength` makes it so in every font."""
_HIGH, _THIN, _GAP, _APART = 60, 10, 16, 52
"""Heights of a box and of an arrow that passes through, and the room between rows and between columns."""
_PAD = 12
_MOST_PATHS = 12
"""Paths in the description."""
_STYLE = Path(__file__).with_suffix(".css").read_text("utf-8")


class _Box(NamedTuple):
    """A function in words."""

    kind: str
    name: str
    place: str
    role: str

    @property
    def lines(self) -> list[tuple[str, str, int, float]]:
        """The class, text, distance from the top and letter width of each line."""
        return [
            ("kind", _cut(self.kind), 17, _SMALL), ("name", _cut(self.name), 34, _CELL),
            ("place", _cut(self.place), 50, _SMALL),
        ]  # fmt: skip

    @property
    def width(self) -> float:
        """The width of the box."""
        return 2 * _PAD + max(_cells(text) * cell for _, text, _, cell in self.lines)


class _Spot(NamedTuple):
    """The place of an item; `y` is its top."""

    x: float
    y: float
    width: float
    height: int

    @property
    def middle(self) -> float:
        """The height at which arrows meet it."""
        return self.y + self.height / 2


def drawing(flow: Flow) -> str:
    """Return the paths to a target and its calls as an SVG document, at most `MOST_NODES` functions."""
    graph = graph_of(flow)
    marked = targets_of(flow)
    boxes = {number: _boxed(node, graph.entries.get(number), number in marked) for number, node in graph.nodes.items()}
    spots = _spots(graph, boxes)
    dashed = "dashed: found by name alone" if any(step.is_unsure for step in graph.calls.values()) else ""
    below = joined(dashed, f"and {count(graph.left_out, 'more function')}" if graph.left_out else "")
    width = max(spot.x + spot.width for spot in spots.values()) + _GAP
    width = max(width, 2 * _GAP + _cells(below) * _SMALL)
    height = max(spot.y + spot.height for spot in spots.values()) + _GAP * (2 if below else 1)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="inarch-path" role="img" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">',
        f"<title>{_text(f'Execution paths through {named(flow.target)}')}</title>",
        f"<desc>{_text(_described(flow, below))}</desc>",
        f"<style>\n{_STYLE}</style>",
        '<rect class="ground" width="100%" height="100%"/>',
        *_arrows(graph, spots),
    ]
    for number, node in graph.nodes.items():
        lines += _link(node, boxes[number], spots[number])
    lines += [_line("more", below, _GAP, height - 12, _SMALL)] if below else []
    return "\n".join([*lines, "</svg>", ""])


def _boxed(node: Node, entry: Entry | None, is_target: bool) -> _Box:
    kind = entered(entry._replace(how="")) if entry else "" if is_target else node.kind
    kind = " · ".join(filter(None, ("target" if is_target else "", kind)))
    role = "target" if is_target else "entry" if entry else "step"
    return _Box(kind, named(node), at(node.file, node.line), role)


def _spots(graph: FlowGraph, boxes: Mapping[int, _Box]) -> dict[Item, _Spot]:
    """Place the columns from left to right, each in the middle of the height."""
    spots: dict[Item, _Spot] = {}
    columns = [{item: _HIGH if isinstance(item, int) else _THIN for item in column} for column in graph.columns()]
    tall = [sum(column.values()) + _GAP * len(column) for column in columns]
    x = float(_GAP)
    for column, own in zip(columns, tall, strict=True):
        width = max(boxes[item].width for item in column if isinstance(item, int))
        y = _GAP + (max(tall) - own) / 2
        for item, height in column.items():
            spots[item] = _Spot(x, y, width, height)
            y += height + _GAP
        x += width + _APART
    return spots


def _arrows(graph: FlowGraph, spots: Mapping[Item, _Spot]) -> Iterator[str]:
    for ends, step in graph.calls.items():
        start, end = spots[ends[0]], spots[ends[1]]
        x, y = start.x + start.width, start.middle
        line = f"M{x:.0f} {y:.0f}"
        if ends in graph.forward:
            passed = [spot for item, spot in spots.items() if isinstance(item, tuple) and item[:2] == ends]
            for stop in (*passed, end):
                bend = (x + stop.x) / 2
                line += f"C{bend:.0f} {y:.0f} {bend:.0f} {stop.middle:.0f} {stop.x:.0f} {stop.middle:.0f}"
                x, y = stop.x + stop.width, stop.middle
                line += f"H{x:.0f}" if stop is not end else ""
        else:  # back to the left, or to the function itself
            low = max(start.middle, end.middle) + _HIGH
            line += f"C{x + _APART:.0f} {low:.0f} {end.x - _APART:.0f} {low:.0f} {end.x:.0f} {end.middle:.0f}"
        place = at(step.file, step.line) if step.line else step.kind
        yield f"<g><title>{_text(place)}</title>" if place else "<g>"
        yield f'<path class="arrow{" unsure" * step.is_unsure}" d="{line}"/>'
        yield f'<path class="head" d="M{end.x:.0f} {end.middle:.0f}l-8 -4v8z"/></g>'


def _link(node: Node, box: _Box, spot: _Spot) -> Iterator[str]:
    yield f'<a class="{box.role}" href="{quote(node.file, errors="surrogateescape")}#L{node.line}">'
    yield f"<title>{_text(f'{box.kind} · {box.name} · {box.place}')}</title>"
    size = f'width="{spot.width:.0f}" height="{spot.height}" rx="{15 if box.role == "entry" else 4}"'
    yield f'<rect x="{spot.x:.0f}" y="{spot.y:.0f}" {size}/>'
    for name, text, down, cell in box.lines:
        yield _line(name, text, spot.x + _PAD, spot.y + down, cell)
    yield "</a>"


def _line(name: str, text: str, x: float, y: float, cell: float) -> str:
    size = f'textLength="{_cells(text) * cell:.1f}" lengthAdjust="spacingAndGlyphs"'
    return f'<text class="{name}" x="{x:.0f}" y="{y:.0f}" {size}>{_text(text)}</text>'


def _described(flow: Flow, below: str) -> str:
    """Return the picture in words: the functions of each path, and the calls of the target."""
    paths = [
        f"{entered(route.entry)}: {' → '.join(named(step.node) for step in route.steps)}"
        for route in ordered(flow.routes)[:_MOST_PATHS]
    ]
    calls = ", ".join(dict.fromkeys(named(item.step.node) for item in flow.down))
    return ". ".join(filter(None, (*paths, f"{named(flow.target)} calls {calls}" if calls else "", below)))


def _cells(text: str) -> int:
    """Return how many letters of a fixed width a text takes."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _cut(text: str) -> str:
    """Cut a long text in its middle: its end says as much as its beginning."""
    left, right = text[: len(text) // 2], text[len(text) // 2 :]
    while _cells(left) + _cells(right) > _MOST_CELLS - (len(left) + len(right) < len(text)):
        left, right = left[:-1], right[1:]
    return text if len(left) + len(right) == len(text) else f"{left}…{right}"


def _text(text: str) -> str:
    return escape(plain(text))
