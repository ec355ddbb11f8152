"""One tokenizer for command lines: words, quotes and backslashes, and of what a shell does only what joins commands."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from inarch.contract.errors import ToolFailed


class NeedsShell(ToolFailed):
    """A command line that only a shell could run as it is meant."""


LONGEST = 8_192
"""Characters of the longest command line that is taken."""
MOST_PARTS = 32
"""Commands of the longest line that is taken."""
CARRIERS = frozenset({
    "env", "nice", "ionice", "timeout", "nohup", "xargs", "sudo", "doas", "time", "setsid", "stdbuf", "command", "exec",
})  # fmt: skip
"""Programs that start the one among their words."""

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
_REDIRECTION = re.compile(
    r"(?:(?P<null>[12]?)>>?[ \t]*/dev/null|(?P<copied>[12]?)>&(?P<onto>[12])|0?<[ \t]*/dev/null)(?=[ \t;|]|$)"
)
_BLANKS = re.compile(r"[ \t]+")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_TILDE = re.compile("[=:]~")
_SHELLS_OWN = frozenset({
    "!", "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "in", "select",
    "function", "coproc", "cd", "pushd", "popd", "dirs", "export", "set", "unset", "alias", "unalias", "source", ".",
    "eval", "exec", "exit", "return", "break", "continue", "read", "readonly", "trap", "umask", "ulimit", "wait",
    "shift", "local", "declare", "typeset", "let", "type", "hash", "builtin", "command", "enable", "shopt", "times",
    "time", "jobs", "fg", "bg", "disown", "getopts", "history", "mapfile", "readarray", "suspend", "logout", "bind",
    "help", ":",
})  # fmt: skip
"""Words that are no programs to a shell where a command begins: its grammar, and what changes the shell itself."""


class Part(NamedTuple):
    """One command of a line.

    Args:
        words: Its words, variables that are set before it among them.
        joint: How it follows the one before it: `|`, `&&`, `||` or `;`; empty for the first.
        output: Where its standard output goes: `out`, which is the next command behind a pipe, `err` or `null`.
        errors: Where its standard error goes, in the same words.
    """

    words: tuple[str, ...]
    joint: str = ""
    output: str = "out"
    errors: str = "err"

    def __str__(self) -> str:
        from shlex import join

        return join(self.words) + _REDIRECTED[self.output, self.errors]


class Line(NamedTuple):
    """A command line: the commands, and the folder in which they run, empty for the usual one."""

    parts: tuple[Part, ...]
    folder: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether it is one command and no more."""
        return not self.folder and self.parts == (Part(self.parts[0].words),)

    def __str__(self) -> str:
        from shlex import join

        between = {"": "", ";": "; "}
        said = (f"{between.get(part.joint, f' {part.joint} ')}{part}" for part in self.parts)
        return "".join((join(("cd", self.folder)) + " && " if self.folder else "", *said))


_REDIRECTED = {
    ("out", "err"): "", ("out", "out"): " 2>&1", ("out", "null"): " 2>/dev/null", ("err", "err"): " >&2",
    ("null", "err"): " >/dev/null", ("null", "null"): " >/dev/null 2>&1", ("null", "out"): " 2>&1 >/dev/null",
    ("err", "out"): "", ("err", "null"): " >&2 2>/dev/null",
}  # fmt: skip


def split_command(text: str) -> tuple[str, ...]:
    """Return the words of a command line; single quotes, double quotes and backslashes work as in a POSIX shell.

    Raises:
        ToolFailed: `validation` where a shell would do more than split it, or it is no command line at all.
    """
    _require_readable(text)
    return tuple(word for _, word in _tokens(text, joins=False))


def split_line(text: str) -> Line:
    """Return the commands of a line that are joined by `|`, `&&`, `||` and `;`.

    Beyond that it may redirect to `/dev/null` and an output to the other, and begin with `cd FOLDER &&`.

    Raises:
        NeedsShell: A shell would do more than start these commands.
        ToolFailed: `validation` where it is no command line at all.
    """
    _require_readable(text)
    parts: list[Part] = []
    words: list[str] = []
    joint, targets = "", {"1": "out", "2": "err"}
    for kind, token in (*_tokens(text, joins=True), (";", "")):
        if kind == "word":
            words.append(token)
        elif kind == "redirection":
            _redirect(targets, token, joint)
        elif words:
            parts.append(Part(tuple(words), joint, targets["1"], targets["2"]))
            words, joint, targets = [], token, {"1": "out", "2": "err"}
        elif token or joint != ";":
            raise ToolFailed(
                "validation", f"there is no command {f'before {token!r}' if token else f'behind {joint!r}'}",
                "give a program on both sides of it",
            )  # fmt: skip
    if len(parts) > MOST_PARTS:
        raise ToolFailed(
            "validation", f"the line has {len(parts)} commands; at most {MOST_PARTS} are allowed",
            "run it in several calls, or put it into a script",
        )  # fmt: skip
    return _checked(parts)


def _redirect(targets: dict[str, str], token: str, joint: str) -> None:
    found = _REDIRECTION.fullmatch(token)
    assert found is not None, token
    if found["onto"]:
        targets[found["copied"] or "1"] = targets[found["onto"]]
    elif found["null"] is not None:
        targets[found["null"] or "1"] = "null"
    elif joint == "|":
        raise NeedsShell("validation", "the input of a command behind | is redirected", "leave the pipe out")


def _checked(parts: list[Part]) -> Line:
    """Take a leading `cd FOLDER &&` away, and refuse what only a shell itself can do."""
    line = Line(tuple(parts))
    match parts:
        case [Part(("cd", folder), "", "out", "err"), Part(joint="&&") as second, *others] if folder[:1] not in "-":
            line = Line((second._replace(joint=""), *others), folder)
    for part in line.parts:
        count = next((number for number, word in enumerate(part.words) if not _VARIABLE.match(word)), len(part.words))
        if any(_TILDE.search(word) for word in part.words[:count]):
            raise NeedsShell("validation", "~ is expanded in a variable", "write the path itself")
        if not line.is_plain and not _SHELLS_OWN.isdisjoint(part.words[count : count + 1] or ("set",)):
            said = " ".join(part.words[: count + 1])
            raise NeedsShell("validation", f"{said!r} is for a shell itself", "give only the programs")
    return line


def _require_readable(text: str) -> None:
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


def _tokens(text: str, *, joins: bool) -> Iterator[tuple[str, str]]:
    """Yield words, and where commands may be joined what joins them and their redirections, each with its kind."""
    position, word = 0, None
    while position < len(text):
        char = text[position]
        redirection = _REDIRECTION.match(text, position) if joins and word is None else None
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
