"""Calls of values: edges, parameters bound from arguments, results, and functions passed to outside code."""

from __future__ import annotations

import re
from collections.abc import Iterable

from inarch_brief.tracer.linking.linker import (
    CALL,
    CALLBACK,
    DUNDER,
    EMPTY,
    HIERARCHY,
    INFERRED,
    NAME,
    Linker,
    every,
    union,
)
from inarch_brief.tracer.linking.members import instance_cell, lookup, outside_bases
from inarch_brief.tracer.linking.names import own_cell
from inarch_brief.tracer.linking.values import (
    NO_ARGUMENTS,
    Arguments,
    Bound,
    Cell,
    Cls,
    Container,
    Func,
    Generator,
    Guess,
    Instance,
    Method,
    OpenClass,
    Outside,
    Partial,
    Value,
    Values,
)


def call_function(linker: Linker, func: Func, arguments: Arguments, kind: int, confidence: int, line: int) -> Values:
    """Record a call of a function, bind its parameters, and return its result."""
    linker.edge(func.scope, kind, confidence, line)
    if arguments is not NO_ARGUMENTS:
        bind_parameters(linker, func, arguments)
    return returned(linker, func, arguments)


def call_all(
    linker: Linker, cells: Iterable[Cell], arguments: Arguments, kind: int, confidence: int, line: int
) -> Values:
    """Call all functions in these cells, and return their results."""
    result: Values = ()
    for cell in cells:
        for value in linker.read(cell):
            if isinstance(value, Func):
                result = union(result, call_function(linker, value, arguments, kind, confidence, line))
    return result


def returned(linker: Linker, func: Func, arguments: Arguments) -> Values:
    """Return the result of a function call."""
    if func.generator:
        return (generator(func),)
    result = linker.read(func.returns)
    for position in func.passed:
        names = func.scope.facts.parameters
        if position < len(arguments.positional):
            result = union(result, arguments.positional[position])
        elif names.positional[position] in arguments.keywords:
            result = union(result, arguments.keywords[names.positional[position]])
        else:
            result = union(result, linker.read(own_cell(func.scope, names.positional[position])))
    return result


def generator(func: Func) -> Generator:
    """Return the generator of a generator function."""
    if func.yields is None:
        func.yields = Generator(func)
    return func.yields


def bind_parameters(linker: Linker, func: Func, arguments: Arguments) -> None:
    """Bind the arguments of a call to the function's parameters."""
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
                linker.put(linker.values.own_container(func, "tuple").rest, other)
    for mapping in arguments.mappings:
        if isinstance(mapping, Container):
            for key, cell in list(mapping.items.items()):
                if isinstance(key, str):
                    _bind(linker, func, key[1:], linker.read(cell))
            if names.keywords:
                linker.put(linker.values.own_container(func, "dict").rest, linker.read(mapping.rest))


def _bind(linker: Linker, func: Func, key: int | str, values: Values) -> None:
    """Bind values to a parameter by position or name, else to `*` or `**`."""
    scope = func.scope
    names = scope.facts.parameters
    if isinstance(key, int):
        if key >= len(names.positional):
            if names.rest:
                linker.put(linker.item(linker.values.own_container(func, "tuple"), key - len(names.positional)), values)
        elif key or scope.cls is None:  # a method's receiver is known from its class
            linker.put(own_cell(scope, names.positional[key]), values)
    elif key in names.positional or key in names.keyword:
        linker.put(own_cell(scope, key), values)
    elif names.keywords:
        linker.put(linker.item(linker.values.own_container(func, "dict"), f"'{key}"), values)


_RUNNING = re.compile(
    r"(add|apply|call|connect|emit|filter|finalize|listen|map|on|reduce|register|run|Fire|schedule|serve|spawn|start|submit"
    r"|subn?|subscribe|to_thread)(_|$)|.*(callback|Executor|Process|Server|Thread|Timer)$"
)
"""Names of outside functions that call their arguments in any position."""
_TAKING = re.compile(
    r"(^|_)(action|callbacks?|default|factory|fn|func|function|handlers?|hooks?|initializer|key|target)$"
)
"""Names of parameters whose values are called, whatever function they belong to."""
MAX_DEPTH = 5
"""The most nested partials to look through."""


