"""Writing attributes, and reading those whose names are put together."""

from __future__ import annotations

from inarch_brief_tracer.linking.attributes import attribute, special
from inarch_brief_tracer.linking.binding import call_all
from inarch_brief_tracer.linking.budget import INFERRED, PROPERTY
from inarch_brief_tracer.linking.cells import Arguments, Value, Values
from inarch_brief_tracer.linking.linker import Linker, every
from inarch_brief_tracer.linking.members import defines, descendants, instance_cell, lookup
from inarch_brief_tracer.linking.names import binding_cell, own_cell
from inarch_brief_tracer.linking.values import STATIC, Cls, Func, Instance, Module, OpenClass, Pattern, Property


def attributes_matching(linker: Linker, base: Value, pattern: Pattern, line: int) -> Values:
    """Give the attributes of a value whose names begin and end as a pattern says."""
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
    return tuple([linker.guess(value) for value in values])


MAX_MATCHING = 256


"""Attributes that a name put together may mean."""


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
    special(linker, base, "__setattr__", Arguments(((linker.text(name),), values)), line)
    if values:
        linker.put(instance_cell(linker, base.cls, name), values)
