"""One scope while a file's tree is compiled: which names it binds, and the statements found so far."""

from __future__ import annotations

import ast

from attrs import Factory, define

from inarch_brief_tracer.facts.link_facts import (
    NO_PARAMETERS,
    Code,
    Parameters,
    ScopeFacts,
)

CalledAt = tuple[Code, int, int, ast.Call]
"""A call: the code of its callee, its line, the symbol that it stands in, its node."""


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
    """The class a method is of."""
    index: int = 0
    body: list[Code] = Factory(list)
    bound: dict[str, bool] = Factory(dict)
    """Names, and whether they are assigned to; others are imported, defined or caught."""
    outer: set[str] = Factory(set)
    """Names declared `global` or `nonlocal`."""
    attributes: dict[str, None] = Factory(dict)
    place: int = 0
    """The symbol that it is, or stands in."""
    around: int = 0
    """The symbol around a function."""
    made: dict[str, Code] = Factory(dict)
    """The callee whose result an assigned name is; "" once it is assigned twice, or otherwise."""

    def makes(self, name: Code, callee: Code) -> None:
        """Note that a function binds a name to what a call gives."""
        if type(name) is str:
            self.made[name] = "" if name in self.made else callee

    def facts(self) -> ScopeFacts:
        """Give what is kept."""
        hidden = self.outer.union(self.parameters.positional)
        bound = tuple([name for name in self.bound if name not in hidden]) if hidden else tuple(self.bound)
        return ScopeFacts(
            self.kind, self.name, self.line, self.parent, self.flags, self.parameters, bound, tuple(self.attributes)
        )


def parameters(args: ast.arguments) -> Parameters:
    """Give the names of a function's parameters."""
    return Parameters(
        tuple([item.arg for item in (*args.posonlyargs, *args.args)]),
        tuple([item.arg for item in args.kwonlyargs]),
        args.vararg.arg if args.vararg else "",
        args.kwarg.arg if args.kwarg else "",
    )
