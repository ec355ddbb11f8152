"""The code of a notebook as a Python module, each line at its line number in the notebook's file."""

from __future__ import annotations

import json
import re

_CELL = re.compile(r'^\s*"cell_type":\s*"(\w+)"')
_SOURCE = re.compile(r'^\s*"source":\s*\[\s*$')
_LINE = re.compile(r'^\s*("(?:[^"\\]|\\.)*"),?\s*$')
_OTHER_LANGUAGE = re.compile(r"^\s*%%(?!time|capture|prun)\w")
_COMMAND = re.compile(r"^(\s*)(?:[%!?]|.*\?\s*$)")


def code_of(data: bytes) -> bytes:
    """Return the code of a notebook's cells, with an empty line for every other line of the file.

    A notebook usually has one line of code on each line of its file. Any other layout has no lines to cite, and returns
    nothing.
    """
    lines = data.decode("utf-8", "replace").split("\n")
    found = [""] * len(lines)
    kind, cell = "", -1
    for number, line in enumerate(lines):
        if match := _CELL.match(line):
            kind = match[1]
        elif cell >= 0:
            text = _text(line)
            if text is None:
                _put(found, cell, number)
                cell = -1
            else:
                found[number] = text
        elif kind == "code" and _SOURCE.match(line):
            cell = number + 1
    return "\n".join(found).encode("utf-8", "replace")


def _text(line: str) -> str | None:
    match = _LINE.match(line)
    if match is None:
        return None
    try:
        text = json.loads(match[1])
    except ValueError:
        return None
    return str(text).rstrip("\n").replace("\n", " ")


def _put(found: list[str], start: int, end: int) -> None:
    """Remove cell content other than Python: commands of the notebook, cells in another language."""
    is_other = start < end and bool(_OTHER_LANGUAGE.match(found[start]))
    for number in range(start, end):
        command = _COMMAND.match(found[number])
        if is_other:
            found[number] = ""
        elif command and "=" not in found[number].partition("?")[0][: len(command[1]) + 1]:
            found[number] = f"{command[1]}pass"
