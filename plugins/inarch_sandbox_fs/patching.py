"""Replace text in a file's bytes; whatever is outside the replaced places keeps every byte."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from inarch import ToolFailed
from inarch_sandbox_fs.conflicts import MOST_PLACES, halfway, not_found, not_unique
from inarch_sandbox_fs.texts import Encoding, is_shifted, possible_codecs, splits_no_character

_NEAR = 8_192  # characters around a place in which its kind of line end is looked for

_LINE_END = re.compile("\r\n|\n|\r")
_BYTE_LINE_END = re.compile(b"\r\n|\n|\r")


class Patched(NamedTuple):
    """The new bytes and the lines, counted from 1, where replacements start."""

    data: bytes
    lines: tuple[int, ...]


def patch(data: bytes, encoding: Encoding, search: str, replace: str, path: str, every: bool = False) -> Patched:
    r"""Replace the one place where a text stands, or every place.

    A line end in `search` matches any kind of line end; one in `replace` that is a plain `\n` becomes the kind that
    stands at that place.

    Raises:
        ToolFailed: `conflict` where the text is not there or, unless `every`, there more than once, or where it may
            begin or end inside a character.
    """
    if not search:
        raise ToolFailed("validation", "the search text is empty", "give the exact text to replace")
    places = _places(data, encoding, search, path)
    if not places:
        raise not_found(encoding.decode(data), search, replace, path)
    if len(places) > 1 and not every:
        exact = [place for place in places if data[slice(*place)] == encoding.encode(search, path)]
        if len(exact) != 1:
            raise not_unique(path, [_line_at(data, encoding, start) for start, _ in places[:MOST_PLACES]], len(places))
        places = exact
    places = _apart(places)
    _require_whole_characters(data, encoding, places, path)
    if not replace.isascii() and is_shifted(data):
        raise ToolFailed(
            "validation", f"{path} is stored as ISO-2022; only ASCII text can be put into it; nothing was written"
        )
    return _replaced(data, encoding, places, replace, path)


def _pattern_of(encoding: Encoding, search: str, path: str) -> re.Pattern[bytes]:
    """Return what finds a text whatever its line ends."""

    def raw(text: str) -> bytes:
        return re.escape(encoding.encode(text, path))

    # A lone `\n` or `\r` is a line end of its own only where it is no half of `\r\n`.
    line_end = b"(?:%s|(?<!%s)%s|%s(?!%s))" % (raw("\r\n"), raw("\r"), raw("\n"), raw("\r"), raw("\n"))
    return re.compile(line_end.join(map(raw, _LINE_END.split(search))))


def _places(data: bytes, encoding: Encoding, search: str, path: str) -> list[tuple[int, int]]:
    """Return every place, overlapping ones too: a text that overlaps itself is not unique."""
    wanted = _pattern_of(encoding, search, path) if _may_stand(data, encoding, search, path) else None
    places: list[tuple[int, int]] = []
    start = len(encoding.mark)
    while wanted and (found := wanted.search(data, start)):
        if (found.start() - len(encoding.mark)) % encoding.unit == 0:
            places.append(found.span())
        start = found.start() + 1
    return places


def _may_stand(data: bytes, encoding: Encoding, search: str, path: str) -> bool:
    """Whether there is room for a text and its longest line is there: a pattern of many lines takes long to compile."""
    try:
        lines = [encoding.encode(line, path) for line in _LINE_END.split(search)]
    except ToolFailed:
        return False
    shortest = sum(map(len, lines)) + (len(lines) - 1) * encoding.unit
    return shortest <= len(data) and max(lines, key=len) in data


def _require_whole_characters(data: bytes, encoding: Encoding, places: Sequence[tuple[int, int]], path: str) -> None:
    """Refuse where a place could cut a character of an encoding that the bytes may be in without saying so."""
    for codec in possible_codecs(data, encoding):
        for start, end in places:
            if not (splits_no_character(data, start, codec) and splits_no_character(data, end, codec)):
                raise halfway(path, _line_at(data, encoding, start))


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
        new = _line_ends_fitted(replace, data, encoding, start, end)
        pieces += [data[done:start], encoding.encode(new, path)]
        line += _lines_in(data[start:end], encoding)
        done = end
    return Patched(b"".join([*pieces, data[done:]]), tuple(lines))


def _lines_in(piece: bytes, encoding: Encoding) -> int:
    return piece.decode(encoding.codec).count("\n") if encoding.unit > 1 else piece.count(b"\n")


def _line_ends_fitted(text: str, data: bytes, encoding: Encoding, start: int, end: int) -> str:
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
    if encoding.unit == 1 and (found := _BYTE_LINE_END.search(data, end, end + reach)):
        return found[0].decode()  # without decoding: a replacement may be needed at a million places
    after = _LINE_END.search(data[end : end + reach].decode(encoding.codec, "ignore"))
    if after:
        return after[0]
    first = max(start - reach, len(encoding.mark))
    before = _LINE_END.findall(data[first:start].decode(encoding.codec, "ignore"))
    return before[-1] if before else "\n"


def _line_at(data: bytes, encoding: Encoding, position: int) -> int:
    return encoding.decode(data[:position]).count("\n") + 1
