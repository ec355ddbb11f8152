"""The scopes of a file during compilation: the names each binds, and its statements so far."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from attrs import Factory, define

from inarch_brief.tracer.facts.link_facts import (
    CLASS_SCOPE,
    FUNCTION_SCOPE,
    GENERATOR,
    METHOD,
    MODULE_SCOPE,
    NO_PARAMETERS,
    RETURN,
    Code,
    Parameters,
    ScopeFacts,
)

if TYPE_CHECKING:
    from inarch_brief.tracer.facts.outline import Outline

CalledAt = tuple[Code, int, int, ast.Call]
"""A call: the code of its callee, its line, the enclosing symbol, its node."""


@define(eq=False, repr=False)
class Open:
    """A scope being compiled."""

    kind: int
    name: str
    line: int
    parent: int
    flags: int = 0
    parameters: Parameters = NO_PARAMETERS
    receiver: str = ""
    """Name of a method's first parameter."""
    owner: Open | None = None
    """The class of a method."""
    index: int = 0
    body: list[Code] = Factory(list)
    bound: dict[str, bool] = Factory(dict)
    """Names, and whether they are assigned; others are imported, defined or caught."""
    outer: set[str] = Factory(set)
    """Names declared `global` or `nonlocal`."""
    attributes: dict[str, None] = Factory(dict)
    place: int = 0
    """Its own symbol, or the enclosing one."""

    def facts(self) -> ScopeFacts:
        """Return the facts to store."""
        hidden = self.outer.union(self.parameters.positional)
        bound = tuple([name for name in self.bound if name not in hidden]) if hidden else tuple(self.bound)
        return ScopeFacts(
            self.kind, self.name, self.line, self.parent, self.flags, self.parameters, bound, tuple(self.attributes)
        )


def parameters(args: ast.arguments) -> Parameters:
    """Return the names of a function's parameters."""
    return Parameters(
        tuple([item.arg for item in (*args.posonlyargs, *args.args)]),
        tuple([item.arg for item in args.kwonlyargs]),
        args.vararg.arg if args.vararg else "",
        args.kwarg.arg if args.kwarg else "",
    )


@define(eq=False, repr=False)
class Scopes:
    """All scopes of a file, with the current one."""

    found: list[Open] = Factory(list)
    current: Open = Factory(lambda: Open(MODULE_SCOPE, "", 1, -1))
    exports: tuple[str, ...] | None = None
    stars: list[tuple[str, int]] = Factory(list)
    outline: Outline | None = None
    """Records the symbols and imports for search."""
    calls: list[CalledAt | None] = Factory(list)
    _sites: int = 0

    def __attrs_post_init__(self) -> None:
        self.found.append(self.current)

    def site(self) -> int:
        """Number a place that creates a container."""
        self._sites += 1
        return self._sites

    def bind(self, name: str) -> None:
        """Record that the scope binds a name, other than by an assignment."""
        self.current.bound.setdefault(name, False)

    def attribute(self, base: str, name: str) -> None:
        """Record an assignment to an attribute of a name: one of `self` belongs to the class."""
        scope = self.current
        if scope.owner is not None and base == scope.receiver:
            scope.owner.attributes[name] = None

    def generates(self) -> None:
        """Record that the function is a generator."""
        self.current.flags |= GENERATOR

    def returned(self, code: Code) -> None:
        """Add a return to the scope."""
        if code is not None:
            self.current.body.append((RETURN, code))

    def enter(self, kind: int, name: str, line: int, args: ast.arguments | None = None, flags: int = 0) -> int:
        """Enter a class, function or lambda, and return its index."""
        around, index = self.current, len(self.found)
        dotted = f"{around.name}.{name}" if around.name else name
        scope = Open(kind, dotted, line, around.index, flags, index=index, place=around.place)
        if args is not None:
            scope.parameters = parameters(args)
        if kind == FUNCTION_SCOPE and around.kind == CLASS_SCOPE:
            scope.flags |= METHOD
            scope.owner = around
            scope.receiver = scope.parameters.positional[0] if scope.parameters.positional else ""
        elif kind != CLASS_SCOPE and around.owner is not None and around.receiver not in scope.parameters.positional:
            # A function inside a method sees the method's `self`, unless it has its own.
            scope.owner, scope.receiver = around.owner, around.receiver
        self.found.append(scope)
        self.current = scope
        return index

    def leave(self, index: int) -> None:
        """Return to the enclosing scope."""
        self.current = self.found[self.found[index].parent]
