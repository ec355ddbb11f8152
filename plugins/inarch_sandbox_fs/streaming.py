"""Edit files that are too big to be held in memory: look at them in windows, copy them in pieces.

Three passes, each over the file as the workspace reads it: `survey` finds encoding and hash, `places` finds where the
text stands, `edited` yields the new bytes. The first and the last compare the hash of what they read with the one that
the session knows, so bytes that changed meanwhile are never mixed in.
"""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Callable, Iterable, Iterator

from attrs import define, field, frozen

from inarch import ToolFailed
from inarch_sandbox_fs.conflicts import MOST_PLACES, halfway, not_unique
from inarch_sandbox_fs.failures import changed
from inarch_sandbox_fs.patching import NEAR, line_ends_fitted, pattern_of
from inarch_sandbox_fs.texts import CONTROLS, MARKS, MOST_CONTROLS, PROBE, UTF_8_MARK, Encoding, binary

Pieces = Callable[[], Iterable[bytes]]
"""Reads a file once more from its start."""

_HOLES = b"\x81\x8d\x8f\x90\x9d"  # bytes that Windows-1252 has no character for
_DIGITS = b"0123456789"  # the only bytes below 64 that may follow another in a character of several bytes


@frozen
class Place:
    """Where the text stands, in bytes; its line, counted from 1; whether also its line ends are those searched for."""

    start: int
    end: int
    line: int
    exact: bool
    new: bytes


@define(eq=False, repr=False)
class BigPatch:
    """One edit of one big file.

    Args:
        read: Reads the file.
        path: Its path, for messages.
        known: The hash that its bytes must have.
        search: The text to replace.
        replace: The text to put there.
        every: Whether every place is meant.
    """

    read: Pieces
    path: str
    known: str
    search: str
    replace: str
    every: bool
    line: int = field(init=False, default=0)
    replaced: int = field(init=False, default=0)
    size: int = field(init=False, default=0)

    def chunks(self) -> Iterator[bytes]:
        """Return what yields the new bytes; everything that can be wrong before is said at once.

        Raises:
            ToolFailed: As `patch`, or `validation` for an encoding that can't be edited in pieces.
        """
        encoding = survey(self.read(), self.path, self.known)
        chosen = self._chosen(encoding)
        self.line = chosen.line
        spots = self._apart(self._places(encoding)) if self.every else iter([chosen])
        return edited(self.read(), self._counted(spots), self.path, self.known, self._grown)

    def _chosen(self, encoding: Encoding) -> Place:
        """Look at every place: return the only one, or the first where every one is meant."""
        kept: list[Place] = []
        exact: list[Place] = []
        count = 0
        for place in self._places(encoding):
            count += 1
            if self.every:
                return place
            kept += [place] if len(kept) < MOST_PLACES else []
            exact += [place] if place.exact and len(exact) < 2 else []
        if count == 0:
            raise self._not_found(encoding)
        if count > 1 and len(exact) != 1:
            raise not_unique(self.path, [place.line for place in kept], count)
        return kept[0] if count == 1 else exact[0]

    def _places(self, encoding: Encoding) -> Iterator[Place]:
        return places(self.read(), encoding, self.search, self.replace, self.path)

    def _apart(self, spots: Iterable[Place]) -> Iterator[Place]:
        end = 0
        for place in spots:
            if place.start >= end:
                end = place.end
                yield place

    def _counted(self, spots: Iterable[Place]) -> Iterator[Place]:
        for place in spots:
            self.replaced += 1
            yield place

    def _grown(self, chunk: bytes) -> None:
        self.size += len(chunk)

    def _not_found(self, encoding: Encoding) -> ToolFailed:
        """Say where the longest line of the text is, if it is anywhere."""
        longest = max(self.search.replace("\r", "\n").split("\n"), key=lambda line: len(line.strip())).strip()
        for place in places(self.read(), encoding, longest, "", self.path) if longest else ():
            return ToolFailed(
                "conflict",
                f"Patch conflict: the search text is not in {self.path}, but its longest line is, at line {place.line}",
                f"read the file from around line {place.line} and copy the exact text",
            )
        return ToolFailed(
            "conflict", f"Patch conflict: the search text is not in {self.path}, nor is its longest line",
            "read the file again and copy the exact text",
        )  # fmt: skip


def survey(pieces: Iterable[bytes], path: str, known: str) -> Encoding:
    """Return the encoding of a big file whose bytes are the known ones.

    Raises:
        ToolFailed: `conflict` where they are others, `validation` where they can't be edited in pieces.
    """
    found, state = _Survey(path), hashlib.sha256()
    for piece in pieces:
        state.update(piece)
        found.see(piece)
    if state.hexdigest() != known:
        raise changed(path)
    return found.encoding()


