"""Which classes are of a kind: called like it, or derived from one that is — decoders, storages, middleware."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch_offline import calls
from inarch_offline.exchange import Asking
from inarch_offline.layout import is_aside
from inarch_offline.material import Hit, hits
from inarch_offline.plans.searching import written
from inarch_offline.writing import Page, Place, code

_BEGINS = r"^\s*((export|default|public|abstract|final|sealed|static|open|data|internal) +)*class +"
_CLASS = re.compile(r"\bclass\s+(\w+)(.*)")
_PARTS = r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+"
"""The words that a name is made of: `CORSMiddleware` ends in one."""
_FEWEST = 3
_MOST, _MOST_LINES, _A_LINE = 12, 25, 5
_LIMIT = 600


def say_family(page: Page, subject: str) -> Asking[bool]:
    """List the classes that one of some words is the kind of, the last word first; False where they are too few."""
    for word in reversed(subject.lower().split()):
        singular = _singular(word)
        about = calls.any_of(sorted(singular))
        [searched] = yield [calls.search(rf"{_BEGINS}.*({about})\b", ignore_case=True, limit=_LIMIT)]
        lines = [hit for hit in written(hits(searched)) if not is_aside(hit.path)]
        family = {name: hit for hit in lines if (name := _member(hit, singular))}
        if len(family) >= _FEWEST:
            _say(page, word, family)
            return True
    return False


def _singular(word: str) -> set[str]:
    """Give what a word may be called as one of many."""
    shorter = {word[: -len(end)] + one for end, one in (("ies", "y"), ("es", ""), ("s", "")) if word.endswith(end)}
    return shorter or {word}


def _member(hit: Hit, singular: set[str]) -> str:
    """Give the name of the public class that a line begins, if it or one of its bases is called so."""
    found = _CLASS.search(hit.text)
    if found is None or found[1].startswith("_"):
        return ""
    bases: list[str] = re.findall(r"\w+(?![\w\[]*=)", found[2])
    return found[1] if any(_last(name) in singular for name in (found[1], *bases)) else ""


def _last(name: str) -> str:
    parts: list[str] = re.findall(_PARTS, name)
    return parts[-1].lower() if parts else ""


def _say(page: Page, word: str, family: dict[str, Hit]) -> None:
    page.head(f"{len(family)} classes are called “{word}” by their last word, or derived from one that is")
    names = sorted(family, key=lambda name: (family[name].path, family[name].line))
    if len(names) <= _MOST:
        for name in names:
            page.item(code(family[name].text), family[name].place)
        return
    say_by_file(page, [(name, family[name].place) for name in names])


def say_by_file(page: Page, named: Sequence[tuple[str, Place]]) -> None:
    """Write many names, those of a file together, with the place of the first of each line."""
    rows: list[list[tuple[str, Place]]] = []
    for name, place in named:
        if not rows or rows[-1][0][1].path != place.path or len(rows[-1]) == _A_LINE:
            rows.append([])
        rows[-1].append((name, place))
    for row in rows[:_MOST_LINES]:
        page.item(", ".join(name for name, _ in row), row[0][1])
    if left := sum(map(len, rows[_MOST_LINES:])):
        page.item(f"… {left} more", rows[_MOST_LINES][0][1])
