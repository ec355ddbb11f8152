"""Patch envelope that some model families are trained on: `*** Begin Patch` … `*** End Patch`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from attrs import define, field, frozen

from inarch import ToolFailed
from inarch_plugins.sandbox_fs.patch import MOST_PLACES, nearest
from inarch_plugins.sandbox_fs.paths import normal
from inarch_plugins.sandbox_fs.texts import encoding_of, is_shifted

BEGIN, END = "*** Begin Patch", "*** End Patch"
ADD, DELETE, UPDATE = "*** Add File: ", "*** Delete File: ", "*** Update File: "
MOVE, END_OF_FILE = "*** Move to: ", "*** End of File"
_REMEDY = "write it as the tool's description says; every line of a change begins with a space, - or +"


@frozen
class Hunk:
    """One change in a file.

    Args:
        headers: Lines of the file above the change, written after `@@`, the outermost first.
        lines: Its lines without their first character, each with that character: a space, `-` or `+`.
        at_end: Whether the change is at the end of the file.
        line: Line of the patch on which it begins, counted from 1.
    """

    headers: tuple[str, ...] = ()
    lines: tuple[tuple[str, str], ...] = ()
    at_end: bool = False
    line: int = 0

    @property
    def old(self) -> list[str]:
        """Return the lines that the file must contain."""
        return [text for mark, text in self.lines if mark != "+"]


@frozen
class FilePatch:
    """Patch of one file."""

    kind: Literal["add", "delete", "update"]
    path: str
    new_path: str | None = None
    content: tuple[str, ...] = ()
    hunks: tuple[Hunk, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the paths that are written."""
        return (self.path,) if self.new_path is None else (self.path, self.new_path)


def read_envelope(text: str, root: str = "") -> tuple[FilePatch, ...]:
    """Parse a patch into one entry per file."""
    lines = _Lines(text.replace("\r\n", "\n").strip("\n").split("\n"), root)
    if lines.rest[0].rstrip() != BEGIN or lines.rest[-1].rstrip() != END or len(lines.rest) < 2:
        raise lines.wrong(f"it has to begin with {BEGIN!r} and to end with {END!r}")
    lines.rest = lines.rest[1:-1]
    lines.number += 1
    found = tuple(lines.files())
    if not found:
        raise lines.wrong("it changes nothing")
    paths = [path for one in found for path in one.paths]
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise ToolFailed("validation", f"the patch names {twice} twice", "say all changes of a file in one section")
    return found


@define(eq=False, repr=False)
class _Lines:
    """Unread lines of a patch; `number` is the line that comes next."""

    rest: list[str]
    root: str
    number: int = field(init=False, default=1)

    def wrong(self, why: str) -> ToolFailed:
        return ToolFailed("validation", f"the patch can't be read at line {self.number}: {why}", _REMEDY)

    def take(self) -> str:
        self.number += 1
        return self.rest.pop(0)

    def begins(self, *words: str) -> bool:
        return bool(self.rest) and self.rest[0].startswith(words)

    def files(self) -> Iterator[FilePatch]:
        while self.rest:
            line = self.rest[0]
            if self.begins(ADD):
                yield self._added(self._path(ADD))
            elif self.begins(DELETE):
                yield FilePatch("delete", self._path(DELETE))
            elif self.begins(UPDATE):
                yield self._updated(self._path(UPDATE))
            elif line.strip():
                raise self.wrong(f"{line[:80]!r} does not begin a file")
            else:
                self.take()

    def _path(self, word: str) -> str:
        return normal(self.take()[len(word) :].strip(), self.root)

    def _added(self, path: str) -> FilePatch:
        content = []
        while self.rest and not self.begins("*** "):
            if not self.begins("+"):
                if not any(line.strip() for line in self.rest[:1]):
                    self.take()
                    continue
                raise self.wrong(f"a line of the new file {path} does not begin with +")
            content.append(self.take()[1:])
        return FilePatch("add", path, content=tuple(content))

    def _updated(self, path: str) -> FilePatch:
        new_path = self._path(MOVE) if self.begins(MOVE) else None
        hunks = []
        while self.rest and not self.begins(ADD, DELETE, UPDATE):
            if not self.rest[0].strip() and not any(line[:1] in ("@", " ", "+", "-") for line in self._section()):
                self.take()
                continue
            hunks.append(self._hunk(path))
        if not hunks and new_path is None:
            raise self.wrong(f"no line of {path} changes")
        return FilePatch("update", path, None if new_path == path else new_path, hunks=tuple(hunks))

    def _section(self) -> Iterator[str]:
        for line in self.rest:
            if line.startswith("*** "):
                return
            yield line

    def _hunk(self, path: str) -> Hunk:
        first, headers, lines, at_end = self.number, list[str](), list[tuple[str, str]](), False
        empty = 0
        while self.begins("@@"):
            headers.append(self.take()[2:].strip())
        while self.rest and not self.begins("@@"):
            if self.begins(END_OF_FILE):
                self.take()
                at_end = True
                break
            if self.begins("*** "):
                break
            line = self.take()
            if line and line[0] not in " -+":
                self.number -= 1
                raise self.wrong(f"{line[:80]!r} is not a line of a change")
            empty = 0 if line else empty + 1
            lines.append((line[:1] or " ", line[1:]))  # an empty line is a context line that lost its space
        if empty and not at_end and not self.begins("@@"):
            del lines[-empty:]  # lines between two files
        if not any(mark != " " for mark, _ in lines):
            raise ToolFailed(
                "validation", f"the change of {path} at line {first} of the patch changes nothing", _REMEDY
            )
        return Hunk(tuple(filter(None, headers)), tuple(lines), at_end, first)


