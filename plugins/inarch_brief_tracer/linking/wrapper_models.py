"""Models of what wraps, stores or runs functions: decorators, partials, threads, exit stacks."""

from __future__ import annotations

from inarch_brief_tracer.linking.attributes import special
from inarch_brief_tracer.linking.callbacks import call_back, hand_over
from inarch_brief_tracer.linking.cells import NO_ARGUMENTS, Arguments, Values
from inarch_brief_tracer.linking.containers import all_items, enter
from inarch_brief_tracer.linking.iteration_models import argument
from inarch_brief_tracer.linking.linker import EMPTY, Linker, Model, union
from inarch_brief_tracer.linking.names import dotted_value, module_value
from inarch_brief_tracer.linking.values import (
    STATIC,
    Bound,
    Cls,
    Container,
    Func,
    Generator,
    Instance,
    Partial,
    Property,
    Text,
)


def _passes(place: int) -> Model:
    """Model something that gives an argument back, or makes a copy of it."""

    def model(linker: Linker, arguments: Arguments, line: int) -> Values:
        return argument(arguments, place)

    return model


def _property(linker: Linker, arguments: Arguments, line: int) -> Values:
    made = linker.made(1, Property)
    assert isinstance(made, Property)
    linker.put(made.getter, argument(arguments, 0, "fget"))
    linker.put(made.setter, argument(arguments, 1, "fset"))
    linker.put(made.deleter, argument(arguments, 2, "fdel"))
    return (made,)


def _partial(linker: Linker, arguments: Arguments, line: int) -> Values:
    made = linker.made(2, Partial)
    assert isinstance(made, Partial)
    made.given = Arguments(arguments.positional[1:], arguments.keywords, arguments.rest, arguments.mappings)
    linker.put(made.func, argument(arguments, 0))
    return (made,)


def _wraps(linker: Linker, arguments: Arguments, line: int) -> Values:
    return (linker.outside("<identity>"),)


def _context(linker: Linker, arguments: Arguments, line: int) -> Values:
    for value in argument(arguments, 0):
        if isinstance(value, Func):
            value.context = True
    return argument(arguments, 0)


def _decorator_or_factory(linker: Linker, arguments: Arguments, line: int) -> Values:
    """Model `lru_cache` and its like: applied to a function, or called to get what is applied."""
    functions = tuple([value for value in argument(arguments, 0) if not isinstance(value, Text | Instance)])
    return functions or (linker.outside("<identity>"),)


def _static(linker: Linker, arguments: Arguments, line: int) -> Values:
    for value in argument(arguments, 0):
        if isinstance(value, Func) and value.scope.cls is None:
            value.binding = STATIC
    return argument(arguments, 0)


def _import_module(linker: Linker, arguments: Arguments, line: int) -> Values:
    result: Values = ()
    for name in argument(arguments, 0):
        if isinstance(name, Text):
            found = module_value(linker, linker.scope.file, name.text)
            result = union(result, (found,) if found else (linker.outside(name.text),))
    return result


def _import_string(linker: Linker, arguments: Arguments, line: int) -> Values:
    result: Values = ()
    for name in argument(arguments, 0):
        if isinstance(name, Text):
            result = union(result, dotted_value(linker, name.text))
    return result


def _cast(linker: Linker, arguments: Arguments, line: int) -> Values:
    kinds = argument(arguments, 0)
    found = tuple([value.open for value in kinds if isinstance(value, Cls)])
    return union(found, argument(arguments, 1))


def _awaited(linker: Linker, arguments: Arguments, line: int) -> Values:
    hand_over(linker, arguments, line, "asyncio.run")
    result: Values = ()
    for value in arguments.every():
        if isinstance(value, Generator | Instance):
            result = union(result, (value,))
    return result


def _sub(linker: Linker, arguments: Arguments, line: int) -> Values:
    hand_over(linker, arguments, line, "re.sub")
    return (linker.text(""),)


def _field(linker: Linker, arguments: Arguments, line: int) -> Values:
    cls = linker.scope.cls
    factories = arguments.keywords.get("default_factory", EMPTY) + arguments.keywords.get("factory", EMPTY)
    if cls is not None:
        linker.put(cls.factories, factories)
    result = arguments.keywords.get("default", EMPTY)
    for factory in factories:
        if isinstance(factory, Cls):
            result = union(result, (factory.exact,))
        elif isinstance(factory, Func):
            result = union(result, linker.read(factory.returns))
    return result


def _stacked(linker: Linker, arguments: Arguments, line: int) -> Values:
    linker.put(linker.stacked, tuple([value for value in arguments.every() if isinstance(value, Func | Bound)]))
    return argument(arguments, 0)


def _entered(linker: Linker, arguments: Arguments, line: int) -> Values:
    result: Values = ()
    for value in argument(arguments, 0):
        result = union(result, enter(linker, value, line))
    return result


def _unstacked(linker: Linker, arguments: Arguments, line: int) -> Values:
    for value in linker.read(linker.stacked):
        call_back(linker, value, NO_ARGUMENTS, line)
    return EMPTY


def _copied(name: str) -> Model:
    """Model a copy, which a class may have its own way of making."""

    def model(linker: Linker, arguments: Arguments, line: int) -> Values:
        for value in argument(arguments, 0):
            special(linker, value, name, NO_ARGUMENTS, line)
            if isinstance(value, Container) and name == "__deepcopy__":
                for item in all_items(linker, value):
                    special(linker, item, name, NO_ARGUMENTS, line)
        return argument(arguments, 0)

    return model
