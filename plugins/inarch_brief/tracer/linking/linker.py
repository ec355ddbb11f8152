"""The state of one linking: what it may cost, cells, the worklist, the edges found so far."""

from __future__ import annotations

import builtins
from array import array
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from attrs import Factory, define

from inarch_brief.tracer.linking.known_values import KnownValues
from inarch_brief.tracer.linking.values import (
    Arguments,
    Bound,
    Cell,
    Cls,
    Container,
    File,
    Func,
    Guess,
    Instance,
    Module,
    Number,
    Outside,
    Pattern,
    Scope,
    Text,
    Value,
    Values,
)
from inarch_brief.tracer.linking.worklist import Worklist

CALL, PROPERTY, DUNDER, DECORATOR, CALLBACK, FRAMEWORK = range(6)
EXACT, INFERRED, HIERARCHY, NAME = range(4)
"""Kinds and confidences of calls while they are linked: places in `CALL_KINDS` and `CONFIDENCES`."""


class Budget(NamedTuple):
    """How much linking may cost; where nothing is said, the size of the tree decides."""

    values: int = 0
    """Instances a set may hold before they are taken for anything."""
    functions: int = 0
    """Functions and classes a set may hold: a decorator wraps many."""
    overrides: int = 0
    """Classes derived from a receiver's that are looked at."""
    visits: int = 0
    """How often one statement is evaluated at most."""
    steps: float = 0.0
    """Statements evaluated at most, as a multiple of those there are."""


_SIZES = (
    (20_000, Budget(24, 64, 32, 6, 6)),
    (45_000, Budget(12, 32, 16, 4, 4)),
    (100_000, Budget(12, 64, 16, 2, 1.3)),
    (150_000, Budget(6, 8, 6, 2, 1.2)),
    (10**9, Budget(4, 6, 4, 2, 1.1)),
)
"""Statements of a tree, and what its sets may hold and its statements may cost: a large one is linked more coarsely."""


def sized(budget: Budget, count: int) -> Budget:
    """Fill a budget for a tree with so many statements."""
    usual = next(row for size, row in _SIZES if count <= size)
    return Budget._make(given or known for given, known in zip(budget, usual, strict=True))


BUILTINS = {name: f"<builtin>.{name}" for name in dir(builtins)}


class Missing(NamedTuple):
    """An attribute read whose base is unknown."""

    name: str
    line: int
    called: bool


@define(eq=False, repr=False)
class Loaded:
    """The scopes of the files that are linked, and what is found in them by name."""

    shared: frozenset[str] = frozenset()
    """Names that several files claim as modules."""
    scopes: list[Scope] = Factory(list)
    unit_scope: array[int] = Factory(lambda: array("I"))
    modules: dict[str, list[File]] = Factory(dict)
    folders: set[str] = Factory(set)
    elsewhere: Mapping[str, Sequence[File]] = Factory(dict)
    """All files of a tree of which only some are loaded."""
    module_values: dict[tuple[str, str], Module] = Factory(dict)
    defining: dict[str, dict[Cls, None]] = Factory(dict)
    """Classes that define an attribute of that name."""


