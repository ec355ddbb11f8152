"""Which decorators a project offers: what it defines and what its code, tests or documentation put above a function."""

from __future__ import annotations

import re
from collections import Counter

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.intents import Intent
from inarch_offline.layout import is_aside
from inarch_offline.material import Hit, hits
from inarch_offline.writing import Page, code, counted

_USES = r"^\s*(>>> |\.\.\. )?@[A-Za-z_][A-Za-z0-9_.]*"
_BUILT_IN = ("property", "staticmethod", "classmethod", "overload", "setter", "getter", "deleter")
_LIMIT = 4_000
_MOST = 15
_FEW = 6


def list_decorators(intent: Intent) -> Plan:
    """List the functions and classes of the product that are used as decorators somewhere, the most used first."""
    [searched] = yield [calls.search(_USES, limit=_LIMIT)]
    uses: dict[str, list[Hit]] = {}
    for hit in hits(searched):
        found = re.search(r"@([\w.]+)", hit.text)
        name = found[1].rpartition(".")[2] if found else ""
        if name and name not in _BUILT_IN and hit.path.endswith((".py", ".pyi", ".md", ".rst", ".txt")):
            uses.setdefault(name, []).append(hit)
    page = Page()
    counts = Counter({name: len(found) for name, found in uses.items()})
    names = [name for name, _ in counts.most_common(150)]
    [defining] = (
        (yield [calls.search(rf"^\s*((async )?def|class) ({calls.any_of(names)})\b", glob="*.py", limit=_LIMIT)])
        if names
        else [searched]
    )
    defined: dict[str, Hit] = {}
    for hit in hits(defining) if names else []:
        found = re.match(r"\s*(?:(?:async )?def|class) (\w+)", hit.text)
        if found and not is_aside(hit.path):
            defined.setdefault(found[1], hit)
    if not defined:
        page.absent("No function and no class that is defined here stands above others as a decorator.")
        if names:
            page.head("What stands above functions in these files")
        for name in names[:_FEW]:
            page.item(f"{code(uses[name][0].text, 50)}, {counted(counts[name], 'time')}", uses[name][0].place)
        return page
    ranked = sorted(defined, key=lambda name: (name.startswith("_"), -counts[name], name))
    page.head(f"{counted(len(ranked), 'decorator')} defined here, by what stands above functions in these files")
    for name in ranked[:_MOST]:
        first = min(uses[name], key=lambda hit: (not hit.path.endswith((".md", ".rst")), hit.path, hit.line))
        told = f"{code(first.text.lstrip('>. '), 50)}, {counted(counts[name], 'time')}"
        page.item(told, defined[name].place, first.place)
    if len(ranked) > _MOST:
        page.item(f"… {len(ranked) - _MOST} more", defined[ranked[_MOST]].place)
    return page
