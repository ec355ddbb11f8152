"""The code of a notebook as a module of Python in which each line stands where it stands in the notebook's file."""

from __future__ import annotations

import json
import re

_CELL = re.compile(r'^\s*"cell_type":\s*"(\w+)"')
_SOURCE = re.compile(r'^\s*"source":\s*\[\s*$')
_LINE = re.compile(r'^\s*("(?:[^"\\]|\\.)*"),?\s*$')
_OTHER_LANGUAGE = re.compile(r"^\s*%%(?!time|capture|prun)\w")
_COMMAND = re.compile(r"^(\s*)(?:[%!?]|.*\?\s*$)")


def code_of(data: bytes) -> bytes:
    """Give the code of a notebook's cells; as many lines as the file has, the others empty.

    A notebook is written with a line of code to a line of its file; one that is not has no lines that could be cited,
    and gives nothing.
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
    """Take out of a cell what is no Python: commands of the notebook, cells in another language."""
    is_other = start < end and bool(_OTHER_LANGUAGE.match(found[start]))
    for number in range(start, end):
        command = _COMMAND.match(found[number])
        if is_other:
            found[number] = ""
        elif command and "=" not in found[number].partition("?")[0][: len(command[1]) + 1]:
            found[number] = f"{command[1]}pass"
