"""One tokenizer for command lines: words, quotes and backslashes, and what joins and redirects commands."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from inarch.contract.errors import ToolFailed


class NeedsShell(ToolFailed):
    """A command line that only a shell could run as it is meant."""


LONGEST = 8_192
"""Characters of the longest command line that is taken."""
_OPERATORS = {
    **dict.fromkeys(";&\n", "of what joins commands && || ; and | work, on one line; nothing runs in the background"),
    "|": "commands are piped by | between two programs, with 2>&1 before it for errors",
    "<": "input is redirected from /dev/null only: name the file as an argument",
    ">": "output goes to /dev/null or the other output only, as 2>/dev/null and 2>&1, each a word of its own: "
    "it is returned; keep it with a tool that writes files",
    **dict.fromkeys("()", "there is no shell: no groups and no subshells"),
    **dict.fromkeys("$`", "nothing is expanded: write the value itself, or quote with '…' what is meant literally"),
    **dict.fromkeys("{}", "braces are not expanded: write every word, or quote with '…' what is meant literally"),
    **dict.fromkeys(
        "*?[",
        "patterns are not expanded: use find or a tool that lists files, or quote with '…' what the program itself "
        "expands",
    ),
}
_AT_THE_START = {
    "~": "~ is not expanded: give a path relative to the workspace root",
    "#": "there are no comments: leave it out, or quote it with '…'",
}
_IN_DOUBLE_QUOTES = "$`"
_JOINT = re.compile(r"&&|\|\||;|\|(?!&)")
REDIRECTION = re.compile(
    r"(?:(?P<null>[12]?)>>?[ \t]*/dev/null|(?P<copied>[12]?)>&(?P<onto>[12])|0?<[ \t]*/dev/null)(?=[ \t;|]|$)"
)
"""An output that goes to nowhere or to the other one, or an input from nowhere: a word of its own."""
_BLANKS = re.compile(r"[ \t]+")


def split_command(text: str) -> tuple[str, ...]:
    """Return the words of a command line; single quotes, double quotes and backslashes work as in a POSIX shell.

    Raises:
        ToolFailed: `validation` where a shell would do more than split it, or it is no command line at all.
    """
    require_readable(text)
    return tuple(word for _, word in tokens(text, joins=False))


def require_readable(text: str) -> None:
    """Refuse what is no line of text, is too long, or has characters that can't be seen.

    Raises:
        ToolFailed: `validation`, with what is wrong.
    """
    if not isinstance(text, str) or not text.strip():
        raise ToolFailed("validation", "the command is empty", "give a program and its arguments")
    if len(text) > LONGEST:
        raise ToolFailed(
            "validation", f"the command is {len(text)} characters long; at most {LONGEST} are allowed",
            "put long input into a file",
        )  # fmt: skip
    _refuse_invisible(text)


def _refuse_invisible(text: str) -> None:
    for position, char in enumerate(text):
        kind = unicodedata.category(char)
        # Format characters reorder or hide what a person approves; surrogates are no text. Newlines chain commands.
        if kind in ("Cf", "Cs", "Zl", "Zp") or (kind == "Cc" and char not in "\t\n"):
            raise ToolFailed(
                "validation",
                f"the command has the character U+{ord(char):04X} at position {position}, which can't be seen",
                "leave it out",
            )


def tokens(text: str, *, joins: bool) -> Iterator[tuple[str, str]]:
    """Yield words, and where commands may be joined what joins them and their redirections, each with its kind."""
    position, word = 0, None
    while position < len(text):
        char = text[position]
        redirection = REDIRECTION.match(text, position) if joins and word is None else None
        joint = _JOINT.match(text, position) if joins else None
        between = redirection or joint or _BLANKS.match(text, position)
        if between:
            if word is not None:
                yield "word", word
            word, position = None, between.end()
            if redirection or joint:
                yield "redirection" if redirection else "joint", between[0]
            continue
        if char in "'\"":
            piece, position = _quotation(text, position)
        elif char == "\\":
            piece, position = _escaped(text, position)
        else:
            _refuse_operator(text, position, at_the_start=word is None)
            piece, position = char, position + 1
        word = piece if word is None else word + piece
    if word is not None:
        yield "word", word


def _refuse_operator(text: str, position: int, *, at_the_start: bool) -> None:
    char = text[position]
    remedy = _OPERATORS.get(char) or (_AT_THE_START.get(char) if at_the_start else None)
    if remedy is not None:
        shown = "a line break" if char == "\n" else repr(char)
        raise NeedsShell("validation", f"the command has {shown} at position {position}", remedy)


def _quotation(text: str, start: int) -> tuple[str, int]:
    mark, piece, position = text[start], "", start + 1
    while position < len(text):
        char = text[position]
        if char == mark:
            return piece, position + 1
        if char == "\n":
            _refuse_operator(text, position, at_the_start=False)
        if mark == '"' and char in _IN_DOUBLE_QUOTES:
            _refuse_operator(text, position, at_the_start=False)
        if mark == '"' and char == "\\" and text[position + 1 : position + 2] in ('"', "\\", "$", "`"):
            position += 1
            char = text[position]
        piece, position = piece + char, position + 1
    raise ToolFailed("validation", f"the quotation that begins at position {start} has no end", f"close it with {mark}")


def _escaped(text: str, start: int) -> tuple[str, int]:
    if start + 1 >= len(text) or text[start + 1] == "\n":
        raise ToolFailed("validation", "the command ends in a backslash", "leave it out, or quote it with '…'")
    return text[start + 1], start + 2


CARRIERS = frozenset({
    "env", "nice", "ionice", "timeout", "nohup", "xargs", "sudo", "doas", "time", "setsid", "stdbuf", "command", "exec",
})  # fmt: skip
"""Programs that start the one among their words."""
