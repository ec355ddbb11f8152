"""Settings, options and variables with their defaults and places, and how-to sections of the documentation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch_brief.offline import calls
from inarch_brief.offline.intents import Intent
from inarch_brief.offline.layout import is_aside, is_built, is_manifest
from inarch_brief.offline.lookup import is_the_project
from inarch_brief.offline.page import Page, Plan, code, cut
from inarch_brief.offline.prose import say_section, told_in
from inarch_brief.offline.results import Hit, Place, hits, is_partial, symbols
from inarch_brief.offline.words import holds_word, significant
from inarch_brief.search.formats import is_log

_SHAPES = {
    "Environment variables": (
        r"(\benviron\b|\bgetenv\b|process\.env\b|\benv::var|os\.LookupEnv|\bENV\[|\benvvar\b|import\.meta\.env).*ABOUT"
    ),
    "Options on the command line": r"['\"`]--[a-z0-9-]*ABOUT",
    "Settings": (
        r"^\s*[A-Z_]*ABOUT\w*\s*(:[^=]+)?=[^=]|['\"][\w. -]*ABOUT[\w. -]*['\"]\s*:|"
        r"\b(config|settings?)(\[|\.get\(|\.)['\"]?\w*ABOUT|\b(set|enable|disable)\(['\"][\w -]*ABOUT"
    ),
    "Parameters and their defaults": (
        r"^\s*\w*ABOUT\w*\s*:[^=#]+=[^=]|\bdef .*ABOUT\w*\s*(:[^=]+)?=|"
        r"^\s*\w*ABOUT\w*\s*[:=]\s*(-?[0-9]|['\"]|true|false|None)"
    ),
}
"""Patterns of lines that read or set something; ABOUT is replaced by the words of the question."""
_ENVIRONMENT = "Environment variables"
_READS = re.compile(
    r"environ(?:\.get\(|\[)(?!.*\]\s*=[^=])|\bgetenv\(|process\.env\b|\benv::var|LookupEnv|\bENV\[|envvar"
)
_NO_SETTING = re.compile(
    r"\s*(?:import |from |#|//|\*|\.\.|>>>|:param|(\w+)=\1\b|\w+\s*=\s*[a-z_]\w*[.(\[])|.*\b(?:case|TypeAlias)\b"
)
_SETTING = re.compile(
    r"\s*[A-Z][A-Z0-9_]{3,}\s*[:=](?!\s*\d+\s*,)|\s*['\"][\w. -]+['\"]\s*:|.*\b(?:config|settings?)\b.*['\"]|"
    r".*\b(?:set|enable|disable)\(['\"]"
)
"""A line of the third shape, by its capitals."""
_NAMED = re.compile(r"['\"\[.(]([A-Z][A-Z0-9_]{2,})\b")
"""The name of an environment variable."""
_SMALL = frozenset(("default", "value", "custom", "own", "change", "set"))
_LIMIT, _MOST, _SECTIONS = 600, 5, 2


def configure(intent: Intent) -> Plan:
    """List settings with their defaults: of a subject, or all; without any, list related places."""
    if intent.subject and (yield from is_the_project(intent.subject)):
        intent = intent._replace(subject="", names=())
    words = [word for one in significant(intent.subject) if (word := one.lower()) not in _SMALL]
    about = f"({calls.any_of(words)})" if words else "[A-Za-z]"
    shapes = {title: shape for title, shape in _SHAPES.items() if words or title in list(_SHAPES)[:2]}
    results = yield [
        calls.search(one.replace("ABOUT", about), ignore_case=True, limit=_LIMIT) for one in shapes.values()
    ]
    page, seen = Page(), set[Place]()
    own = [[hit for hit in hits(result) if _is_own(hit)] for result in results]
    best = max((_held(hit, words) for found in own for hit in found), default=0)
    if words and 2 * best < len(words) + 1:
        own = [[] for _ in own]  # one word of several does not identify a setting
    for title, found, result in zip(shapes, own, results, strict=True):
        kept = [hit for hit in found if not words or _held(hit, words) == best]
        kept = [hit for hit in kept if title != "Settings" or _SETTING.match(hit.text)]
        _say(page, title, kept, seen, is_partial(result))
    if words and len(page.lines) < _MOST:
        yield from _say_documented(page, intent, words)
    if page.lines:
        return page
    if words:
        from inarch_brief.offline.plans.places import (
            explain,
        )  # without a setting, the question is about the code that does it

        page = yield from explain(intent)
        return page
    page.absent("No environment variable, option or setting was found here.")
    return page


def _is_own(hit: Hit) -> bool:
    """Return whether a line is from the product's code."""
    is_prose = hit.path.endswith((".md", ".rst", ".txt", ".lock"))
    return not (
        is_prose or is_aside(hit.path) or is_built(hit.path) or is_manifest(hit.path) or _NO_SETTING.match(hit.text)
    )


def _held(hit: Hit, words: Sequence[str]) -> int:
    return sum(holds_word(hit.text, word) for word in words)


def _say(page: Page, title: str, found: Sequence[Hit], seen: set[Place], more: bool) -> None:
    """List each line once with its places. An environment variable needs a line with its name."""
    rows: dict[str, list[Place]] = {}
    for hit in sorted(found, key=lambda hit: (hit.path, hit.line)):
        names = _NAMED.findall(hit.text)
        if hit.place in seen or (title == _ENVIRONMENT and not (names and _READS.search(hit.text))):
            continue
        seen.add(hit.place)
        told = f"{names[0]}: {code(hit.text, 70)}" if title == _ENVIRONMENT else code(hit.text, 88)
        told = next((known for known in rows if names and known.startswith(f"{names[0]}:")), told)
        rows.setdefault(told, []).append(hit.place)
    if rows:
        page.head(title + (f" ({_MOST} of {len(rows)}{' or more' * more})" if len(rows) > _MOST else ""))
    for text, places in list(rows.items())[:_MOST]:
        page.item(text, *places[:3])


def _say_documented(page: Page, intent: Intent, words: Sequence[str]) -> Plan:
    """Show the documentation, if the code says little."""
    [told] = yield [calls.find_symbols(intent.subject, kind="section", limit=6)]
    sections = [one for one in symbols(told) if not is_log(one.place.path)]
    for section, facts in (yield from told_in(sections[:_SECTIONS], 2, words)):
        say_section(page, section, facts)
    return page


_GUIDES = {
    "install": r"instal|getting started|get started|quick ?start|\bset(ting)? ?up\b",
    "deploy": r"deploy|production|hosting|docker",
    "contribut": r"contribut|hacking|pull request|develop",
    "releas": r"\breleasing|\brelease (process|steps)|publish",
    "upgrad": r"upgrad|migrat|\bupdat|porting",
    "build": r"\bbuild|compil|from source|develop",
    "us": r"\busage\b|how to use|quick ?start|getting started|get started|example|tutorial|basic|introduc",
}
"""The start of the requested word, and patterns for headings about it, the best first."""
_SAME = {"set up": "install", "setup": "install", "pip install": "install", "publish": "releas", "compile": "build"}
_LINES, _FOUND = 6, 60


def guide(intent: Intent) -> Plan:
    """Quote the matching section of the README or of the documentation."""
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
