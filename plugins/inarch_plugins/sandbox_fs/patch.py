"""Replacement of text in a file's bytes; bytes outside the replaced text stay the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from inarch import ToolFailed
from inarch_lib.secrets.secret_names import end_from
from inarch_plugins.sandbox_fs.texts import Encoding, is_shifted, possible_codecs, splits_no_character

MOST_PLACES = 20
_MOST_LINES = 5_000  # limits the search for similar text
_MOST_SHOWN = 400
_MOST_OF_A_LINE = 160
_MOST_OF_A_WORD = 200  # limit for cutting a line: half of a secret would not be recognized as one
_LEAST_ALREADY = 8  # characters of a replacement to look for; shorter ones are everywhere


def not_unique(path: str, lines: Sequence[int], count: int) -> ToolFailed:
    """Return the failure for a text that occurs more than once, with the lines of the first occurrences."""
    where = ", ".join(map(str, lines[:MOST_PLACES])) + ("…" if count > MOST_PLACES else "")
    return ToolFailed(
        "conflict", f"Patch conflict: the search text is in {path} {count} times, at lines {where}",
        "add lines around it until it is unique, or set replace_all",
    )  # fmt: skip


def halfway(path: str, line: int) -> ToolFailed:
    """Return the failure for a match that may begin or end inside a character."""
    return ToolFailed(
        "conflict",
        f"Patch conflict: at line {line} of {path}, whose encoding is not known for sure, the search text may begin or "
        "end inside a character; nothing was written",
        "take the characters before and after it into the search text",
    )


def not_found(text: str, search: str, replace: str, path: str) -> ToolFailed:
    """Return the failure for a missing text: what is nearest, where, and how it differs."""
    text, search, replace = (re.sub("\r\n?", "\n", one) for one in (text, search, replace))
    already = text.find(replace.strip("\n")) if len(replace.strip()) >= _LEAST_ALREADY else -1
    line = text.count("\n", 0, already) + 1
    hint = f"; the replacement is already at line {line}" if already >= 0 else ""
    found = nearest(text, search)
    near = f"; {found}" if found else ", and nothing similar is"
    what = f"the search text is not in {path}{near}{hint}"
    return ToolFailed("conflict", f"Patch conflict: {what}", "read the file again and copy the exact text")


def nearest(text: str, search: str) -> str:
    """Return the text most like a search text, and how it differs; empty if nothing is like it."""
    lines, wanted = text.split("\n"), search.strip("\n").split("\n")
    near = _nearest_line(lines, wanted)
    if near is None:
        return ""
    block = lines[near : near + len(wanted)]
    return f"nearest is line {near + 1}:\n{_shown(block)}\n{_difference(block, wanted, near + 1)}"


def _shown(lines: Sequence[str]) -> str:
    whole = "\n".join(lines)
    return whole[: end_from(whole, _MOST_SHOWN, _MOST_OF_A_WORD)]


def _difference(found: Sequence[str], wanted: Sequence[str], first: int) -> str:
    """Name the first line that differs; the first and last line of a search text may be partial."""
    for index, want in enumerate(wanted):
        if index >= len(found):
            return f"the file ends before the search text's line {index + 1}"
        have, starts, ends = found[index], index == 0, index == len(wanted) - 1
        fits = have == want or (starts and have.endswith(want)) or (ends and have.startswith(want))
        if not fits and not (starts and ends and want in have):
            return f"line {first + index} is {_quoted(have)}, not {_quoted(want)}"
    return "its lines are divided differently"


def _quoted(line: str) -> str:
    end = end_from(line, _MOST_OF_A_LINE, _MOST_OF_A_WORD)
    return repr(line if end == len(line) else f"{line[:end]}…")


def _nearest_line(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Return the index of the line that starts the text most like the wanted lines."""
    import difflib

    # The longest line identifies the text best.
    anchor = max(range(len(wanted)), key=lambda index: len(wanted[index].strip()))
    text = wanted[anchor].strip()[:_MOST_SHOWN]
    if not text:
        return None
    stripped = [line.strip()[:_MOST_SHOWN] for line in lines]
    if text not in stripped:
        close = difflib.get_close_matches(text, dict.fromkeys(stripped[:_MOST_LINES]), n=1, cutoff=0.5)
        if not close:
            return None
        text = close[0]
    return max(stripped.index(text) - anchor, 0)


