"""Lists, tuples, sets, mappings and generators: their items, their methods, and iteration over any value."""

from __future__ import annotations

from inarch_brief.tracer.linking.attributes import special
from inarch_brief.tracer.linking.call_edges import call
from inarch_brief.tracer.linking.linker import CALL, DUNDER, EMPTY, INFERRED, Linker, every, union
from inarch_brief.tracer.linking.members import entry, write_entry
from inarch_brief.tracer.linking.values import (
    NO_ARGUMENTS,
    Arguments,
    Cls,
    Container,
    Generator,
    Instance,
    Namespace,
    Number,
    Outside,
    Pattern,
    Property,
    Text,
    Value,
    Values,
)


def all_items(linker: Linker, container: Container) -> Values:
    """Return the values of all items."""
    parts = [linker.read(cell) for cell in (container.rest, *container.items.values())]
    return every([part for part in parts if part])


def key_of(value: Value) -> str | int | None:
    """Return the literal of a value, or None."""
    if isinstance(value, Text):
        return f"'{value.text}" if value.text else None
    return value.number if isinstance(value, Number) else None


def get_item(linker: Linker, base: Value, keys: Values, line: int) -> Values:
    """Return the values that a subscript reads."""
    if isinstance(base, Container):
        literal = [key for key in map(key_of, keys) if key is not None]
        if len(literal) < len(keys) or not literal:
            return all_items(linker, base)
        result = linker.read(base.rest)
        for key in literal:
            cell = base.items.get(key)
            if cell is not None:
                result = union(result, linker.read(cell))
        if not result and base.kind == "default":
            return all_items(linker, base)
        return result
    if isinstance(base, Generator):
        return linker.read(base.items)
    if isinstance(base, Namespace):
        return every([entry(linker, base, key.text) for key in keys if isinstance(key, Text)])
    if isinstance(base, Instance):
        found = special(linker, base, "__getitem__", Arguments((keys,)), line)
        return found or EMPTY
    if isinstance(base, Cls):
        return (base,)  # Generic[int]
    return (base,) if isinstance(base, Outside) else EMPTY


def set_item(linker: Linker, base: Value, keys: Values, values: Values, line: int) -> None:
    """Write the item of a subscript."""
    if isinstance(base, Container):
        literal = [key for key in map(key_of, keys) if key is not None]
        for key in literal:
            linker.put(linker.item(base, key), values)
        if not literal:
            linker.put(base.rest, values)
    elif isinstance(base, Namespace):
        for name in keys:
            if isinstance(name, Text):
                write_entry(linker, base, name.text, values)
    else:
        special(linker, base, "__setitem__", Arguments((keys, values)), line)


def iterate(linker: Linker, base: Value, line: int) -> Values:
    """Return the values of an iteration, and record the calls it makes."""
    if isinstance(base, Container):
        if base.kind in ("dict", "default"):
            return tuple([linker.values.text(key[1:]) for key in base.items if isinstance(key, str)][:8])
        return all_items(linker, base)
    if isinstance(base, Generator):
        linker.edge(base.func.scope, CALL, INFERRED, line)
        return linker.read(base.items)
    if isinstance(base, Instance):
        return _iterate_instance(linker, base, line)
    if isinstance(base, Cls):
        result: Values = ()
        for meta in base.metaclass:
            if isinstance(meta, Cls):
                result = union(result, _iterate_instance(linker, meta.exact, line))
        if not result and any("Enum" in name for ancestor in base.ancestry for name in ancestor.outside):
            return (base.exact,)
        return result
    return EMPTY


def _iterate_instance(linker: Linker, base: Instance, line: int) -> Values:
    iterators = special(linker, base, "__iter__", NO_ARGUMENTS, line)
    following = "__next__"
    if iterators is None:
        iterators, following = special(linker, base, "__aiter__", NO_ARGUMENTS, line), "__anext__"
    if iterators is None:
        return special(linker, base, "__getitem__", Arguments(), line) or EMPTY
    result: Values = ()
    for iterator in iterators:
        if isinstance(iterator, Instance):
            result = union(result, special(linker, iterator, following, NO_ARGUMENTS, line) or EMPTY)
        elif isinstance(iterator, Generator):
            linker.edge(iterator.func.scope, DUNDER, INFERRED, line)
            result = union(result, linker.read(iterator.items))
        elif isinstance(iterator, Container):
            result = union(result, iterate(linker, iterator, line))
    return result


def iterated(linker: Linker, values: Values, line: int) -> Values:
    """Return the values of an iteration over any of several values."""
    result: Values = ()
    for value in values:
        result = union(result, iterate(linker, value, line))
    return result


