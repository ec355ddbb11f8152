"""Which exceptions there are, by what they inherit from, and which of them a definition raises itself."""

from __future__ import annotations

import builtins
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inarch_offline import calls
from inarch_offline.exchange import Asking, Plan
from inarch_offline.intents import EXPLAIN, Intent
from inarch_offline.layout import is_aside
from inarch_offline.material import Hit, Symbol, context, file_text, hits
from inarch_offline.plans.errors_made import PATTERN as ERRORS_MADE
from inarch_offline.plans.errors_made import say_errors_made
from inarch_offline.plans.explaining import explain
from inarch_offline.plans.naming import is_named
from inarch_offline.plans.reading import whole_code
from inarch_offline.plans.searching import written
from inarch_offline.plans.whole import of_the_whole
from inarch_offline.writing import Page, Place, code, counted, cut, shortened

_CLASSES = r"^\s*((export|default|public|final|abstract|open|static) +)*class +\w+"
_STUBS = (".d.ts", ".d.mts", ".pyi")
_LIMIT = 5_000
_MOST = 40
_FEW = 6
_BUILT_IN = frozenset(
    name for name, one in vars(builtins).items() if isinstance(one, type) and issubclass(one, BaseException)
)
_ENDING = re.compile(r"(?:Error|Exception|Throwable|Warning|_error|^exception)$")
"""How exceptions that are defined elsewhere are called."""


class _Class(NamedTuple):
    name: str
    bases: tuple[str, ...]
    place: Place


def exceptions(intent: Intent) -> Plan:
    """Say what a definition raises itself, where one is named, and which exceptions are defined here."""
    page = Page()
    intent = yield from of_the_whole(intent)
    name = intent.names[0] if intent.names else intent.subject
    if name:
        [result] = yield [calls.context_get(name)]
        target = context(result).target
        if target is not None and is_named(intent._replace(subject=name), target):
            _say_raised(page, (yield from whole_code(target)))
    searched, made = yield [calls.search(_CLASSES, limit=_LIMIT), calls.search(ERRORS_MADE, limit=_LIMIT)]
    known = yield from _classes([hit for hit in written(hits(searched)) if not is_aside(hit.path)])
    kept = _exceptions(known)
    named = bool(page.lines) and not intent.long
    if kept:
        about = "what is called may raise some of them" if named else "by what they inherit from"
        page.head(f"{counted(len(kept), 'exception')} defined here; {about}")
        _say_tree(page, kept, _FEW if named else _MOST)
    if not named:
        yield from say_errors_made(page, [hit for hit in hits(made) if not is_aside(hit.path)])
    if intent.how_to and not page.lines:  # errors can be handled without a class of one's own
        page = yield from explain(intent._replace(kind=EXPLAIN, subject=f"handle errors {name}".strip(), names=()))
        return page
    if not kept and (named or not page.lines):
        page.absent("No class here is an exception by what it inherits from.")
    return page


def _say_raised(page: Page, target: Symbol) -> None:
    """Show the lines of a definition that raise."""
    told = f"{target.kind} `{shortened(target.qualname)}`"
    lines = [
        (line.strip(), Place(target.place.path, number))
        for number, line in enumerate(target.code.splitlines(), target.place.line)
        if re.match(r"\s*(?:raise\b|throw\b)", line)
    ]
    if not lines:
        page.say(f"{told} has no line that raises anything itself", target.place)
        return
    page.say(told, target.place)
    page.head("It raises itself")
    for text, place in lines[:8]:
        page.item(code(text), place)
    if len(lines) > 8:
        page.item(f"… {len(lines) - 8} more", lines[8][1])


def _classes(found: Sequence[Hit]) -> Asking[list[_Class]]:
    """Read names and bases of classes; where the bases stand on further lines these are read."""
    open_ended = [hit for hit in found if hit.text.rstrip().endswith("(")][:20]
    texts = (yield [calls.read_file(hit.path, hit.line, hit.line + 4) for hit in open_ended]) if open_ended else []
    whole = {
        hit.place: " ".join(text.text.split())
        for hit, result in zip(open_ended, texts, strict=True)
        if (text := file_text(result)) is not None
    }
    read = [one for hit in found if (one := _class(whole.get(hit.place, hit.text), hit.place)) is not None]
    declared = {one.name for one in read if not one.place.path.endswith(_STUBS)}
    return [one for one in read if not (one.place.path.endswith(_STUBS) and one.name in declared)]


def _class(text: str, place: Place) -> _Class | None:
    found = re.search(r"\bclass\s+(\w+)(?:<[^>]*>)?\s*(?:\(([^)]*)\)?|(?:extends|:|<)\s*([^{;]*))?", text)
    if found is None:
        return None
    bases = re.findall(r"[\w.]+", re.sub(r"\[[^\]]*\]|\w+\s*=[^,]*", "", found[2] or found[3] or ""))
    return _Class(found[1], tuple(base.rpartition(".")[2] for base in bases), place)


def _exceptions(known: Sequence[_Class]) -> list[_Class]:
    """Keep the classes that are exceptions: below a built-in one, or one of elsewhere that is called like one."""
    here = {one.name for one in known}
    good: set[str] = set()
    while True:
        more = {
            one.name
            for one in known
            if one.name not in good
            and any(
                base in good or (base not in here and (base in _BUILT_IN or _ENDING.search(base))) for base in one.bases
            )
        }
        if not more:
            return [one for one in known if one.name in good]
        good |= more


def _say_tree(page: Page, kept: Sequence[_Class], most: int) -> None:
    """Write each below its base; one with several bases stands below the first that is defined here."""
    names = {one.name for one in kept}
    below: dict[str, list[_Class]] = {}
    for one in kept:
        below.setdefault(next((base for base in one.bases if base in names and base != one.name), ""), []).append(one)
    rows = list(_ordered(below, "", 0, set()))
    for one, depth in rows[:most]:
        outer = ", ".join(base for base in one.bases if base not in names)
        page.item(one.name + (f" ({cut(outer, 60)})" if outer and not depth else ""), one.place, depth=depth)
    if len(rows) > most:
        page.item(f"… {len(rows) - most} more", rows[most][0].place)


def _ordered(
    below: Mapping[str, Sequence[_Class]], base: str, depth: int, seen: set[Place]
) -> list[tuple[_Class, int]]:
    rows = []
    for one in below.get(base, ()):
        if one.place not in seen:
            seen.add(one.place)
            rows += [(one, depth), *_ordered(below, one.name, depth + 1, seen)]
    return rows
