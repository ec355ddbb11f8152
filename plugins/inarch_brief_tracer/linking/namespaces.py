"""Classes as mappings of their attributes, and what they say of their families.

That is `__dict__`, the mapping that a metaclass is given, `__mro__` and `__subclasses__()`.
"""

from __future__ import annotations

from collections.abc import Iterator

from inarch_brief_tracer.linking.cells import Arguments, Values
from inarch_brief_tracer.linking.linker import EMPTY, Linker, every, union
from inarch_brief_tracer.linking.members import descendants, lookup
from inarch_brief_tracer.linking.values import Cls, Namespace, OpenClass, Text

MAX_CLASSES = 256
"""Classes whose attributes one mapping may give."""


def family(linker: Linker, base: Cls | OpenClass, name: str) -> Values:
    """Give what `__mro__` and `__bases__` of a class hold."""
    is_open = isinstance(base, OpenClass)
    cls = base.cls if isinstance(base, OpenClass) else base
    made = linker.container(-(1 << 45) - 4 * cls.scope.id - 2 * is_open - (name == "__bases__"), "tuple")
    linker.put(made.rest, (base,) if is_open else cls.bases if name == "__bases__" else cls.ancestry)
    return (made,)


def family_method(linker: Linker, base: Cls | OpenClass, name: str, arguments: Arguments, line: int) -> Values:
    """Call `mro()` or `__subclasses__()` of a class: the latter gives a list of any class derived from it."""
    if name == "mro":
        return family(linker, base, "__mro__")
    cls = base.cls if isinstance(base, OpenClass) else base
    made = linker.container(-(line << 10) - 910, "list")
    linker.put(made.rest, (cls.open_class,))
    return (made,)


def _classes(owner: Cls | OpenClass) -> Iterator[Cls]:
    if isinstance(owner, Cls):
        yield owner
        return
    yield owner.cls
    yield from list(descendants(owner.cls))[:MAX_CLASSES]


def entry(linker: Linker, mapping: Namespace, name: str) -> Values:
    """Give an attribute as it stands in the mapping: nothing is bound and no property asked."""
    owner = mapping.owner
    lookup(linker, owner if isinstance(owner, Cls) else owner.cls, name, not isinstance(owner, Cls))
    cells = [cls.class_cells[name] for cls in _classes(owner) if name in cls.class_cells]
    return every([linker.read(cell) for cell in cells])


def write_entry(linker: Linker, mapping: Namespace, name: str, values: Values) -> None:
    """Write an attribute through the mapping: of a class where it has one of that name."""
    for cls in _classes(mapping.owner):
        if name in cls.class_cells:
            linker.put(cls.class_cells[name], values)


def namespace_method(linker: Linker, base: Namespace, name: str, arguments: Arguments, line: int) -> Values:
    """Call a method of the mapping."""
    given = arguments.positional
    if name in ("get", "pop", "setdefault", "__getitem__") and given:
        found = every([entry(linker, base, key.text) for key in given[0] if isinstance(key, Text)])
        return union(found, given[1]) if len(given) > 1 else found
    return (base,) if name == "copy" else EMPTY
