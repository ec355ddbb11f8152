"""Search programs: which are installed, how to call each, and which patterns each can run."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from attrs import define, field

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
    """Pattern that another program can run."""

    text: str
    ignore_case: bool


def portable(pattern: str, ignore_case: bool) -> Portable | None:
    """Return the pattern for other programs, or None if it may mean something else there."""
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
        return "(?:\\r?$)"  # a line with a Windows line end ends before its carriage return
    if token.lastgroup in ("literal", "bracket") and not text.isalnum():
        return f"\\x{ord(text):02x}"  # quoted, it means the same in every engine
    if token.lastgroup == "escape" and not text[1].isalnum():
        return f"\\x{ord(text[1]):02x}"
    return text


_GREP_PLACES = ("/usr/bin/grep", "/bin/grep")
_RIPGREP_OPTIONS = (
    "--no-config", "--no-messages", "--null", "--no-heading", "--with-filename", "--line-number", "--byte-offset",
    "--color=never", "--no-unicode", "--encoding=none", "--threads=1",
)  # fmt: skip
_GREP_OPTIONS = ("-P", "-I", "-H", "-n", "-b", "-s", "--null", "--color=never")
_WRONG_PATTERN = 3  # the worker's exit code


class EngineFailed(Exception):
    """Error for a program that could not search; another may."""


class Engine(NamedTuple):
    """Program prepared for one pattern."""

    command: Callable[[int], list[str]]
    names_on_input: bool = False
    good: tuple[int, ...] = (0, 1)
    wrong_pattern: int | None = None


@define(eq=False, repr=False)
class Engines:
    """Finder of search programs, which looks once.

    It accepts only absolute paths outside the workspace.
    """

    root: str
    choice: str
    _search_path: str = field(factory=lambda: os.environ.get("PATH", ""))
    _found: dict[str, str | None] = field(factory=dict)

    def for_pattern(self, pattern: str, ignore_case: bool) -> Iterator[Engine]:
        """Yield the engines that can run a pattern, the fastest first."""
        written = portable(pattern, ignore_case)
        if written and self.choice in ("auto", "ripgrep") and (ripgrep := self.program("rg")):
            yield _engine(ripgrep, _RIPGREP_OPTIONS, *written)
        if written and self.choice in ("auto", "grep") and (grep := self.program("grep", _GREP_PLACES)):
            yield _engine(grep, _GREP_OPTIONS, *written)
        yield _python(pattern, ignore_case)

    def program(self, name: str, places: tuple[str, ...] = ()) -> str | None:
        """Return the absolute path of a program, or None if none may be run."""
        if name not in self._found:
            beside = os.path.join(os.path.dirname(sys.executable or ""), name)
            folders = [folder for folder in self._search_path.split(os.pathsep) if os.path.isabs(folder)]
            candidates = (*places, beside, *(os.path.join(folder, name) for folder in folders))
            self._found[name] = next(filter(self._is_usable, candidates), None)
        return self._found[name]

    def _is_usable(self, candidate: str) -> bool:
        if not (os.path.isabs(candidate) and os.path.isfile(candidate) and os.access(candidate, os.X_OK)):
            return False
        inside = os.path.join(os.path.realpath(self.root), "")
        folder = os.path.join(os.path.realpath(os.path.dirname(candidate)), "")
        return not (os.path.realpath(candidate).startswith(inside) or folder.startswith(inside))


def _engine(program: str, options: tuple[str, ...], pattern: str, ignore_case: bool) -> Engine:
    case = ["-i"] if ignore_case else []
    return Engine(lambda most: [program, *options, *case, "-m", str(most), "-e", pattern, "--"])


def _python(pattern: str, ignore_case: bool) -> Engine:
    worker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "search_worker.py")
    # Letters outside ASCII need text. Everything else runs on bytes: faster, and the same meaning as in grep.
    mode = ("i" if ignore_case else "-") + ("-" if pattern.isascii() else "u")
    command = [sys.executable, "-I", "-S", "-W", "ignore", worker, mode, pattern]
    return Engine(lambda _most: command, names_on_input=True, good=(0,), wrong_pattern=_WRONG_PATTERN)


def environment() -> dict[str, str]:
    """Return the complete environment of a search: byte semantics and no configuration files."""
    return {"LC_ALL": "C"}
