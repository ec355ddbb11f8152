"""Lines of several commands: what `|`, `&&`, `||` and `;` join, and what is redirected, as a shell means it."""

from __future__ import annotations

import re
from typing import NamedTuple

from inarch.contract.errors import ToolFailed
from inarch_sdk.commandline import REDIRECTION, NeedsShell, require_readable, tokens

MOST_PARTS = 32
"""Commands of the longest line that is taken."""
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


def split_line(text: str) -> Line:
    """Return the commands of a line that are joined by `|`, `&&`, `||` and `;`.

    Beyond that it may redirect to `/dev/null` and an output to the other, and begin with `cd FOLDER &&`.

    Raises:
        NeedsShell: A shell would do more than start these commands.
        ToolFailed: `validation` where it is no command line at all.
    """
    require_readable(text)
    parts: list[Part] = []
    words: list[str] = []
    joint, targets = "", {"1": "out", "2": "err"}
    for kind, token in (*tokens(text, joins=True), (";", "")):
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
    found = REDIRECTION.fullmatch(token)
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
