"""Python regular expressions rewritten for grep and ripgrep, where they mean the same there.

What is not surely the same (look-around, back references, possessive repeats, letters outside ASCII, …) is not
rewritten; such patterns run in a worker process. Both programs take time linear in the text whatever the pattern.

The meaning is that of Python's `re` on the bytes of a line without its end: `\\w`, `\\d`, `\\s` and ignoring case are
about ASCII. Greedy and lazy repeats find the same lines, so laziness is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Literal, NamedTuple

from attrs import define

_DIGITS = frozenset("0123456789")
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_CLASSES = {
    "d": _DIGITS,
    "w": _DIGITS | _LETTERS | {"_"},
    "s": frozenset(" \t\r\f\v"),  # a line holds no newline
}
_ALL = frozenset(map(chr, range(128))) - {"\n", "\0"}
_SPECIAL = {"grep": frozenset(".[(){*+?|^$\\"), "ripgrep": frozenset(".[](){}*+?|^$\\#&-~")}
_REPEAT = re.compile(r"\{(\d*)(,?)(\d*)\}")
_MOST_REPEATS = 255
_OPENING = re.compile(r"\(\?(?::|P<[A-Za-z_]\w*>)", re.ASCII)


class NotPortable(Exception):
    """The pattern has to run in Python."""


class Portable(NamedTuple):
    """A pattern in the dialect of another program."""

    text: str
    ignore_case: bool


def portable(pattern: str, ignore_case: bool, dialect: Literal["grep", "ripgrep"]) -> Portable | None:
    """Return the pattern in another dialect, or None where it surely means the same in none."""
    if not pattern.isascii() or "\n" in pattern or "\0" in pattern:
        return None
    if pattern.startswith("(?i)"):
        pattern, ignore_case = pattern[4:], True
    try:
        return Portable(_Rewriter(pattern, dialect).rewrite(), ignore_case)
    except NotPortable:
        return None


@define(eq=False, repr=False)
class _Rewriter:
    pattern: str
    dialect: Literal["grep", "ripgrep"]
    index: int = 0
    repeatable: bool = False
    depth: int = 0

    def rewrite(self) -> str:
        pieces = []
        while self.index < len(self.pattern):
            pieces.append(self._piece(self.pattern[self.index]))
        if self.depth or not pieces:
            raise NotPortable
        return "".join(pieces)

    def _piece(self, char: str) -> str:
        if char in "*+?{":
            return self._repeat(char)
        if char == "(":
            return self._open()
        self.index += 1
        self.repeatable = True
        if char == ")":
            self.depth -= 1
            if self.depth < 0:
                raise NotPortable
            return ")"
        if char in "|^":
            self.repeatable = False
            return char
        if char == "$":
            self.repeatable = False
            return "\r?$"  # a line of a file with Windows line ends ends before its carriage return
        if char == "[":
            return self._bracket()
        if char == "\\":
            return self._escape()
        return "." if char == "." else self._literal(char)

    def _open(self) -> str:
        found = _OPENING.match(self.pattern, self.index)
        if found is None and self.pattern.startswith("(?", self.index):
            raise NotPortable
        self.index = found.end() if found else self.index + 1
        if self.pattern[self.index : self.index + 1] in ("", "|", ")"):
            raise NotPortable
        self.depth += 1
        self.repeatable = False
        return "("

    def _repeat(self, char: str) -> str:
        text = char
        if char == "{":
            found = _REPEAT.match(self.pattern, self.index)
            if found is None or not (found[1] or found[3]):
                raise NotPortable
            if max(int(found[1] or 0), int(found[3] or 0)) > _MOST_REPEATS or int(found[1] or 0) > int(
                found[3] or _MOST_REPEATS
            ):
                raise NotPortable
            text = "{" + (found[1] or "0") + found[2] + found[3] + "}"
            self.index = found.end()
        else:
            self.index += 1
        following = self.pattern[self.index : self.index + 1]
        if not self.repeatable or following == "+" or following == "*":
            raise NotPortable
        self.index += following == "?"
        self.repeatable = False
        return text

    def _escape(self) -> str:
        char = self.pattern[self.index : self.index + 1]
        self.index += 1
        if char == "b":
            self.repeatable = False
            return "\\b"
        if char == "t":
            return "\t"
        if char.lower() in _CLASSES and char:
            chars = _CLASSES[char.lower()]
            return self._set(chars, negated=char.isupper())
        if not char or char.isalnum() or char not in _ALL:
            raise NotPortable
        return self._literal(char)

    def _bracket(self) -> str:
        negated = self.pattern[self.index : self.index + 1] == "^"
        self.index += negated
        chars: set[str] = set()
        first = True
        while first or self.pattern[self.index : self.index + 1] != "]":
            first = False
            chars |= self._item()
        self.index += 1
        return self._set(chars, negated)

    def _item(self) -> set[str]:
        low = self._member()
        if self.pattern[self.index : self.index + 1] != "-" or self.pattern[self.index + 1 : self.index + 2] == "]":
            return low
        self.index += 1
        high = self._member()
        if len(low) != 1 or len(high) != 1 or min(low) > min(high):
            raise NotPortable
        return {chr(code) for code in range(ord(min(low)), ord(min(high)) + 1)}

    def _member(self) -> set[str]:
        char = self.pattern[self.index : self.index + 1]
        self.index += 1
        if char == "\\":
            char = self.pattern[self.index : self.index + 1]
            self.index += 1
            if char and char in _CLASSES:
                return set(_CLASSES[char])
            if char == "t":
                return {"\t"}
            if char.isalnum():
                raise NotPortable
        if char not in _ALL or not char:
            raise NotPortable
        return {char}

    def _literal(self, char: str) -> str:
        return f"\\{char}" if char in _SPECIAL[self.dialect] else char

    def _set(self, chars: Set[str], negated: bool) -> str:
        codes = sorted(ord(char) for char in chars)
        if self.dialect == "ripgrep":
            escaped = "".join(f"\\x{code:02x}" for code in codes)
            return f"[{'^' * negated}{escaped}]"
        # POSIX brackets know no escapes, only places where `]`, `^` and `-` are themselves.
        if chars == {"^"} and not negated:
            return "\\^"
        plain = "".join(chr(code) for code in codes if chr(code) not in "]^-[")
        awkward = ("]" if "]" in chars else "", plain, "[" if "[" in chars else "", "^" if "^" in chars else "")
        return f"[{'^' * negated}{''.join(awkward)}{'-' if '-' in chars else ''}]"