@define(eq=False, repr=False)
class _Survey:
    path: str
    mark: bytes = b""
    last: bytes = b""
    size: int = 0
    controls: int = 0
    holes: bool = False
    utf_8: codecs.IncrementalDecoder | None = field(factory=codecs.getincrementaldecoder("utf-8"))

    def see(self, piece: bytes) -> None:
        if self.size == 0:
            self._see_first(piece)
        if b"\x1b$" in self.last + piece[:1] or b"\x1b$" in piece or b"\x0e" in piece:
            raise self._refused("escape sequences")
        self.last = piece[-1:]
        if self.utf_8 is not None and not _takes(self.utf_8, piece):
            self.utf_8 = None
        self.size += len(piece)
        self.controls += len(piece) - len(piece.translate(None, CONTROLS))
        self.holes = self.holes or any(hole in piece for hole in _HOLES)

    def _see_first(self, piece: bytes) -> None:
        for mark, codec in MARKS:
            if piece.startswith(mark) and mark != UTF_8_MARK:
                raise self._refused(codec)
        if b"\0" in piece[:PROBE]:
            raise binary(self.path, piece)
        self.mark = UTF_8_MARK if piece.startswith(UTF_8_MARK) else b""

    def _refused(self, what: str) -> ToolFailed:
        return ToolFailed(
            "validation", f"{self.path} is too big to be edited whole, and with {what} it can't be edited in pieces"
        )

    def encoding(self) -> Encoding:
        if self.utf_8 is not None and _takes(self.utf_8, b"", last=True):
            return Encoding("utf-8", self.mark)
        if self.controls > self.size * MOST_CONTROLS:
            raise binary(self.path, b"", self.size)
        return Encoding("latin-1" if self.holes else "cp1252", self.mark)


def _takes(decoder: codecs.IncrementalDecoder, piece: bytes, last: bool = False) -> bool:
    try:
        decoder.decode(piece, last)
    except UnicodeDecodeError:
        return False
    return True


def places(pieces: Iterable[bytes], encoding: Encoding, search: str, replace: str, path: str) -> Iterator[Place]:
    """Yield every place of a text in a file of one byte a unit, overlapping ones too, in order.

    No more of the file is held than a piece and what a place needs around it.
    """
    wanted = pattern_of(encoding, search, path)
    if wanted is None:
        return
    pattern, longest = wanted
    exactly, context = encoding.encode(search, path), NEAR + longest
    window, base, next_start = b"", 0, len(encoding.mark)
    line, counted = 1, 0  # the line at an offset of the file
    for piece in _then_none(pieces):
        window += piece or b""
        end = len(window) if piece is None else len(window) - context
        while (found := pattern.search(window, next_start - base)) and found.start() < end:
            line += window.count(b"\n", counted - base, found.start())
            counted = base + found.start()
            if encoding.codec != "utf-8" and not (_divides(window, found.start()) and _divides(window, found.end())):
                raise halfway(path, line)
            new = line_ends_fitted(replace, window, encoding, *found.span())
            yield Place(counted, base + found.end(), line, found[0] == exactly, encoding.encode(new, path))
            next_start = counted + 1
        next_start = max(next_start, base + end)
        keep = max(next_start - base - context, 0)
        if counted < base + keep:
            line += window.count(b"\n", counted - base, keep)
            counted = base + keep
        window, base = window[keep:], base + keep


def _then_none(pieces: Iterable[bytes]) -> Iterator[bytes | None]:
    yield from pieces
    yield None


def _divides(window: bytes, position: int) -> bool:
    """Whether no encoding of several bytes a character could have a character across a position."""
    before, after = window[max(position - 1, 0) : position], window[position : position + 1]
    return before < b"\x80" or (after < b"\x40" and after not in _DIGITS)


def edited(
    pieces: Iterable[bytes], spots: Iterator[Place], path: str, known: str, told: Callable[[bytes], None]
) -> Iterator[bytes]:
    """Yield a file's bytes, piece by piece, with others at some places that don't overlap; `told` hears each chunk.

    Raises:
        ToolFailed: `conflict`, at the end, where the bytes that were copied are not the known ones.
    """
    state, base, done = hashlib.sha256(), 0, 0
    spot = next(spots, None)
    for piece in pieces:
        state.update(piece)
        end, parts = base + len(piece), []
        while spot is not None and spot.start < end:
            parts += [piece[done - base : spot.start - base], spot.new]
            done, spot = spot.end, next(spots, None)
        if done < end:
            parts.append(piece[done - base :])
            done = end
        base, chunk = end, b"".join(parts)
        told(chunk)
        yield chunk
    if state.hexdigest() != known:
        raise changed(path)
