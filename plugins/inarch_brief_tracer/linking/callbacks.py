"""Functions that are handed to outside code, and when it may call them."""

from __future__ import annotations

from inarch_brief_tracer.linking.arguments import NO_ARGUMENTS, Arguments
from inarch_brief_tracer.linking.binding import call_function
from inarch_brief_tracer.linking.budget import CALLBACK, INFERRED
from inarch_brief_tracer.linking.members import descendants, lookup
from inarch_brief_tracer.linking.state import EMPTY, Linker, union
from inarch_brief_tracer.linking.values import (
    Bound,
    Cls,
    Container,
    Func,
    Instance,
    Outside,
    Partial,
    Value,
    Values,
)


def call_back_receiver(linker: Linker, callee: Outside, line: int) -> None:
    """Note that calling a method that a class has from outside may call what the class overrides."""
    receiver = callee.receiver
    if "callbacks" in linker.on and isinstance(receiver, Instance):
        name = callee.name.rpartition(".")[2]
        if not name.startswith("__") or name in ("__init__", "__call__"):
            key = (linker.scope.id, receiver.cls)
            linker.hooks[key] = min(line, linker.hooks.get(key, line))


def keep_handed(linker: Linker, cls: Cls, arguments: Arguments) -> None:
    """Remember functions that are handed to what a class has from outside."""
    if "callbacks" in linker.on and cls.scope.id >= linker.base:
        for value in arguments.every():
            if type(value) in _CALLABLE:
                linker.put(cls.handed, (value,))
            elif type(value) is Container:
                for cell in (value.rest, *list(value.items.values())[:MAX_HANDED]):
                    linker.put(cls.handed, tuple([item for item in linker.read(cell) if type(item) in _CALLABLE]))


def call_handed(linker: Linker, receiver: Instance, line: int) -> None:
    """Note that what an instance has from outside may call the functions it was given."""
    if "callbacks" not in linker.on:
        return
    below = tuple(descendants(receiver.cls)) if receiver.open else ()
    for cls in (*receiver.cls.ancestry, *below):
        for value in linker.read(cls.handed)[:MAX_HANDED]:
            call_back(linker, value, NO_ARGUMENTS, line)


def hand_over(linker: Linker, arguments: Arguments, line: int) -> None:
    """Functions handed to outside code are called back from where they are handed over."""
    if "callbacks" not in linker.on:
        return
    for value in arguments.every():
        kind = type(value)
        if kind is Func:
            linker.edge(value.scope, CALLBACK, INFERRED, line)  # type: ignore[attr-defined]
        elif kind is Bound:
            linker.edge(value.func.scope, CALLBACK, INFERRED, line)  # type: ignore[attr-defined]
        elif kind is Instance:
            for name in ("__call__", "__enter__", "__exit__"):
                for cell in lookup(linker, value.cls, name, False).in_class:  # type: ignore[attr-defined]
                    for func in linker.read(cell):
                        if isinstance(func, Func):
                            linker.edge(func.scope, CALLBACK, INFERRED, line)
        elif kind is Container or kind is Partial:
            call_back(linker, value, NO_ARGUMENTS, line)


_CALLABLE = frozenset((Func, Bound, Partial))


MAX_HANDED = 16


"""Items of a container that are looked at when it is handed over."""


def call_back(linker: Linker, value: Value, arguments: Arguments, line: int, depth: int = 0) -> Values:
    """Note that outside code may call a value, and give what it would get."""
    kind = type(value)
    if kind is Func:
        return call_function(linker, value, arguments, CALLBACK, INFERRED, line)  # type: ignore[arg-type]
    if kind is Bound:
        func, receiver = value.func, value.receiver  # type: ignore[attr-defined]
        return call_function(linker, func, arguments.after((receiver,)), CALLBACK, INFERRED, line)
    if kind is Partial:
        result: Values = ()
        for func in linker.read(value.func):  # type: ignore[attr-defined]
            if depth < 4:
                result = union(result, call_back(linker, func, arguments, line, depth + 1))
        return result
    if kind is Container and depth == 0:
        # Functions in a list or mapping that is handed over; what is deeper is data.
        linker.read(value.rest)  # type: ignore[attr-defined]
        for cell in (value.rest, *list(value.items.values())[:MAX_HANDED]):  # type: ignore[attr-defined]
            for item in linker.read(cell):
                if type(item) in _CALLABLE:
                    call_back(linker, item, NO_ARGUMENTS, line, 1)
    return EMPTY
