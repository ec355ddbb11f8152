"""A flow as text within a token limit: one path in full, further entry points in a line each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from attrs import frozen

from inarch_brief.tracer.answers.flow_words import (
    MARK,
    Sources,
    at,
    count,
    entered,
    joined,
    named,
    plain,
    signature,
    tag,
)
from inarch_brief.tracer.facts.kinds import FIXTURE, ORPHAN, TEST
from inarch_brief.tracer.facts.modules import CODE
from inarch_brief.tracer.facts.modules import TEST as TEST_ROLE
from inarch_brief.tracer.graph.model import Below, Entry, ExecutionPath, Flow, Node, Step

if TYPE_CHECKING:
    from inarch_brief.tracer.answers.kept_paths import Checked

TOKENS = 1_500
HEADING = "## Execution Flow"
UNLINKED = "Its callers are not linked yet."
UNSURE = "? after a name: the call was found by a name alone, and may be of another function."
_PARTLY = r"\b\d[\d,]* of [\d,]+ (?:test )?files\b|may not be indexed"
"""A note with these words means that only a part of the code was indexed. Such notes come first."""
_PER_TOKEN = 3
"""The fewest characters of a token in such text; most have more."""
_LAST = {TEST: 1, FIXTURE: 1, ORPHAN: 2}
_THROUGH_TESTS = 3
"""Rank of a product path through tests: the tests pass it something, and the program does not run like that."""
_LONGEST_CHAIN = 5
"""Names in the line of a further entry point."""


class Detail(NamedTuple):
    """The level of detail; a smaller one takes fewer tokens."""

    entries: int = 7
    """Further entry points."""
    signatures: bool = True
    calls: bool = True
    """Whether to quote calls, beside their places."""
    levels: int = 2
    below: int = 12
    files: int = 40
    extras: int = 5
    """Curated paths and other matches."""
    code: int = 80
    """Lines of source of one function, if sources are wanted."""
    middle: int = 40
    """The most steps of the path."""


_DETAILS = (
    Detail(),
    Detail(code=40, below=8),
    Detail(code=40, below=8, signatures=False),
    Detail(5, code=15, below=8, signatures=False, extras=3, files=20),
    Detail(5, code=15, below=8, signatures=False, extras=3, files=20, levels=1),
    Detail(3, code=0, below=5, signatures=False, extras=3, files=10, levels=1),
    Detail(1, code=0, below=5, signatures=False, extras=3, files=10, levels=1, middle=12),
    Detail(0, code=0, below=5, signatures=False, extras=0, files=10, levels=1, middle=12, calls=False),
    Detail(0, code=0, below=3, signatures=False, extras=0, files=5, levels=1, middle=6, calls=False),
    Detail(0, code=0, below=0, signatures=False, extras=0, files=1, levels=0, middle=3, calls=False),
)
"""Ever shorter forms of a flow."""


@frozen(eq=False, repr=False)
class Story:
    """The text's content about a target."""

    flow: Flow
    others: tuple[Node, ...] = ()
    kept: tuple[Checked, ...] = ()
    note: str = ""
    paths: bool = True
    code: bool = False
    tests: bool = False
    deeper: int = 0
    entries: int = 1
    is_trace: bool = False


