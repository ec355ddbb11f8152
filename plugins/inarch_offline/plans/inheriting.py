"""Which classes inherit from X: the lines that begin a class and name it as a base."""

from __future__ import annotations

import re

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.intents import CALLERS, Intent
from inarch_offline.layout import is_aside
from inarch_offline.material import hits, is_partial
from inarch_offline.plans.calling import callers
from inarch_offline.writing import Page, code, counted, cut

_MOST = 15
_LIMIT = 500
_BEGINS = r"^\s*((export|default|public|private|protected|internal|abstract|final|sealed|static|data|open) +)*class "


def subclasses(intent: Intent) -> Plan:
    """List the classes whose first line names a class as a base; without one, what else is known of its name."""
    name = intent.subject.strip(" `'\"").removesuffix("()")
    last = re.split(r"[.:\\]", name)[-1] or name
    [result] = yield [calls.search(rf"{_BEGINS}.*\b{calls.literal(last)}\b", limit=_LIMIT)]
    found = sorted(
        (hit for hit in hits(result) if _inherits(hit.text, last)),
        key=lambda hit: (is_aside(hit.path), hit.path, hit.line),
    )
    if not found:
        page = yield from callers(intent._replace(kind=CALLERS, names=(name,)))
        page.note(f"no line that begins a class names “{cut(last, 60)}” as its base")
        return page
    page = Page()
    number = counted(len(found), "class", "classes", more=is_partial(result))
    page.head(f"{number} directly below “{cut(name, 60)}”, by the lines that begin classes")
    for hit in found[:_MOST]:
        page.item(code(hit.text), hit.place)
    if len(found) > _MOST:
        page.item(f"… {counted(len(found) - _MOST, 'more class', 'more classes')}", found[_MOST].place)
    return page


def _inherits(line: str, name: str) -> bool:
    """Whether a line begins a class with that base: not as its own name, and not only as an argument of a type."""
    before = None
    while before != line:
        before, line = line, re.sub(r"\[[^\[\]]*\]|<[^<>]*>", "", line)
    base = re.search(r"\bclass\s+\w+\s*(?:\(|:|<|\bextends\b|\bimplements\b)(.*)", line)
    return bool(base and re.search(rf"(?<![\w=]){re.escape(name)}\b(?!\s*=)", base[1]))
