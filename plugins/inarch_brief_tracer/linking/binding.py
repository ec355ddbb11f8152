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
    scope = func.scope
    names = scope.facts.parameters
    positional = names.positional
    count = len(positional)
    own = scope.names
    position = -1
    for values in arguments.positional:
        position += 1
        if not values:
            continue
        if position < count:
            # What a method is called on is known from its class.
            if position == 0 and scope.cls is not None:
                continue
            name = positional[position]
            cell = own.get(name)
            if cell is None:
                cell = own[name] = Cell()
            linker.put(cell, values)
        elif names.rest:
            linker.put(linker.item(linker.own_container(func, "tuple"), position - count), values)
    if arguments.rest:
        _bind_rest(linker, func, arguments)
    for name, values in arguments.keywords.items():
        if name in positional or name in names.keyword:
            linker.put(own_cell(scope, name), values)
        elif names.keywords and values:
            linker.put(linker.item(linker.own_container(func, "dict"), f"'{name}"), values)
    for mapping in arguments.mappings:
        if isinstance(mapping, Container):
            _bind_mapping(linker, func, mapping)


def _bind_rest(linker: Linker, func: Func, arguments: Arguments) -> None:
    """Bind what `*items` of a call may fill."""
    names = func.scope.facts.parameters
    at = len(arguments.positional)
    for value in arguments.rest:
        if not isinstance(value, Container):
            continue
        for index, cell in list(value.items.items()):
            if isinstance(index, int) and index >= 0:
                if at + index < len(names.positional):
                    linker.put(own_cell(func.scope, names.positional[at + index]), linker.read(cell))
                elif names.rest:
                    place = at + index - len(names.positional)
                    linker.put(linker.item(linker.own_container(func, "tuple"), place), linker.read(cell))
        other = linker.read(value.rest)
        for name in names.positional[at:] if other else ():
            linker.put(own_cell(func.scope, name), other)
        if names.rest and other:
            linker.put(linker.own_container(func, "tuple").rest, other)


def _bind_mapping(linker: Linker, func: Func, mapping: Container) -> None:
    names = func.scope.facts.parameters
    for key, cell in list(mapping.items.items()):
        name = key[1:] if isinstance(key, str) else ""
        if name in names.positional or name in names.keyword:
            linker.put(own_cell(func.scope, name), linker.read(cell))
        elif names.keywords:
            linker.put(linker.item(linker.own_container(func, "dict"), key), linker.read(cell))
    other = linker.read(mapping.rest)
    if names.keywords and other:
        linker.put(linker.own_container(func, "dict").rest, other)