def tokens_of(text: str) -> int:
    """Estimate the tokens of a text, rather too many than too few."""
    return -(-len(text) // _PER_TOKEN)


def told(story: Story, sources: Sources, tokens: int = TOKENS) -> str:
    """Write a flow in at most `tokens` tokens; the text is never empty."""
    return _fitted(lambda detail: "\n".join(_Writing(story, sources, detail).lines()), tokens)


def _fitted(write: Callable[[Detail], str], tokens: int) -> str:
    """Return the fullest text that fits, or as many lines of the shortest as do."""
    text = ""
    for detail in _DETAILS:
        text = write(detail)
        if tokens_of(text) <= tokens:
            return text
    ending = "\n… the rest does not fit: more with --tokens"
    kept = text[: max(40, tokens * _PER_TOKEN - len(ending))]
    return kept[: max(kept.rfind("\n"), 40)] + ending


def ordered(routes: Sequence[ExecutionPath]) -> list[ExecutionPath]:
    """Put the product's paths first, and those of tests later."""
    return sorted(routes, key=_rank)


def _rank(path: ExecutionPath) -> int:
    own = _LAST.get(path.entry.kind, 0)
    through_tests = not own and any(step.node.role == TEST_ROLE for step in path.steps[1:])
    return _THROUGH_TESTS if through_tests else own


def targets_of(flow: Flow) -> frozenset[int]:
    """Return the nodes to mark: paths to a class end at its called methods."""
    return frozenset((flow.target.id, *(route.steps[-1].node.id for route in flow.routes)))


def own_calls(calls: Sequence[Below], caller: Node) -> tuple[Below, ...]:
    """Drop tests and examples from the calls of the product: they pass themselves to it."""
    return tuple(
        item._replace(calls=own_calls(item.calls, item.step.node))
        for item in calls
        if caller.role != CODE or item.step.node.role == CODE
    )


def in_order(calls: Sequence[Below], sources: Sources) -> list[Below]:
    """Sort calls into the order of the source."""
    return sorted(calls, key=lambda item: (item.step.line, sources.column(item.step)))


class Listed(NamedTuple):
    """The entry points shown after the best path."""

    further: list[ExecutionPath]
    on_the_way: list[ExecutionPath]
    """Paths from functions on the best path that are entry points themselves."""
    likely: Sequence[Entry]


def listed(flow: Flow, routes: Sequence[ExecutionPath], tests: bool = False) -> Listed:
    """Return each further entry point once, and only one test unless requested; of a single one its other paths."""
    first, is_one = routes[0], flow.entry_count < 2
    found = Listed([], [], flow.likely)
    seen, is_full = {first.entry.node.id}, False
    for route in routes[1:]:
        node, is_test = route.entry.node.id, route.entry.kind == TEST and first.entry.kind != TEST and not tests
        if (node in seen and not is_one) or (is_test and is_full):
            continue
        is_full |= is_test
        seen.add(node)
        (found.on_the_way if node in first.ids and not is_one else found.further).append(route)
    return found


class _Writing:
    """The text of one story."""

    def __init__(self, story: Story, sources: Sources, detail: Detail) -> None:
        self.story, self.flow, self.sources = story, story.flow, sources
        self.detail = detail._replace(
            levels=max(1, story.deeper + detail.levels) if story.deeper else detail.levels,
            entries=story.entries * detail.entries,
        )
        self.routes = ordered(story.flow.routes) if story.paths else []
        self.targets = targets_of(story.flow)

    def lines(self) -> Iterator[str]:
        notes = [] if self.story.is_trace else joined(self.flow.linked, self.story.note).split("; ")
        partly = [note for note in notes if re.search(_PARTLY, note)]
        rest = [note for note in notes if note and note not in partly]
        if not self.story.is_trace:
            yield from (HEADING, "")
        if partly:
            yield from (f"Note: {plain('; '.join(partly))}", "")
        yield from self._path()
        yield from self._further()
        yield from self._remarks()
        yield ""
        yield from self._files()
        yield from self._extras()
        if rest:
            yield from ("", f"Note: {plain('; '.join(rest))}")

    def _path(self) -> Iterator[str]:
        """Write the best path, and the calls below the target."""
        target, steps = self.flow.target, self.routes[0].steps if self.routes else ()
        if not steps:
            yield f"{named(target)} {MARK} · {signature(target.signature)} · {at(target.file, target.line)}"
            yield from self._source(target, "  ")
        else:
            node, entry = steps[0].node, self.routes[0].entry
            mark = f" {MARK}" if node.id in self.targets else ""
            parts = [f"Entry: {named(node)}{mark}{tag(steps[0])}", entered(entry)]
            parts.append(signature(node.signature) if self.detail.signatures else "")
            yield " · ".join(filter(None, (*parts, at(node.file, node.line))))
            yield from self._source(node, "  ")
        left = len(steps) - 1 - self.detail.middle
        half = self.detail.middle // 2
        for place, step in enumerate(steps[1:], 1):
            indent = "  " * place
            if left > 0 and half < place <= half + left:
                if place == half + 1:
                    yield f"{indent}→ … {count(left, 'step')} left out"
                continue
            yield f"{indent}→ {self._step(step)}"
            yield from self._source(step.node, f"{indent}  ")
        yield from self._below(self.flow.down, self.flow.more_below, max(1, len(steps)), 1)

    def _below(self, calls: Sequence[Below], more: int, depth: int, level: int) -> Iterator[str]:
        if level > self.detail.levels:
            return
        shown = in_order(calls, self.sources)[: self.detail.below]
        for item in shown:
            yield f"{'  ' * depth}→ {self._step(item.step)}"
            yield from self._source(item.step.node, "  " * (depth + 1))
            yield from self._below(item.calls, item.more, depth + 1, level + 1)
        left = len(calls) - len(shown) + more
        if left:
            yield f"{'  ' * depth}→ +{left:,} more"

    def _step(self, step: Step) -> str:
        mark = f" {MARK}" if step.node.id in self.targets else ""
        more = self.flow.more_callers.get(step.node.id, 0)
        parts = [f"{named(step.node)}{'?' if step.is_unsure else ''}{mark}{tag(step)}"]
        parts.append(signature(step.node.signature) if self.detail.signatures or mark else "")
        if step.line:
            call = self.sources.call(step) if self.detail.calls else ""
            parts.append(" ".join(filter(None, (at(step.file, step.line), plain(call)))))
        if more:
            parts.append(f"+{count(more, 'more caller')}")
        return " · ".join(filter(None, parts))

    def _source(self, node: Node, indent: str) -> Iterator[str]:
        if self.story.code and self.detail.code:
            for number, line in enumerate(self.sources.code(node, self.detail.code).splitlines(), node.line):
                yield f"{indent}{number:>5} | {plain(line.expandtabs(4))}"

    def _further(self) -> Iterator[str]:
        """List further entry points, each with its path to a function of the path above."""
        if not self.routes or not self.detail.entries:
            return
        ids, is_one = frozenset(self.routes[0].ids), self.flow.entry_count < 2
        found = listed(self.flow, self.routes, self.story.tests)
        shown = found.further[: self.detail.entries]
        more = 0 if is_one else self.flow.entry_count - 1 - len(shown) - len(found.on_the_way)
        if shown or more > 0:
            yield from ("", "Other ways:" if is_one else "Also entered from:")
        for route in shown:
            yield f"{_entry(route.entry)}{_way(route, frozenset() if is_one else ids)}"
        if more > 0:
            kinds = ", ".join(f"{number:,} {kind}" for kind, number in self.flow.entry_counts.items())
            yield f"- +{count(more, 'more entry', 'more entries')} (in all: {kinds})"
        if found.on_the_way:
            names = (f"{named(route.entry.node)} ({entered(route.entry)})" for route in found.on_the_way)
            yield from ("", f"Also entered on the way: {', '.join(names)}")
        if found.likely:
            yield from ("", "Likely entered from, without a known path:")
            yield from (_entry(entry) for entry in found.likely[: self.detail.entries])

    def _remarks(self) -> Iterator[str]:
        shown = (*(self.routes[0].steps if self.routes else ()), *(self.flow._replace(routes=()).steps))
        if any(step.is_unsure for step in shown):
            yield from ("", UNSURE)
        left = [] if self.detail.signatures else ["signatures"]
        if self.detail.levels < 2 and any(item.calls for item in self.flow.down):
            left.append("deeper calls")
        if self.story.code and self.detail.code < Detail().code:
            left.append(f"sources beyond {self.detail.code} lines")
        if not self.story.paths:
            if not self.flow.down and not self.story.note:
                yield from ("", "It calls no function of this code.")
        elif not self.routes:
            yield from ("", UNLINKED if self.flow.linked else "No entry point reaches it, as far as the code shows.")
        if left:
            yield from ("", f"Left out: {'; '.join(left)} (more with --tokens)")

    def _files(self) -> Iterator[str]:
        target = self.flow.target.file
        shown = self.flow._replace(routes=tuple(self.routes[:1]), down=self.flow.down if self.detail.levels else ())
        files = list(dict.fromkeys((*(step.node.file for step in shown.steps), target)))
        kept = files
        if len(files) > self.detail.files:
            kept = [*[path for path in files if path != target][: self.detail.files - 1], target]
        yield "## Files in this path"
        for path in kept:
            yield f"- {plain(path)}{f' {MARK}' if path == target else ''}"
        if len(kept) < len(files):
            yield f"- +{count(len(files) - len(kept), 'more file')}"

    def _extras(self) -> Iterator[str]:
        if self.story.kept:
            yield from ("", "## Curated paths")
        for checked in self.story.kept[: max(1, self.detail.extras)]:
            path, stale = checked.path, " (stale)" if checked.is_stale else ""
            summary = path.description.partition("\n")[0]
            yield f"- {plain(path.name)}{stale}{': ' if summary else ''}{plain(summary)}"
            if self.detail.extras:
                yield f"  {' → '.join(plain(step.node.name) for step in path.steps)}"
        if self.story.others and self.detail.extras:
            yield from ("", "## Also matching")
            for node in self.story.others[: self.detail.extras]:
                yield f"- {named(node)} {at(node.file, node.line)}"


def _entry(entry: Entry) -> str:
    return f"- {named(entry.node)} · {entered(entry)} · {at(entry.node.file, entry.node.line)}"


def _way(route: ExecutionPath, above: frozenset[int]) -> str:
    """Write the path from an entry point to a function of the path above."""
    chain: list[str] = []
    for step in route.steps[1:]:
        chain.append(f" → {named(step.node)}{'?' if step.is_unsure else ''}")
        if step.node.id in above:
            break
    if len(chain) > _LONGEST_CHAIN:
        chain[2 : 3 - _LONGEST_CHAIN] = [" → …"]
    return "".join(chain)
