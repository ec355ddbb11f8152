"""The state of one linking: its budget, cells, the worklist, and the edges found so far."""

from __future__ import annotations

import builtins
from array import array
from collections.abc import Callable
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
"""Kinds and confidences of calls during linking, as indexes into `CALL_KINDS` and `CONFIDENCES`."""


class Budget(NamedTuple):
    """Limits of one linking. A limit of 0 depends on the size of the tree."""

    values: int = 0
    """The most instances in a set before they count as any object."""
    functions: int = 0
    """The most functions and classes in a set: a decorator wraps many."""
    overrides: int = 0
    """The most classes derived from a receiver's that are searched."""
    visits: int = 0
    """The most evaluations of one statement."""
    steps: float = 0.0
    """The most evaluations in all, as a multiple of the statements."""


_SIZES = (
    (20_000, Budget(24, 64, 32, 6, 6)),
    (45_000, Budget(12, 32, 16, 4, 4)),
    (100_000, Budget(12, 64, 16, 2, 1.3)),
    (150_000, Budget(6, 8, 6, 2, 1.2)),
    (10**9, Budget(4, 6, 4, 2, 1.1)),
)
"""Statements of a tree, and its budget: larger trees are linked more coarsely."""


def sized(budget: Budget, count: int) -> Budget:
    """Fill in a budget's missing limits for a tree of this many statements."""
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
    """The scopes of the loaded files, and their modules and attributes by name."""

    scopes: list[Scope] = Factory(list)
    unit_scope: array[int] = Factory(lambda: array("I"))
    modules: dict[str, list[File]] = Factory(dict)
    folders: set[str] = Factory(set)
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
    scope: Scope = None  # type: ignore[assignment]  # set before any evaluation
    missing: list[Missing] = Factory(list)
    """The unknown reads of the current statement."""
    unresolved: dict[int, list[Missing]] = Factory(dict)
    """Attributes with unknown bases, by the unit that reads them."""
    waiting: dict[str, list[int]] = Factory(dict)
    """Units that looked for an attribute of that name, to wake when another class defines it."""
    hierarchical: set[Value] = Factory(set)
    """Callables found in classes derived from an open receiver's."""
    guessing: bool = False
    """Whether the current reads know only a part of the name."""

    def read(self, cell: Cell) -> Values:
        """Return a cell's values. The unit is visited again when the cell grows."""
        readers = cell.readers
        if not readers:
            cell.readers = [self.unit]
        elif readers[-1] != self.unit:
            readers.append(self.unit)
        return cell.values

    def put(self, cell: Cell, values: Values) -> None:
        """Add values to a cell and wake its readers."""
        known = cell.values
        if values is known or not values:
            return
        grown = known
        for value in values:
            if value in known:
                continue
            if len(grown) < MAX_LIGHT or self._has_room(grown, value):
                grown = (*grown, value)
            elif type(value) in (Text, Number, Pattern) and self.values.text("") not in grown:
                grown = (*grown, self.values.text(""))  # some text
        if grown is not known:
            cell.values = grown
            self.worklist.wake(cell.readers)

    def _has_room(self, known: Values, value: Value) -> bool:
        """Return whether a set may hold one more value; otherwise the caller drops it."""
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
        # The handlers of a registry: such a set exists for its functions.
        others = [one for one in known if type(one) not in _CALLED]
        return kind in _CALLED and len(known) < self._registered and len(others) <= MAX_LIGHT

    @property
    def _registered(self) -> int:
        return MAX_REGISTERED if self.budget.functions >= MIN_REGISTERED else 0

    def edge(self, callee: Scope, kind: int, confidence: int, line: int) -> None:
        """Record that the current scope calls another."""
        if self.guessing:
            confidence = NAME
        elif callee.file.root is not self.scope.file.root:
            confidence = max(confidence, self.crossing(callee.file))
        key = (self.scope.id << 28 | callee.id) << 3 | kind
        found = line << 2 | confidence
        known = self.edges.get(key)
        # The highest confidence wins, then the first line.
        if known is None or (found & 3, found) < (known & 3, known):
            self.edges[key] = found

    def crossing(self, callee: File) -> int:
        """Return the confidence of a call into another import root: by name if several files claim its module."""
        names = callee.module, callee.module.partition(".")[0]
        return NAME if any(len(self.loaded.modules.get(name, ())) > 1 for name in names) else EXACT

    def item(self, container: Container, key: str | int) -> Cell:
        """Return the cell of an item, created on the first write."""
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
"""The most texts, numbers and outside names in a set."""
MAX_GUESSES = 512
"""The most functions that a part of a name may mean, such as the methods of many visitors."""
MAX_REGISTERED = 256
"""The most functions in a set that holds hardly anything else."""
MIN_REGISTERED = 32
"""Registries need at least this budget of functions: the largest trees distinguish only few."""
MAX_ITEMS = 64
"""Items of a container with cells of their own; further ones share one."""
EMPTY: Values = ()


def union(first: Values, second: Values) -> Values:
    """Return the values of both, each once."""
    if not second:
        return first
    if not first:
        return second
    if first is second:
        return first
    if len(second) == 1 and len(first) < 4:
        return first if second[0] in first else first + second
    # By hash: pairwise comparison is slow in large sets.
    return tuple(dict.fromkeys(first + second))


def every(parts: list[Values]) -> Values:
    """Return the values of all parts, each once."""
    if len(parts) == 1:
        return parts[0]
    return tuple(dict.fromkeys(chain.from_iterable(parts))) if parts else EMPTY


Model = Callable[[Linker, Arguments, int], Values]
"""The effect and result of calling something outside the tree, from linker state, arguments and line."""
