"""Reads and writes of attributes, and the calls they cause: properties, descriptors, `__getattr__`."""

from __future__ import annotations

import builtins

from inarch_brief.tracer.linking.call_edges import call_all
from inarch_brief.tracer.linking.linker import DUNDER, EMPTY, EXACT, HIERARCHY, INFERRED, PROPERTY, Linker, every, union
from inarch_brief.tracer.linking.members import (
    NOT_FOUND,
    Found,
    defines,
    descendants,
    instance_cell,
    lookup,
    outside_bases,
)
from inarch_brief.tracer.linking.names import binding_cell, module_attribute, outside_module, own_cell
from inarch_brief.tracer.linking.values import (
    OF_CLASS,
    STATIC,
    Above,
    Arguments,
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
    Value,
    Values,
)


def attribute(linker: Linker, base: Value, name: str, line: int) -> Values:
    """Return the values of an attribute, and record the calls that reading it makes."""
    kind = type(base)
    if kind is Instance:
        return of_instance(linker, base, name, line)  # type: ignore[arg-type]
    if kind is Module:
        return _of_module(linker, base, name)  # type: ignore[arg-type]
    if kind is Outside:
        outer = base.name  # type: ignore[attr-defined]
        return (linker.values.outside(f"{outer}.{name}"),) if has(outer, name) else EMPTY
    if kind is Cls or kind is OpenClass:
        return _of_class(linker, base, name, line)  # type: ignore[arg-type]
    if kind is Above:
        return _above(linker, base, name, line)  # type: ignore[arg-type]
    if kind in _WITH_METHODS:
        return (linker.values.once(Method, base, name),)
    if kind is Guess:
        return attribute(linker, base.value, name, line)  # type: ignore[attr-defined]
    if kind is Func or kind is Bound:
        # A task queue adds these to a function. Calling them runs it, sooner or later.
        return (base,) if name == "__call__" or name in _DEFERRING else EMPTY
    return EMPTY


_WITH_METHODS = frozenset((Container, Generator, Property, Text, Pattern, Partial, Namespace))
"""Values whose methods are modelled, if any."""


def _of_module(linker: Linker, module: Module, name: str) -> Values:
    found = module_attribute(linker, module, name)
    if found:
        return found
    if module.file is None:
        return EMPTY
    return outside_module(linker, module, name)


def has(outside: str, name: str) -> bool:
    """Return whether something outside may have an attribute. For builtin types this is known."""
    kind = getattr(builtins, outside.removeprefix("<builtin>."), None) if outside.startswith("<builtin>.") else None
    return not isinstance(kind, type) or hasattr(kind, name)


def of_instance(linker: Linker, base: Instance, name: str, line: int) -> Values:
    """Return the values of an attribute of an instance."""
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
    """Return the values of an attribute that neither the class nor its bases in the tree define."""
    cls = base.cls
    if name == "__class__":
        return (cls.open_class if base.open else cls,)
    result: Values = ()
    if not name.startswith("__"):
        for hook in ("__getattr__", "__getattribute__"):
            found = lookup(linker, cls, hook, base.open)
            if found is not NOT_FOUND:
                arguments = Arguments(((base,), (linker.values.text(name),)))
                given = call_all(linker, (*found.in_class, *found.derived), arguments, DUNDER, INFERRED, line)
                result = union(result, given)
    for outer in outside_bases(cls):
        if has(outer, name):
            result = union(result, (linker.values.once(Outside, f"{outer}.{name}", base),))
    return result


def bind(linker: Linker, value: Value, receiver: Value, line: int, confidence: int) -> Values:
    """Return the result of reading a class's value from an instance."""
    kind = type(value)
    if kind is Func:
        if value.binding == STATIC:  # type: ignore[attr-defined]
            return (value,)
        if value.binding == OF_CLASS and isinstance(receiver, Instance):  # type: ignore[attr-defined]
            receiver = receiver.cls.open_class if receiver.open else receiver.cls
        return (bound(value, receiver),)  # type: ignore[arg-type]
    if kind is Property:
        given = Arguments(((receiver,),))
        return call_all(linker, (value.getter,), given, PROPERTY, confidence, line)  # type: ignore[attr-defined]
    if kind is Instance:
        getter = lookup(linker, value.cls, "__get__", value.open)  # type: ignore[attr-defined]
        if getter.in_class:
            return _descriptor(linker, value, getter, receiver, line)  # type: ignore[arg-type]
    return (value,)


