"""Functions that are handed to outside code, and when it may call them."""

from __future__ import annotations

from inarch_brief_tracer.linking.abstract_methods import READING, calls_of
from inarch_brief_tracer.linking.binding import call_all
from inarch_brief_tracer.linking.budget import CALLBACK, INFERRED, NAME
from inarch_brief_tracer.linking.callback_names import (
    is_callback,
    is_caller,
    is_entering,
    is_keeping,
    is_registrar,
    never_calls,
)
from inarch_brief_tracer.linking.cells import NO_ARGUMENTS, Arguments, Value, Values
from inarch_brief_tracer.linking.linker import EMPTY, Linker, union
from inarch_brief_tracer.linking.members import descendants, lookup
from inarch_brief_tracer.linking.names import dotted_value
from inarch_brief_tracer.linking.values import (
    Bound,
    Cls,
    Container,
    Func,
    Guess,
    Instance,
    OpenClass,
    Outside,
    Partial,
    Text,
)


def call_back_receiver(linker: Linker, callee: Outside, line: int) -> None:
    """Note that calling a method that a class has from outside may call what the class overrides."""
    receiver = callee.receiver
    if "callbacks" in linker.on and isinstance(receiver, Instance):
        name = callee.name.rpartition(".")[2]
        if not name.startswith("__") or name in ("__init__", "__call__"):
            _hook(linker, receiver.cls, line)


def _hook(linker: Linker, cls: Cls, line: int) -> None:
    """Note that outside code has an object of a class: it may call what the class overrides of its outside bases."""
    if any(ancestor.outside for ancestor in cls.ancestry):
        key = (linker.scope.id, cls)
        linker.hooks[key] = min(line, linker.hooks.get(key, line))


def keep_handed(linker: Linker, cls: Cls, arguments: Arguments, name: str = "__init__") -> None:
    """Remember functions that are handed to what a class has from outside: when it is made, or `name` later on."""
    if "callbacks" not in linker.on or cls.scope.id < linker.base:
        return
    cell = cls.handed if name == "__init__" else cls.registered
    for value in arguments.every():
        if type(value) in _CALLABLE or (type(value) is Instance and cell is cls.handed):
            linker.put(cell, (value,))
        elif type(value) is Container:
            for item in (value.rest, *list(value.items.values())[:MAX_HANDED]):
                linker.put(cell, tuple([one for one in linker.read(item) if type(one) in _KEPT]))


def call_handed(linker: Linker, receiver: Instance, line: int, name: str = "") -> None:
    """Note that what an instance has from outside may call the functions it was given.

    Those it was made with may be called by anything; those it was told of later by what sounds like calling them.
    """
    if "callbacks" not in linker.on:
        return
    below = tuple(descendants(receiver.cls)) if receiver.open else ()
    runs = not name or name.startswith("__") or is_caller(name)
    for cls in (*receiver.cls.ancestry, *below):
        for value in linker.read(cls.handed)[:MAX_HANDED]:
            if type(value) is not Instance or name != "__init__":
                call_back(linker, value, line)
        for value in linker.read(cls.registered)[:MAX_HANDED] if runs else ():
            call_back(linker, value, line)


def mixed_in(linker: Linker, base: Instance, outer: str, name: str, line: int) -> Values | None:
    """Call what a method that an abstract container gives a class calls of the class; None if it gives none."""
    called = calls_of(outer, name)
    if not called or "dunders" not in linker.on:
        return None
    result: Values = ()
    for other in called:
        found = lookup(linker, base.cls, other, base.open)
        given = call_all(linker, found.in_class, Arguments(((base,),)), CALLBACK, INFERRED, line)
        if name in READING and other == "__getitem__":
            result = union(result, given)
    return (base,) if name.startswith("__i") else result


def assembled(linker: Linker, callee: Outside, arguments: Arguments, line: int) -> Outside:
    """Give what a class outside makes of functions and objects of the tree: its methods may call those."""
    if "callbacks" not in linker.on or not callee.name.rpartition(".")[2][:1].isupper() or never_calls(callee.name):
        return callee
    parts: list[Value] = []
    for value in arguments.every():
        if type(value) in _KEPT:
            parts.append(value)
        elif type(value) is Container:
            for cell in (value.rest, *list(value.items.values())[:MAX_HANDED]):
                for item in linker.read(cell):
                    parts += [item] if type(item) in _KEPT else _parts(linker, item)
        else:
            parts += _parts(linker, value)
    if not parts:
        return callee
    box = linker.container(-(line << 10) - 900, "parts")
    linker.put(box.rest, tuple(dict.fromkeys(parts)))
    return linker.once(Outside, callee.name, box)


