"""Which files of a large tree a question leads to: these are read first, and linked first.

Their paths are asked before their texts, and these as long as there is time: nothing is parsed. What a word weighs is
how rare it is in the files that were looked at; in a name that is defined it counts twice.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from inarch import ToolFailed, Workspace
from inarch_brief_tracer.facts.modules import CODE, role_of
from inarch_brief_tracer.facts.name_scan import defined_in
from inarch_brief_tracer.indexing.reading import Changed
from inarch_brief_tracer.indexing.time_limit import Limit
from inarch_search.tokens import pieces, stem, words
from inarch_search.vocabulary import STOP_WORDS, WEAK_WORDS

_AT_LEAST = 100
"""Texts that are looked at in any case."""
_HEAD = 200_000
_LONGEST = 2_000
_OTHER = 0.3
"""What a test or a copy of other code counts, against the program itself."""


def led(workspace: Workspace, files: Sequence[Changed], question: str, limit: Limit) -> Mapping[str, float]:
    """Weigh the files by what a question and they have in common; those without anything are left out."""
    terms = terms_of(question)
    if not terms:
        return {}
    lower = {item.path: item.path.lower() for item in files}
    paths = {path: [term for term in terms if term in text] for path, text in lower.items()}
    order = sorted(paths, key=lambda path: (-len(paths[path]), role_of(path) != CODE, path.count("/"), path))
    found: dict[str, tuple[list[str], list[str]]] = {}
    for number, path in enumerate(order):
        if number >= _AT_LEAST and limit.is_over:
            break
        found[path] = _text_terms(workspace, path, terms)
    spread = Counter(term for held, _ in found.values() for term in held)
    weights = {term: math.log(1 + len(found) / (1 + spread[term])) for term in terms}
    scores = {
        path: sum(weights[term] for part in (paths[path], *found.get(path, ())) for term in part)
        * (1.0 if role_of(path) == CODE else _OTHER)
        for path in order
        if paths[path] or path in found
    }
    return {path: score for path, score in scores.items() if score > 0}


def terms_of(question: str) -> tuple[str, ...]:
    """Give what to look for in texts: names as they are, and words up to where their endings begin."""
    found: dict[str, None] = {}
    for name in words(question[:_LONGEST]):
        parts = [part for part in pieces(name) if len(part) > 2 and part not in STOP_WORDS and part not in WEAK_WORDS]
        if len(parts) > 1:
            found[name.lower()] = None
        for part in parts:
            root = stem(part)
            found[root if part.startswith(root) else root[:-1]] = None  # a last letter may have been changed
    return tuple(term for term in found if len(term) > 2)


def _text_terms(workspace: Workspace, path: str, terms: Sequence[str]) -> tuple[list[str], list[str]]:
    """Give the terms that a file holds, and those in names that it defines."""
    try:
        text = workspace.read(path, max_bytes=_HEAD).data.decode("utf-8", "replace")
    except ToolFailed:
        return [], []
    lower = text.lower()
    held = [term for term in terms if term in lower]
    if not held:
        return [], []
    names = " ".join(defined_in(text)).lower()
    return held, [term for term in held if term in names]
