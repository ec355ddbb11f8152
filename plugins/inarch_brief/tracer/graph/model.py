"""The parts of the graph and its search results: nodes, arcs, entry points, paths, flows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from attrs import frozen

from inarch_brief.tracer.facts.kinds import CALL_KINDS, CONFIDENCES, ENTRY_KINDS

RANKS: Mapping[str, int] = {kind: place for place, kind in enumerate(ENTRY_KINDS)}


class Gate(NamedTuple):
    """An entry point from a framework or manifest; `symbol` is the node's number."""

    symbol: int
    kind: str
    name: str
    how: str

    @property
    def rank(self) -> int:
        """The rank of its kind."""
        return RANKS.get(self.kind, len(RANKS))


CALL, PROPERTY, DUNDER, DECORATOR, CALLBACK, FRAMEWORK = CALL_KINDS
EXACT, INFERRED, HIERARCHY, NAME = CONFIDENCES


class Node(NamedTuple):
    """A function, method, class or module body of the tree."""

    id: int
    qualname: str
    """`package.module.Class.method`, nested functions without `<locals>`; a module's body has the module's name."""
    kind: str
    """`module`, `class`, `function` or `method`."""
    file: str
    line: int
    end: int
    role: str
    """`code`, `test`, `example` or `vendored`."""
    signature: str = ""
    doc: str = ""

    @property
    def name(self) -> str:
        """The short name: `Class.method`, `function`, or the module's."""
        parts = self.qualname.split(".")
        return ".".join(parts[-2:]) if self.kind == "method" else parts[-1]


class Arc(NamedTuple):
    """An edge of the graph: caller, callee, place and confidence of a call."""

    caller: int
    callee: int
    kind: str
    confidence: str
    line: int
    """Line of the call site in the caller's file."""


class Entry(NamedTuple):
    """A place where the program is entered from outside."""

    node: Node
    kind: str
    name: str
    """Its outside name: `shop buy-now`, `GET /pets`, else the node's name."""
    rank: int
    how: str = ""
    """The mark of the entry point: `console script in pyproject.toml:9`, `@app.route`."""


class Step(NamedTuple):
    """A node on a path with the call site that leads to it. The first step has line 0 and no kind."""

    node: Node
    file: str = ""
    """File of the call site: the previous step's."""
    line: int = 0
    kind: str = ""
    confidence: str = ""

    @property
    def is_unsure(self) -> bool:
        """Whether the call was found by its name alone."""
        return self.confidence == NAME


@frozen
class ExecutionPath:
    """A path through the code: from its entry point, call by call, down to a target.

    Args:
        name: `acme check → check_schema`, or the name of a curated path.
        entry: The place where the program is entered from outside.
        steps: The functions on it, the entry's first and the target last.
        description: Its subject.
        cost: Its length and uncertainty, in steps; lower is better.
    """

    name: str
    entry: Entry
    steps: tuple[Step, ...]
    description: str = ""
    cost: float = 0.0

    @property
    def files(self) -> tuple[str, ...]:
        """The files in the order in which the path enters them."""
        return tuple(dict.fromkeys(step.node.file for step in self.steps))

    @property
    def ids(self) -> tuple[int, ...]:
        """The numbers of the functions."""
        return tuple(step.node.id for step in self.steps)


class Below(NamedTuple):
    """A step with its calls; `more` counts those left out."""

    step: Step
    calls: tuple[Below, ...] = ()
    more: int = 0


class Flow(NamedTuple):
    """Every known path to a target, and the target's calls."""

    target: Node
    routes: tuple[ExecutionPath, ...]
    """Paths, those of the best entry point first; up to k of each, the cheapest first."""
    entry_count: int
    """Distinct entry points that reach the target, including those not shown."""
    entry_counts: Mapping[str, int]
    """The same by kind."""
    more_callers: Mapping[int, int]
    """The number of callers of each node on the paths that the paths do not show."""
    down: tuple[Below, ...]
    more_below: int
    linked: str
    """A note on how much is linked, "" when all is well."""
    likely: tuple[Entry, ...] = ()
    """Main entry points of the tree without a known path, if there is room for them."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The shown entry points, each once, best first."""
        return tuple({route.entry.node.id: route.entry for route in self.routes}.values())

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps, those of the paths first."""
        found = [step for route in self.routes for step in route.steps]
        waiting = list(self.down)
        while waiting:
            item = waiting.pop(0)
            found.append(item.step)
            waiting += item.calls
        return tuple(found)