def _parts(linker: Linker, value: Value) -> Values:
    """Give what something that was made outside was made of."""
    made = value.receiver if isinstance(value, Outside) else None
    return linker.read(made.rest) if isinstance(made, Container) else EMPTY


def call_parts(linker: Linker, parts: Container, name: str, line: int) -> None:
    """Note that a method of what was made outside may call the functions it was made of, and its objects' namesake."""
    for value in linker.read(parts.rest)[:MAX_HANDED]:
        if type(value) is Instance:
            _call_special(linker, value, name, line)
        else:
            call_back(linker, value, line, NAME)


def hand_over(linker: Linker, arguments: Arguments, line: int, callee: str = "") -> None:
    """Functions handed to outside code are called back from where they are handed over.

    Args:
        callee: Name of what they are handed to. Methods of builtin types and what only looks at functions call none;
            where nothing says that they are called, they may be: confidence `name`. Instances that can be called are
            where that is known, and those that can be entered where the name says so.
    """
    if arguments is NO_ARGUMENTS or "callbacks" not in linker.on:
        return
    last = callee.rpartition(".")[2]
    if is_keeping(callee):
        for value in arguments.every():
            if isinstance(value, Instance | Cls | OpenClass):
                _hook(linker, value if isinstance(value, Cls) else value.cls, line)
    if never_calls(callee):
        return
    calls, enters = is_caller(last), is_entering(last)
    confidence = INFERRED if calls or is_registrar(last) else NAME
    for values in (*arguments.positional, arguments.rest, arguments.mappings):
        for value in values:
            _hand(linker, value, line, confidence, calls, enters)
    for name, values in arguments.keywords.items():
        known = is_callback(name)
        for value in values:
            _hand(linker, value, line, INFERRED if known else confidence, known or calls, enters)


def _hand(linker: Linker, value: Value, line: int, confidence: int, calls: bool, enters: bool) -> None:
    kind = type(value)
    if kind is Text and ":" in value.text:  # type: ignore[attr-defined]
        for named in dotted_value(linker, value.text):  # type: ignore[attr-defined]
            if not isinstance(named, Text):
                _hand(linker, named, line, confidence, calls, enters)
    elif kind is Instance:
        for name in (*(("__call__",) if calls else ()), *(("__enter__", "__exit__") if enters else ())):
            _call_special(linker, value, name, line)  # type: ignore[arg-type]
    else:
        call_back(linker, value, line, confidence)


def _call_special(linker: Linker, value: Instance, name: str, line: int) -> None:
    for cell in lookup(linker, value.cls, name, False).in_class:
        for func in linker.read(cell):
            if isinstance(func, Func):
                linker.edge(func.scope, CALLBACK, INFERRED, line)


_CALLABLE = frozenset((Func, Bound, Partial, Guess))
_KEPT = _CALLABLE | {Instance}


MAX_HANDED = 16
"""Items of a container that are looked at when it is handed over."""


def call_back(linker: Linker, value: Value, line: int, confidence: int = INFERRED, depth: int = 0) -> None:
    """Note that outside code may call a value."""
    if type(value) is Guess:
        value, confidence = value.value, NAME
    kind = type(value)
    if kind is Func:
        linker.edge(value.scope, CALLBACK, confidence, line)  # type: ignore[attr-defined]
    elif kind is Bound:
        linker.edge(value.func.scope, CALLBACK, confidence, line)  # type: ignore[attr-defined]
    elif kind is Instance:
        _call_special(linker, value, "__call__", line)  # type: ignore[arg-type]
    elif kind is Partial and depth < MAX_DEPTH:
        for func in linker.read(value.func):  # type: ignore[attr-defined]
            call_back(linker, func, line, confidence, depth + 1)
    elif kind is Container and depth == 0:
        # Functions in a list or mapping that is handed over; what is deeper is data.
        for cell in (value.rest, *list(value.items.values())[:MAX_HANDED]):  # type: ignore[attr-defined]
            for item in linker.read(cell):
                if type(item) in _CALLABLE:
                    call_back(linker, item, line, confidence, 1)


MAX_DEPTH = 5
"""Partials within one another that are looked through, with what is in them."""
