"""Python regular expressions that ripgrep and grep can run, for they mean the same there.

What is not surely the same (look-around, back references, possessive repeats, letters outside ASCII, …) runs in a
worker process. What both programs refuse need not be known here: then the worker is asked, too. Both take time linear
in the text, or stop by themselves.

The meaning is that of Python's `re` on the bytes of a line without its end: `\\w`, `\\d`, `\\s` and ignoring case are
about ASCII.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_ESCAPE = r"\\[bdswDSWt]|\\[!-/:-@\[-`{-~]"
_MEMBER = r"\\[dswt]|\\[!-/:-@\[-`{-~]|[^\\\[\]&~^-]"
_TOKEN = re.compile(
    rf"(?P<literal>[\w !\"#%&',/:;<=>@`~-])|(?P<escape>{_ESCAPE})|(?P<any>\.)|(?P<end>\$)|(?P<start>\^)|(?P<or>\|)"
    rf"|(?P<set>\[\^?(?:(?:{_MEMBER})(?:-(?:{_MEMBER}))?)+-?\])|(?P<open>\((?:\?:|\?P<[A-Za-z_]\w*>)?(?![|)]))"
    r"|(?P<close>\))|(?P<bracket>[\]}])|(?P<repeat>(?:[*+?]|\{[0-9]{1,3}(?:,[0-9]{0,3})?\})\??(?![*+?{]))",
    re.ASCII,
)
_REPEATABLE = frozenset({"literal", "escape", "any", "set", "close", "bracket"})


class Portable(NamedTuple):
    """A pattern that another program can run."""

    text: str
    ignore_case: bool


def portable(pattern: str, ignore_case: bool) -> Portable | None:
    """Return the pattern as other programs run it, or None if it does not surely mean the same there."""
    if pattern.startswith("(?i)"):
        pattern, ignore_case = pattern[4:], True
    if not pattern.isascii() or not pattern.isprintable():
        return None
    pieces: list[str] = []
    place, last = 0, ""
    while place < len(pattern):
        token = _TOKEN.match(pattern, place)
        if token is None or (token.lastgroup == "repeat" and last not in _REPEATABLE):
            return None
        last, place = str(token.lastgroup), token.end()
        pieces.append(_written(token))
    return Portable("".join(pieces), ignore_case) if pieces else None


def _written(token: re.Match[str]) -> str:
    text = token[0]
    if token.lastgroup == "end":
        return "(?:\\r?$)"  # a line of a file with Windows line ends ends before its carriage return
    if token.lastgroup in ("literal", "bracket") and not text.isalnum():
        return f"\\x{ord(text):02x}"  # quoted, it means the same everywhere
    if token.lastgroup == "escape" and not text[1].isalnum():
        return f"\\x{ord(text[1]):02x}"
    return text
