"""Reading and writing attributes of values, with what that calls: properties, descriptors, `__getattr__`."""

from __future__ import annotations

import builtins

from inarch_brief_tracer.linking.binding import call_all, call_function
from inarch_brief_tracer.linking.budget import DUNDER, EXACT, HIERARCHY, INFERRED, PROPERTY
from inarch_brief_tracer.linking.calls import call
from inarch_brief_tracer.linking.cells import NO_ARGUMENTS, Arguments, Cell, Value, Values
from inarch_brief_tracer.linking.linker import EMPTY, Linker, every, union
from inarch_brief_tracer.linking.members import NOT_FOUND, Found, lookup, outside_bases
from inarch_brief_tracer.linking.names import exported_cell, module_attribute, outside_module
from inarch_brief_tracer.linking.namespaces import family
from inarch_brief_tracer.linking.values import (
    OF_CLASS,
    STATIC,
    Above,
    Bound,
    Cls,
    Container,
    Func,
    Generator,
    Guess,
    Instance,
    Method,
    Module,
    Namespace,
    OpenClass,
    Outside,
    Partial,
    Pattern,
    Property,
    Text,
)


def attribute(linker: Linker, base: Value, name: str, line: int) -> Values:
    """Give what an attribute of a value stands for, noting what reading it calls."""
    kind = type(base)
    if kind is Instance:
        return of_instance(linker, base, name, line)  # type: ignore[arg-type]
    if kind is Module:
        return _of_module(linker, base, name)  # type: ignore[arg-type]
    if kind is Outside:
        outer = base.name  # type: ignore[attr-defined]
        return (linker.outside(f"{outer}.{name}"),) if has(outer, name) else EMPTY
    if kind is Cls or kind is OpenClass:
        return _of_class(linker, base, name, line)  # type: ignore[arg-type]
    if kind is Above:
        return _above(linker, base, name, line)  # type: ignore[arg-type]
    if kind in _WITH_METHODS:
        return (linker.once(Method, base, name),)
    if kind is Guess:
        return attribute(linker, base.value, name, line)  # type: ignore[attr-defined]
    if kind is Func or kind is Bound:
        return _of_function(linker, base, name)  # type: ignore[arg-type]
    return EMPTY


_WITH_METHODS = frozenset((Container, Generator, Property, Text, Pattern, Partial, Namespace))
"""What has methods that are modelled, if any."""


def _of_module(linker: Linker, module: Module, name: str) -> Values:
    found = module_attribute(linker, module, name)
    if found:
        return found
    if module.file is None:
        return EMPTY
    hook = exported_cell(linker, module.file, "__getattr__", set())
    if hook is not None and exported_cell(linker, module.file, name, set()) is None:
        return call_all(linker, (hook,), NO_ARGUMENTS, DUNDER, INFERRED, 0)
    return outside_module(linker, module, name)


def _of_function(linker: Linker, func: Func | Bound, name: str) -> Values:
    target = func.func if isinstance(func, Bound) else func
    if name in ("__func__", "__call__"):
        return (func,)
    found = linker.read(own_attribute(linker, target, name))
    if not found and name in _DEFERRING:
        return (deferred(linker, func),)
    return found


def deferred(linker: Linker, func: Func | Bound) -> Value:
    """Give what a task queue puts on a function: calling it has the function run, sooner or later."""
    made = linker.made(4, Partial)
    linker.put(made.func, (func,))
    return made


def has(outside: str, name: str) -> bool:
    """Whether something outside may have an attribute: of builtin types it is known."""
    kind = getattr(builtins, outside.removeprefix("<builtin>."), None) if outside.startswith("<builtin>.") else None
    return not isinstance(kind, type) or hasattr(kind, name)


def own_attribute(linker: Linker, owner: Value, name: str) -> Cell:
    """Give the cell of an attribute that was put on a function."""
    key = (owner, name)
    cell = linker.own_attributes.get(key)
    if cell is None:
        cell = linker.own_attributes[key] = Cell()
    return cell


