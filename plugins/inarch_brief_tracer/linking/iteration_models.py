"""Models of builtins that go over items: lists, mappings, `map`, `sorted`, `zip` and the like."""

from __future__ import annotations

from inarch_brief_tracer.linking.attributes import special
from inarch_brief_tracer.linking.budget import CALLBACK
from inarch_brief_tracer.linking.calls import call
from inarch_brief_tracer.linking.cells import Arguments, Values
from inarch_brief_tracer.linking.containers import all_items, dunder_call, iterate, iterated
from inarch_brief_tracer.linking.hashing import hashed
from inarch_brief_tracer.linking.linker import EMPTY, Linker, Model, union
from inarch_brief_tracer.linking.values import Container, Func


def argument(arguments: Arguments, place: int, name: str = "") -> Values:
    """Give an argument by its place or its name."""
    if place < len(arguments.positional):
        return arguments.positional[place]
    return arguments.keywords.get(name, EMPTY)


def list_of(linker: Linker, values: Values, line: int, mark: int, kind: str = "list") -> Values:
    """Give a list with some values as items."""
    made = linker.container(-(line << 10) - mark, kind)
    linker.put(made.rest, values)
    return (made,)


def _collects(kind: str) -> Model:
    """Model what makes a container of the items of its argument."""

    def model(linker: Linker, arguments: Arguments, line: int) -> Values:
        given = argument(arguments, 0, "iterable")
        if len(given) == 1 and isinstance(given[0], Container) and given[0].kind == kind:
            return given
        keys = arguments.keywords.get("key", EMPTY)
        items = iterated(linker, given, line)
        for key in keys:
            call(linker, key, Arguments((items,)), line)
        if kind == "set":
            hashed(linker, items, line)
        if kind == "sorted" and not keys:
            dunder_call(linker, items, "__lt__", Arguments((items,)), line)
        return list_of(linker, items, line, 7, kind)

    return model


def _dict(linker: Linker, arguments: Arguments, line: int) -> Values:
    made = linker.container(-(line << 10) - 8, "dict")
    linker.methods["Container"](linker, made, "update", arguments, line)
    for mapping in arguments.mappings:
        if isinstance(mapping, Container):
            linker.put(made.rest, all_items(linker, mapping))
    return (made,)


def _default_dict(linker: Linker, arguments: Arguments, line: int) -> Values:
    made = linker.container(-(line << 10) - 9, "default")
    for factory in argument(arguments, 0):
        linker.put(made.rest, call(linker, factory, Arguments(), line, CALLBACK))
    return (made,)


def _map(linker: Linker, arguments: Arguments, line: int) -> Values:
    given = [iterated(linker, values, line) for values in arguments.positional[1:]]
    result: Values = ()
    for func in argument(arguments, 0):
        result = union(result, call(linker, func, Arguments(given), line))
    # The other way round is wrong, and is seen all the same.
    for values in arguments.positional[1:]:
        for func in values:
            if isinstance(func, Func):
                items = iterated(linker, argument(arguments, 0), line)
                result = union(result, call(linker, func, Arguments((items,)), line))
    return list_of(linker, result, line, 10)


def _filter(linker: Linker, arguments: Arguments, line: int) -> Values:
    items = iterated(linker, argument(arguments, 1), line)
    for func in argument(arguments, 0):
        call(linker, func, Arguments((items,)), line)
    return list_of(linker, items, line, 11)


def _reduce(linker: Linker, arguments: Arguments, line: int) -> Values:
    items = iterated(linker, argument(arguments, 1), line)
    result = union(argument(arguments, 2), items)
    for func in argument(arguments, 0):
        result = union(result, call(linker, func, Arguments((result, items)), line))
    return result


def _choose(linker: Linker, arguments: Arguments, line: int) -> Values:
    several = len(arguments.positional) > 1
    items = arguments.every() if several else iterated(linker, argument(arguments, 0), line)
    for key in arguments.keywords.get("key", EMPTY):
        call(linker, key, Arguments((items,)), line)
    return union(items, arguments.keywords.get("default", EMPTY))


def _next(linker: Linker, arguments: Arguments, line: int) -> Values:
    result = argument(arguments, 1)
    for value in argument(arguments, 0):
        found = special(linker, value, "__next__", Arguments(), line)
        result = union(result, found if found is not None else iterate(linker, value, line))
    return result


def _iter(linker: Linker, arguments: Arguments, line: int) -> Values:
    if len(arguments.positional) > 1:
        result: Values = ()
        for func in arguments.positional[0]:
            result = union(result, call(linker, func, Arguments(), line))
        return list_of(linker, result, line, 12)
    result = ()
    for value in argument(arguments, 0):
        found = special(linker, value, "__iter__", Arguments(), line)
        result = union(result, found if found is not None else (value,))
    return result


def _enumerate(linker: Linker, arguments: Arguments, line: int) -> Values:
    pair = linker.container(-(line << 10) - 13, "tuple")
    linker.put(linker.item(pair, 1), iterated(linker, argument(arguments, 0), line))
    return list_of(linker, (pair,), line, 14)


def _zip(linker: Linker, arguments: Arguments, line: int) -> Values:
    row = linker.container(-(line << 10) - 15, "tuple")
    for place, values in enumerate(arguments.positional):
        linker.put(linker.item(row, place), iterated(linker, values, line))
    return list_of(linker, (row,), line, 16)


def _chain(linker: Linker, arguments: Arguments, line: int) -> Values:
    return list_of(linker, iterated(linker, arguments.every(), line), line, 17)


ITERATION_MODELS: dict[str, Model] = {
    **dict.fromkeys(("<builtin>.list", "<builtin>.reversed", "collections.deque"), _collects("list")),
    **dict.fromkeys(("itertools.islice", "itertools.cycle"), _collects("list")),
    **dict.fromkeys(("<builtin>.set", "<builtin>.frozenset"), _collects("set")),
    **dict.fromkeys([f"<builtin>.{name}" for name in ("sum", "any", "all", "min", "max")], _choose),
    **dict.fromkeys(("<builtin>.dict", "collections.OrderedDict", "collections.ChainMap"), _dict),
    **dict.fromkeys(("<builtin>.next", "<builtin>.anext"), _next),
    **dict.fromkeys(("<builtin>.iter", "<builtin>.aiter"), _iter),
    **dict.fromkeys(("itertools.chain", "itertools.chain.from_iterable"), _chain),
    "<builtin>.tuple": _collects("tuple"),
    "<builtin>.sorted": _collects("sorted"),
    "<builtin>.map": _map,
    "<builtin>.filter": _filter,
    "<builtin>.enumerate": _enumerate,
    "<builtin>.zip": _zip,
    "functools.reduce": _reduce,
    "collections.defaultdict": _default_dict,
}
"""Of builtins and names of the standard library that go over items."""