def bound(func: Func, receiver: Value) -> Bound:
    """Return the bound method of a function and its first argument, created once."""
    found = func.bound.get(receiver)
    if found is None:
        found = func.bound[receiver] = Bound(func, receiver)
    return found


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
    if name == "__dict__":
        return (linker.values.once(Namespace, base),)
    for outer in outside_bases(cls):
        result = union(result, (linker.values.once(Outside, f"{outer}.{name}", base),))
    return result


def _above(linker: Linker, base: Above, name: str, line: int) -> Values:
    """Return the values of `super().name`: of the next class that has it, in the order of the receiver."""
    receiver = base.receiver
    start = receiver.cls if isinstance(receiver, Instance | OpenClass) else receiver
    ancestry = start.ancestry if isinstance(start, Cls) and base.cls in start.ancestry else base.cls.ancestry
    after = ancestry[ancestry.index(base.cls) + 1 :]
    for cls in after:
        # `lookup` records a miss, so that a later definition wakes this unit.
        cell = cls.class_cells.get(name)
        if cell is not None:
            return every([bind(linker, value, receiver, line, INFERRED) for value in linker.read(cell)])
    lookup(linker, base.cls, name, False)
    outers = outside_bases(base.cls)
    return tuple([linker.values.once(Outside, f"{outer}.{name}", receiver) for outer in outers])


_DEFERRING = frozenset(("delay", "apply_async", "s", "si", "signature", "send", "enqueue", "defer", "kiq", "schedule"))

MAX_IMPLICIT = 4
"""The most overrides of a special method to follow besides the receiver's own."""


def special(linker: Linker, base: Value, name: str, arguments: Arguments, line: int) -> Values | None:
    """Call a special method of an instance. Return None if its class does not define it in the tree."""
    if not isinstance(base, Instance):
        return None
    found = lookup(linker, base.cls, name, base.open)
    if not found.in_class and not found.derived:
        return None
    # Operators are everywhere: with many overrides, only the receiver's own counts.
    few = len(found.derived) <= MAX_IMPLICIT and (linker.budget.visits > 2 or not found.in_class)
    derived = found.derived if few else ()
    given = arguments.after((base,))
    result = call_all(linker, found.in_class, given, DUNDER, INFERRED, line)
    return union(result, call_all(linker, derived, given, DUNDER, HIERARCHY, line))


def attributes_matching(linker: Linker, base: Value, pattern: Pattern, line: int) -> Values:
    """Return the attributes of a value whose names match the start and end of a pattern."""
    names: dict[str, None] = {}
    if isinstance(base, Instance | OpenClass | Cls):
        cls = base if isinstance(base, Cls) else base.cls
        below = () if isinstance(base, Cls) else descendants(cls)
        for one in (*cls.ancestry, *below):
            names.update(dict.fromkeys(one.class_cells))
    elif isinstance(base, Module) and base.file is not None:
        names.update(dict.fromkeys(base.file.scopes[0].facts.bound))
    found = [name for name in names if name.startswith(pattern.start) and name.endswith(pattern.end)]
    guessing, linker.guessing = linker.guessing, True
    try:
        values = every([attribute(linker, base, name, line) for name in found[:MAX_MATCHING]])
    finally:
        linker.guessing = guessing
    return tuple([linker.values.guess(value) for value in values])


MAX_MATCHING = 256


"""The most attributes that a composed name may mean."""


def store(linker: Linker, base: Value, name: str, values: Values, line: int) -> None:
    """Write an attribute of a value."""
    if isinstance(base, Instance):
        _store_instance(linker, base, name, values, line)
    elif isinstance(base, Cls | OpenClass):
        cls = base if isinstance(base, Cls) else base.cls
        if name not in cls.class_cells:
            own_cell(cls.scope, name)
            defines(linker, cls, name)
        linker.put(cls.class_cells[name], values)
        for value in values:
            if isinstance(value, Func) and value.scope.cls is None:
                receiver = value.scope.facts.parameters.positional[:1]
                if receiver and value.binding != STATIC:
                    linker.put(own_cell(value.scope, receiver[0]), (cls.open,))
    elif isinstance(base, Module) and base.file is not None:
        linker.put(binding_cell(linker, base.file.scopes[0], name), values)


def _store_instance(linker: Linker, base: Instance, name: str, values: Values, line: int) -> None:
    found = lookup(linker, base.cls, name, base.open)
    for cell in (*found.in_class, *found.derived):
        for value in linker.read(cell):
            if isinstance(value, Property):
                call_all(linker, (value.setter,), Arguments(((base,), values)), PROPERTY, INFERRED, line)
                return
            special(linker, value, "__set__", Arguments(((base,), values)), line)
    special(linker, base, "__setattr__", Arguments(((linker.values.text(name),), values)), line)
    if values:
        linker.put(instance_cell(linker, base.cls, name), values)
