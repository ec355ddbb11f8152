"""Parser of joined commands: lines with `|`, `&&`, `||`, `;` and redirections, with a shell's meaning."""

from __future__ import annotations

import re
from typing import NamedTuple

from inarch.contract.errors import ToolFailed
from inarch_sdk.commandline import REDIRECTION, NeedsShell, require_readable, tokens

MOST_PARTS = 32
"""Maximum commands of a line."""
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
"""Words at the start of a command that are not programs: shell grammar, and commands that change the shell itself."""


class Part(NamedTuple):
    """Command of a line.

    Args:
        words: Its words, with the variables that are set before it.
        joint: The operator before it: `|`, `&&`, `||` or `;`; empty for the first.
        output: The target of its standard output: `out` (before a pipe, the next command), `err` or `null`.
        errors: The target of its standard error, with the same values.
    """

    words: tuple[str, ...]
    joint: str = ""
    output: str = "out"
    errors: str = "err"

    def __str__(self) -> str:
        from shlex import join

        return join(self.words) + _REDIRECTED[self.output, self.errors]


class Line(NamedTuple):
    """Command line: its commands, and the folder in which they run, empty for the default."""

    parts: tuple[Part, ...]
    folder: str = ""

    @property
    def is_plain(self) -> bool:
        """Return whether it is a single command."""
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
    """Parse a line of commands joined by `|`, `&&`, `||` and `;`.

    It may also redirect to `/dev/null` or from one output to the other, and start with `cd FOLDER &&`.

    Raises:
        NeedsShell: Only a shell can run the line.
        ToolFailed: `validation` if it is not a command line.
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
                "validation", f"there is no command {f'before {token!r}' if token else f'after {joint!r}'}",
                "put a command on both sides of it",
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
        raise NeedsShell("validation", "the input of a command after | is redirected", "remove the pipe")


def _checked(parts: list[Part]) -> Line:
    """Remove a leading `cd FOLDER &&`, and reject commands that only a shell can run."""
    line = Line(tuple(parts))
    match parts:
        case [Part(("cd", folder), "", "out", "err"), Part(joint="&&") as second, *others] if folder[:1] not in "-":
            line = Line((second._replace(joint=""), *others), folder)
    for part in line.parts:
        count = next((number for number, word in enumerate(part.words) if not _VARIABLE.match(word)), len(part.words))
        if any(_TILDE.search(word) for word in part.words[:count]):
            raise NeedsShell("validation", "~ is not expanded in a variable", "write the path itself")
        if not line.is_plain and not _SHELLS_OWN.isdisjoint(part.words[count : count + 1] or ("set",)):
            said = " ".join(part.words[: count + 1])
            raise NeedsShell("validation", f"{said!r} only works in a shell", "use programs only")
    return line
