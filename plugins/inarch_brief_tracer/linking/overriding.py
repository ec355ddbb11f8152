"""Methods that more derived classes override than a receiver is looked up in: all of them may be called."""

from __future__ import annotations

from inarch_brief_tracer.linking.budget import CALL, HIERARCHY, PROPERTY
from inarch_brief_tracer.linking.linker import Linker
from inarch_brief_tracer.linking.members import descendants
from inarch_brief_tracer.linking.values import Func, Property

MAX_OVERRIDES = 128
"""Classes that may override a method, if all of them are to be linked."""


def call_overrides(linker: Linker) -> None:
    """Add calls of all overrides of what was found to have more than are looked at; nothing is bound or returned."""
    if "hierarchy" in linker.on:
        for (number, cls, name), line in linker.overridden.items():
            linker.scope = linker.scopes[number]
            below = descendants(cls)
            cells = [other.class_cells.get(name) for other in linker.defining.get(name, ()) if other in below]
            for cell in cells if len(cells) <= MAX_OVERRIDES else ():
                for value in cell.values if cell is not None else ():
                    if isinstance(value, Func):
                        linker.edge(value.scope, CALL, HIERARCHY, line)
                    elif isinstance(value, Property):
                        for getter in value.getter.values:
                            if isinstance(getter, Func):
                                linker.edge(getter.scope, PROPERTY, HIERARCHY, line)
    linker.overridden.clear()
