"""Lines, tables and JSON on their way to a terminal, made harmless, and how wide it is."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, TextIO

from inarch_lib.output.escapes import escape, escape_json


def print_line(line: str) -> None:
    """Write a line to standard output, made harmless."""
    sys.stdout.write(f"{escape(line, keep_newlines=False)}\n")


def aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield each row as a line, its columns as wide as the widest cell; the last one is left as it is."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    for *first, last in rows:
        cells = [cell.ljust(width) for cell, width in zip(first, widths, strict=True)]
        yield "  ".join([*cells, last]).rstrip()


def print_json(data: Any, *, indent: int | None = 2) -> None:
    """Write JSON data to standard output; what could mislead a terminal stands as an escape of JSON."""
    import json

    sys.stdout.write(f"{escape_json(json.dumps(data, ensure_ascii=False, indent=indent))}\n")


class Harmless:
    """A stream for what others print: it passes text on to another one, made harmless."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write text."""
        self._stream.write(escape(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def columns_of(stream: TextIO) -> int:
    """Return the width of the terminal behind `stream`; `COLUMNS` rules, 80 where there is none."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told) > 0:
        return int(told)
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def is_terminal(stream: TextIO | None) -> bool:
    """Whether `stream` is open and a terminal."""
    return stream is not None and not stream.closed and stream.isatty()


def width(text: str) -> int:
    """Return how many columns escaped `text` without line ends takes."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


@lru_cache(4096)
def _columns(char: str) -> int:
    from unicodedata import combining, east_asian_width

    if combining(char) or char in "\u200c\u200d\ufe0e\ufe0f":
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def shorten(text: str, columns: int) -> str:
    """Return `text` cut to `columns` columns, with an ellipsis if it was cut."""
    if columns <= 0:
        return ""
    if width(text) <= columns:
        return text
    kept, used = [], 0
    for char in text:
        used += _columns(char)
        if used > columns - 1:
            break
        kept.append(char)
    return "".join(kept) + "…"
