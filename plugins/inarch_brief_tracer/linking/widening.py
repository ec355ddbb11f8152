"""What a set of values may hold, how much it tells apart, and what is given up where it holds more."""

from __future__ import annotations

from inarch_brief_tracer.linking.cells import Value, Values
from inarch_brief_tracer.linking.values import Bound, Cls, Func, Instance, Number, Outside, Pattern, Text

LIGHT = frozenset((Text, Number, Outside, Pattern))
MAX_GUESSES = 512
"""Functions that a part of a name may mean together: the methods of many visitors."""
MAX_LIGHT = 4
"""Texts, numbers and names from outside that a set tells apart."""
MAX_REGISTERED = 256
"""Functions that a set may hold where it holds hardly anything else: the handlers in a registry."""
MAX_OTHERS = 4
"""What else such a set may hold: an annotation, a default."""
MIN_REGISTERED = 32
"""Functions that a set of any tree must hold before it may be a registry: in the largest trees few are told apart."""
CALLED = frozenset((Func, Bound))
MAX_TABLE = 64
"""Names that a set tells apart where they stood together in a table."""


class _Anything(Value):
    """Stands in a set for more instances than can be told apart."""

    __slots__ = ()


ANYTHING = _Anything()


def generalized(known: Values, value: Value) -> Values:
    """Make room in a full set: its instances become any of the nearest class that all are derived from, else anything.

    Functions are kept.
    """
    if type(value) is not Instance or known[0] is ANYTHING:
        return known
    classes = [one.cls for one in known if type(one) is Instance]
    others = [one for one in known if type(one) is not Instance]
    for cls in value.cls.ancestry:
        if all(cls in one.ancestry for one in classes):
            return (cls.open, *others)
    return (ANYTHING, *others)


def is_table(values: Values) -> bool:
    """Whether values are names and dotted names that stood together in a table: they stay apart."""
    return len(values) <= MAX_TABLE and all(
        isinstance(value, Text) and value.text.replace(".", "").isidentifier() for value in values
    )


def is_registry(values: Values, usual: int) -> bool:
    """Whether a full set of values has room for more functions, since functions are what it is there for.

    Args:
        usual: How many functions a set of any kind may hold.
    """
    if usual < MIN_REGISTERED or len(values) >= MAX_REGISTERED:
        return False
    return sum(type(value) not in CALLED for value in values) <= MAX_OTHERS


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
