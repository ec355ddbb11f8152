"""Lines, tables and JSON for a terminal, escaped, and the width of the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, TextIO

from inarch_lib.output.escapes import escape, escape_json


def print_line(line: str) -> None:
    """Write an escaped line to standard output."""
    sys.stdout.write(f"{escape(line, keep_newlines=False)}\n")


def aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield each row as a line with aligned columns; the last column is not padded."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    for *first, last in rows:
        cells = [cell.ljust(width) for cell, width in zip(first, widths, strict=True)]
        yield "  ".join([*cells, last]).rstrip()


def print_json(data: Any, *, indent: int | None = 2) -> None:
    """Write JSON data to standard output; misleading characters become JSON escapes."""
    import json

    sys.stdout.write(f"{escape_json(json.dumps(data, ensure_ascii=False, indent=indent))}\n")


class Harmless:
    """Stream that escapes text and passes it on to another stream."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write text."""
        self._stream.write(escape(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def columns_of(stream: TextIO) -> int:
    """Return the width of the terminal behind `stream`; `COLUMNS` takes precedence, 80 is the default."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told) > 0:
        return int(told)
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether `stream` is open and a terminal."""
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
