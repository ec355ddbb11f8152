"""Changes of a file by the lines around them; every line that they don't touch keeps its bytes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch import ToolFailed
from inarch_sandbox_fs.conflicts import MOST_PLACES
from inarch_sandbox_fs.envelope import Hunk
from inarch_sandbox_fs.texts import encoding_of, is_shifted

_LINE = re.compile("([^\r\n]*)(\r\n|\n|\r|$)")
Line = tuple[str, str]
"""A line and its end, which is empty for a last line without one."""


def patched(data: bytes, hunks: Sequence[Hunk], path: str) -> bytes:
    """Return a file's bytes with the changes made, one below the other.

    Raises:
        ToolFailed: `conflict` where the lines of a change are not there, or there more than once.
    """
    encoding = encoding_of(data, path)
    if is_shifted(data) and not all(text.isascii() for hunk in hunks for _, text in hunk.lines):
        raise ToolFailed("validation", f"{path} is stored as ISO-2022; only ASCII lines can be changed in it")
    lines = _split(encoding.decode(data))
    made: list[Line] = []
    done = 0
    for hunk in hunks:
        start, end = _place(lines, done, hunk, path)
        made += lines[done:start]
        made += _changed(lines, start, hunk)
        done = end
    made += lines[done:]
    text = "".join(line + ending for line, ending in _ended_as(lines, made))
    return encoding.mark + encoding.encode(text, path)


def _split(text: str) -> list[Line]:
    return [(match[1], match[2]) for match in _LINE.finditer(text) if match[0]]


def _place(lines: Sequence[Line], done: int, hunk: Hunk, path: str) -> tuple[int, int]:
    """Return where the lines of a change stand: from a line, to the one after the last."""
    at = done
    for header in hunk.headers:
        found = next((place for place in range(at, len(lines)) if lines[place][0].strip() == header.strip()), None)
        if found is None:
            raise _conflict(path, hunk, f"the line {header[:80]!r} is not in {path} below line {at + 1}")
        at = found + 1
    old = hunk.old
    if not old:
        place = at if hunk.headers and not hunk.at_end else len(lines)
        return place, place
    if hunk.headers and not hunk.at_end and _stands(lines, at - 1, old) and at > done:
        return at - 1, at - 1 + len(old)  # the header is repeated as the first line of the context
    places = [place for place in range(at, len(lines) - len(old) + 1) if _stands(lines, place, old)]
    if hunk.at_end:
        places = [place for place in places if place + len(old) == len(lines)]
    if not places:
        raise _conflict(path, hunk, _why_not(lines, old, path))
    if len(places) > 1 and not hunk.headers:
        where = ", ".join(str(place + 1) for place in places[:MOST_PLACES])
        raise _conflict(path, hunk, f"its lines stand in {path} {len(places)} times, at lines {where}")
    return places[0], places[0] + len(old)


def _stands(lines: Sequence[Line], place: int, old: Sequence[str]) -> bool:
    return len(lines) - place >= len(old) and all(lines[place + index][0] == text for index, text in enumerate(old))


def _why_not(lines: Sequence[Line], old: Sequence[str], path: str) -> str:
    """Say what of the wanted lines is there: the place at which most of them stand."""
    best, at = 0, 0
    first = {text: index for index, text in reversed(list(enumerate(old)))}
    for place, (text, _) in enumerate(lines):
        start = place - first[text] if text in first else -1
        if start >= 0:
            fits = sum(lines[start + n][0] == want for n, want in enumerate(old) if start + n < len(lines))
            best, at = max((best, at), (fits, start), key=lambda one: one[0])
    if not best:
        return f"none of its lines is in {path}"
    wrong = next(n for n, want in enumerate(old) if at + n >= len(lines) or lines[at + n][0] != want)
    there = repr(lines[at + wrong][0][:160]) if at + wrong < len(lines) else "the end of the file"
    return f"line {at + wrong + 1} of {path} is {there}, not {old[wrong][:160]!r}"


def _changed(lines: Sequence[Line], start: int, hunk: Hunk) -> list[Line]:
    """Return what stands in the place of a change: context as it is, new lines with the line end of that place."""
    made: list[Line] = []
    place = start
    for mark, text in hunk.lines:
        if mark == "+":
            made.append((text, _ending(lines, place)))
        else:
            made += [lines[place]] if mark == " " else []
            place += 1
    return made


def _ending(lines: Sequence[Line], place: int) -> str:
    """Return the kind of line end at a place: of the line there, else of one near it."""
    near = (lines[index][1] for index in (place, place - 1, place - 2) if 0 <= index < len(lines))
    return next(filter(None, near), "") or next((ending for _, ending in lines if ending), "\n")


def _ended_as(lines: Sequence[Line], made: Sequence[Line]) -> list[Line]:
    """Return the new lines with a last line that ends as the old last one did."""
    ended = [(text, ending or _ending(lines, len(lines) - 1)) for text, ending in made]
    if lines and ended and not lines[-1][1]:
        ended[-1] = (ended[-1][0], "")
    return ended


def _conflict(path: str, hunk: Hunk, why: str) -> ToolFailed:
    return ToolFailed(
        "conflict", f"Patch conflict in the change at line {hunk.line} of the patch: {why}; nothing was written",
        f"read {path} again and copy its lines; more of them, or @@ and a line above the change, say which place",
    )  # fmt: skip
