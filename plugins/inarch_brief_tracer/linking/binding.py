"""Binding a function's parameters from the arguments of a call, and what the call returns."""

from __future__ import annotations

from collections.abc import Iterable

from inarch_brief_tracer.linking.cells import NO_ARGUMENTS, Arguments, Cell, Values
from inarch_brief_tracer.linking.linker import EMPTY, Linker, union
from inarch_brief_tracer.linking.names import own_cell
from inarch_brief_tracer.linking.values import Cls, Container, Func, Generator, OpenClass


def call_function(linker: Linker, func: Func, arguments: Arguments, kind: int, confidence: int, line: int) -> Values:
    """Note a call of a function, bind its parameters, and give what it returns."""
    linker.edge(func.scope, kind, confidence, line)
    if arguments is not NO_ARGUMENTS:
        bind_parameters(linker, func, arguments)
    return returned(linker, func, arguments)


def call_all(
    linker: Linker, cells: Iterable[Cell], arguments: Arguments, kind: int, confidence: int, line: int
) -> Values:
    """Call all functions that some cells hold, and give what they return."""
    result: Values = ()
    for cell in cells:
        for value in linker.read(cell):
            if isinstance(value, Func):
                result = union(result, call_function(linker, value, arguments, kind, confidence, line))
    return result


def returned(linker: Linker, func: Func, arguments: Arguments) -> Values:
    """Give what a call of a function returns."""
    if func.generator:
        return (generator(func),)
    result = linker.read(func.returns)
    for position in func.passed:
        if position < 0:
            receiver = arguments.positional[0] if arguments.positional else EMPTY
            made = [
                value.cls.open if isinstance(value, OpenClass) else value.exact
                for value in receiver
                if isinstance(value, Cls | OpenClass)
            ]
            result = union(result, tuple(made))
            continue
        names = func.scope.facts.parameters
        if position < len(arguments.positional):
            result = union(result, arguments.positional[position])
        elif names.positional[position] in arguments.keywords:
            result = union(result, arguments.keywords[names.positional[position]])
        else:
            result = union(result, linker.read(own_cell(func.scope, names.positional[position])))
    return result


def generator(func: Func) -> Generator:
    """Give what calling a generator function gives."""
    if func.yields is None:
        func.yields = Generator(func)
    return func.yields


def bind_parameters(linker: Linker, func: Func, arguments: Arguments) -> None:
    """Put the arguments of a call into the function's parameters."""
    names = func.scope.facts.parameters
    for place, values in enumerate(arguments.positional):
        if values:
            _bind(linker, func, place, values)
    for name, values in arguments.keywords.items():
        _bind(linker, func, name, values)
    at = len(arguments.positional)
    for value in arguments.rest:
        if isinstance(value, Container):
            for index, cell in list(value.items.items()):
                if isinstance(index, int) and index >= 0:
                    _bind(linker, func, at + index, linker.read(cell))
            other = linker.read(value.rest)
            for place in range(at, len(names.positional)) if other else ():
                _bind(linker, func, place, other)
            if names.rest:
                linker.put(linker.own_container(func, "tuple").rest, other)
    for mapping in arguments.mappings:
        if isinstance(mapping, Container):
            for key, cell in list(mapping.items.items()):
                if isinstance(key, str):
                    _bind(linker, func, key[1:], linker.read(cell))
            if names.keywords:
                linker.put(linker.own_container(func, "dict").rest, linker.read(mapping.rest))


def _bind(linker: Linker, func: Func, key: int | str, values: Values) -> None:
    """Put values into the parameter at a place or of a name, else into that of `*` or `**`."""
    scope = func.scope
    names = scope.facts.parameters
    if isinstance(key, int):
        if key >= len(names.positional):
            if names.rest:
                linker.put(linker.item(linker.own_container(func, "tuple"), key - len(names.positional)), values)
        elif key or scope.cls is None:  # what a method is called on is known from its class
            linker.put(own_cell(scope, names.positional[key]), values)
    elif key in names.positional or key in names.keyword:
        linker.put(own_cell(scope, key), values)
    elif names.keywords:
        linker.put(linker.item(linker.own_container(func, "dict"), f"'{key}"), values)
