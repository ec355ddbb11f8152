"""Errors that a server reports for a file, and the ones that an edit introduced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

MOST_KEPT = 2_000
"""Maximum errors of one file that are considered."""
MOST_SHOWN = 20
_LONGEST = 600
_ERROR = 1
_NUMBERED = re.compile(r"\bline \d+")
_LINE_ENDS = re.compile(r"\r\n|\n|\r")  # the protocol's line ends; `str.splitlines` knows more
_UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


@frozen
class Problem:
    """One error."""

    line: int
    column: int
    message: str
    code: str = ""

    @property
    def kind(self) -> tuple[str, str]:
        """The part that does not depend on its position; some messages name a line."""
        return self.code, _NUMBERED.sub("line", self.message)


def lines_of(text: str) -> list[str]:
    """Split a text into lines as the protocol counts them, without line ends."""
    return _LINE_ENDS.split(text)


def column_of(line: str, units: int, encoding: str) -> int:
    """Return the character index at `units` code units of an encoding; inside a character, that character."""
    name, width = _UNITS[encoding]
    return len(line.encode(name)[: max(units, 0) * width].decode(name, "ignore"))


def problems_of(diagnostics: Any, text: str, encoding: str) -> tuple[Problem, ...]:
    """Return the errors among a server's diagnostics; skip others and unreadable ones."""
    lines = lines_of(text)
    given = diagnostics[:MOST_KEPT] if isinstance(diagnostics, list) else []
    read = (_problem(one, lines, encoding) for one in given if isinstance(one, Mapping))
    return tuple(problem for problem in read if problem is not None)


def _problem(given: Mapping[str, Any], lines: Sequence[str], encoding: str) -> Problem | None:
    message = given.get("message")
    try:
        line, units = (given["range"]["start"][name] for name in ("line", "character"))
    except (KeyError, TypeError):
        return None
    if given.get("severity", _ERROR) != _ERROR or not isinstance(message, str):
        return None
    if not (isinstance(line, int) and isinstance(units, int)):
        return None
    line = min(max(line, 0), len(lines) - 1)
    code = given.get("code")
    named = str(code) if isinstance(code, (str, int)) else ""
    return Problem(line, column_of(lines[line], units, encoding), message, named)


def new_problems(before: Iterable[Problem], old: str, after: Iterable[Problem], new: str) -> tuple[Problem, ...]:
    """Return the errors of a new text that the old one did not have; moved errors are not new.

    Outside the changed lines, an error is recognised by its position. Inside, errors are compared by kind: as many as
    there were before are old, the rest is new.
    """
    placed = _Placed.of(lines_of(old), lines_of(new))
    here = sorted(after, key=lambda problem: (problem.line, problem.column))
    left: list[Problem] = []
    expected: dict[tuple[int, int, tuple[str, str]], int] = {}
    for problem in before:
        line = placed.now(problem.line)
        if line is None:
            left.append(problem)
        else:
            key = line, problem.column, problem.kind
            expected[key] = expected.get(key, 0) + 1
    unknown = [problem for problem in here if not _taken(expected, (problem.line, problem.column, problem.kind))]
    moved: dict[tuple[str, str], int] = {}
    for kind in [problem.kind for problem in left] + [key[2] for key, count in expected.items() for _ in range(count)]:
        moved[kind] = moved.get(kind, 0) + 1
    return tuple(problem for problem in unknown if not _taken(moved, problem.kind))


def _taken(counts: dict[Any, int], key: Any) -> bool:
    """Use up one occurrence of a key, if there is one."""
    if not counts.get(key):
        return False
    counts[key] -= 1
    return True


@frozen
class _Placed:
    """Mapping of unchanged lines: the first `above` stay, those from `below` on move by `shift`."""

    above: int
    below: int
    shift: int

    @classmethod
    def of(cls, old: Sequence[str], new: Sequence[str]) -> _Placed:
        least = min(len(old), len(new))
        above = next((at for at in range(least) if old[at] != new[at]), least)
        under = next((at for at in range(least - above) if old[-1 - at] != new[-1 - at]), least - above)
        return cls(above, len(old) - under, len(new) - len(old))

    def now(self, line: int) -> int | None:
        if line < self.above:
            return line
        return line + self.shift if line >= self.below else None


def wording(path: str, problems: Sequence[Problem], server: str) -> str:
    """Return the message about new errors for the model."""
    count = f"{len(problems)} new errors" if len(problems) > 1 else "1 new error"
    shown = [_line(path, problem) for problem in problems[:MOST_SHOWN]]
    more = [f"and {len(problems) - MOST_SHOWN} more"] if len(problems) > MOST_SHOWN else []
    return "\n".join([f"{count} in {path} since this edit, says {server}:", *shown, *more])


def _line(path: str, problem: Problem) -> str:
    message = problem.message.replace("\xa0", " ").strip().replace("\n", "\n    ")
    if len(message) > _LONGEST:
        message = message[:_LONGEST] + "…"
    return f"{path}:{problem.line + 1}:{problem.column + 1}: {message}" + (f" [{problem.code}]" if problem.code else "")
