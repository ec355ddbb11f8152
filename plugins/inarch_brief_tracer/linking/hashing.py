"""What mappings, sets and searches ask of objects: `__hash__` of keys and members, `__eq__` of what is compared."""

from __future__ import annotations

from inarch_brief_tracer.linking.attributes import special
from inarch_brief_tracer.linking.cells import NO_ARGUMENTS, Arguments, Values
from inarch_brief_tracer.linking.linker import Linker
from inarch_brief_tracer.linking.values import Instance

MAX_KEYS = 8
"""Objects at one place that are asked."""


def hashed(linker: Linker, keys: Values, line: int) -> None:
    """Note that objects are looked up in a mapping or set: each is asked for its hash, and compared with the others."""
    objects = [key for key in keys if type(key) is Instance]
    for key in objects if len(objects) <= MAX_KEYS else ():
        if special(linker, key, "__hash__", NO_ARGUMENTS, line) is not None:
            special(linker, key, "__eq__", Arguments((keys,)), line)


def compared(linker: Linker, keys: Values, items: Values, line: int) -> None:
    """Note that objects are searched for in a list: each item may be asked whether it is the one."""
    objects = [item for item in items if type(item) is Instance]
    for item in objects if len(objects) <= MAX_KEYS else ():
        special(linker, item, "__eq__", Arguments((keys,)), line)
