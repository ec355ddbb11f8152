"""What may be where an annotation says what is."""

from __future__ import annotations

from inarch_brief_tracer.linking.cells import Value
from inarch_brief_tracer.linking.values import Cls, Instance, Number, Outside, Pattern, Text

LIGHT = frozenset((Text, Number, Outside, Pattern))


def is_admitted(value: Value, classes: tuple[Cls, ...]) -> bool:
    """Whether a value may be where an annotation names some classes, or nothing but texts and numbers."""
    kind = type(value)
    if kind is not Instance:
        return bool(classes) or kind in LIGHT
    ancestry = value.cls.ancestry  # type: ignore[attr-defined]
    return any(cls in ancestry for cls in classes) or any(
        name.rpartition(".")[2] not in _NEUTRAL for ancestor in ancestry for name in ancestor.outside
    )


_NEUTRAL = frozenset(("ABC", "Generic", "Protocol", "NamedTuple", "object"))
"""Bases outside that make no text, number or the like of a class."""
