"""The envelope in which models of some families are trained to write patches: `*** Begin Patch` … `*** End Patch`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from attrs import define, field, frozen

from inarch import ToolFailed
from inarch_sandbox_fs.paths import normal

BEGIN, END = "*** Begin Patch", "*** End Patch"
ADD, DELETE, UPDATE = "*** Add File: ", "*** Delete File: ", "*** Update File: "
MOVE, END_OF_FILE = "*** Move to: ", "*** End of File"
_REMEDY = "write it as the tool's description says; every line of a change begins with a space, - or +"


@frozen
class Hunk:
    """One change of a file.

    Args:
        headers: What stands behind `@@`: lines of the file above the change, the outermost first.
        lines: Its lines without their first character, each with that: a space, `-` or `+`.
        at_end: Whether it is the end of the file.
        line: Where in the patch it begins, counted from 1.
    """

    headers: tuple[str, ...] = ()
    lines: tuple[tuple[str, str], ...] = ()
    at_end: bool = False
    line: int = 0

    @property
    def old(self) -> list[str]:
        """The lines that have to stand there."""
        return [text for mark, text in self.lines if mark != "+"]


@frozen
class FilePatch:
    """What becomes of one file."""

    kind: Literal["add", "delete", "update"]
    path: str
    new_path: str | None = None
    content: tuple[str, ...] = ()
    hunks: tuple[Hunk, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths that are written."""
        return (self.path,) if self.new_path is None else (self.path, self.new_path)


def read_envelope(text: str, root: str = "") -> tuple[FilePatch, ...]:
    """Return what a patch does to files, each named once.

    Raises:
        ToolFailed: It is no such patch, or names a path that is none or twice.
    """
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
    """What is left to read of a patch; `number` is the line that comes next."""

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
                raise self.wrong(f"{line[:80]!r} begins no file")
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
            raise self.wrong(f"nothing of {path} changes")
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
                raise self.wrong(f"{line[:80]!r} is no line of a change")
            empty = 0 if line else empty + 1
            lines.append((line[:1] or " ", line[1:]))  # an empty line is one of context whose space was lost
        if empty and not at_end and not self.begins("@@"):
            del lines[-empty:]  # what stands between two files
        if not any(mark != " " for mark, _ in lines):
            raise ToolFailed(
                "validation", f"the change of {path} at line {first} of the patch changes nothing", _REMEDY
            )
        return Hunk(tuple(filter(None, headers)), tuple(lines), at_end, first)