def of_instance(linker: Linker, base: Instance, name: str, line: int) -> Values:
    """Give what an attribute of an instance stands for."""
    found = lookup(linker, base.cls, name, base.open)
    if found is not NOT_FOUND:
        confidence = INFERRED if base.open else EXACT
        parts = [linker.read(cell) for cell in (*found.in_instances, *found.derived_instances)]
        for cell in found.in_class:
            parts += [bind(linker, value, base, line, confidence) for value in linker.read(cell)]
        for cell in found.derived:
            for value in linker.read(cell):
                bound = bind(linker, value, base, line, HIERARCHY)
                linker.hierarchical.update(bound)
                parts.append(bound)
        return every(parts)
    return _absent(linker, base, name, line)


def _absent(linker: Linker, base: Instance, name: str, line: int) -> Values:
    """Give an attribute that neither the class nor its bases in the tree have."""
    cls = base.cls
    if name == "__class__":
        return (cls.open_class if base.open else cls,)
    result: Values = ()
    if not name.startswith("__"):
        for hook in ("__getattr__", "__getattribute__"):
            found = lookup(linker, cls, hook, base.open)
            if found is not NOT_FOUND:
                arguments = Arguments(((base,), (linker.text(name),)))
                given = call_all(linker, (*found.in_class, *found.derived), arguments, DUNDER, INFERRED, line)
                result = union(result, given)
    for outer in outside_bases(cls):
        if has(outer, name):
            result = union(result, (linker.once(Outside, f"{outer}.{name}", base),))
    return result


def bind(linker: Linker, value: Value, receiver: Value, line: int, confidence: int) -> Values:
    """Give what a value found in a class becomes when it is read from an instance."""
    kind = type(value)
    if kind is Func:
        if value.binding == STATIC:  # type: ignore[attr-defined]
            return (value,)
        if value.binding == OF_CLASS and isinstance(receiver, Instance):  # type: ignore[attr-defined]
            receiver = receiver.cls.open_class if receiver.open else receiver.cls
        return (bound(value, receiver),)  # type: ignore[arg-type]
    if kind is Property:
        return _get(linker, value, receiver, line, confidence)  # type: ignore[arg-type]
    if kind is Instance:
        getter = lookup(linker, value.cls, "__get__", value.open)  # type: ignore[attr-defined]
        if getter.in_class:
            return _descriptor(linker, value, getter, receiver, line)  # type: ignore[arg-type]
    return (value,)


def bound(func: Func, receiver: Value) -> Bound:
    """Give a function with its first argument, made once."""
    found = func.bound.get(receiver)
    if found is None:
        found = func.bound[receiver] = Bound(func, receiver)
    return found


def _get(linker: Linker, value: Property, receiver: Value, line: int, confidence: int) -> Values:
    result: Values = ()
    for getter in linker.read(value.getter):
        if isinstance(getter, Func):
            arguments = Arguments(((receiver,),))
            result = union(result, call_function(linker, getter, arguments, PROPERTY, confidence, line))
        elif not isinstance(getter, Outside):
            result = union(result, call(linker, getter, Arguments(((receiver,),)), line, PROPERTY))
    return result


def _descriptor(linker: Linker, value: Instance, getter: Found, receiver: Value, line: int) -> Values:
    owner: Values = (receiver.cls,) if isinstance(receiver, Instance) else (receiver,)
    arguments = Arguments(((value,), (receiver,), owner))
    return call_all(linker, getter.in_class, arguments, DUNDER, INFERRED, line)


