"""Routes and what lies below as indented arrows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from inarch_brief_tracer.answers.call_sites import Sites
from inarch_brief_tracer.answers.wording import MARK, at, count, entered, named, plain, signature, tags
from inarch_brief_tracer.facts.entry_kinds import FIXTURE, ORPHAN, TEST
from inarch_brief_tracer.facts.modules import CODE
from inarch_brief_tracer.facts.modules import TEST as TEST_ROLE
from inarch_brief_tracer.graph.model import Below, Flow, Node, Route, Step

_SHORTEST_TAIL = 3
"""Steps that a route must share with one above, up to its end, to be told short."""


UNSURE = "? after a name: the call was found by a name alone, and may be of another function."
_LAST = {TEST: 1, FIXTURE: 1, ORPHAN: 2}
_AROUND = 3
"""Ways of the product that lead through tests: that a test hands it something is no way that it runs."""
_FEW, _MOST_SHARED = 3, 8
"""Where more than a few routes are shown: those beyond the room, as they are the end of others and take few words."""


class Detail(NamedTuple):
    """How much is told; a smaller one takes fewer tokens."""

    entries: int = 12
    """Entries that are listed, one line each, before the ways."""
    routes: int = 60
    each: int = 3
    """Routes from one entry."""
    signatures: bool = True
    calls: bool = True
    """Whether call sites are shown as they are written, not only where they are."""
    levels: int = 2
    below: int = 12
    files: int = 40
    extras: int = 5
    """Curated paths and other matches."""
    code: int = 80
    """Lines of source of one function, where sources are wanted."""
    middle: int = 40
    """Steps of a route that are shown."""


class Drawing(NamedTuple):
    """What lines are made from."""

    sites: Sites
    detail: Detail
    targets: frozenset[int]
    """The nodes that are marked: the target, of a class what is called of it."""
    more_callers: Mapping[int, int]
    sources: bool = False
    """Whether the source of each function is wanted."""

    def step(self, step: Step, caller: Node | None) -> str:
        """Write one arrow's text."""
        unsure = "?" if step.is_unsure else ""
        mark = f" {MARK}" if step.node.id in self.targets else ""
        more = self.more_callers.get(step.node.id, 0)
        parts = [f"{named(step.node)}{unsure}{mark}{tags(step)}"]
        if self.detail.signatures or mark:
            parts.append(signature(step.node))
        if step.line:
            text = self.sites.of(step, caller).text if self.detail.calls else ""
            parts.append(" ".join(filter(None, (at(step.file, step.line), plain(text)))))
        if more:
            parts.append(f"+{count(more, 'more caller')}")
        return " · ".join(filter(None, parts))

    def entry(self, route: Route) -> str:
        """Write the line that a route starts with."""
        node = route.steps[0].node
        mark = f" {MARK}" if node.id in self.targets else ""
        parts = [f"Entry: {named(node)}{mark}{tags(route.steps[0])}", entered(route.entry)]
        if self.detail.signatures:
            parts.append(signature(node))
        return " · ".join(filter(None, [*parts, at(node.file, node.line)]))

    def source(self, node: Node, indent: str) -> Iterator[str]:
        """Write the source of a function below its arrow."""
        if self.sources and self.detail.code:
            for number, line in enumerate(self.sites.source(node, self.detail.code).splitlines(), node.line):
                yield f"{indent}{number:>5} | {plain(line.expandtabs(4))}"


def targets_of(target: Node, routes: Iterable[Route]) -> frozenset[int]:
    """Give the nodes to mark: routes to a class end at what is called of it."""
    return frozenset((target.id, *(route.steps[-1].node.id for route in routes)))


def shown_routes(routes: Sequence[Route], detail: Detail, tests: bool = False) -> list[Route]:
    """Choose the routes to show: all entries get their first one before any gets a second, the product's first.

    Beside ways of the product one test is enough, which can be run after a change, unless `tests` are asked for.
    """
    turn: dict[int, int] = {}
    ranked = []
    for rank, place in sorted((_rank(route), place) for place, route in enumerate(routes)):
        entry = routes[place].entry.node.id
        number = turn[entry] = turn.get(entry, 0) + 1
        if number <= detail.each:
            ranked.append((number, rank, place))
    ranked.sort()
    # Where there is room one test is among them: it is what is run after a change.
    test = next((row for row in ranked if row[1] == _LAST[TEST]), None) if detail.routes > _FEW else None
    if not tests and any(row[1] == 0 for row in ranked):
        ranked = [row for row in ranked if row[1] != _LAST[TEST]]
    tails: set[tuple[int, ...]] = set()
    kept = []
    room, shared = detail.routes, _MOST_SHARED if detail.routes > _FEW else 0
    for row in dict.fromkeys((*([test] if test else ()), *ranked)):
        ids = tuple(step.node.id for step in routes[row[2]].steps)
        if ids in tails and shared:
            shared -= 1
        elif room:
            room -= 1
        else:
            continue
        kept.append(row[1:])
        tails.update(ids[start:] for start in range(len(ids)))
    # Tests show how code is tried; how it runs comes first.
    return [routes[place] for _, place in sorted(kept)]


def _rank(route: Route) -> int:
    own = _LAST.get(route.entry.kind, 0)
    if not own and any(step.node.role == TEST_ROLE for step in route.steps[1:]):
        return _AROUND
    return own


