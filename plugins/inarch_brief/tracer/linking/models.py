"""Models of builtins and the standard library: their effects on functions and objects, in one table by name."""

from __future__ import annotations

from inarch_brief.tracer.linking.attributes import attribute, attributes_matching, special
from inarch_brief.tracer.linking.call_edges import call
from inarch_brief.tracer.linking.containers import as_text, iterated
from inarch_brief.tracer.linking.linker import CALLBACK, EMPTY, Linker, Model, union
from inarch_brief.tracer.linking.names import module_value
from inarch_brief.tracer.linking.values import (
    NO_ARGUMENTS,
    STATIC,
    Above,
    Arguments,
    Cls,
    Container,
    Func,
    Instance,
    Partial,
    Pattern,
    Property,
    Scope,
    Text,
    Values,
)


def argument(arguments: Arguments, place: int, name: str = "") -> Values:
    """Return an argument by its position or its name."""
    if place < len(arguments.positional):
        return arguments.positional[place]
    return arguments.keywords.get(name, EMPTY)


def _all(linker: Linker, functions: Values, given: Arguments, line: int) -> Values:
    """Call functions, and return all their results."""
    result: Values = ()
    for func in functions:
        result = union(result, call(linker, func, given, line))
    return result


def _list(linker: Linker, values: Values, line: int, mark: int, kind: str = "list") -> Values:
    """Return a list with some values as items; `mark` distinguishes containers of one line."""
    made = linker.values.container(linker.scope.file, -(line << 10) - mark, kind)
    linker.put(made.rest, values)
    return (made,)


def _given(linker: Linker, arguments: Arguments, line: int) -> Values:
    """Model a function that returns its argument or a copy of it."""
    return argument(arguments, 0)


def _second(linker: Linker, arguments: Arguments, line: int) -> Values:
    """Model `typing.cast`."""
    return argument(arguments, 1)


def _nothing(linker: Linker, arguments: Arguments, line: int) -> Values:
    return EMPTY


def _collects(kind: str) -> Model:
    """Model a constructor of a container from the items of its argument."""

    def model(linker: Linker, arguments: Arguments, line: int) -> Values:
        given = argument(arguments, 0, "iterable")
        if len(given) == 1 and isinstance(given[0], Container) and given[0].kind == kind:
            return given
        keys = arguments.keywords.get("key", EMPTY)
        items = iterated(linker, given, line)
        _all(linker, keys, Arguments((items,)), line)
        return _list(linker, items, line, 7, kind)

    return model


def _dict(linker: Linker, arguments: Arguments, line: int) -> Values:
    made = linker.values.container(linker.scope.file, -(line << 10) - 8, "dict")
    linker.methods["Container"](linker, made, "update", arguments, line)
    return (made,)


def _default_dict(linker: Linker, arguments: Arguments, line: int) -> Values:
    made = linker.values.container(linker.scope.file, -(line << 10) - 9, "default")
    for factory in argument(arguments, 0):
        linker.put(made.rest, call(linker, factory, NO_ARGUMENTS, line, CALLBACK))
    return (made,)


def _map(linker: Linker, arguments: Arguments, line: int) -> Values:
    given = [iterated(linker, values, line) for values in arguments.positional[1:]]
    return _list(linker, _all(linker, argument(arguments, 0), Arguments(given), line), line, 10)


def _choose(linker: Linker, arguments: Arguments, line: int) -> Values:
    several = len(arguments.positional) > 1
    items = arguments.every() if several else iterated(linker, argument(arguments, 0), line)
    _all(linker, arguments.keywords.get("key", EMPTY), Arguments((items,)), line)
    return union(items, arguments.keywords.get("default", EMPTY))


def _next(linker: Linker, arguments: Arguments, line: int) -> Values:
    return union(iterated(linker, argument(arguments, 0), line), argument(arguments, 1))


def _iter(linker: Linker, arguments: Arguments, line: int) -> Values:
    if len(arguments.positional) > 1:
        return _list(linker, _all(linker, arguments.positional[0], NO_ARGUMENTS, line), line, 12)
    result: Values = ()
    for value in argument(arguments, 0):
        found = special(linker, value, "__iter__", NO_ARGUMENTS, line)
        result = union(result, found if found is not None else (value,))
    return result


def _enumerate(linker: Linker, arguments: Arguments, line: int) -> Values:
    pair = linker.values.container(linker.scope.file, -(line << 10) - 13, "tuple")
    linker.put(linker.item(pair, 1), iterated(linker, argument(arguments, 0), line))
    return _list(linker, (pair,), line, 14)


def _zip(linker: Linker, arguments: Arguments, line: int) -> Values:
    row = linker.values.container(linker.scope.file, -(line << 10) - 15, "tuple")
    for place, values in enumerate(arguments.positional):
        linker.put(linker.item(row, place), iterated(linker, values, line))
    return _list(linker, (row,), line, 16)


def _super(linker: Linker, arguments: Arguments, line: int) -> Values:
    if arguments.positional:
        classes = [value for value in arguments.positional[0] if isinstance(value, Cls)]
        return tuple(
            [
                linker.values.once(Above, cls, receiver)
                for cls in classes
                for receiver in argument(arguments, 1) or (cls.open,)
            ]
        )
    scope: Scope | None = linker.scope
    while scope is not None and scope.cls is None:
        scope = scope.outer
    if scope is None or scope.cls is None or scope.function is None:
        return EMPTY
    names = scope.facts.parameters.positional
    receivers = linker.read(scope.names[names[0]]) if names and names[0] in scope.names else EMPTY
    return tuple([linker.values.once(Above, scope.cls, receiver) for receiver in receivers or (scope.cls.open,)])


