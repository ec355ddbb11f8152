"""A flow as text within a bound of tokens: the least important is left out first, and that is said."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from attrs import frozen

from inarch_brief_tracer.answers.call_sites import Sites
from inarch_brief_tracer.answers.flow_tree import (
    Detail,
    Drawing,
    below_lines,
    doubts,
    entry_lines,
    files_of,
    route_lines,
    shown_routes,
    targets_of,
)
from inarch_brief_tracer.answers.wording import MARK, at, count, joined, named, plain, signature
from inarch_brief_tracer.graph.model import Below, Flow, Node, Route

if TYPE_CHECKING:
    from inarch_brief_tracer.answers.curated_paths import Checked

TOKENS = 1_500
HEADING = "## Execution Flow"
_PARTLY = r"\b\d[\d,]* of [\d,]+ (?:test )?files\b|may not be indexed"
"""How it is said that only a part of the code was looked at: that comes first."""
UNLINKED = "What calls it is not linked yet."
_PER_TOKEN = 3
"""Characters a token has at least in such text; most have more."""


@frozen(eq=False, repr=False)
class Story:
    """What is told about a target.

    Args:
        flow: The flow through it.
        others: Further matches, best first.
        curated: Paths kept by hand that share functions with the flow.
        note: What has to be said about the answer.
        paths: Whether the ways from the entries are wanted.
        code: Whether sources are wanted.
        tests: Whether it is tests that are asked for.
    """

    flow: Flow
    others: tuple[Node, ...] = ()
    curated: tuple[Checked, ...] = ()
    note: str = ""
    paths: bool = True
    code: bool = False
    tests: bool = False


def tokens_of(text: str) -> int:
    """Estimate the tokens of a text, rather too many than too few."""
    return -(-len(text) // _PER_TOKEN)


def told(story: Story, sites: Sites, tokens: int = TOKENS) -> str:
    """Write a flow in at most `tokens` tokens; something is always written."""
    return fitted(lambda detail: "\n".join(_lines(story, sites, detail)), tokens)


def fitted(write: Callable[[Detail], str], tokens: int) -> str:
    """Take the fullest text that fits; of the last resort, as many lines as do."""
    text, ways = "", list(details())

    def may_fit(detail: Detail) -> bool:
        return tokens_of(write(detail._replace(calls=False, code=0))) <= tokens

    # Reading call sites takes most of the time: where there is no room even without them, it is not tried.
    for detail in ways[bisect_left(ways, True, hi=len(ways) - 1, key=may_fit) :]:
        text = write(detail)
        if tokens_of(text) <= tokens:
            return text
    ending = "\n… the rest does not fit: more with --tokens"
    kept = text[: max(40, tokens * _PER_TOKEN - len(ending))]
    return kept[: max(kept.rfind("\n"), 40)] + ending


def details() -> Iterator[Detail]:
    """Give ever shorter ways to tell something: the least important goes first."""
    detail = Detail()
    yield detail
    for routes, each in ((30, 2), (20, 1), (10, 1)):
        yield (detail := detail._replace(routes=routes, each=each))
    yield (detail := detail._replace(code=40, below=8))
    for routes, signatures in ((8, True), (8, False), (6, False), (4, False)):
        yield (detail := detail._replace(routes=routes, signatures=signatures, entries=max(6, routes)))
    yield (detail := detail._replace(code=15, extras=3, files=20))
    yield (detail := detail._replace(levels=1))
    for routes in (3, 2):
        yield (detail := detail._replace(routes=routes, entries=2 * routes))
    yield (detail := detail._replace(code=0, below=5, files=10))
    yield (detail := detail._replace(routes=1, middle=12, entries=2))
    yield (detail := detail._replace(calls=False, extras=0, entries=0))
    yield (detail := detail._replace(below=3, middle=6, files=5))
    yield detail._replace(levels=0, middle=3, files=1)


def _lines(story: Story, sites: Sites, detail: Detail) -> Iterator[str]:
    flow = story.flow
    drawing = Drawing(sites, detail, targets_of(flow.target, flow.routes), flow.more_callers, story.code)
    routes = shown_routes(flow.routes, detail, story.tests) if story.paths else []
    calls = list(below_lines(drawing, flow.target, flow.down, flow.more_below))
    yield HEADING
    yield ""
    notes = joined(flow.linked, story.note)
    partly = [note for note in notes.split("; ") if re.search(_PARTLY, note)]
    if partly:
        yield from (f"Note: {plain('; '.join(partly))}", "")
    if routes:
        listed = list(entry_lines(flow, detail))
        yield from listed
        yield from route_lines(drawing, routes, calls, bool(listed))
    else:
        yield f"{named(flow.target)} {MARK} · {signature(flow.target)} · {at(flow.target.file, flow.target.line)}"
        yield from drawing.source(flow.target, "  ")
        yield from (f"  {line}" for line in calls)
    yield from doubts(routes, flow.down if detail.levels else ())
    yield from _left_out(flow, routes, detail, story)
    yield ""
    yield from _files(routes, flow.down if detail.levels else (), flow.target, detail)
    yield from _curated(story, detail)
    if story.others and detail.extras:
        yield ""
        yield "## Also matching"
        for node in story.others[: detail.extras]:
            yield f"- {named(node)} {at(node.file, node.line)}"
    rest = [note for note in notes.split("; ") if note and note not in partly]
    if rest:
        yield ""
        yield f"Note: {plain('; '.join(rest))}"


def _left_out(flow: Flow, routes: list[Route], detail: Detail, story: Story) -> Iterator[str]:
    """Say what exists and is not shown."""
    if not story.paths:
        return
    shown = {route.entry.node.id for route in routes}
    left = []
    more = flow.entry_count - len(shown)
    if more > 0:
        kinds = ", ".join(f"{number:,} {kind}" for kind, number in flow.entry_counts.items())
        left.append(f"{count(more, 'more entry', 'more entries')} (in all: {kinds})")
    ways = len({route.steps for route in flow.routes}) - len(routes)
    if ways > 0 and more <= 0:
        left.append(count(ways, "other way", "other ways"))
    if not detail.signatures:
        left.append("signatures")
    if detail.levels < 2 and any(item.calls for item in flow.down):
        left.append("deeper calls")
    if story.code and detail.code < Detail().code:
        left.append("sources" if not detail.code else f"sources beyond {detail.code} lines")
    if not flow.routes:
        yield ""
        yield UNLINKED if flow.linked else "No entry point reaches it, as far as the code tells."
    if flow.routes and left:
        yield ""
        yield f"Left out: {'; '.join(left)}"


def _files(routes: list[Route], calls: tuple[Below, ...], target: Node, detail: Detail) -> Iterator[str]:
    yield "## Files in this path"
    files = files_of(routes, calls, target)
    if len(files) > detail.files:
        files = [*[path for path in files if path != target.file][: detail.files - 1], target.file]
    yield from file_lines(files, target.file)
    left = len(files_of(routes, calls, target)) - len(files)
    if left:
        yield f"- +{count(left, 'more file')}"


def file_lines(files: list[str], target: str) -> Iterator[str]:
    """List files, the target's marked."""
    for path in files:
        yield f"- {plain(path)}{f' {MARK}' if path == target else ''}"


def _curated(story: Story, detail: Detail) -> Iterator[str]:
    if not story.curated:
        return
    yield ""
    yield "## Curated paths"
    for checked in story.curated[: max(1, detail.extras)]:
        path = checked.path
        stale = " (stale)" if checked.is_stale else ""
        yield f"- {plain(path.name)}{stale}{': ' if path.description else ''}{plain(path.summary)}"
        if detail.extras:
            yield f"  {' → '.join(plain(step.short) for step in path.steps)}"
