"""How much a set of values tells apart, and what is given up where it holds more."""

from __future__ import annotations

from inarch_brief_tracer.linking.cells import Value, Values
from inarch_brief_tracer.linking.values import Instance, Text

MAX_GUESSES = 512
"""Functions that a part of a name may mean together: the methods of many visitors."""
MAX_LIGHT = 4
"""Texts, numbers and names from outside that a set tells apart."""
MAX_TABLE = 64
"""Names that a set tells apart where they stood together in a table."""


class _Anything(Value):
    """Stands in a set for more instances than can be told apart."""

    __slots__ = ()


ANYTHING = _Anything()


def generalized(known: Values, value: Value) -> Values:
    """Make room in a full set: what instances it holds is given up, functions are kept."""
    if type(value) is not Instance or known[0] is ANYTHING:
        return known
    return (ANYTHING, *[one for one in known if type(one) is not Instance])


def is_table(values: Values) -> bool:
    """Whether values are names and dotted names that stood together in a table: they stay apart."""
    return len(values) <= MAX_TABLE and all(
        isinstance(value, Text) and value.text.replace(".", "").isidentifier() for value in values
    )
