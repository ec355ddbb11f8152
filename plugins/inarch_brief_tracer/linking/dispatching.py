"""Attributes whose names are unknown: `getattr(self, kind)(node)` calls the methods that nothing else calls."""

from __future__ import annotations

from collections.abc import Iterator

from inarch_brief_tracer.linking.budget import CALL, NAME
from inarch_brief_tracer.linking.cells import Values
from inarch_brief_tracer.linking.edge_kinds import CALLEE
from inarch_brief_tracer.linking.linker import Linker
from inarch_brief_tracer.linking.members import descendants
from inarch_brief_tracer.linking.name_matching import functions_of
from inarch_brief_tracer.linking.values import Cls, Instance, OpenClass, Scope, Unnamed

MAX_OWNERS = 4
"""Objects and classes that one such attribute may belong to."""
MAX_FAR = 2
"""Places elsewhere that it may be handed on to."""
MAX_METHODS = 128
"""Methods that it may be."""


def unnamed(linker: Linker, owners: Values) -> Values:
    """Give an attribute of objects and classes of the tree whose name is unknown."""
    found: list[Unnamed] = []
    for owner in owners[:MAX_OWNERS]:
        if isinstance(owner, Instance | Cls | OpenClass):
            value = linker.once(Unnamed, owner)
            value.read_in[linker.scope.id] = None
            found.append(value)
    return tuple(found)


def call_unnamed(linker: Linker) -> None:
    """Add calls of such attributes, confidence `name`, to those methods of the owner's that nothing else calls."""
    if "names" in linker.on:
        called = {key >> 3 & CALLEE for key, found in linker.edges.items() if found & 3 != NAME}
        callers: dict[Unnamed, list[tuple[int, int]]] = {}
        for (number, value), line in linker.dispatches.items():
            callers.setdefault(value, []).append((number, line))
        for value, rows in callers.items():
            _call(linker, value, rows, called)
    linker.dispatches.clear()


def _call(linker: Linker, value: Unnamed, rows: list[tuple[int, int]], called: set[int]) -> None:
    near = [(number, line) for number, line in rows if _is_near(linker.scopes[number], value)]
    # Handed on to many, it came together with much else on the way.
    rows = rows if len(rows) - len(near) <= MAX_FAR else near
    found = [scope for scope in _methods(value.owner) if scope.id not in called and scope.id >= linker.base]
    if len(found) > MAX_METHODS:
        return
    for number, line in rows:
        linker.scope = linker.scopes[number]
        for scope in found:
            if scope is not linker.scope:
                linker.edge(scope, CALL, NAME, line)


def _is_near(scope: Scope, value: Unnamed) -> bool:
    """Whether such an attribute is called where it is read, or by a class of its owner's family."""
    cls = value.owner if isinstance(value.owner, Cls) else value.owner.cls
    own = scope.cls
    return scope.id in value.read_in or (own is not None and (own in cls.ancestry or cls in own.ancestry))


def _methods(owner: Cls | OpenClass | Instance) -> Iterator[Scope]:
    cls = owner if isinstance(owner, Cls) else owner.cls
    for one in (*cls.ancestry, *(() if isinstance(owner, Cls) else descendants(cls))):
        yield from functions_of(one, "__", with_properties=False)