_NEAR = 8_192  # characters around a match that are searched for its kind of line end

_LINE_END = re.compile("\r\n|\n|\r")
_BYTE_LINE_END = re.compile(b"\r\n|\n|\r")


class Patched(NamedTuple):
    """New bytes and the lines, counted from 1, where replacements start."""

    data: bytes
    lines: tuple[int, ...]


def patch(data: bytes, encoding: Encoding, search: str, replace: str, path: str, every: bool = False) -> Patched:
    r"""Replace the one occurrence of a text, or all of them.

    A line end in `search` matches any kind of line end. A plain `\n` in `replace` becomes the kind used at that
    position.
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
    """Return the pattern that finds a text with any line ends."""

    def raw(text: str) -> bytes:
        return re.escape(encoding.encode(text, path))

    # A lone `\n` or `\r` is a line end only if it is not half of `\r\n`.
    line_end = b"(?:%s|(?<!%s)%s|%s(?!%s))" % (raw("\r\n"), raw("\r"), raw("\n"), raw("\r"), raw("\n"))
    return re.compile(line_end.join(map(raw, _LINE_END.split(search))))


def _places(data: bytes, encoding: Encoding, search: str, path: str) -> list[tuple[int, int]]:
    """Return every match, including overlapping ones: a text that overlaps itself is not unique."""
    wanted = _pattern_of(encoding, search, path) if _may_stand(data, encoding, search, path) else None
    places: list[tuple[int, int]] = []
    start = len(encoding.mark)
    while wanted and (found := wanted.search(data, start)):
        if (found.start() - len(encoding.mark)) % encoding.unit == 0:
            places.append(found.span())
        start = found.start() + 1
    return places


def _may_stand(data: bytes, encoding: Encoding, search: str, path: str) -> bool:
    """Return whether a text can occur: it fits and its longest line occurs."""
    try:
        lines = [encoding.encode(line, path) for line in _LINE_END.split(search)]
    except ToolFailed:
        return False
    shortest = sum(map(len, lines)) + (len(lines) - 1) * encoding.unit
    return shortest <= len(data) and max(lines, key=len) in data


def _require_whole_characters(data: bytes, encoding: Encoding, places: Sequence[tuple[int, int]], path: str) -> None:
    """Raise if a match could cut a character of an encoding that the bytes may have unmarked."""
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
    """Give each plain line end of a replacement the kind of the one it replaces."""
    if "\n" not in text:
        return text
    ends = _LINE_END.findall(data[start:end].decode(encoding.codec)) or [_line_end_near(data, encoding, start, end)]
    pieces = re.split(r"(?<!\r)\n", text)
    joined = pieces[0]
    for index, piece in enumerate(pieces[1:]):
        joined += ends[min(index, len(ends) - 1)] + piece
    return joined


def _line_end_near(data: bytes, encoding: Encoding, start: int, end: int) -> str:
    """Return the kind of line end of the line around a match, or of the line before."""
    reach = _NEAR * encoding.unit
    if encoding.unit == 1 and (found := _BYTE_LINE_END.search(data, end, end + reach)):
        return found[0].decode()  # without decoding: there may be a million matches
    after = _LINE_END.search(data[end : end + reach].decode(encoding.codec, "ignore"))
    if after:
        return after[0]
    first = max(start - reach, len(encoding.mark))
    before = _LINE_END.findall(data[first:start].decode(encoding.codec, "ignore"))
    return before[-1] if before else "\n"


def _line_at(data: bytes, encoding: Encoding, position: int) -> int:
    return encoding.decode(data[:position]).count("\n") + 1