_ANY_LINE = re.compile("([^\r\n]*)(\r\n|\n|\r|$)")
Line = tuple[str, str]
"""Line and its line end, which is empty for a last line without one."""


def patched(data: bytes, hunks: Sequence[Hunk], path: str) -> bytes:
    """Return a file's bytes with the changes applied from top to bottom."""
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
    return [(match[1], match[2]) for match in _ANY_LINE.finditer(text) if match[0]]


def _place(lines: Sequence[Line], done: int, hunk: Hunk, path: str) -> tuple[int, int]:
    """Return the range of lines of a change: the first, and the one after the last."""
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
    if hunk.headers and not hunk.at_end and _matches_at(lines, at - 1, old) and at > done:
        return at - 1, at - 1 + len(old)  # the header is repeated as the first context line
    places = [place for place in range(at, len(lines) - len(old) + 1) if _matches_at(lines, place, old)]
    if hunk.at_end:
        places = [place for place in places if place + len(old) == len(lines)]
    if not places:
        near = nearest("\n".join(text for text, _ in lines), "\n".join(old))
        raise _conflict(path, hunk, near or f"none of its lines is in {path}")
    if len(places) > 1 and not hunk.headers:
        where = ", ".join(str(place + 1) for place in places[:MOST_PLACES])
        raise _conflict(path, hunk, f"its lines are in {path} {len(places)} times, at lines {where}")
    return places[0], places[0] + len(old)


def _matches_at(lines: Sequence[Line], place: int, old: Sequence[str]) -> bool:
    return len(lines) - place >= len(old) and all(lines[place + index][0] == text for index, text in enumerate(old))


def _changed(lines: Sequence[Line], start: int, hunk: Hunk) -> list[Line]:
    """Return the replacement of a change: context unchanged, new lines with the line end used there."""
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
    """Return the kind of line end at a position: that of the line there, or of one nearby."""
    near = (lines[index][1] for index in (place, place - 1, place - 2) if 0 <= index < len(lines))
    return next(filter(None, near), "") or next((ending for _, ending in lines if ending), "\n")


def _ended_as(lines: Sequence[Line], made: Sequence[Line]) -> list[Line]:
    """Return the new lines; the last one ends as the old last line did."""
    ended = [(text, ending or _ending(lines, len(lines) - 1)) for text, ending in made]
    if lines and ended and not lines[-1][1]:
        ended[-1] = (ended[-1][0], "")
    return ended


def _conflict(path: str, hunk: Hunk, why: str) -> ToolFailed:
    return ToolFailed(
        "conflict", f"Patch conflict in the change at line {hunk.line} of the patch: {why}; nothing was written",
        f"read {path} again and copy its lines; more of them, or @@ and a line above the change, say which place",
    )  # fmt: skip
