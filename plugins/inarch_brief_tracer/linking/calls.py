"""Calling values: edges, parameters bound from arguments, and what comes back."""

from __future__ import annotations

from inarch_brief_tracer.linking.binding import call_all, call_function
from inarch_brief_tracer.linking.budget import CALL, CALLBACK, DUNDER, HIERARCHY, INFERRED, NAME
from inarch_brief_tracer.linking.callbacks import call_overriding, hand_over
from inarch_brief_tracer.linking.cells import Arguments, Value, Values
from inarch_brief_tracer.linking.linker import EMPTY, Linker, every, union
from inarch_brief_tracer.linking.members import instance_cell, lookup, outside_bases
from inarch_brief_tracer.linking.values import (
    Bound,
    Cls,
    Func,
    Guess,
    Instance,
    Method,
    OpenClass,
    Outside,
    Partial,
)


def call(
    linker: Linker, callee: Value, arguments: Arguments, line: int, kind: int = CALL, confidence: int = INFERRED
) -> Values:
    """Call a value; gives what the call gives."""
    if type(callee) is Guess:
        callee, confidence = callee.value, NAME
    elif callee in linker.hierarchical:
        confidence = HIERARCHY
    type_ = type(callee)
    if type_ is Func:
        return call_function(linker, callee, arguments, kind, confidence, line)  # type: ignore[arg-type]
    if type_ is Bound:
        func, receiver = callee.func, callee.receiver  # type: ignore[attr-defined]
        return call_function(linker, func, arguments.after((receiver,)), kind, confidence, line)
    if type_ is Cls:
        return construct(linker, callee, callee, arguments, line, confidence)  # type: ignore[arg-type]
    if type_ is OpenClass:
        return construct(linker, callee.cls, callee, arguments, line, confidence)  # type: ignore[attr-defined,arg-type]
    if type_ is Outside:
        return _outside(linker, callee, arguments, line)  # type: ignore[arg-type]
    if type_ is Method:
        return _method(linker, callee, arguments, line)  # type: ignore[arg-type]
    if type_ is Instance:
        return _instance(linker, callee, arguments, line)  # type: ignore[arg-type]
    if type_ is Partial:
        return _partial(linker, callee, arguments, line)  # type: ignore[arg-type]
    return EMPTY


def functions_first(values: Values) -> Values:
    """Leave out objects if there are functions too: `@command()` asked what gives either for a function."""
    functions = tuple([value for value in values if type(value) is not Instance])
    return functions if any(isinstance(value, Func | Bound | Partial) for value in functions) else values


def construct(
    linker: Linker, cls: Cls, asked: Cls | OpenClass, arguments: Arguments, line: int, confidence: int
) -> Values:
    """Call a class: its metaclass's `__call__`, `__new__` and `__init__`, or what a decorator wrote for it."""
    is_open = isinstance(asked, OpenClass)
    made: Values = (cls.open if is_open else cls.exact,)
    found_any = False
    for meta in cls.metaclass:
        if isinstance(meta, Cls):
            hook = lookup(linker, meta, "__call__", False)
            given = call_all(linker, hook.in_class, arguments.after((asked,)), DUNDER, INFERRED, line)
            made = union(made, given)
    for name, first in (("__new__", (asked,)), ("__init__", made[:1])):
        found = lookup(linker, cls, name, is_open)
        for at, cell in enumerate((*found.in_class, *found.derived)):
            for value in linker.read(cell):
                if isinstance(value, Func):
                    found_any = True
                    sure = confidence if at < len(found.in_class) else HIERARCHY
                    given = call_function(linker, value, arguments.after(first), CALL, sure, line)
                    if name == "__new__":
                        made = union(made, tuple([item for item in given if isinstance(item, Instance)]))
        if found.in_class and name == "__new__":
            made = made[:MAX_MADE]
    if cls.data and not found_any:
        _data_class(linker, cls, arguments, line)
    for outer in () if found_any else outside_bases(cls):
        hand_over(linker, arguments, line, outer)
    return made


MAX_MADE = 8


def _data_class(linker: Linker, cls: Cls, arguments: Arguments, line: int) -> None:
    """Call what the `__init__` written by a decorator calls, and fill the fields."""
    for name in ("__post_init__", "__attrs_post_init__"):
        found = lookup(linker, cls, name, False)
        call_all(linker, found.in_class, Arguments(((cls.exact,),)), CALLBACK, INFERRED, line)
    fields = [name for ancestor in reversed(cls.ancestry) for name in ancestor.fields]
    given = dict(zip(fields, arguments.positional, strict=False)) | arguments.keywords
    for name, values in given.items():
        if name in fields and values:
            linker.put(instance_cell(linker, cls, name), values)


def _instance(linker: Linker, callee: Instance, arguments: Arguments, line: int) -> Values:
    found = lookup(linker, callee.cls, "__call__", callee.open)
    given = arguments.after((callee,))
    result = call_all(linker, found.in_class, given, DUNDER, INFERRED, line)
    return union(result, call_all(linker, found.derived, given, DUNDER, HIERARCHY, line))


def _partial(linker: Linker, callee: Partial, arguments: Arguments, line: int) -> Values:
    given = callee.given
    if given is not None:
        positional = (*given.positional, *arguments.positional)
        keywords, mappings = given.keywords | arguments.keywords, given.mappings + arguments.mappings
        arguments = Arguments(positional, keywords, arguments.rest, mappings)
    if callee.around is not None:
        linker.edge(callee.around.scope, CALLBACK, INFERRED, line)
    # A name may be bound to a partial of itself.
    functions = [func for func in linker.read(callee.func) if not isinstance(func, Partial)]
    return every([call(linker, func, arguments, line) for func in functions])


def _method(linker: Linker, callee: Method, arguments: Arguments, line: int) -> Values:
    model = linker.methods.get(type(callee.receiver).__name__)
    if model is None:
        return EMPTY
    return model(linker, callee.receiver, callee.name, arguments, line)


def _outside(linker: Linker, callee: Outside, arguments: Arguments, line: int) -> Values:
    """Call something outside the tree: as its model says, else functions handed to it are called back."""
    model = linker.models.get(callee.name)
    if model is not None:
        return model(linker, arguments, line)
    hand_over(linker, arguments, line, callee.name)
    if isinstance(callee.receiver, Instance):
        call_overriding(linker, callee.receiver, callee.name, line)
    if callee.receiver is not None:
        return EMPTY
    handed = [value.open for value in arguments.every() if isinstance(value, Cls)]
    # What is given one class often makes one: `ensure(Settings)`.
    return (callee, handed[0]) if len(handed) == 1 else (callee,)
