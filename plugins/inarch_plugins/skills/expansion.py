"""Text of a file with its placeholders filled: words, folders, and commands to be replaced by their output.

The rules are those of https://code.claude.com/docs/en/skills, as of 2026-11, with one addition: `$1` is the first word
in a file that has neither `$0` nor `$ARGUMENTS[N]`, as older files for Claude Code mean it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from attrs import define, field, frozen

import inarch
from inarch.command_lines import NeedsShell, split_line

_COMMAND = r"^[ \t]*```![ \t]*\n(?P<block>.*?)^[ \t]*```[ \t]*$|(?<!\S)!`(?P<command>[^`\n]+)`"
_FROM_ZERO = re.compile(r"(?<!\\)\$(?:0(?!\d|\.\d)|ARGUMENTS\[)")


@frozen
class Command:
    """A command that is replaced by its output."""

    line: str


@define
class _Filling:
    """The values of a text's placeholders."""

    words: str
    names: Sequence[str]
    places: Mapping[str, str]
    begins: int
    said: list[str] = field(init=False)
    is_used: bool = False

    def __attrs_post_init__(self) -> None:
        self.said = _split(self.words)

    @property
    def pattern(self) -> str:
        """Pattern of a placeholder, which a single backslash escapes."""
        named = "".join(f"|{re.escape(one)}(?!\\w)" for one in sorted(self.names, key=len, reverse=True))
        token = rf"ARGUMENTS(?:\[\d{{1,2}}\]|(?!\w))|\d{{1,2}}(?!\d){named}"
        places = "|".join(map(re.escape, self.places)) or "(?!)"
        return rf"(?P<escape>(?<!\\)\\)?\$(?P<token>{token})|\$\{{(?P<place>{places})\}}"

    def value(self, one: re.Match[str]) -> str:
        """Return the value of a placeholder, or the placeholder itself if there is no such word."""
        if one["place"]:
            return self.places[one["place"]]
        token = one["token"]
        if one["escape"]:
            return f"${token}"
        if token == "ARGUMENTS":
            found: str | None = self.words
        elif token in self.names:
            found = self._word(self.names.index(token)) or ""
        else:
            at = int(re.sub(r"\D", "", token))
            found = self._word(at if token.startswith("A") else at - self.begins)
        self.is_used |= found is not None
        return one[0] if found is None else found

    def _word(self, at: int) -> str | None:
        return self.said[at] if 0 <= at < len(self.said) else None


def expand(
    text: str, words: str, names: Sequence[str] = (), places: Mapping[str, str] | None = None
) -> list[str | Command]:
    """Replace the placeholders of a text by the words, and return the text in pieces.

    The words are inserted once and not expanded further, so they cannot contain commands or placeholders. If no
    placeholder takes any of them, they are appended.
    """
    filling = _Filling(words, names, places or {}, 0 if _FROM_ZERO.search(text) else 1)
    filled, pieces, end = re.compile(filling.pattern), list[str | Command](), 0
    for one in re.finditer(rf"(?ms){_COMMAND}|{filling.pattern}", text):
        pieces.append(text[end : one.start()])
        if one["command"]:
            pieces.append(Command(filled.sub(filling.value, one["command"])))
        elif one["block"] is not None:
            pieces += map(Command, _lines(filled.sub(filling.value, one["block"])))
        else:
            pieces.append(filling.value(one))
        end = one.end()
    pieces.append(text[end:])
    return [*pieces, f"\n\n{words}"] if words and not filling.is_used else pieces


def _lines(block: str) -> Iterator[str]:
    """Yield the commands of a block, each line by itself unless only a shell can read it."""
    lines = [line.strip() for line in block.splitlines() if line.strip() and line.strip()[0] != "#"]
    try:
        for line in lines:
            split_line(line)
    except (inarch.ToolFailed, NeedsShell):
        yield block.strip()
    else:
        yield from lines


def _split(words: str) -> list[str]:
    """Split the words. Quoted ones stay together."""
    try:
        return shlex.split(words)
    except ValueError:  # an apostrophe, not a quotation mark
        return words.split()
