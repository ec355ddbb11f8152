"""Excerpts of files, limited to what one result may hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from inarch import ToolFailed
from inarch_lib.secrets.secret_names import end_from
from inarch_plugins.sandbox_fs.texts import binary, text_of

Most = tuple[int, int]
"""Maximum lines and bytes of one excerpt."""

_PROBE = 8_000
_BEYOND = 1 << 15
"""Bytes after the shown ones that are searched for a position to cut at."""


def excerpt(path: str, data: bytes, first: int, last: int | None, most: Most) -> dict[str, Any]:
    """Return lines of a file whose bytes are all in memory."""
    whole, encoding = text_of(data, path)
    lines = whole.split("\n")
    total = len(lines) - (lines[-1] == "")
    if first > max(total, 1):
        raise ToolFailed("validation", f"{path} has {total} lines; there is no line {first}")
    wanted = min(total, last or total)
    text, count, note = _within(lines[first - 1 :], wanted - first + 1, most)
    end = first - 1 + count
    if end < wanted:
        note = f"lines {first} to {end} of {total}; go on with start_line={end + 1}"
    return _result(path, text, (first, end, total), bool(note), (note, encoding.note))


def excerpt_of_long(
    path: str, pieces: Iterable[bytes], first: int, last: int | None, most: Most, remark: str = ""
) -> dict[str, Any]:
    """Return lines of a file that is read in pieces as needed, so its line count stays unknown."""
    data, line = _enough(path, pieces, first, most)
    lines = data.decode("utf-8", "replace").split("\n")[first - line :]
    if not data or lines in ([], [""]):
        raise ToolFailed("validation", f"{path} has fewer than {first} lines")
    wanted = len(lines) - (lines[-1] == "") if last is None else last - first + 1
    text, count, note = _within(lines, wanted, most)
    end = first - 1 + count
    cut = bool(note) or last is None or end < last
    if cut and not note:
        note = f"lines {first} to {end} of a long file; go on with start_line={end + 1}"
    return _result(path, text, (first, end, None), cut, (note, remark))


def _enough(path: str, pieces: Iterable[bytes], first: int, most: Most) -> tuple[bytes, int]:
    """Return the bytes for one result and the number of their first line."""
    kept: list[bytes] = []
    line, size = 1, 0
    for number, piece in enumerate(pieces):
        if number == 0 and b"\0" in piece[:_PROBE]:
            raise binary(path)
        breaks = piece.count(b"\n") if not kept else 0
        if not kept and line + breaks < first:
            line += breaks
            continue
        kept.append(piece)
        # The first piece may hold little more than the end of the previous line.
        size += len(piece) if len(kept) > 1 else 0
        if size > most[1] + _BEYOND:
            break
    return b"".join(kept), line


def _within(lines: list[str], wanted: int, most: Most) -> tuple[str, int, str]:
    """Return at most the wanted and allowed lines, their number, and a note if a line is cut."""
    count, left = 0, most[1]
    for line in lines[: min(wanted, most[0])]:
        left -= len(line.encode("utf-8", "replace")) + 1
        if left < 0 and count == 0:
            end = end_from(line, most[1])
            if end < len(line):
                return line[:end], 1, f"the line is cut after {end} characters"
            count = 1
        if left < 0:
            break
        count += 1
    # Joined with the start of the next line, so that the last line end appears exactly if the file has it.
    return "\n".join([*lines[:count], *([""] if count and count < len(lines) else [])]), count, ""


def _result(
    path: str, text: str, lines: tuple[int, int, int | None], truncated: bool, notes: tuple[str, ...]
) -> dict[str, Any]:
    return {
        "path": path,
        "content": text,
        "start_line": lines[0],
        "end_line": lines[1],
        "total_lines": lines[2],
        "truncated": truncated,
        "note": "; ".join(filter(None, notes)) or None,
    }


def whole_characters(data: bytes, start: int, end: int) -> tuple[int, int]:
    """Move two offsets forward so that they do not cut a UTF-8 character; the end stays within the data."""
    return _boundary(data, start), _boundary(data, min(end, len(data)))


def _boundary(data: bytes, offset: int) -> int:
    for step in range(4):
        if offset + step >= len(data) or data[offset + step] & 0xC0 != 0x80:
            return min(offset + step, len(data))
    return offset  # not UTF-8
