"""Possible values of an expression: functions, classes, instances, containers, outside names; and their cells."""

from __future__ import annotations

from collections.abc import Sequence
from sys import intern
from typing import Any

from attrs import Factory, define

from inarch_brief.tracer.facts.link_facts import LinkFacts, ScopeFacts
from inarch_brief.tracer.facts.modules import root_of


class Value:
    """Anything a cell can hold."""

    __slots__ = ()


Values = tuple[Value, ...]


_UNREAD: list[int] = []
"""The shared list of readers of all cells without one; it is never written to."""


class Cell:
    """A set of values in the order of discovery, and the units (statements) to visit again when it grows."""

    __slots__ = ("readers", "values")

    def __init__(self) -> None:
        self.values: Values = ()
        self.readers: list[int] = _UNREAD


NO_KEYWORDS: dict[str, Values] = {}


class Arguments:
    """The arguments of one call."""

    __slots__ = ("keywords", "mappings", "positional", "rest")

    def __init__(
        self,
        positional: Sequence[Values] = (),
        keywords: dict[str, Values] | None = None,
        rest: Values = (),
        mappings: Values = (),
    ) -> None:
        self.positional = positional
        self.keywords = NO_KEYWORDS if keywords is None else keywords
        self.rest = rest
        """Values that fill any further position: of `*items`."""
        self.mappings = mappings
        """Containers given as `**mapping`."""

    def after(self, first: Values) -> Arguments:
        """Return the same arguments with one more in front."""
        return Arguments((first, *self.positional), self.keywords, self.rest, self.mappings)

    def every(self) -> Values:
        """Return all values of all arguments."""
        found: Values = ()
        for values in self.positional:
            found += values
        for values in self.keywords.values():
            found += values
        return found + self.rest + self.mappings


NO_ARGUMENTS = Arguments()


class Scope:
    """A module, class, function or lambda during linking."""

    __slots__ = (
        *("bound", "cls", "facts", "file", "first", "function"),
        *("id", "names", "outer", "resolved", "size"),
    )

    def __init__(self, id: int, file: File, facts: ScopeFacts, first: int, size: int, outer: Scope | None) -> None:
        self.id = id
        self.file = file
        self.facts = facts
        given = facts.parameters.names()
        bound = (*facts.bound, *given) if given else facts.bound
        self.bound = frozenset(bound)
        self.first = first
        self.size = size
        self.outer = outer
        self.names: dict[str, Cell] = {}
        self.resolved: dict[str, Cell | None] = {}
        self.function: Func | None = None
        self.cls: Cls | None = None


class File:
    """A module's file during linking."""

    __slots__ = ("bodies", "facts", "first", "is_package", "module", "path", "root", "scopes", "stars")

    def __init__(self, path: str, module: str, facts: LinkFacts) -> None:
        self.path = path
        self.module = module
        self.root = intern("/".join(root_of(path, module)))
        """Modules of one root import each other by name. From another root they import only modules missing in their
        own.
        """
        self.is_package = path.endswith("__init__.py")
        self.facts = facts
        self.scopes: list[Scope] = []
        self.stars: list[File | str] = []
        self.first = 0
        self.bodies: tuple[tuple[Any, ...], ...] = ()


PLAIN, STATIC, OF_CLASS = 0, 1, 2


class Func(Value):
    """A function of the tree."""

    __slots__ = ("binding", "bound", "context", "generator", "passed", "returns", "scope", "yields")

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.binding = PLAIN
        self.context = False
        """Whether a decorator turned it into a context manager."""
        self.returns = Cell()
        self.yields: Generator | None = None
        self.generator = bool(scope.facts.flags & 1)
        self.passed: tuple[int, ...] = ()
        """Positions of parameters that are returned unchanged."""
        self.bound: dict[Value, Bound] = {}


