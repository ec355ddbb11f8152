"""Say why a text can't be replaced: not there (and what is nearest), there too often, or halfway in a character."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch import ToolFailed
from inarch_sdk.shortening import end_from

MOST_PLACES = 20
_MOST_LINES = 5_000  # a bound on the look for similar text
_MOST_WORDS = 2_000
_MOST_SHOWN = 400
_MOST_OF_A_LINE = 160
_MOST_OF_A_WORD = 200  # in which a line is cut: half of a secret would not be known as one
_LEAST_ALREADY = 8  # characters of a replacement that is looked for; shorter ones are everywhere


def not_unique(path: str, lines: Sequence[int], count: int) -> ToolFailed:
    """Return the failure for a text that is there more than once, with the lines of the first places."""
    where = ", ".join(map(str, lines[:MOST_PLACES])) + ("…" if count > MOST_PLACES else "")
    return ToolFailed(
        "conflict", f"Patch conflict: the search text is in {path} {count} times, at lines {where}",
        "add lines around it until it is unique, or set replace_all",
    )  # fmt: skip


def halfway(path: str, line: int) -> ToolFailed:
    """Return the failure for a place that may begin or end inside a character."""
    return ToolFailed(
        "conflict",
        f"Patch conflict: at line {line} of {path}, whose encoding is not known for sure, the search text may begin or "
        "end inside a character; nothing was written",
        "take the characters before and after it into the search text",
    )


def not_found(text: str, search: str, replace: str, path: str) -> ToolFailed:
    """Return the failure for a text that is not there: what is nearest, where, and how it differs."""
    text, search, replace = (re.sub("\r\n?", "\n", one) for one in (text, search, replace))
    already = text.find(replace.strip("\n")) if len(replace.strip()) >= _LEAST_ALREADY else -1
    hint = f"; the replacement stands already at line {_line(text, already)}" if already >= 0 else ""
    found = _but_for_space(text, search) or _nearest(text, search, path)
    if found is None:
        what = f"the search text is not in {path}, nor anything like it"
    else:
        what = found if found.startswith("the search") else f"the search text is not in {path}; {found}"
    return ToolFailed("conflict", f"Patch conflict: {what}{hint}", "read the file again and copy the exact text")


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _but_for_space(text: str, search: str) -> str | None:
    words = search.split()
    if not 0 < len(words) <= _MOST_WORDS:
        return None
    found = re.search(r"\s+".join(map(re.escape, words)), text)
    if found is None:
        return None
    first = _line(text, found.start())
    lines = text.split("\n")[first - 1 : first + found[0].count("\n")]
    note = _difference(lines, search.strip("\n").split("\n"), first)
    return f"only white space differs from the text at line {first}:\n{_shown(lines)}\n{note}"


def _nearest(text: str, search: str, path: str) -> str | None:
    lines, wanted = text.split("\n"), search.strip("\n").split("\n")
    near = _nearest_line(lines, wanted)
    if near is None:
        return None
    block = lines[near : near + len(wanted)]
    return f"nearest is line {near + 1}:\n{_shown(block)}\n{_difference(block, wanted, near + 1)}"


def _shown(lines: Sequence[str]) -> str:
    whole = "\n".join(lines)
    return whole[: end_from(whole, _MOST_SHOWN, _MOST_OF_A_WORD)]


def _difference(found: Sequence[str], wanted: Sequence[str], first: int) -> str:
    """Name the first line that differs; of the first and last line of a search text a part may be left out."""
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
    """Return the index of the line where the text most like the wanted lines starts."""
    import difflib

    # The longest line says most about the place.
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
