"""Attributes along a class's bases and derived classes, and classes as mappings of attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from inarch_brief.tracer.linking.linker import EMPTY, Linker, every, union
from inarch_brief.tracer.linking.values import Arguments, Cell, Cls, Namespace, OpenClass, Text, Values


class Found(NamedTuple):
    """The cells of an attribute."""

    in_class: tuple[Cell, ...]
    in_instances: tuple[Cell, ...]
    derived: tuple[Cell, ...]
    """Cells of derived classes, if the receiver may be an instance of one."""
    derived_instances: tuple[Cell, ...]


NOT_FOUND = Found((), (), (), ())


def linearized(cls: Cls) -> tuple[Cls, ...]:
    """Return a class and its bases in Python's resolution order (C3), or depth first if there is none."""
    sequences = [list(base.ancestry) for base in cls.bases] + [list(cls.bases)]
    merged = [cls]
    while sequences := [sequence for sequence in sequences if sequence]:
        for sequence in sequences:
            head = sequence[0]
            if not any(head in other[1:] for other in sequences):
                break
        else:
            head = sequences[0][0]
        if head not in merged:
            merged.append(head)
        for sequence in sequences:
            if head in sequence:
                sequence.remove(head)
    return tuple(merged)


def descendants(cls: Cls) -> dict[Cls, None]:
    """Return all classes derived from a class."""
    if cls.descendants is None:
        found: dict[Cls, None] = {}
        waiting = list(cls.subclasses)
        while waiting:
            current = waiting.pop(0)
            if current not in found and current is not cls:
                found[current] = None
                waiting.extend(current.subclasses)
        cls.descendants = found
    return cls.descendants


def set_bases(linker: Linker, cls: Cls, bases: tuple[Cls, ...], outside: tuple[str, ...]) -> None:
    """Set the bases of a class, and forget every lookup through it."""
    bases = tuple([base for base in bases if base is not cls and cls not in base.ancestry])
    if bases == cls.bases and outside == cls.outside:
        return
    for base in cls.bases:
        base.subclasses.pop(cls, None)
    cls.bases, cls.outside = bases, outside
    for base in bases:
        base.subclasses[cls] = None
    _forget(cls)
    cls.descendants = None
    affected = [cls, *_fresh_descendants(cls)]
    for current in affected:
        current.ancestry = linearized(current)
    for ancestor in cls.ancestry:
        ancestor.descendants = None
    _forget(cls)
    # Units that looked up an attribute through it may find another one now.
    for current in affected:
        for name in (*current.class_cells, *current.instance_cells):
            linker.worklist.wake(linker.waiting.get(name, []))


def _fresh_descendants(cls: Cls) -> list[Cls]:
    cls.descendants = None
    return list(descendants(cls))


def outside_bases(cls: Cls) -> tuple[str, ...]:
    """Return the bases of a class outside the tree, inherited ones included."""
    found: tuple[str, ...] = ()
    for ancestor in cls.ancestry:
        found += ancestor.outside
    return found


def lookup(linker: Linker, cls: Cls, name: str, is_open: bool) -> Found:
    """Find an attribute of a class's instances."""
    known = cls.lookups[is_open]
    found = known.get(name)
    if found is None:
        found = known[name] = _look(linker, cls, name, is_open)
    if found is NOT_FOUND:
        readers = linker.waiting.setdefault(name, [])
        if not readers or readers[-1] != linker.unit:
            readers.append(linker.unit)
    return found


def _forget(cls: Cls) -> None:
    """Forget every lookup through a class."""
    for below in (cls, *descendants(cls)):
        for related in below.ancestry:
            for known in related.lookups:
                known.clear()


def _look(linker: Linker, cls: Cls, name: str, is_open: bool) -> Found:
    in_class: tuple[Cell, ...] = ()
    in_instances: tuple[Cell, ...] = ()
    for ancestor in cls.ancestry:
        cell = ancestor.instance_cells.get(name)
        if cell is not None:
            in_instances += (cell,)
        if not in_class:
            cell = ancestor.class_cells.get(name)
            if cell is not None:
                in_class = (cell,)
    derived: tuple[tuple[Cell, ...], tuple[Cell, ...]] = ((), ())
    if is_open and cls.subclasses:
        derived = _derived(linker, cls, name, (*in_class, *in_instances))
    if not (in_class or in_instances or derived[0] or derived[1]):
        return NOT_FOUND
    return Found(in_class, in_instances, *derived)


def _derived(linker: Linker, cls: Cls, name: str, known: tuple[Cell, ...]) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
    """Find an attribute in classes derived from one: their own, or from other bases (mixins)."""
    below = descendants(cls)
    classes: list[Cell] = []
    instances: list[Cell] = []
    if not below:
        return (), ()
    for other in linker.loaded.defining.get(name, ()):
        if other is cls or not (other in below or not below.keys().isdisjoint(descendants(other))):
            continue
        if other in cls.ancestry:
            continue
        cell = other.class_cells.get(name)
        if cell is not None and cell not in known and cell not in classes:
            classes.append(cell)
        cell = other.instance_cells.get(name)
        if cell is not None and cell not in known and cell not in instances:
            instances.append(cell)
        if len(classes) + len(instances) >= linker.budget.overrides:
            break
    return tuple(classes), tuple(instances)


def instance_cell(linker: Linker, cls: Cls, name: str) -> Cell:
    """Return the cell that an assignment to an attribute of an instance writes."""
    cell = cls.instance_cells.get(name)
    if cell is None:
        cell = cls.instance_cells[name] = Cell()
        defines(linker, cls, name)
    return cell


def defines(linker: Linker, cls: Cls, name: str) -> None:
    """Record a new attribute of a class."""
    linker.loaded.defining.setdefault(name, {})[cls] = None
    for below in (cls, *descendants(cls)):
        for related in below.ancestry:
            for known in related.lookups:
                known.pop(name, None)
    linker.worklist.wake(linker.waiting.get(name, []))


MAX_CLASSES = 256
"""The most classes whose attributes one mapping may hold."""


def _classes(owner: Cls | OpenClass) -> Iterator[Cls]:
    if isinstance(owner, Cls):
        yield owner
        return
    yield owner.cls
    yield from list(descendants(owner.cls))[:MAX_CLASSES]


def entry(linker: Linker, mapping: Namespace, name: str) -> Values:
    """Return an attribute unchanged from the mapping, without binding or calling a property."""
    owner = mapping.owner
    lookup(linker, owner if isinstance(owner, Cls) else owner.cls, name, not isinstance(owner, Cls))
    cells = [cls.class_cells[name] for cls in _classes(owner) if name in cls.class_cells]
    return every([linker.read(cell) for cell in cells])


def write_entry(linker: Linker, mapping: Namespace, name: str, values: Values) -> None:
    """Write an attribute through the mapping, in the classes that already have it."""
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
