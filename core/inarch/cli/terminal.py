"""Text on its way to a terminal: made harmless, measured in columns, cut to fit.

Everything that comes from files, names, models and tools passes through `escape`: a control, escape or bidirectional
character is shown as its code, so it can neither move the cursor nor make text look like other text.
"""

from __future__ import annotations

import os
import re
from functools import cache
from typing import TextIO

# C0 but \n and \t, DEL, C1; soft hyphen, marks and overrides of direction, zero-width and invisible characters, line
# and paragraph separators, interlinear marks, lone surrogates (undecodable file names), tag characters.
_ALWAYS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f"
)
# Joiners are kept between letters and signs that need them (emoji, Persian, Hindi) and shown everywhere else.
_LETTER = f"[^\x00-\x7f\u200c\u200d{_ALWAYS}]"


@cache
def _unsafe() -> re.Pattern[str]:
    return re.compile(f"[{_ALWAYS}]|(?<!{_LETTER})[\u200c\u200d]|[\u200c\u200d](?!{_LETTER})")


def escape(text: str, *, keep_newlines: bool = True) -> str:
    """Return `text` with every character that could mislead a terminal or its reader shown as a code.

    Args:
        text: Anything.
        keep_newlines: Whether line ends and tabs stay; otherwise they too are shown as codes.
    """
    if keep_newlines:
        text = text.replace("\r\n", "\n")
    else:
        text = text.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    # Nothing that could mislead counts as printable, so most text is passed without the expression being compiled.
    return text if text.replace("\n", "").replace("\t", "").isprintable() else _unsafe().sub(_code, text)


def _code(match: re.Match[str]) -> str:
    point = ord(match.group())
    if point == 0x0D:
        return "\\r"
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def escape_json(line: str) -> str:
    """Return a line of JSON that means the same and holds nothing that could mislead a terminal."""
    return line if line.isascii() else _unsafe().sub(_json_code, line)


def _json_code(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def width(text: str) -> int:
    """Return how many columns escaped `text` without line ends takes."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(char: str) -> int:
    from unicodedata import combining, east_asian_width

    if combining(char) or char in "\u200c\u200d\ufe0e\ufe0f":
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def shorten(text: str, columns: int) -> str:
    """Return `text` cut to `columns` columns, with an ellipsis where something was cut."""
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


def has_colours(stream: TextIO | None, *, no_color: bool = False) -> bool:
    """Whether colours may be written: a terminal, not `--no-color`, `NO_COLOR` or `TERM=dumb`."""
    return is_terminal(stream) and not no_color and not os.environ.get("NO_COLOR") and can_rewrite(stream)


def can_rewrite(stream: TextIO | None) -> bool:
    """Whether the terminal behind `stream` can erase a line."""
    return is_terminal(stream) and os.environ.get("TERM", "dumb") not in ("dumb", "")
