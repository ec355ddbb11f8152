"""Strings: their methods, and what turning values into text calls."""

from __future__ import annotations

from inarch_brief_tracer.linking.attributes import special
from inarch_brief_tracer.linking.cells import Arguments, Values
from inarch_brief_tracer.linking.containers import iterated
from inarch_brief_tracer.linking.linker import EMPTY, Linker
from inarch_brief_tracer.linking.values import Instance, Pattern, Text

_PARTING = frozenset(("split", "rsplit", "splitlines", "partition", "rpartition"))
"""Methods that give no string."""


def text_method(linker: Linker, base: Text | Pattern, name: str, arguments: Arguments, line: int) -> Values:
    """Call a method of a string: formatting asks its arguments for their text."""
    linker.outside_call(f"<builtin>.str.{name}", line)
    if name == "format":
        as_text(linker, arguments.every(), line)
        start, mark, rest = base.text.partition("{") if isinstance(base, Text) else ("", "", "")
        return (linker.pattern(start, rest.partition("}")[2]) if mark else linker.text(""),)
    if name in ("lower", "upper", "strip", "title", "capitalize", "replace"):
        return (base,)
    if name == "join":
        iterated(linker, arguments.every(), line)
    return EMPTY if name in _PARTING else (linker.text(""),)


def as_text(linker: Linker, values: Values, line: int) -> None:
    """Note what turning values into text calls."""
    for value in values:
        if isinstance(value, Instance) and (
            special(linker, value, "__format__", Arguments(), line) is None
            and special(linker, value, "__str__", Arguments(), line) is None
        ):
            special(linker, value, "__repr__", Arguments(), line)
