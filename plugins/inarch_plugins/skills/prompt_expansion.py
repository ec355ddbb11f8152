"""A prompt file's text with what was typed behind its name: pieces of text, and commands to run in their places."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from attrs import frozen

_PLACE = re.compile(r"!`(?P<command>[^`\n]+)`|\$(?P<name>ARGUMENTS(?![A-Za-z0-9_])|[1-9][0-9]?(?![0-9]))")


@frozen
class Command:
    """A command whose output is to stand in its place."""

    line: str


def expand(text: str, words: str) -> list[str | Command]:
    """Return what a text becomes: `$ARGUMENTS` is all that was typed, `$1` the first word of it, missing ones nothing.

    What was typed is put in once and not looked at again: it holds no commands and no places. Where the text has no
    place for it, it comes last.
    """
    pieces = list(_pieces(text, words))
    if words and not any(one["name"] for one in _PLACE.finditer(text)) and not _in_commands(text):
        pieces.append(f"\n\n{words}")
    return pieces


def _pieces(text: str, words: str) -> Iterator[str | Command]:
    said, end = _words(words), 0
    for one in _PLACE.finditer(text):
        yield text[end : one.start()]
        yield _value(one["name"], words, said) if one["name"] else Command(_filled(one["command"], words, said))
        end = one.end()
    yield text[end:]


def _filled(command: str, words: str, said: list[str]) -> str:
    return _PLACE.sub(lambda one: _value(one["name"], words, said), command)


def _in_commands(text: str) -> bool:
    return any(_PLACE.search(one["command"]) for one in _PLACE.finditer(text) if one["command"])


def _value(name: str, words: str, said: list[str]) -> str:
    if name == "ARGUMENTS":
        return words
    return said[int(name) - 1] if int(name) <= len(said) else ""


def _words(words: str) -> list[str]:
    """Return the words, those between quotes as one."""
    try:
        return shlex.split(words)
    except ValueError:  # an apostrophe is no quotation
        return words.split()