def hand_over(linker: Linker, arguments: Arguments, line: int, callee: str) -> None:
    """Record that outside code calls functions passed to it, if its name or the parameter's name says so."""
    if arguments is NO_ARGUMENTS or callee.startswith("<builtin>."):
        return
    runs = _RUNNING.match(callee.rpartition(".")[2])
    given = [*arguments.positional, arguments.rest] if runs else []
    given += [values for name, values in arguments.keywords.items() if _TAKING.search(name)]
    for values in given:
        for value in values:
            call_back(linker, value, line)


def call_back(linker: Linker, value: Value, line: int, depth: int = 0) -> None:
    """Record that outside code calls a value."""
    confidence = INFERRED
    if isinstance(value, Guess):
        value, confidence = value.value, NAME
    if isinstance(value, Func):
        linker.edge(value.scope, CALLBACK, confidence, line)
    elif isinstance(value, Bound):
        linker.edge(value.func.scope, CALLBACK, confidence, line)
    elif isinstance(value, Partial) and depth < MAX_DEPTH:
        for func in linker.read(value.func):
            call_back(linker, func, line, depth + 1)


_STARTING = {
    **dict.fromkeys(("threading.Thread.start", "multiprocessing.Process.start"), "run"),
    **dict.fromkeys(("ast.NodeVisitor.visit", "ast.NodeVisitor.generic_visit", "ast.NodeTransformer.visit"), "visit_"),
    "html.parser.HTMLParser.feed": "handle_",
}
"""Outside methods that call others of the object: the one of a name, or all that begin with it."""


def call_overriding(linker: Linker, receiver: Instance, name: str, line: int) -> None:
    """Record that an inherited outside method calls the overrides of a class."""
    called = _STARTING.get(name, "?")
    for cls in receiver.cls.ancestry:
        for own in [own for own in cls.class_cells if own == called or (called[-1] == "_" and own.startswith(called))]:
            for value in linker.read(cls.class_cells[own]):
                call_back(linker, value, line)


def call(
    linker: Linker, callee: Value, arguments: Arguments, line: int, kind: int = CALL, confidence: int = INFERRED
) -> Values:
    """Call a value, and return the result."""
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


def construct(
    linker: Linker, cls: Cls, asked: Cls | OpenClass, arguments: Arguments, line: int, confidence: int
) -> Values:
    """Call a class: its metaclass's `__call__`, its `__new__` and `__init__`, or a generated `__init__`."""
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
    if not ("__init__" in cls.class_cells or "__new__" in cls.class_cells):
        linker.edge(cls.scope, CALL, confidence, line)  # the class runs no code of its own, but the call creates it
    if cls.data and not found_any:
        _data_class(linker, cls, arguments, line)
    for outer in () if found_any else outside_bases(cls):
        hand_over(linker, arguments, line, outer)
    return made


MAX_MADE = 8


def _data_class(linker: Linker, cls: Cls, arguments: Arguments, line: int) -> None:
    """Call the hooks of a generated `__init__`, and fill the fields."""
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
    # A name may be bound to a partial of itself.
    functions = [func for func in linker.read(callee.func) if not isinstance(func, Partial)]
    return every([call(linker, func, arguments, line) for func in functions])


def _method(linker: Linker, callee: Method, arguments: Arguments, line: int) -> Values:
    model = linker.methods.get(type(callee.receiver).__name__)
    if model is None:
        return EMPTY
    return model(linker, callee.receiver, callee.name, arguments, line)


def _outside(linker: Linker, callee: Outside, arguments: Arguments, line: int) -> Values:
    """Call something outside the tree by its model. Without one, record callbacks to the functions passed to it."""
    model = linker.models.get(callee.name)
    if model is not None:
        return model(linker, arguments, line)
    hand_over(linker, arguments, line, callee.name)
    if isinstance(callee.receiver, Instance):
        call_overriding(linker, callee.receiver, callee.name, line)
    if callee.receiver is not None:
        return EMPTY
    handed = [value.open for value in arguments.every() if isinstance(value, Cls)]
    # A call with one class as argument often creates an instance: `ensure(Settings)`.
    return (callee, handed[0]) if len(handed) == 1 else (callee,)