def _of_class(linker: Linker, base: Cls | OpenClass, name: str, line: int) -> Values:
    is_open = isinstance(base, OpenClass)
    cls = base.cls if isinstance(base, OpenClass) else base
    found = lookup(linker, cls, name, is_open)
    result: Values = ()
    for at, cell in enumerate((*found.in_class, *found.derived)):
        for value in linker.read(cell):
            one: Values = (value,)
            if isinstance(value, Func) and value.binding == OF_CLASS:
                one = (bound(value, base),)
            elif isinstance(value, Instance):
                getter = lookup(linker, value.cls, "__get__", value.open)
                if getter.in_class:
                    one = _descriptor(linker, value, getter, base, line)
            if at >= len(found.in_class):
                linker.hierarchical.update(one)
            result = union(result, one)
    if found.in_class or found.derived:
        return result
    for meta in cls.metaclass:
        if isinstance(meta, Cls):
            above = lookup(linker, meta, name, False)
            for cell in above.in_class:
                for value in linker.read(cell):
                    result = union(result, bind(linker, value, base, line, INFERRED))
    if result:
        return result
    for cell in found.in_instances:
        result = union(result, linker.read(cell))
    if name in ("__name__", "__qualname__", "__doc__", "__module__"):
        return EMPTY
    if name == "__dict__":
        return (linker.once(Namespace, base),)
    if name == "__mro__" or name == "__bases__":
        return family(linker, base, name)
    if name == "__subclasses__" or name == "mro":
        return (linker.once(Method, base, name),)
    for outer in outside_bases(cls) if not result else ():
        result = union(result, (linker.once(Outside, f"{outer}.{name}", base),))
    return result


def _above(linker: Linker, base: Above, name: str, line: int) -> Values:
    """Give what `super().name` stands for: the next class that has it, in the receiver's order or a derived one's."""
    receiver = base.receiver
    start = receiver.cls if isinstance(receiver, Instance | OpenClass) else receiver
    ancestry = start.ancestry if isinstance(start, Cls) and base.cls in start.ancestry else base.cls.ancestry
    after = ancestry[ancestry.index(base.cls) + 1 :]
    is_class = not isinstance(receiver, Instance)
    for cls in after:
        # An empty lookup is noted, so that a later definition is seen.
        cell = cls.class_cells.get(name)
        if cell is not None:
            result: Values = ()
            for value in linker.read(cell):
                if is_class and isinstance(value, Func):
                    one: Values = (bound(value, receiver),) if value.binding == OF_CLASS else (value,)
                    if name == "__new__":
                        one = (value,)
                else:
                    one = bind(linker, value, receiver, line, INFERRED)
                result = union(result, one)
            return result
    lookup(linker, base.cls, name, False)
    outers = outside_bases(base.cls)
    return tuple([linker.once(Outside, f"{outer}.{name}", receiver) for outer in outers])


_DEFERRING = frozenset(
    (
        *("delay", "delay_on_commit", "apply_async", "apply_async_on_commit", "s", "si", "signature", "subtask"),
        *("send", "send_with_options", "enqueue", "defer", "defer_async", "kiq", "schedule"),
    )
)
"""What task queues put on functions: calling it has the function run, sooner or later."""

MAX_IMPLICIT = 4
"""Overrides of a special method that are looked at besides the receiver's own."""


def special(linker: Linker, base: Value, name: str, arguments: Arguments, line: int) -> Values | None:
    """Call a special method of an instance if its class has it in the tree; None where it does not."""
    if not isinstance(base, Instance):
        return None
    found = lookup(linker, base.cls, name, base.open)
    if not found.in_class and not found.derived:
        return None
    result: Values = ()
    # Operators are everywhere: where many classes override one, the receiver's own has to do.
    few = len(found.derived) <= MAX_IMPLICIT and (linker.budget.visits > 2 or not found.in_class)
    derived = found.derived if few else ()
    for at, cell in enumerate((*found.in_class, *derived)):
        confidence = INFERRED if at < len(found.in_class) else HIERARCHY
        for value in linker.read(cell):
            if isinstance(value, Func):
                given = arguments if value.binding == STATIC else arguments.after((base,))
                result = union(result, call_function(linker, value, given, DUNDER, confidence, line))
            else:
                result = union(result, call(linker, value, arguments, line, DUNDER))
    return result
