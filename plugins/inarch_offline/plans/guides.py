"""How to install, deploy, use, build and contribute: what the documentation says, and what a manifest allows."""

from __future__ import annotations

import re

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.intents import Intent
from inarch_offline.page import Page, cut
from inarch_offline.prose import say_section, told_in
from inarch_offline.results import symbols
from inarch_search.formats import is_log

_GUIDES = {
    "install": r"instal|getting started|get started|quick ?start|\bset(ting)? ?up\b",
    "deploy": r"deploy|production|hosting|docker",
    "contribut": r"contribut|hacking|pull request|develop",
    "releas": r"\breleasing|\brelease (process|steps)|publish",
    "upgrad": r"upgrad|migrat|\bupdat|porting",
    "build": r"\bbuild|compil|from source|develop",
    "us": r"\busage\b|how to use|quick ?start|getting started|get started|example|tutorial|basic|introduc",
}
"""The beginning of what is asked for, and what headings about it say, the surest first."""
_SAME = {"set up": "install", "setup": "install", "pip install": "install", "publish": "releas", "compile": "build"}
_LINES, _FOUND = 6, 60


def guide(intent: Intent) -> Plan:
    """Quote the section of the README or of the documentation that is about it."""
    asked = _SAME.get(intent.facet, intent.facet)
    what = next((name for name in _GUIDES if asked.startswith(name)), "us")
    words = " ".join(re.findall(r"[a-z]{4,}", _GUIDES[what]))
    [searched] = yield [calls.find_symbols(words, kind="section", limit=_FOUND)]
    page = Page()
    fitting = [
        one for one in symbols(searched) if re.search(_GUIDES[what], one.name, re.I) and not is_log(one.place.path)
    ]
    ranks = _GUIDES[what].split("|")
    fitting.sort(key=lambda one: next((rank for rank, word in enumerate(ranks) if re.search(word, one.name, re.I)), 99))
    fitting.sort(key=lambda one: (one.name.startswith((".", "`")), "/" in one.place.path and what == "install"))
    found = yield from told_in(fitting[:6], _LINES)
    for section, facts in found[:1]:
        say_section(page, section, facts)
    if found[1:]:
        page.head("Other sections about it")
    for section, _ in found[1:4]:
        page.item(f"“{cut(section.name, 70)}”", section.place)
    if not page.lines:
        page.absent(f"No README and no documentation here says how to {intent.facet or 'use'} this.")
    return page
