"""Definitions: functions with their decorators and annotations, classes with their bases."""

from __future__ import annotations

from inarch_brief.tracer.facts.link_facts import ATTRIBUTE, CALL, SEQUENCE, SUBSCRIPT, UNION, Code
from inarch_brief.tracer.linking.attributes import attribute
from inarch_brief.tracer.linking.call_edges import call, call_all
from inarch_brief.tracer.linking.evaluate import evaluate, function_of
from inarch_brief.tracer.linking.linker import DECORATOR, DUNDER, EMPTY, FRAMEWORK, INFERRED, Linker, every, union
from inarch_brief.tracer.linking.members import lookup, set_bases
from inarch_brief.tracer.linking.names import binding_cell, builtin, name_cell, own_cell
from inarch_brief.tracer.linking.values import (
    NO_ARGUMENTS,
    OF_CLASS,
    PLAIN,
    STATIC,
    Arguments,
    Cell,
    Cls,
    Func,
    Generator,
    Namespace,
    OpenClass,
    Outside,
    Scope,
    Text,
    Value,
    Values,
)

_TRANSPARENT = frozenset(
    "Optional Union Final ClassVar Annotated Required NotRequired Awaitable Coroutine TypeGuard InitVar".split()  # noqa: SIM905
)


def hinted(linker: Linker, scope: Scope, code: Code, depth: int = 0) -> Values:
    """Return the instances that an annotation promises. Items of containers are known from writes instead."""
    if code is None or depth > 6:
        return EMPTY
    if type(code) is str or code[0] == ATTRIBUTE:
        return _instances(linker, scope, _named(linker, scope, code))
    if code[0] == UNION:
        return every([hinted(linker, scope, part, depth + 1) for part in code[1]])
    return _subscripted(linker, scope, code, depth) if code[0] == SUBSCRIPT else EMPTY


def _named(linker: Linker, scope: Scope, code: Code) -> Values:
    if type(code) is str:
        cell = name_cell(linker, scope, code)
        return linker.read(cell) if cell is not None else builtin(linker, scope, code)
    if type(code) is tuple and code[0] == ATTRIBUTE:
        result: Values = ()
        for base in _named(linker, scope, code[1]):
            result = union(result, attribute(linker, base, code[2], 0))
        return result
    return EMPTY


def _instances(linker: Linker, scope: Scope, named: Values) -> Values:
    result: list[Value] = []
    for value in named:
        if isinstance(value, Cls):
            result.append(value.open)
        elif isinstance(value, Outside):
            name = value.name.rpartition(".")[2]
            if name == "Self":
                owner: Scope | None = scope
                while owner is not None and owner.cls is None:
                    owner = owner.outer
                if owner is not None and owner.cls is not None:
                    result.append(owner.cls.open)
            elif name not in ("Any", "TypeVar", "None") and name not in _TRANSPARENT:
                result.append(value)
        elif isinstance(value, Text) and value.text.isidentifier():
            # In an alias: `Styled = Union[str, "Style"]`.
            result += [cls.open for cls in _named(linker, scope, value.text) if isinstance(cls, Cls)]
    return tuple(result)


def _subscripted(linker: Linker, scope: Scope, code: Code, depth: int) -> Values:
    base, inner = code[1], code[2]
    name = base if type(base) is str else base[2] if type(base) is tuple and base[0] == ATTRIBUTE else ""
    parts = inner[3] if type(inner) is tuple and inner[0] == SEQUENCE else (inner,)
    if name in ("type", "Type"):
        return tuple([value for value in _named(linker, scope, inner) if isinstance(value, Cls)])
    if name in _TRANSPARENT:
        kept = parts[:1] if name == "Annotated" else parts[-1:] if name == "Coroutine" else parts
        return every([hinted(linker, scope, part, depth + 1) for part in kept])
    return _instances(linker, scope, _named(linker, scope, base)) if name not in ("Callable", "Literal") else EMPTY


