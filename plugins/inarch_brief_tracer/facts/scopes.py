"""All scopes of a file while its tree is compiled, and which of them is being compiled."""

from __future__ import annotations

import ast

from attrs import Factory, define

from inarch_brief_tracer.facts.link_facts import (
    CLASS_SCOPE,
    FUNCTION_SCOPE,
    GENERATOR,
    METHOD,
    MODULE_SCOPE,
    RETURN,
    Code,
)
from inarch_brief_tracer.facts.open_scope import CalledAt, Open, parameters
from inarch_brief_tracer.facts.outline import Outline


@define(eq=False, repr=False)
class Scopes:
    """All scopes of a file, with the one that is being compiled."""

    found: list[Open] = Factory(list)
    current: Open = Factory(lambda: Open(MODULE_SCOPE, "", 1, -1))
    exports: tuple[str, ...] | None = None
    stars: list[tuple[str, int]] = Factory(list)
    outline: Outline | None = None
    """Is told what the search keeps."""
    calls: list[CalledAt | None] = Factory(list)
    _sites: int = 0

    def __attrs_post_init__(self) -> None:
        self.found.append(self.current)

    def site(self) -> int:
        """Give a number to a place where a container is made."""
        self._sites += 1
        return self._sites

    def bind(self, name: str) -> None:
        """Note that the scope binds a name, other than by an assignment."""
        self.current.bound.setdefault(name, False)

    def attribute(self, base: str, name: str) -> None:
        """Note an assignment to an attribute of a name: one of `self` belongs to the class."""
        scope = self.current
        if scope.owner is not None and base == scope.receiver:
            scope.owner.attributes[name] = None

    def generates(self) -> None:
        """Note that the function is a generator."""
        self.current.flags |= GENERATOR

    def returned(self, code: Code) -> None:
        """Add a return to the scope."""
        if code is not None:
            self.current.body.append((RETURN, code))

    def enter(self, kind: int, name: str, line: int, args: ast.arguments | None = None, flags: int = 0) -> int:
        """Begin with what is inside a class, function or lambda; gives its index."""
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
        """Go on with what is around a scope."""
        self.current = self.found[self.found[index].parent]
