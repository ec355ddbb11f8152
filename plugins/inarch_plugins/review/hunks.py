"""Hunks of a unified diff, with the number of each line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from attrs import define, field, frozen

Side = Literal["LEFT", "RIGHT"]
"""`LEFT` is the file before the change, `RIGHT` the file after it."""
SIDES: tuple[Side, ...] = ("RIGHT", "LEFT")
_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@define
class Hunk:
    """One hunk."""

    left: dict[int, str] = field(factory=dict)
    right: dict[int, str] = field(factory=dict)
    changed: list[int] = field(factory=list)
    rows: list[str] = field(factory=list)

    def lines(self, side: Side) -> dict[int, str]:
        """Return the lines of one side by number."""
        return self.left if side == "LEFT" else self.right


@frozen
class ChangedFile:
    """A changed file with its hunks; a binary file and a mere rename have none."""

    path: str
    old_path: str | None
    hunks: tuple[Hunk, ...]

    @property
    def is_new(self) -> bool:
        """Whether the diff shows no line of a former file."""
        return not any(hunk.left for hunk in self.hunks)

    def line(self, side: Side, number: int) -> str | None:
        """Return a line that the diff shows, None if it does not show it."""
        return next((hunk.lines(side)[number] for hunk in self.hunks if number in hunk.lines(side)), None)

    def overlaps(self, side: Side, first: int, last: int) -> bool:
        """Return whether a range of lines has a line of a hunk."""
        return any(first <= number <= last for hunk in self.hunks for number in hunk.lines(side))

    def numbered(self) -> str:
        """Return the hunks with line numbers: those of removed lines are of the file before the change."""
        name = f"{self.path} (was {self.old_path})" if self.old_path else self.path
        return "\n".join([f"### {name}", *("\n".join(hunk.rows) for hunk in self.hunks)])


def read_file_diff(path: str, old_path: str | None, diff: str) -> ChangedFile:
    """Parse the diff of one file. Text that is not part of a hunk is ignored."""
    return ChangedFile(path, old_path, tuple(_hunks(diff)))


def _hunks(diff: str) -> Iterator[Hunk]:
    lines = iter(diff.split("\n"))
    for line in lines:
        if header := _HEADER.match(line):
            start, length, new, new_length = (int(number or 1) for number in header.groups())
            yield _hunk(line, (start, length), (new, new_length), lines)


def _hunk(header: str, old: tuple[int, int], new: tuple[int, int], lines: Iterator[str]) -> Hunk:
    """Read as many lines as the header announces, so that content cannot look like another header."""
    hunk = Hunk(rows=[header])
    (left, left_length), (right, right_length) = old, new
    left_end, right_end = left + left_length, right + right_length
    while left < left_end or right < right_end:
        line = next(lines, None)
        if line is None:
            break
        sign, text = line[:1], line[1:]
        if sign == "\\":  # no newline at the end of the file
            continue
        number = left if sign == "-" else right
        if sign != "-":
            hunk.right[right] = text
        if sign != "+":
            hunk.left[left] = text
        if sign in ("+", "-"):
            hunk.changed.append(right)
        hunk.rows.append(f"{number:>6} {sign or ' '}{text}")
        left, right = left + (sign != "+"), right + (sign != "-")
    return hunk
