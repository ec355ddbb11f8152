"""What the graph is made of, and what is found in it: nodes, arcs, entries, paths, flows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from attrs import frozen

from inarch_brief.tracer.facts.kinds import CALL_KINDS, CONFIDENCES, ENTRY_KINDS

RANKS: Mapping[str, int] = {kind: place for place, kind in enumerate(ENTRY_KINDS)}


class Gate(NamedTuple):
    """An entry point of a kind that frameworks and manifests tell; `symbol` is the node's number."""

    symbol: int
    kind: str
    name: str
    how: str

    @property
    def rank(self) -> int:
        """Give the place of its kind."""
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
        """Give the short name: `Class.method`, `function`, or the module's."""
        parts = self.qualname.split(".")
        return ".".join(parts[-2:]) if self.kind == "method" else parts[-1]


class Arc(NamedTuple):
    """An edge of the graph: who calls, who is called, where, and how sure that is."""

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
    """How it is known outside: `shop buy-now`, `GET /pets`, else the node's name."""
    rank: int
    how: str = ""
    """What makes it an entry: `console script in pyproject.toml:9`, `@app.route`."""


class Step(NamedTuple):
    """A node on a route with the call site that leads to it; the first step has line 0 and no kind."""

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
    """A path through the code: from where it is entered, call by call, down to a target.

    Args:
        name: What it is called: `acme check → check_schema`, or the name under which somebody keeps it.
        entry: Where the program is entered from outside.
        steps: The functions on it, the entry's first and the target last.
        description: What it is about.
        cost: How far and how unsure it is, in steps; the less, the better.
    """

    name: str
    entry: Entry
    steps: tuple[Step, ...]
    description: str = ""
    cost: float = 0.0

    @property
    def files(self) -> tuple[str, ...]:
        """Give the files in the order in which they are entered."""
        return tuple(dict.fromkeys(step.node.file for step in self.steps))

    @property
    def ids(self) -> tuple[int, ...]:
        """Give the numbers of the functions."""
        return tuple(step.node.id for step in self.steps)


class Below(NamedTuple):
    """What a step calls, with what that calls; `more` counts what is left out."""

    step: Step
    calls: tuple[Below, ...] = ()
    more: int = 0


class Flow(NamedTuple):
    """Everything that is known of how a target is reached, and what it calls."""

    target: Node
    routes: tuple[ExecutionPath, ...]
    """The best entry's first; up to k of an entry, the cheapest first."""
    entry_count: int
    """Distinct entries that reach the target, also those that are not shown."""
    entry_counts: Mapping[str, int]
    """The same by kind."""
    more_callers: Mapping[int, int]
    """How many callers a node on the routes has besides those that the routes show."""
    down: tuple[Below, ...]
    more_below: int
    linked: str
    """What has to be said about how much is linked, "" when all is well."""
    likely: tuple[Entry, ...] = ()
    """Main entries of the tree to which no way is known, if there is room for them."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Give the shown entries, each once, best first."""
        return tuple({route.entry.node.id: route.entry for route in self.routes}.values())

    @property
    def steps(self) -> tuple[Step, ...]:
        """Give all steps, those of the routes first."""
        found = [step for route in self.routes for step in route.steps]
        waiting = list(self.down)
        while waiting:
            item = waiting.pop(0)
            found.append(item.step)
            waiting += item.calls
        return tuple(found)
