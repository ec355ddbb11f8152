"""Replace text in a file's bytes; whatever is outside the replaced places keeps every byte."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from inarch import ToolFailed
from inarch_sandbox_fs.texts import Encoding

_MOST_PLACES = 20
_MOST_LINES = 5_000  # a bound on the look for similar text
_MOST_SHOWN = 400
_NEAR = 8_192  # characters around a place in which its kind of line end is looked for
_LINE_END = re.compile("\r\n|\n|\r")


class Patched(NamedTuple):
    """The new bytes and the lines, counted from 1, where replacements start."""

    data: bytes
    lines: tuple[int, ...]


def patch(data: bytes, encoding: Encoding, search: str, replace: str, path: str, every: bool = False) -> Patched:
    r"""Replace the one place where a text stands, or every place.

    A line end in `search` matches any kind of line end; one in `replace` that is a plain `\n` becomes the kind that
    stands at that place.

    Raises:
        ToolFailed: `conflict` where the text is not there or, unless `every`, there more than once.
    """
    if not search:
        raise ToolFailed("validation", "the search text is empty", "give the exact text to replace")
    places = _places(data, encoding, search, path)
    if not places:
        raise _not_found(data, encoding, search, path)
    if len(places) > 1 and not every:
        exact = [place for place in places if data[slice(*place)] == encoding.encode(search, path)]
        if len(exact) != 1:
            raise _not_unique(data, encoding, places, path)
        places = exact
    return _replaced(data, encoding, _apart(places), replace, path)


def _places(data: bytes, encoding: Encoding, search: str, path: str) -> list[tuple[int, int]]:
    """Return every place, overlapping ones too: a text that overlaps itself is not unique."""

    def raw(text: str) -> bytes:
        return re.escape(encoding.encode(text, path))

    try:
        # A lone `\n` or `\r` is a line end of its own only where it is no half of `\r\n`.
        line_end = b"(?:%s|(?<!%s)%s|%s(?!%s))" % (raw("\r\n"), raw("\r"), raw("\n"), raw("\r"), raw("\n"))
        pieces = _LINE_END.split(search)
        pattern = re.compile(line_end.join(map(raw, pieces)))
    except ToolFailed:
        return []  # what the encoding can't hold is not in the file
    places = []
    start = len(encoding.mark)
    while found := pattern.search(data, start):
        if (found.start() - len(encoding.mark)) % encoding.unit == 0:
            places.append(found.span())
        start = found.start() + 1
    return places


def _apart(places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for start, end in places:
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def _replaced(data: bytes, encoding: Encoding, places: Sequence[tuple[int, int]], replace: str, path: str) -> Patched:
    pieces, lines, done, line = [], [], 0, 1
    for start, end in places:
        line += _lines_in(data[done:start], encoding)
        lines.append(line)
        new = _with_line_ends(replace, data, encoding, start, end)
        pieces += [data[done:start], encoding.encode(new, path)]
        line += _lines_in(data[start:end], encoding)
        done = end
    return Patched(b"".join([*pieces, data[done:]]), tuple(lines))


def _lines_in(piece: bytes, encoding: Encoding) -> int:
    return piece.decode(encoding.codec).count("\n") if encoding.unit > 1 else piece.count(b"\n")


def _with_line_ends(text: str, data: bytes, encoding: Encoding, start: int, end: int) -> str:
    """Give each plain line end of a replacement the kind of the one it takes the place of."""
    if "\n" not in text:
        return text
    ends = _LINE_END.findall(data[start:end].decode(encoding.codec)) or [_line_end_near(data, encoding, start, end)]
    pieces = re.split(r"(?<!\r)\n", text)
    joined = pieces[0]
    for index, piece in enumerate(pieces[1:]):
        joined += ends[min(index, len(ends) - 1)] + piece
    return joined


def _line_end_near(data: bytes, encoding: Encoding, start: int, end: int) -> str:
    """Return the kind of line end that ends the line a place is in, or the one before it."""
    reach = _NEAR * encoding.unit
    after = _LINE_END.search(data[end : end + reach].decode(encoding.codec, "ignore"))
    if after:
        return after[0]
    first = max(start - reach, len(encoding.mark))
    before = _LINE_END.findall(data[first:start].decode(encoding.codec, "ignore"))
    return before[-1] if before else "\n"


def _line_at(data: bytes, encoding: Encoding, position: int) -> int:
    return encoding.decode(data[:position]).count("\n") + 1


def _not_unique(data: bytes, encoding: Encoding, places: Sequence[tuple[int, int]], path: str) -> ToolFailed:
    lines = [str(_line_at(data, encoding, start)) for start, _ in places[:_MOST_PLACES]]
    where = ", ".join(lines) + ("…" if len(places) > _MOST_PLACES else "")
    return ToolFailed(
        "conflict", f"Patch conflict: the search text is in {path} {len(places)} times, at lines {where}",
        "add lines around it until it is unique, or set replace_all",
    )  # fmt: skip


def _not_found(data: bytes, encoding: Encoding, search: str, path: str) -> ToolFailed:
    lines = encoding.decode(data).split("\n")
    wanted = search.strip("\r\n").split("\n")
    near = _nearest_line(lines[:_MOST_LINES], wanted)
    if near is None:
        return ToolFailed(
            "conflict", f"Patch conflict: the search text is not in {path}, nor anything like it",
            "read the file again and copy the exact text",
        )  # fmt: skip
    text = "\n".join(line.rstrip("\r") for line in lines[near : near + len(wanted)])[:_MOST_SHOWN]
    return ToolFailed(
        "conflict", f"Patch conflict: the search text is not in {path}; nearest is line {near + 1}:\n{text}",
        "read the file again and copy the exact text",
    )  # fmt: skip


def _nearest_line(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Return the index of the line where the text most like the wanted lines starts."""
    import difflib

    # The longest line says most about the place.
    anchor = max(range(len(wanted)), key=lambda index: len(wanted[index].strip()))
    text = wanted[anchor].strip()[:_MOST_SHOWN]
    if not text:
        return None
    stripped = [line.strip()[:_MOST_SHOWN] for line in lines]
    if text not in stripped:
        close = difflib.get_close_matches(text, dict.fromkeys(stripped), n=1, cutoff=0.5)
        if not close:
            return None
        text = close[0]
    return max(stripped.index(text) - anchor, 0)