def _calls(*names: str) -> Model:
    """Model a builtin that calls the first special method its argument has."""

    def model(linker: Linker, arguments: Arguments, line: int) -> Values:
        result: Values = ()
        for value in argument(arguments, 0):
            for name in names:
                found = special(linker, value, name, Arguments(arguments.positional[1:]), line)
                if found is not None:
                    result = union(result, found)
                    break
        return result

    return model


def _text(linker: Linker, arguments: Arguments, line: int) -> Values:
    as_text(linker, arguments.every(), line)
    return (linker.values.text(""),)


def _getattr(linker: Linker, arguments: Arguments, line: int) -> Values:
    result = argument(arguments, 2)
    for name in argument(arguments, 1):
        for base in argument(arguments, 0):
            if isinstance(name, Text) and name.text.isidentifier():
                result = union(result, attribute(linker, base, name.text, line))
            elif isinstance(name, Pattern):
                result = union(result, attributes_matching(linker, base, name, line))
    return result


def _type(linker: Linker, arguments: Arguments, line: int) -> Values:
    given = arguments.positional[0] if len(arguments.positional) == 1 else EMPTY
    return tuple([value.cls.open_class if value.open else value.cls for value in given if isinstance(value, Instance)])


def _property(linker: Linker, arguments: Arguments, line: int) -> Values:
    made = linker.values.made(linker.unit, 1, Property)
    linker.put(made.getter, argument(arguments, 0, "fget"))
    linker.put(made.setter, argument(arguments, 1, "fset"))
    return (made,)


def _partial(linker: Linker, arguments: Arguments, line: int) -> Values:
    made = linker.values.made(linker.unit, 2, Partial)
    made.given = Arguments(arguments.positional[1:], arguments.keywords, arguments.rest, arguments.mappings)
    linker.put(made.func, argument(arguments, 0))
    return (made,)


def _context(linker: Linker, arguments: Arguments, line: int) -> Values:
    for value in argument(arguments, 0):
        if isinstance(value, Func):
            value.context = True
    return argument(arguments, 0)


def _static(linker: Linker, arguments: Arguments, line: int) -> Values:
    for value in argument(arguments, 0):
        if isinstance(value, Func) and value.scope.cls is None:
            value.binding = STATIC
    return argument(arguments, 0)


def _import_module(linker: Linker, arguments: Arguments, line: int) -> Values:
    names = [name.text for name in argument(arguments, 0) if isinstance(name, Text)]
    found = [module_value(linker, linker.scope.file, name) for name in names]
    return tuple([module for module in found if module is not None])


def _builtins(model: Model, *names: str) -> dict[str, Model]:
    return {f"<builtin>.{name}": model for name in names}


_GIVEN_BACK = (
    *("<identity>", "<builtin>.classmethod", "abc.abstractmethod", "copy.copy", "copy.deepcopy", "dataclasses.replace"),
    *("contextlib.closing", "contextlib.nullcontext", "functools.cache", "functools.singledispatch"),
    *("functools.update_wrapper", "inspect.unwrap", "typing.overload", "typing.final", "weakref.proxy"),
)
_SPECIAL = ("repr", "len", "float", "bytes", "abs", "round", "divmod", "pow", "dir", "hash")
"""Builtins that call the special method of their own name."""
MODELS: dict[str, Model] = {
    **dict.fromkeys(_GIVEN_BACK, _given),
    **{f"<builtin>.{name}": _calls(f"__{name}__") for name in _SPECIAL},
    **_builtins(_nothing, "isinstance", "issubclass", "hasattr", "callable"),
    **_builtins(_collects("list"), "list", "reversed"),
    **_builtins(_collects("set"), "set", "frozenset"),
    **_builtins(_choose, "sum", "any", "all", "min", "max"),
    **_builtins(_text, "str", "format", "print"),
    **_builtins(_getattr, "getattr", "object.__getattribute__"),
    **dict.fromkeys(("collections.deque", "itertools.islice", "itertools.cycle"), _collects("list")),
    **dict.fromkeys(("<builtin>.dict", "collections.OrderedDict", "collections.ChainMap"), _dict),
    **dict.fromkeys(("<builtin>.next", "<builtin>.anext"), _next),
    **dict.fromkeys(("<builtin>.iter", "<builtin>.aiter"), _iter),
    **dict.fromkeys(("<builtin>.property", "functools.cached_property"), _property),
    **dict.fromkeys(("functools.partial", "functools.partialmethod"), _partial),
    **dict.fromkeys(("contextlib.contextmanager", "contextlib.asynccontextmanager"), _context),
    **dict.fromkeys(("<builtin>.__import__", "importlib.import_module"), _import_module),
    "<builtin>.tuple": _collects("tuple"),
    "<builtin>.sorted": _collects("sorted"),
    **_builtins(_map, "map", "filter"),
    "<builtin>.enumerate": _enumerate,
    "<builtin>.zip": _zip,
    "<builtin>.super": _super,
    "<builtin>.type": _type,
    "<builtin>.ascii": _calls("__repr__"),
    "<builtin>.bool": _calls("__bool__", "__len__"),
    "<builtin>.int": _calls("__int__", "__index__"),
    "<builtin>.staticmethod": _static,
    "collections.defaultdict": _default_dict,
    "typing.cast": _second,
}
"""The models by outside name. A call of any other name returns that name, and calls back functions passed to it."""