class Cls(Value):
    """A class of the tree."""

    __slots__ = (
        *("ancestry", "bases", "class_cells", "data", "descendants", "exact", "fields"),
        *("instance_cells", "lookups", "metaclass", "open", "open_class", "outside"),
        *("scope", "subclasses"),
    )

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.bases: tuple[Cls, ...] = ()
        self.outside: tuple[str, ...] = ()
        """Bases outside the tree."""
        self.metaclass: Values = ()
        self.lookups: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
        """Attributes found so far: of exact and of open receivers."""
        self.class_cells: dict[str, Cell] = scope.names
        self.instance_cells: dict[str, Cell] = {}
        self.subclasses: dict[Cls, None] = {}
        self.ancestry: tuple[Cls, ...] = (self,)
        self.descendants: dict[Cls, None] | None = None
        self.exact = Instance(self, False)
        self.open = Instance(self, True)
        self.open_class = OpenClass(self)
        self.fields: tuple[str, ...] = ()
        """Names declared in its body, in order: the fields of a data class."""
        self.data = ""
        """Name of the decorator that generates its `__init__`."""


@define(eq=False, repr=False, weakref_slot=False)
class Instance(Value):
    """An instance of a class. An open one may be of any class derived from it."""

    cls: Cls
    open: bool


@define(eq=False, repr=False, weakref_slot=False)
class OpenClass(Value):
    """A class or any class derived from it: `cls` in a class method, `type(self)`."""

    cls: Cls


@define(eq=False, repr=False, weakref_slot=False)
class Bound(Value):
    """A function with its first argument."""

    func: Func
    receiver: Value


@define(eq=False, repr=False, weakref_slot=False)
class Guess(Value):
    """A function or class known only by a part of its name: `getattr(self, f"on_{kind}")`."""

    value: Value


@define(eq=False, repr=False, weakref_slot=False)
class Module(Value):
    """A module or package of the tree, or a folder above one."""

    name: str
    file: File | None


@define(eq=False, repr=False, weakref_slot=False)
class Outside(Value):
    """A name outside the tree, and every result of calling it."""

    name: str
    receiver: Value | None = None
    """The instance whose class inherits this from outside."""


@define(eq=False, repr=False, weakref_slot=False)
class Text(Value):
    """A short string."""

    text: str


@define(eq=False, repr=False, weakref_slot=False)
class Pattern(Value):
    """A string with a known start and end."""

    start: str
    end: str


@define(eq=False, repr=False, weakref_slot=False)
class Number(Value):
    """A small integer."""

    number: int


@define(eq=False, repr=False, weakref_slot=False)
class Container(Value):
    """A list, tuple, set or mapping created at one place. Items with a known key or index have their own cells."""

    kind: str
    items: dict[str | int, Cell] = Factory(dict)
    rest: Cell = Factory(Cell)
    """Values of unknown items. New items wake its readers, too."""


@define(eq=False, repr=False, weakref_slot=False)
class Generator(Value):
    """The result of calling a generator function; `func` runs on iteration."""

    func: Func
    items: Cell = Factory(Cell)


@define(eq=False, repr=False, weakref_slot=False)
class Above(Value):
    """`super()` in a method: the classes after a class in the order of its receiver."""

    cls: Cls
    receiver: Value


@define(eq=False, repr=False, weakref_slot=False)
class Namespace(Value):
    """The attributes of a class as a mapping: `__dict__`, or the argument of a metaclass."""

    owner: Cls | OpenClass


@define(eq=False, repr=False, weakref_slot=False)
class Property(Value):
    """An attribute that calls functions."""

    getter: Cell = Factory(Cell)
    setter: Cell = Factory(Cell)
    deleter: Cell = Factory(Cell)


@define(eq=False, repr=False, weakref_slot=False)
class Partial(Value):
    """A callable with some arguments given."""

    func: Cell = Factory(Cell)
    given: Arguments | None = None


@define(eq=False, repr=False, weakref_slot=False)
class Method(Value):
    """A method of a container, generator, property or outside name, bound to its receiver."""

    receiver: Value
    name: str
