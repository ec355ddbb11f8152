"""Strings: their methods, and what turning values into text calls."""

from __future__ import annotations

from inarch_brief_tracer.linking.attributes import special
from inarch_brief_tracer.linking.cells import Arguments, Values
from inarch_brief_tracer.linking.containers import item_cell, iterated
from inarch_brief_tracer.linking.linker import EMPTY, Linker, union
from inarch_brief_tracer.linking.values import Instance, Pattern, Text
from inarch_brief_tracer.linking.widening import is_table


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
    if name in ("split", "rsplit", "partition", "rpartition"):
        return _parted(linker, base, name, arguments, line)
    return EMPTY if name == "splitlines" else (linker.text(""),)


def _parted(linker: Linker, base: Text | Pattern, name: str, arguments: Arguments, line: int) -> Values:
    """Give the parts that a known text is cut into: at the first or last of a known separator, or at all of them."""
    marks = [mark.text for mark in arguments.every() if isinstance(mark, Text)]
    if not isinstance(base, Text) or not base.text or len(marks) != 1 or not marks[0]:
        return EMPTY
    if name.endswith("partition"):
        parts = getattr(base.text, name)(marks[0])
    else:
        parts = getattr(base.text, name)(marks[0], 1 if len(arguments.every()) > 1 else -1)
    made = linker.container(-(line << 10) - 920 - len(parts), "tuple")
    for place, part in enumerate(parts):
        cell = item_cell(linker, made, place)
        grown = union(cell.values, (linker.text(part),)) if part else cell.values
        if grown is not cell.values and is_table(grown):
            cell.values = grown  # one after the other, a table's would be too many
            linker.wake(cell.readers)
    return (made,)


def as_text(linker: Linker, values: Values, line: int) -> None:
    """Note what turning values into text calls."""
    for value in values:
        if isinstance(value, Instance) and (
            special(linker, value, "__format__", Arguments(), line) is None
            and special(linker, value, "__str__", Arguments(), line) is None
        ):
            special(linker, value, "__repr__", Arguments(), line)
