"""TOML parsing within bounds, and the line of each key, which `tomllib` does not report. It does not depend on Inarch.

A text whose lines are wanted must be one that `tomllib` accepts: the scan follows its structure and validates nothing.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from typing import Any

__all__ = ["KeyPath", "key_lines", "loads"]

KeyPath = tuple[str | int, ...]
"""Keys, and indices of arrays, from the outermost table on."""

_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"""(?:"{0,2})' r"|'''.*?'''(?:'{0,2})" r'|"(?:\\.|[^"\\\n])*"' r"|'[^'\n]*'", re.DOTALL
)
_SCALAR = re.compile(r"[^,\]}#\r\n]*")


MOST_PARTS = 100
"""Maximum parts of a dotted key: the time of `tomllib` grows with their square."""


def loads(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text.

    Raises:
        ValueError: It is not TOML, or has a key of too many parts.
        RecursionError: Its values are nested too deeply.
    """
    if text.count(".") >= MOST_PARTS:  # nearly no file has so many
        part = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')"""
        if re.search(rf"(?<![A-Za-z0-9_-])(?:{part}[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}", text):
            raise tomllib.TOMLDecodeError(f"more than {MOST_PARTS} names with dots between them")
    return tomllib.loads(text)


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line, counted from 1, of every key, table and array element of a valid TOML text."""
    scan = _Scan(text)
    try:
        scan.document()
    except RecursionError:  # arrays nested deeper than the stack: the result so far is used
        pass
    return scan.lines


class _Scan:
    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0
        self.lines: dict[KeyPath, int] = {}
        self.lengths: dict[KeyPath, int] = {}  # of arrays of tables
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def document(self) -> None:
        table: KeyPath = ()
        self.blank()
        while self.pos < len(self.text):
            if self.text[self.pos] == "[":
                table = self.header()
            else:
                self.pair(table)
            self.blank()

    def blank(self) -> None:
        match = _BLANK.match(self.text, self.pos)
        self.pos = match.end() if match else self.pos

    def accept(self, mark: str) -> bool:
        self.blank()
        found = self.text.startswith(mark, self.pos)
        self.pos += len(mark) if found else 0
        return found

    def note(self, path: KeyPath, start: int, base: int = 0) -> None:
        """Record the line of `path`, and of its prefixes longer than `base` if they are new."""
        line = bisect_right(self.starts, start)
        for length in range(base + 1, len(path) + 1):
            self.lines.setdefault(path[:length], line)

    def header(self) -> KeyPath:
        start = self.pos
        array = self.text.startswith("[[", self.pos)
        self.pos += 2 if array else 1
        parts = self.key()
        self.accept("]]" if array else "]")
        path: KeyPath = ()
        for index, part in enumerate(parts):
            path = (*path, part)
            last = index == len(parts) - 1
            if last and array:
                self.note(path, start)
                self.lengths[path] = self.lengths.get(path, 0) + 1
            if path in self.lengths:
                path = (*path, self.lengths[path] - 1)
        self.note(path, start)
        return path

    def key(self) -> KeyPath:
        parts = [self.word()]
        while self.accept("."):
            self.blank()
            parts.append(self.word())
        return tuple(parts)

    def word(self) -> str:
        self.blank()
        match = _STRING.match(self.text, self.pos)
        if match:
            self.pos = match.end()
            return str(tomllib.loads(f"word = {match[0]}")["word"])
        match = _BARE.match(self.text, self.pos)
        self.pos = match.end() if match else len(self.text)
        return match[0] if match else ""

    def pair(self, table: KeyPath) -> None:
        start = self.pos
        path = (*table, *self.key())
        self.note(path, start, len(table))
        self.accept("=")
        self.value(path)

    def value(self, path: KeyPath) -> None:
        self.blank()
        start = self.pos
        self.note(path, start, len(path) - 1)
        if self.accept("["):
            index = 0
            while self.pos < len(self.text) and not self.accept("]"):
                self.value((*path, index))
                index += 1
                self.accept(",")
        elif self.accept("{"):
            while self.pos < len(self.text) and not self.accept("}"):
                self.blank()
                self.pair(path)
                self.accept(",")
        else:
            match = _STRING.match(self.text, self.pos) or _SCALAR.match(self.text, self.pos)
            self.pos = match.end() if match else len(self.text)