@define(eq=False, repr=False)
class Linker:
    """Everything known while linking."""

    budget: Budget
    models: dict[str, Callable[[Linker, Arguments, int], Values]] = Factory(dict)
    methods: dict[str, Callable[[Linker, Any, str, Arguments, int], Values]] = Factory(dict)
    loaded: Loaded = Factory(Loaded)
    values: KnownValues = Factory(KnownValues)
    worklist: Worklist = Factory(Worklist)
    edges: dict[int, int] = Factory(dict)
    unit: int = 0
    scope: Scope = None  # type: ignore[assignment]  # set before anything is evaluated
    missing: list[Missing] = Factory(list)
    """What the statement being evaluated reads."""
    unresolved: dict[int, list[Missing]] = Factory(dict)
    """Attributes whose bases stay unknown, by the unit that reads them."""
    waiting: dict[str, list[int]] = Factory(dict)
    """Units that looked for an attribute of that name, for when another class gets one."""
    late: bool = False
    """Whether what can be known of returns is known."""
    undecided: dict[int, None] = Factory(dict)
    """Units with a decorator that returned nothing so far, or a key of which nothing was known."""
    hierarchical: set[Value] = Factory(set)
    """Callables that were found in classes derived from an open receiver's."""
    guessing: bool = False
    """Whether what is read now is known by a part of its name only."""

    def read(self, cell: Cell) -> Values:
        """Give a cell's values; the unit is looked at again when it grows."""
        readers = cell.readers
        if not readers:
            cell.readers = [self.unit]
        elif readers[-1] != self.unit:
            readers.append(self.unit)
        return cell.values

    def dissolve(self) -> None:
        """Let go of everything: left to the collector, circles of a large tree cost half of what parsing it does."""
        for scope in self.loaded.scopes:
            scope.dissolve()
        self.values.dissolve()
        self.scope = None  # type: ignore[assignment]  # nothing is evaluated any more

    def put(self, cell: Cell, values: Values) -> None:
        """Add values to a cell and wake its readers."""
        known = cell.values
        if values is known or not values:
            return
        if len(values) == 1:
            if not known:
                cell.values = values
                self.worklist.wake(cell.readers)
                return
            if values[0] in known:
                return
            fresh: Values = values
        else:
            present = set(known)
            fresh = tuple([value for value in values if value not in present])
        grown = known
        for value in fresh:
            if len(grown) < MAX_LIGHT or self._has_room(grown, value):
                grown = (*grown, value)
            elif type(value) in (Text, Number, Pattern) and self.values.text("") not in grown:
                grown = (*grown, self.values.text(""))  # some text
        if grown is not known:
            cell.values = grown
            self.worklist.wake(cell.readers)

    def _has_room(self, known: Values, value: Value) -> bool:
        """Whether a set may hold one more value; where it may not, the value is left out."""
        kind = type(value)
        if kind in _LIGHT:
            return len([other for other in known if type(other) in _LIGHT]) < MAX_LIGHT
        if kind is Guess:
            return len(known) < MAX_GUESSES
        if kind is Instance:
            ancestry = value.cls.ancestry  # type: ignore[attr-defined]
            covered = any(type(one) is Instance and one.open and one.cls in ancestry for one in known)
            return not covered and len(known) < self.budget.values
        if len(known) < self.budget.functions:
            return True
        # The handlers of a registry: functions are what such a set is there for.
        others = [one for one in known if type(one) not in _CALLED]
        return kind in _CALLED and len(known) < self._registered and len(others) <= MAX_LIGHT

    @property
    def _registered(self) -> int:
        return MAX_REGISTERED if self.budget.functions >= MIN_REGISTERED else 0

    def edge(self, callee: Scope, kind: int, confidence: int, line: int) -> None:
        """Note that the scope being evaluated calls another."""
        if self.guessing:
            confidence = NAME
        elif callee.file.root is not self.scope.file.root:
            confidence = max(confidence, self.crossing(callee.file))
        key = (self.scope.id << 28 | callee.id) << 3 | kind
        found = line << 2 | confidence
        known = self.edges.get(key)
        # The surest reading counts, and of these the first line.
        if known is None or (found & 3, found) < (known & 3, known):
            self.edges[key] = found

    def crossing(self, callee: File) -> int:
        """Say how sure a call into another import root can be: by name where several files claim its module."""
        modules = self.loaded.elsewhere or self.loaded.modules
        names = callee.module, callee.module.partition(".")[0]
        return NAME if any(len(modules.get(name, ())) > 1 for name in names) else EXACT

    def item(self, container: Container, key: str | int) -> Cell:
        """Give the cell of an item, made when it is first written."""
        cell = container.items.get(key)
        if cell is None:
            if len(container.items) >= MAX_ITEMS:
                return container.rest
            cell = container.items[key] = Cell()
            self.worklist.wake(container.rest.readers)
        return cell


_LIGHT = frozenset((Text, Number, Outside, Pattern))
_CALLED = frozenset((Func, Bound))
MAX_LIGHT = 4
"""Texts, numbers and names from outside that a set holds."""
MAX_GUESSES = 512
"""Functions that a part of a name may mean together: the methods of many visitors."""
MAX_REGISTERED = 256
"""Functions that a set may hold where it holds hardly anything else."""
MIN_REGISTERED = 32
"""Functions that a set of any tree must hold before it may be a registry: in the largest trees few are told apart."""
MAX_ITEMS = 64
"""Items of a container with cells of their own; further ones share one."""
EMPTY: Values = ()


def union(first: Values, second: Values) -> Values:
    """Give the values of both, each once."""
    if not second:
        return first
    if not first:
        return second
    if first is second:
        return first
    if len(second) == 1 and len(first) < 4:
        return first if second[0] in first else first + second
    # By hash: comparing objects one by one is what costs in large sets.
    return tuple(dict.fromkeys(first + second))


def every(parts: list[Values]) -> Values:
    """Give the values of all parts, each once."""
    if len(parts) == 1:
        return parts[0]
    return tuple(dict.fromkeys(chain.from_iterable(parts))) if parts else EMPTY


Model = Callable[[Linker, Arguments, int], Values]
"""What calling something outside the tree does and gives: state, arguments, line."""