def _function(linker: Linker, code: Code) -> None:
    index, decorators, defaults, hints, returned, line = code[1:]
    around = linker.scope
    scope = around.file.scopes[index]
    func = function_of(scope)
    owner = around.cls if around.function is None else None
    if owner is not None and scope.cls is None:
        scope.cls = owner
    applied = [evaluate(linker, decorator) for decorator in decorators]
    if owner is not None:
        _receiver(linker, func, owner, applied)
    for name, item in defaults:
        linker.put(own_cell(scope, name), _injected(linker, scope, item) or evaluate(linker, item))
    for name, hint in hints:
        linker.put(own_cell(scope, name), _injected(linker, scope, hint))
    _hints(linker, func, hints, returned)
    result: Values = (func,)
    for place in range(len(applied) - 1, -1, -1):
        result = _decorated(linker, result, applied[place], line)
    linker.put(binding_cell(linker, around, scope.facts.name.rpartition(".")[2]), result)


_INJECTORS = frozenset(("fastapi.Depends", "fastapi.Security", "fast_depends.Depends", "taskiq.TaskiqDepends"))
"""Calls that take a function and inject its result into a parameter."""


def _injected(linker: Linker, scope: Scope, code: Code) -> Values:
    """Call the function that a default or annotation injects: `Depends(get_database)`, also in `Annotated`."""
    parts = (code,)
    if type(code) is tuple and code[0] == SUBSCRIPT and type(code[2]) is tuple and code[2][0] == SEQUENCE:
        parts = code[2][3]
    result: Values = ()
    for part in parts:
        if type(part) is not tuple or part[0] != CALL or not part[2]:
            continue
        if any(isinstance(made, Outside) and made.name in _INJECTORS for made in evaluate(linker, part[1])):
            wanted = evaluate(linker, part[2][0])
            around, linker.scope = linker.scope, scope
            for value in wanted:
                for given in call(linker, value, NO_ARGUMENTS, scope.facts.line, FRAMEWORK):
                    result += linker.read(given.items) if isinstance(given, Generator) else (given,)
            linker.scope = around
    return result


def _receiver(linker: Linker, func: Func, owner: Cls, decorators: list[Values]) -> None:
    """Bind the receiver of a method to its first parameter, by the method's name and decorators."""
    short = func.scope.facts.name.rpartition(".")[2]
    named = [value.name for values in decorators for value in values if isinstance(value, Outside)]
    if short == "__new__" or "<builtin>.staticmethod" in named:
        func.binding = STATIC
    elif short in ("__init_subclass__", "__class_getitem__") or any(name.endswith(_OF_CLASS) for name in named):
        func.binding = OF_CLASS
    names = func.scope.facts.parameters.positional
    if names and (func.binding != STATIC or short == "__new__"):
        first: Value = owner.open if func.binding == PLAIN else owner.open_class
        linker.put(own_cell(func.scope, names[0]), (first,))


_OF_CLASS = ("<builtin>.classmethod", "classproperty")


def _hints(linker: Linker, func: Func, hints: tuple[tuple[str, Code], ...], returned: Code) -> None:
    names = func.scope.facts.parameters
    for name, hint in hints:
        values = hinted(linker, linker.scope, hint)
        if name == names.rest or name == names.keywords:
            linker.put(linker.values.own_container(func, "tuple" if name == names.rest else "dict").rest, values)
        else:
            linker.put(own_cell(func.scope, name), values)
    if returned is not None and not func.generator:
        values = hinted(linker, linker.scope, returned)
        linker.put(func.returns, tuple([value for value in values if not isinstance(value, Outside)]))


def _decorated(linker: Linker, values: Values, decorators: Values, line: int) -> Values:
    """Return the result of decorators on values. An unknown decorator returns the value unchanged."""
    if not decorators or len(decorators) > MAX_DECORATORS:
        return values
    result: Values = ()
    for decorator in decorators:
        if isinstance(decorator, Outside):
            given = _by_outside(linker, decorator, values, line)
        else:
            given = call(linker, decorator, Arguments((values,)), line, DECORATOR)
        result = union(result, given or values)
    return result


MAX_DECORATORS = 8
"""The most values of one decorator before it counts as unknown."""


