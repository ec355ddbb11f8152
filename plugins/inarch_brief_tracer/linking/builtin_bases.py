"""Classes of the tree that are derived from builtin containers: what their objects hold."""

from __future__ import annotations

from inarch_brief_tracer.linking.cells import Arguments, Value
from inarch_brief_tracer.linking.linker import Linker
from inarch_brief_tracer.linking.values import Cls, Container

_KINDS = {
    **dict.fromkeys(("<builtin>.dict", "collections.OrderedDict", "collections.UserDict"), "dict"),
    **dict.fromkeys(("<builtin>.list", "<builtin>.tuple", "collections.deque", "collections.UserList"), "list"),
    **dict.fromkeys(("<builtin>.set", "<builtin>.frozenset"), "set"),
    "collections.defaultdict": "default",
}


def items_of(linker: Linker, cls: Cls) -> Container | None:
    """Give what objects of a class hold: one container for all that a base has from a builtin one."""
    for ancestor in cls.ancestry:
        for outer in ancestor.outside:
            kind = _KINDS.get(outer)
            if kind is not None:
                key = (-(1 << 42) - ancestor.scope.id, 0)
                found: Value | None = linker.containers.get(key)
                if found is None:
                    found = linker.containers[key] = Container(kind)
                return found  # type: ignore[return-value]  # a key makes one kind
    return None


def fill(linker: Linker, cls: Cls, arguments: Arguments, line: int) -> None:
    """Put into an object's items what it is made with."""
    items = items_of(linker, cls)
    if items is not None:
        name = "update" if items.kind in ("dict", "default") else "extend"
        linker.methods["Container"](linker, items, name, arguments, line)
