"""Escaping of text that could mislead its reader: control, escape or bidirectional characters become codes.

Everything that comes from files, names, models and tools passes through `escape` before it is shown, so it can neither
move a cursor nor make text look like other text.
"""

from __future__ import annotations

import re
from functools import cache

MOST_MARKS = 8
"""Maximum accents of one letter; more of them would cover the lines above and below."""

# C0 but \n and \t, DEL, C1; soft hyphen, marks and overrides of direction, zero-width and invisible characters, blank
# letters, line and paragraph separators, interlinear and musical marks, lone surrogates (undecodable file names), tags.
_ALWAYS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe00-\ufe0f"
_MORE_SELECTORS = "\U000e0100-\U000e01ef"
_IDEOGRAPH = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_MARK = (
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff"
    "\u1dc0-\u1dff\u20d0-\u20ff\u302a-\u302f\ufe20-\ufe2f]"
)
_PLAIN = (
    ("\u0370", "\u0482"),
    ("\u2010", "\u205e"),
    ("\u2100", "\u2bff"),
    ("\u3001", "\u3029"),
    ("\u3041", "\u3096"),
    ("\u30a0", "\u30ff"),
    ("\u4e00", "\u9fff"),
    ("\uac00", "\ud7a3"),
    ("\U0001f300", "\U0001faff"),
)
"""Ranges above the first accent in which every printable character is safe: letters, dashes, arrows, signs."""


@cache
def _unsafe() -> re.Pattern[str]:
    # Joiners are kept between letters and signs that need them (emoji, Persian, Hindi), and variants of a sign after it
    # (emoji, keycaps, Japanese names). Anywhere else they could hide text, and are shown.
    letter = f"[^\x00-\x7f{_JOINERS}{_ALWAYS}]"
    varied = f"[^\x00-\x22\x24-\x29\x2b-\x2f\x3a-\x7f{_SELECTORS}{_MORE_SELECTORS}{_JOINERS}{_ALWAYS}]"
    return re.compile(
        f"[{_ALWAYS}]|(?<!{letter})[{_JOINERS}]|[{_JOINERS}](?!{letter})|(?<!{varied})[{_SELECTORS}]"
        f"|(?<![{_IDEOGRAPH}])[{_MORE_SELECTORS}]|(?<={_MARK}{{{MOST_MARKS}}}){_MARK}"
    )


def escape(text: str, *, keep_newlines: bool = True, after: str = "") -> str:
    """Return `text` with every character that could mislead a terminal or its reader shown as a code.

    Args:
        text: Any text.
        keep_newlines: Whether line ends and tabs stay; otherwise they too are shown as codes.
        after: The text before this piece of a stream: accents pile up across pieces, too.
    """
    if keep_newlines:
        text = text.replace("\r\n", "\n")
    else:
        text = text.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    if _is_plain(text):
        return text
    before = after[-MOST_MARKS:]
    pieces, place = [], len(before)
    for match in _unsafe().finditer(before + text, place):
        pieces += [match.string[place : match.start()], _code(match)]
        place = match.end()
    return "".join([*pieces, (before + text)[place:]])


def _is_plain(text: str) -> bool:
    """Return whether a text is surely safe; for most texts this avoids compiling the expression."""
    if not text.replace("\n", "").replace("\t", "").isprintable():
        return False
    return text.isascii() or all(
        letter < "\u0300" or any(first <= letter <= last for first, last in _PLAIN) for letter in set(text)
    )


def _code(match: re.Match[str]) -> str:
    point = ord(match.group())
    if point == 0x0D:
        return "\\r"
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def escape_json(line: str) -> str:
    """Return an equivalent line of JSON without characters that could mislead a terminal."""
    return line if line.isascii() or _is_plain(line) else _unsafe().sub(_json_code, line)


def _json_code(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def shown(text: str) -> str:
    """Return foreign text on one line, without terminal commands."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
