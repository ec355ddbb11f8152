"""Merge of two changes of one text by hunk, whatever its encoding and its line ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from inarch_lib.output.line_matches import Hunk, hunks, split_lines

Lines = Sequence[bytes]
BINARY_LOOK = 8192
"""Number of leading bytes in which a NUL makes a file binary."""


class Clash(NamedTuple):
    """Lines that both sides changed differently; `line` counts from 1 in ours."""

    line: int
    base: Lines
    ours: Lines
    theirs: Lines


class Merged(NamedTuple):
    """Result of a merge; with clashes, `data` has marks around both sides of each."""

    data: bytes
    clashes: tuple[Clash, ...] = ()


def is_binary(data: bytes) -> bool:
    """Return whether bytes are not lines of text."""
    return b"\0" in data[:BINARY_LOOK]


def merge(base: bytes, ours: bytes, theirs: bytes) -> Merged:
    """Return `ours` with the changes from `base` to `theirs`.

    Changes that only touch each other are both applied. Changes that overlap, or insert different lines at one
    position, clash.
    """
    if ours in (base, theirs):
        return Merged(theirs)
    if theirs == base:
        return Merged(ours)
    return _merge(split_lines(base), split_lines(ours), split_lines(theirs))


def _merge(base: Lines, ours: Lines, theirs: Lines, apart: bool = False) -> Merged:
    """Merge lines; with `apart`, changes that touch each other clash as well."""
    out: list[bytes] = []
    clashes: list[Clash] = []
    done = 0
    for mine, others in _regions(hunks(base, ours), hunks(base, theirs), apart):
        start = min(hunk.start for hunk in (*mine, *others))
        end = max(hunk.end for hunk in (*mine, *others))
        out += base[done:start]
        our_text = _text(base, ours, mine, start, end)
        their_text = _text(base, theirs, others, start, end)
        if not others or our_text == their_text:
            out += our_text
        elif not mine:
            out += their_text
        else:
            our_line = mine[0].new_start - (mine[0].start - start) + 1
            clashes.append(Clash(our_line, base[start:end], our_text, their_text))
            out += _marked(clashes[-1])
        done = end
    out += base[done:]
    if not apart and not all(line.endswith(b"\n") for line in out[:-1]):
        return _merge(base, ours, theirs, apart=True)  # one side's last line without a line end came before another
    return Merged(b"".join(out), tuple(clashes))


def _marked(clash: Clash) -> list[bytes]:
    """Return both sides of a clash with git's marks, each line with an end."""
    end = b"\r\n" if any(line.endswith(b"\r\n") for line in (*clash.ours, *clash.theirs)) else b"\n"
    sides = ((b"<<<<<<< ours", clash.ours), (b"||||||| base", clash.base), (b"=======", clash.theirs))
    out: list[bytes] = []
    for mark, lines in sides:
        out += [mark + end, *(line if line.endswith(b"\n") else line + end for line in lines)]
    return [*out, b">>>>>>> theirs" + end]


def _regions(mine: Sequence[Hunk], others: Sequence[Hunk], apart: bool) -> list[tuple[list[Hunk], list[Hunk]]]:
    """Group overlapping hunks of both sides, in the order of the base."""
    regions: list[tuple[list[Hunk], list[Hunk]]] = []
    tagged = sorted([(hunk, 0) for hunk in mine] + [(hunk, 1) for hunk in others], key=lambda one: one[0][:2])
    start = end = -1
    for hunk, side in tagged:
        same_place = hunk.start == hunk.end == start == end
        if regions and (hunk.start < end or same_place or (apart and hunk.start == end)):
            end = max(end, hunk.end)
        else:
            regions.append(([], []))
            start, end = hunk.start, hunk.end
        regions[-1][side].append(hunk)
    return regions


def _text(base: Lines, changed: Lines, changes: Sequence[Hunk], start: int, end: int) -> list[bytes]:
    """Return one side's version of lines `start` to `end` of the base."""
    out: list[bytes] = []
    for hunk in changes:
        out += [*base[start : hunk.start], *changed[hunk.new_start : hunk.new_end]]
        start = hunk.end
    return [*out, *base[start:end]]


def clash_text(clashes: Sequence[Clash], names: tuple[str, str, str] = ("now", "was left as", "would be")) -> str:
    """Return the lines of conflicts with marks around each side, for a person; `names` are of ours, base, theirs."""
    out: list[str] = []
    for clash in clashes:
        marks = (f"{mark} {name}" for mark, name in zip(("<<<<<<<", "|||||||", "======="), names, strict=True))
        sides = zip(marks, (clash.ours, clash.base, clash.theirs), strict=True)
        out.append(f"line {clash.line}:")
        for mark, lines in sides:
            out += [mark, *(line.decode("utf-8", "replace").rstrip("\r\n") for line in lines)]
        out.append(">>>>>>>")
    return "\n".join(out)