def _by_outside(linker: Linker, decorator: Outside, values: Values, line: int) -> Values:
    name = decorator.name
    if name.lower().endswith("property"):
        name = "<builtin>.property"
    model = linker.models.get(name)
    if model is None:
        return values
    found = model(linker, Arguments((values,)), line)
    return found if found else values


def _class(linker: Linker, code: Code) -> None:
    index, decorators, bases, keywords, line = code[1:]
    around = linker.scope
    scope = around.file.scopes[index]
    cls = scope.cls
    assert cls is not None
    known, outside = _bases(linker, bases)
    set_bases(linker, cls, known, outside)
    for base in known:
        cls.metaclass = union(cls.metaclass, base.metaclass)
        if base.data and not cls.data:
            cls.data = base.data
    for name, item in keywords:
        values = evaluate(linker, item)
        if name == "metaclass":
            cls.metaclass = union(cls.metaclass, values)
    if any(name.endswith("NamedTuple") for name in outside):
        cls.data = "NamedTuple"
    _hooks(linker, cls, line)
    result: Values = (cls,)
    for decorator in reversed(decorators):
        values = evaluate(linker, decorator)
        for value in values:
            if isinstance(value, Outside) and _writes_init(value.name):
                cls.data = value.name
        if not (values and all(isinstance(value, Outside) for value in values)):
            given = _decorated(linker, result, values, line)
            # A decorator that returns the class would also return all other classes it decorates: skip them.
            result = result if cls in given else union(result, given)
    linker.put(binding_cell(linker, around, scope.facts.name.rpartition(".")[2]), result)


def _writes_init(name: str) -> bool:
    module, _, short = name.rpartition(".")
    return short in ("dataclass", "define", "frozen", "mutable", "attrs", "s") and module.partition(".")[0] in (
        *("dataclasses", "attr", "attrs", "pydantic"),
    )


def _bases(linker: Linker, bases: tuple[Code, ...]) -> tuple[tuple[Cls, ...], tuple[str, ...]]:
    known: list[Cls] = []
    outside: list[str] = []
    for base in bases:
        for value in evaluate(linker, base):
            if isinstance(value, Cls):
                if value not in known:
                    known.append(value)
            elif isinstance(value, OpenClass):
                known.append(value.cls)
            elif isinstance(value, Outside) and value.name not in ("<builtin>.object", "typing.Generic"):
                outside.append(value.name)
    return tuple(known[:8]), tuple(outside[:8])


def _hooks(linker: Linker, cls: Cls, line: int) -> None:
    """Record the calls of a class definition: `__init_subclass__` of its bases, and `__new__` and `__init__` of its
    metaclass.
    """
    for base in cls.bases:
        found = lookup(linker, base, "__init_subclass__", False)
        call_all(linker, found.in_class, Arguments(((cls,),)), DUNDER, INFERRED, line)
        break
    for meta in cls.metaclass:
        if isinstance(meta, Cls):
            for name in ("__prepare__", "__new__", "__init__"):
                # The mapping of one class covers all classes derived from it.
                first = not any(meta in base.metaclass for base in cls.bases)
                given = _given(linker, cls) if first and name != "__prepare__" else Arguments(((cls,),))
                call_all(linker, lookup(linker, meta, name, False).in_class, given, DUNDER, INFERRED, line)
        elif isinstance(meta, Func):
            call(linker, meta, Arguments(), line)


def _given(linker: Linker, cls: Cls) -> Arguments:
    """Return a metaclass's arguments for a class: itself or the class, a name, bases and attributes."""
    name = linker.values.text("")
    return Arguments(((cls,), (name,), (), (linker.values.once(Namespace, cls.open_class),)))


def predefine(linker: Linker, scope: Scope) -> None:
    """Create the class of a scope, with the cells of all its attributes."""
    cls = scope.cls = Cls(scope)
    for name in scope.facts.bound:
        own_cell(scope, name)
        linker.loaded.defining.setdefault(name, {})[cls] = None
    for name in scope.facts.attributes:
        cls.instance_cells[name] = Cell()
        linker.loaded.defining.setdefault(name, {})[cls] = None
