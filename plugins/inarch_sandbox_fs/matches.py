"""What a search program says, and the lines themselves, read safely."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from attrs import define

from inarch import SearchHit
from inarch_sandbox_fs.opening import Open
from inarch_sdk.shortening import end_from

_MOST_TEXT = 300  # characters of a line that are shown
_MOST_OF_A_WORD = 200  # and of the word in which these end: half of a secret would not be known as one
_MOST_RECORD = 1 << 16
_PROBE = 8_000  # bytes at the start of a file in which a NUL makes it binary, as in git

Found = tuple[str, int, int]
"""Path, line counted from 1, and the offset of the line's first byte."""


def parse(pieces: Iterator[bytes], names: set[str]) -> Iterator[Found]:
    """Yield what stands before the second colon of each record; the text of the lines is passed over."""
    record, known = b"", False
    for piece in pieces:
        *whole, rest = piece.split(b"\n")
        for part, ends in [*((line, True) for line in whole), (rest, False)]:
            if not known:
                record += part
                found = _record(record, names)
                if found is not None:
                    yield found
                    known = True
            if ends:
                # Without a NUL it was a message, or the first half of a name with a newline in it.
                record = record + b"\n" if not known and b"\0" not in record and len(record) < _MOST_RECORD else b""
                known = False


def _record(record: bytes, names: set[str]) -> Found | None:
    name, separator, rest = record.partition(b"\0")
    number, colon, rest = rest.partition(b":")
    offset, second_colon, _ = rest.partition(b":")
    if not (separator and colon and second_colon):
        return None
    path = name.decode("utf-8", "surrogateescape").removeprefix("./")
    while path not in names and "\n" in path:  # a message came before the name
        path = path.partition("\n")[2].removeprefix("./")
    return (path, int(number), int(offset)) if path in names and number.isdigit() and offset.isdigit() else None


@define(eq=False, repr=False)
class Lines:
    """Reads the lines that matched, keeping the last file open."""

    root: int
    open_it: Open
    _path: str = ""
    _descriptor: int = -1

    def hit(self, path: str, line: int, offset: int) -> SearchHit | None:
        """Return a hit with its text, or None where the file is binary or can't be opened safely."""
        if path != self._path:
            self.close()
            self._path, self._descriptor = path, self._opened(path)
        if self._descriptor < 0:
            return None
        data = os.pread(self._descriptor, (_MOST_TEXT + _MOST_OF_A_WORD) * 4 + 2, offset)
        text = data.partition(b"\n")[0].removesuffix(b"\r").decode("utf-8", "replace")
        end = end_from(text, _MOST_TEXT, _MOST_OF_A_WORD)
        return SearchHit(path, line, text if end == len(text) else f"{text[:end]}…")

    def _opened(self, path: str) -> int:
        try:
            descriptor = self.open_it(self.root, path, os.O_RDONLY, True)
        except OSError:
            return -1
        if stat.S_ISREG(os.fstat(descriptor).st_mode) and b"\0" not in os.pread(descriptor, _PROBE, 0):
            return descriptor
        os.close(descriptor)
        return -1

    def close(self) -> None:
        """Close the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1
