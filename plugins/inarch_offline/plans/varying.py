"""What about the async one: the question before, asked of the definition beside the one that was answered."""

from __future__ import annotations

import re

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.intents import EXPLAIN, Intent
from inarch_offline.material import Symbol, symbols
from inarch_offline.plans import plan_for

_LIMIT = 20


def vary(intent: Intent) -> Plan:
    """Find what is called alike and has the words that tell them apart, and answer what was asked of the first."""
    place, words = intent.names[0], re.findall(r"\w+", intent.subject.lower())
    name = place.rpartition(".")[2]
    results = yield [
        calls.find_symbols(f"{intent.subject} {name}", limit=_LIMIT),
        calls.find_symbols(name, limit=_LIMIT),
    ]
    others = [one for result in results for one in symbols(result) if one.qualname != place]
    fitting = [one for one in others if all(word in one.qualname.lower() for word in words)]
    best = min(fitting, key=lambda one: _distance(one, place), default=None)
    if best is None:
        page = yield from plan_for(intent._replace(kind=EXPLAIN, names=()))
        return page
    page = yield from plan_for(
        intent._replace(kind=intent.facet, subject=best.qualname, names=(best.qualname,), facet="")
    )
    return page


def _distance(one: Symbol, place: str) -> tuple[bool, bool, int]:
    """Rank another definition: of the same name first, then of the same module."""
    parts = place.split(".")
    shared = sum(part in parts for part in one.qualname.split("."))
    return one.test, one.name.strip("_") != parts[-1].strip("_"), -shared
