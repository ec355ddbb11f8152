"""Questions that have an answer of their own before anything is searched for: history, marks, settings, importers."""

from __future__ import annotations

import re
from typing import NamedTuple

from inarch_offline.project_patterns import FACTS, LOGS, VERBS
from inarch_offline.topic_kinds import (
    ABOUT_IT,
    CHANGES,
    COMMANDS,
    CONFIGURE,
    DECLARED,
    DECORATORS,
    GATHER,
    GUIDE,
    NEEDS,
    RAISES,
    RECENTLY,
    TESTS,
)
from inarch_offline.topic_patterns import PATTERNS
from inarch_offline.topic_words import WORDS

_OF_ALL = frozenset((CHANGES, COMMANDS, GUIDE, DECLARED, RAISES, DECORATORS, TESTS, NEEDS))
"""Kinds that may be about the whole project, or about what was asked before."""


class Topic(NamedTuple):
    """What a question is about: its kind, the words behind it, "" for the whole project, and what of it."""

    kind: str
    what: str = ""
    facet: str = ""


def topic_of(text: str) -> Topic | None:
    """Say which of these questions a text is, None for any other."""
    low = text.lower()
    asked = (patterns for patterns in PATTERNS if any(word in low for word in WORDS[patterns[0]]))
    for kind, pattern in ((kind, pattern) for kind, patterns in asked for pattern in patterns):
        found = re.fullmatch(pattern, text, re.I)
        if found:
            groups = found.groupdict()
            what, facet = (groups.get("what") or "").strip(" `'\"?"), _facet(kind, groups)
            if facet == "links":
                what = (groups.get("verb") or "").lower()
            if kind == RAISES and re.match(r"(?:an?|the|some|any|my)\s", what, re.I):
                what = ""  # “a request” is no name
            if kind == CONFIGURE and re.fullmatch(ABOUT_IT, what) and not re.match(r"how|where", text, re.I):
                what = ""
            if re.fullmatch(ABOUT_IT, what) or not what:
                # `it` is what was asked about before
                return Topic(kind, "", facet) if kind in _OF_ALL or not what else None
            return Topic(kind, re.sub(rf"^(?:the|a|an|any|some|its|my)\s+|\s+{RECENTLY}$", "", what, flags=re.I), facet)
    return None


def _facet(kind: str, groups: dict[str, str | None]) -> str:
    said = (groups.get("verb") or "").lower()
    if kind == GATHER:
        return re.sub(r"(?<=s)es$|s$", "", said) if said != "class" else said
    if kind == CONFIGURE:
        return said
    table = {GUIDE: VERBS, DECLARED: FACTS, CHANGES: LOGS}.get(kind, {})
    return next((facet for facet, pattern in table.items() if re.match(pattern, said)), "")
