"""Tokenizer of command lines: words, quotes, backslashes, operators and redirections."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from inarch.contract.errors import ToolFailed


class NeedsShell(ToolFailed):
    """Command line that only a shell can run as intended."""


LONGEST = 8_192
"""Maximum characters of a command line."""
_OPERATORS = {
    **dict.fromkeys(";&\n", "join commands with && || ; or | on one line; background commands are not supported"),
    "|": "| joins two programs; put 2>&1 before it to include errors",
    "<": "input can only be redirected from /dev/null: name the file as an argument",
    ">": "output can only go to /dev/null or the other output, as in 2>/dev/null and 2>&1, each a separate word:  "
    "the call returns it; store it with a tool that writes files",
    **dict.fromkeys("()", "there is no shell: groups and subshells are not supported"),
    **dict.fromkeys("$`", "nothing is expanded: write the value itself, or quote literal text with '…'"),
    **dict.fromkeys("{}", "braces are not expanded: write every word, or quote literal text with '…'"),
    **dict.fromkeys(
        "*?[",
        "patterns are not expanded: use find or a tool that lists files, or quote a pattern for the program "
        "itself with '…'",
    ),
}
_AT_THE_START = {
    "~": "~ is not expanded: give a path relative to the workspace root",
    "#": "comments are not supported: remove it, or quote it with '…'",
}
_IN_DOUBLE_QUOTES = "$`"
_JOINT = re.compile(r"&&|\|\||;|\|(?!&)")
REDIRECTION = re.compile(
    r"(?:(?P<null>[12]?)>>?[ \t]*/dev/null|(?P<copied>[12]?)>&(?P<onto>[12])|0?<[ \t]*/dev/null)(?=[ \t;|]|$)"
)
"""Redirection of an output to nowhere or to the other one, or of the input from nowhere; a separate word."""
_BLANKS = re.compile(r"[ \t]+")


def split_command(text: str) -> tuple[str, ...]:
    """Split a command line into words; single quotes, double quotes and backslashes work as in a POSIX shell.

    Raises:
        ToolFailed: `validation` if it needs more than splitting, or is not a command line.
    """
    require_readable(text)
    return tuple(word for _, word in tokens(text, joins=False))


def require_readable(text: str) -> None:
    """Reject text that is not one line, is too long, or has invisible characters.

    Raises:
        ToolFailed: `validation`, with the fault.
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
        # Format characters reorder or hide what a person approves; surrogates are not text. Newlines chain commands.
        if kind in ("Cf", "Cs", "Zl", "Zp") or (kind == "Cc" and char not in "\t\n"):
            raise ToolFailed(
                "validation",
                f"the command has the character U+{ord(char):04X} at position {position}, which is invisible",
                "remove it",
            )


def tokens(text: str, *, joins: bool) -> Iterator[tuple[str, str]]:
    """Yield words, and if `joins` is set, operators and redirections, each with its kind."""
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
    raise ToolFailed("validation", f"the quotation at position {start} is not closed", f"close it with {mark}")


def _escaped(text: str, start: int) -> tuple[str, int]:
    if start + 1 >= len(text) or text[start + 1] == "\n":
        raise ToolFailed("validation", "the command ends in a backslash", "remove it, or quote it with '…'")
    return text[start + 1], start + 2


CARRIERS = frozenset({
    "env", "nice", "ionice", "timeout", "nohup", "xargs", "sudo", "doas", "time", "setsid", "stdbuf", "command", "exec",
})  # fmt: skip
"""Programs that start another program given in their arguments."""
