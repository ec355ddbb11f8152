"""Shared parts of plans: text searches, tests for named definitions, lists of places, paths from entry points."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from inarch import PlannedCall
from inarch_brief.offline import calls
from inarch_brief.offline.intents import Intent
from inarch_brief.offline.layout import is_built
from inarch_brief.offline.page import Asking
from inarch_brief.offline.results import Hit, Symbol, files, hits
from inarch_brief.offline.words import held, significant, words_of

DEFINING = r"(class|function|func|fn|def|struct|interface|enum|trait|type|module|const|let|var|macro|fun)"
LINKED = r"\d[\d,]* of [\d,]+ (?:\w+ )?files are (?:not )?linked|callers looked for|the first \d+ callers"
"""A note about callers: it does not affect definitions."""
_KINDS = words_of("function class method module package object constant decorator command option property field")
_MOST_WORDS = 3
_DECLARING = "{pyproject.toml,setup.cfg,setup.py,package.json,Cargo.toml,composer.json,go.mod}"


def is_named(intent: Intent, target: Symbol) -> bool:
    """Return whether the prompt names the definition: by an identifier, or by a word alone or beside its owner."""
    words = intent.subject.split()
    around = {part.lower() for part in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", target.qualname)} | {target.kind}
    names = [
        word
        for word in words
        if not word.isalpha()
        or re.search(r"[a-z][A-Z]", word)
        or {other.lower() for other in words if other != word} - _KINDS <= around
    ]
    return bears(target, (*intent.names, *names)) and len(words) <= _MOST_WORDS


def bears(target: Symbol, names: Sequence[str]) -> bool:
    """Return whether a definition has one of some names. Leading underscores of a private name are optional."""
    last = {name.rpartition(".")[2] for name in names}
    if target.test:
        return target.name in last or target.name.lower() in {name.lower() for name in last if name.islower()}
    private = target.name.lower().lstrip("_")
    own = {target.name.lower(), private} if "_" in private else {target.name.lower()}
    return not own.isdisjoint(name.lower() for name in last)


def is_the_project(name: str) -> Asking[bool]:
    """Return whether a name is the project's: declared in a top manifest, or that of a top package."""
    if not re.fullmatch(r"[\w.@/-]+", name):
        return False
    *listed, declared = yield [
        calls.list_files(f"{name}/__init__.py", 1),
        calls.list_files(f"src/{name}/__init__.py", 1),
        calls.search(rf"(^\s*\"?name\"?\s*[:=]\s*|^module .*)['\"]?{calls.literal(name)}\b", glob=_DECLARING,
                     ignore_case=True, limit=100),
    ]  # fmt: skip
    return any(map(files, listed)) or any("/" not in hit.path for hit in hits(declared))


def text_search(subject: str, limit: int = 80) -> list[PlannedCall]:
    """Return the calls that search all files for a subject's words; none for an empty subject."""
    words = significant(subject)
    return [calls.search(calls.any_of(words), ignore_case=True, limit=limit)] if words else []


def definition_search(name: str) -> PlannedCall:
    """Return a call that searches for the definition of a name in any language."""
    name = calls.literal(re.split(r"\.|::", name)[-1])
    method = r"^\s*((async|static|get|set|public|private|protected) +)*[*#]?" + name + r"\s*\([^()]*\)[^;()]*\{\s*$"
    return calls.search(rf"\b{DEFINING}\s+(\([^)]*\)\s*)?{name}\b|^{name}\s*(:[^=]+)?=[^=]|{method}", limit=20)


def written(found: Sequence[Hit]) -> list[Hit]:
    """Drop lines of build products, unless there are no other lines."""
    return [hit for hit in found if not is_built(hit.path)] or list(found)


def best_hits(found: Sequence[Hit], words: Sequence[str]) -> list[Hit]:
    """Order matches by the number of words in their line, code before prose, with at most two lines of a file."""
    ranked = sorted(
        written(found),
        key=lambda hit: (
            2 * hit.path.endswith((".md", ".rst", ".txt", ".po")) - held(hit.text, words),
            not re.search(rf"\b{DEFINING}\b", hit.text),
            hit.path,
            hit.line,
        ),
    )
    taken = Counter[str]()
    kept = []
    for hit in ranked:
        taken[hit.path] += 1
        kept += [hit] if taken[hit.path] <= 2 else []
    return kept
