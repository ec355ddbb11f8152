"""The programs that can search: which are there, and how each is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from attrs import define, field

from inarch_sandbox_fs.portable import portable

_GREP_PLACES = ("/usr/bin/grep", "/bin/grep")
_RIPGREP_OPTIONS = (
    "--no-config", "--no-messages", "--null", "--no-heading", "--with-filename", "--line-number", "--byte-offset",
    "--color=never", "--no-unicode", "--encoding=none", "--threads=1",
)  # fmt: skip
_GREP_OPTIONS = ("-P", "-I", "-H", "-n", "-b", "-s", "--null", "--color=never")
_WRONG_PATTERN = 3  # the worker's exit code


class EngineFailed(Exception):
    """A program could not do it; another one may."""


class Engine(NamedTuple):
    """One program, ready for one pattern.

    Args:
        command: Returns the arguments; is given the most lines wanted of one file.
        names_on_input: Whether file names go to standard input instead of the command line.
        good: Exit codes that mean it worked.
        wrong_pattern: Exit code that means the pattern is wrong.
    """

    command: Callable[[int], list[str]]
    names_on_input: bool = False
    good: tuple[int, ...] = (0, 1)
    wrong_pattern: int | None = None


@define(eq=False, repr=False)
class Engines:
    """Finds the programs once; never one that lies in the workspace or is not named by an absolute path."""

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
        """Return the absolute path of a program, or None where there is none that may be run."""
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
    # Letters outside ASCII need text; everything else runs on bytes, which is faster and means the same as in grep.
    mode = ("i" if ignore_case else "-") + ("-" if pattern.isascii() else "u")
    command = [sys.executable, "-I", "-S", "-W", "ignore", worker, mode, pattern]
    return Engine(lambda _most: command, names_on_input=True, good=(0,), wrong_pattern=_WRONG_PATTERN)


def environment() -> dict[str, str]:
    """Return the whole environment of a search: bytes are bytes, and no configuration is read."""
    return {"LC_ALL": "C"}