def entry_lines(flow: Flow, detail: Detail) -> Iterator[str]:
    """List the distinct entries, one line each, the product's; tests are counted. One alone is told by its way."""
    own = [entry for entry in flow.entries if entry.kind not in _LAST]
    if len(own) < 2 or not detail.entries:
        return
    yield "Entered from:"
    for entry in own[: detail.entries]:
        yield f"- {named(entry.node)} · {entered(entry)} · {at(entry.node.file, entry.node.line)}"
    counts = {kind: number for kind, number in flow.entry_counts.items() if kind in _LAST}
    more = flow.entry_count - sum(counts.values()) - min(len(own), detail.entries)
    left = [f"{more:,} more"] if more > 0 else []
    left += [count(number, kind) for kind, number in counts.items()]
    if left:
        yield f"- +{', '.join(left)}"
    yield ""


def route_lines(
    drawing: Drawing, routes: Iterable[Route], below: Sequence[str] = (), are_listed: bool = False
) -> Iterator[str]:
    """Write routes; what lies below the target stands under the first of them. Entries may be listed before."""
    tails: set[tuple[int, ...]] = set()
    on_the_way: dict[int, str] = {}
    place = 0
    shown: set[tuple[str, ...]] = set()
    for route in routes:
        ids = [step.node.id for step in route.steps]
        if tuple(ids) in tails:
            on_the_way[ids[0]] = f"{named(route.steps[0].node)} ({entered(route.entry)})"
            continue
        arrows = list(_arrows(drawing, route, tails, is_first=not place))
        entry = drawing.entry(route)
        if (entry, *arrows) in shown:  # another way, which differs only in what stands above
            continue
        shown.add((entry, *arrows))
        if place:
            yield ""
        yield entry
        if not place:
            yield from drawing.source(route.steps[0].node, "  ")
        yield from arrows
        if not place:
            indent = "  " * len(route.steps)
            yield from (f"{indent}{line}" for line in below)
        tails.update(tuple(ids[start:]) for start in range(len(ids)))
        place += 1
    if on_the_way and not are_listed:
        yield ""
        yield f"Also entered on the way: {', '.join(on_the_way.values())}"


def _arrows(drawing: Drawing, route: Route, tails: set[tuple[int, ...]], is_first: bool) -> Iterator[str]:
    ids = [step.node.id for step in route.steps]
    middle = drawing.detail.middle
    for place, step in enumerate(route.steps[1:], 1):
        indent = "  " * place
        left = len(ids) - 1 - middle
        if left > 0 and middle // 2 < place < len(ids) - (middle - middle // 2):
            if place == middle // 2 + 1:
                yield f"{indent}→ … {count(left, 'step')} left out"
            continue
        yield f"{indent}→ {drawing.step(step, route.steps[place - 1].node)}"
        if is_first:
            yield from drawing.source(step.node, f"{indent}  ")
        rest = len(ids) - 1 - place
        if rest >= _SHORTEST_TAIL - 1 and tuple(ids[place:]) in tails:
            yield f"{indent}  → … as above to {named(route.steps[-1].node)}"
            return


def below_lines(drawing: Drawing, caller: Node, calls: Sequence[Below], more: int, level: int = 1) -> Iterator[str]:
    """Write what a function calls, one level more indented each."""
    detail, indent = drawing.detail, "  " * (level - 1)
    if level > detail.levels:
        return
    shown = in_order(calls, drawing.sites)[: detail.below]
    for item in shown:
        yield f"{indent}→ {drawing.step(item.step, caller)}"
        yield from drawing.source(item.step.node, f"{indent}  ")
        yield from below_lines(drawing, item.step.node, item.calls, item.more, level + 1)
    left = len(calls) - len(shown) + more
    if left:
        yield f"{indent}→ +{left:,} more"


def doubts(routes: Iterable[Route], calls: Iterable[Below]) -> Iterator[str]:
    """Explain the mark of unsure calls, where a route or what lies below has one."""
    steps = [step for route in routes for step in route.steps]
    waiting = list(calls)
    while waiting:
        item = waiting.pop()
        steps.append(item.step)
        waiting += item.calls
    if any(step.is_unsure for step in steps):
        yield ""
        yield UNSURE


def own_calls(calls: Sequence[Below], caller: Node) -> tuple[Below, ...]:
    """Leave tests and examples out of what the product calls: they hand themselves to it."""
    return tuple(
        item._replace(calls=own_calls(item.calls, item.step.node))
        for item in calls
        if caller.role != CODE or item.step.node.role == CODE
    )


def in_order(calls: Sequence[Below], sites: Sites) -> list[Below]:
    """Put calls in the order in which they are written; the graph knows lines, not columns."""

    def column(step: Step) -> int:
        lines = sites.lines(step.file)
        name = step.node.qualname.rpartition(".")[2]
        return lines[step.line - 1].find(name) if 0 < step.line <= len(lines) else -1

    return sorted(calls, key=lambda item: (item.step.line, column(item.step)))


def files_of(routes: Iterable[Route], calls: Iterable[Below], target: Node | None) -> list[str]:
    """Give the files of a flow in the order in which they are entered."""
    found: dict[str, None] = {}
    for route in routes:
        found.update(dict.fromkeys(step.node.file for step in route.steps))
    if target is not None:
        found[target.file] = None
    waiting = list(calls)
    while waiting:
        item = waiting.pop(0)
        found[item.step.node.file] = None
        waiting += item.calls
    return list(found)