def container_method(linker: Linker, base: Container, name: str, arguments: Arguments, line: int) -> Values:
    """Call a method of a container."""
    given = arguments.positional
    if name in ("append", "add", "appendleft", "put", "put_nowait"):
        linker.put(base.rest, arguments.every())
    elif name in ("extend", "extendleft"):
        linker.put(base.rest, iterated(linker, arguments.every(), line))
    elif name == "insert" and len(given) > 1:
        linker.put(base.rest, given[1])
    elif name in ("update", "__ior__"):
        _update(linker, base, arguments, line)
    elif name == "setdefault" and len(given) > 1:
        set_item(linker, base, given[0], given[1], line)
        return get_item(linker, base, given[0], line)
    elif name in ("get", "pop", "popleft", "popitem", "__getitem__", "get_nowait"):
        if not given or base.kind not in ("dict", "default"):
            return all_items(linker, base)
        found = get_item(linker, base, given[0], line)
        return union(found, given[1]) if len(given) > 1 else found
    elif name == "__setitem__" and len(given) > 1:
        set_item(linker, base, given[0], given[1], line)
    elif name == "values":
        view = linker.values.container(linker.scope.file, -(line << 10) - 1, "list")
        linker.put(view.rest, all_items(linker, base))
        return (view,)
    elif name == "items":
        return (_pairs(linker, base, line),)
    elif name in ("copy", "keys", "__iter__", "union", "difference", "intersection", "most_common"):
        if name == "union":
            linker.put(base.rest, iterated(linker, arguments.every(), line))
        return (base,)
    elif name == "sort":
        _sort(linker, base, arguments, line)
    return EMPTY


def _sort(linker: Linker, base: Container, arguments: Arguments, line: int) -> None:
    for key in arguments.keywords.get("key", EMPTY):
        call(linker, key, Arguments((all_items(linker, base),)), line)


def _update(linker: Linker, base: Container, arguments: Arguments, line: int) -> None:
    for value in [value for values in (*arguments.positional, arguments.mappings) for value in values]:
        if isinstance(value, Container):
            for key, cell in list(value.items.items()) if value.kind in ("dict", "default") else ():
                linker.put(linker.item(base, key), linker.read(cell))
            linker.put(base.rest, linker.read(value.rest))
    for name, values in arguments.keywords.items():
        linker.put(linker.item(base, f"'{name}"), values)


def _pairs(linker: Linker, base: Container, line: int) -> Container:
    pair = linker.values.container(linker.scope.file, -(line << 10) - 2, "tuple")
    linker.put(linker.item(pair, 1), all_items(linker, base))
    linker.put(linker.item(pair, 0), iterate(linker, base, line))
    view = linker.values.container(linker.scope.file, -(line << 10) - 3, "list")
    linker.put(view.rest, (pair,))
    return view


def property_method(linker: Linker, base: Property, name: str, arguments: Arguments, line: int) -> Values:
    """Call `getter`, `setter` or `deleter` of a property."""
    values = arguments.every()
    if name == "setter":
        linker.put(base.setter, values)
    elif name == "deleter":
        linker.put(base.deleter, values)
    elif name == "getter":
        linker.put(base.getter, values)
    return (base,)


def enter(linker: Linker, manager: Value, line: int) -> Values:
    """Return the values that a `with` statement binds, and record the calls it makes."""
    if isinstance(manager, Generator):
        linker.edge(manager.func.scope, CALL, INFERRED, line)
        return linker.read(manager.items)
    if isinstance(manager, Instance):
        result = EMPTY
        for name in ("__enter__", "__aenter__"):
            result = union(result, special(linker, manager, name, Arguments(), line) or EMPTY)
        for name in ("__exit__", "__aexit__"):
            special(linker, manager, name, Arguments(), line)
        if not result and manager.cls.outside:
            return (manager,)
        return result
    return (manager,) if isinstance(manager, Outside) else EMPTY


def unpack(linker: Linker, values: Values, count: int, star: int, line: int) -> list[Values]:
    """Return the values of each of several targets. `star` is the position of a starred one, or -1."""
    result: list[Values] = [EMPTY] * count
    for value in values:
        if isinstance(value, Container) and value.kind in ("tuple", "list"):
            other = linker.read(value.rest)
            size = 1 + max((key for key in value.items if isinstance(key, int)), default=-1)
            for key, cell in list(value.items.items()):
                if not isinstance(key, int):
                    continue
                place = key
                if star >= 0 and key >= star:
                    place = star if key < size - (count - star - 1) else key - size + count
                if 0 <= place < count:
                    result[place] = union(result[place], linker.read(cell))
            if other:
                result = [union(one, other) for one in result]
        else:
            items = iterate(linker, value, line)
            result = [union(one, items) for one in result]
    return result


_KEPT = frozenset(("lower", "upper", "strip", "title", "capitalize", "replace"))
_PARTING = frozenset(("split", "rsplit", "splitlines", "partition", "rpartition"))
"""Methods of a string that return a similar one, and those that do not return a string."""


def text_method(linker: Linker, base: Text | Pattern, name: str, arguments: Arguments, line: int) -> Values:
    """Call a method of a string. Formatting converts its arguments to text."""
    if name == "format":
        as_text(linker, arguments.every(), line)
        start, mark, rest = base.text.partition("{") if isinstance(base, Text) else ("", "", "")
        return (linker.values.pattern(start, rest.partition("}")[2]) if mark else linker.values.text(""),)
    if name == "join":
        iterated(linker, arguments.every(), line)
    return (base,) if name in _KEPT else EMPTY if name in _PARTING else (linker.values.text(""),)


def as_text(linker: Linker, values: Values, line: int) -> None:
    """Record the calls that conversion to text makes."""
    for value in values:
        if all(special(linker, value, name, NO_ARGUMENTS, line) is None for name in ("__format__", "__str__")):
            special(linker, value, "__repr__", NO_ARGUMENTS, line)
