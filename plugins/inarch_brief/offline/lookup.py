"""Shared parts of plans: text searches, tests for named definitions, lists of places, paths from entry points."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from inarch import PlannedCall, ToolResult
from inarch_brief.offline import calls
from inarch_brief.offline.exchange import Asking
from inarch_brief.offline.intents import Intent
from inarch_brief.offline.layout import is_built
from inarch_brief.offline.page import Page, code, counted, cut, glued, joined, sentence, shortened
from inarch_brief.offline.prose import plain_text
from inarch_brief.offline.results import Context, Hit, Site, Symbol, Way, files, hits, said
from inarch_brief.offline.words import held, significant, words_of

DEFINING = r"(class|function|func|fn|def|struct|interface|enum|trait|type|module|const|let|var|macro|fun)"
LINKED = r"\d[\d,]* of [\d,]+ (?:\w+ )?files are (?:not )?linked|callers looked for|the first \d+ callers"
"""A note about callers: it does not affect definitions."""
_PARTLY = r"\b\d[\d,]* of [\d,]+ (?:\w+ )?files\b|may not be indexed yet|^only the first [\d,]+ files"
"""A note of a lookup that covered only a part of the code."""
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


def say_hits(page: Page, title: str, found: Iterable[Hit], most: int) -> bool:
    """Write lines of code below a title. Return False if there are none."""
    shown = list(found)[:most]
    if shown:
        page.head(title)
    for hit in shown:
        page.item(code(hit.text), hit.place)
    return bool(shown)


def doc_of(symbol: Symbol, most: int = 110) -> str:
    """Return the first sentence of a docstring."""
    return "" if symbol.doc.startswith(":") else sentence(plain_text(symbol.doc), most)


def say_definition(page: Page, target: Symbol, most: int = 330) -> None:
    """Write a definition and its docstring."""
    page.say(f"{target.kind} `{shortened(target.qualname)}{cut(target.signature, most // 2)}`", target.place)
    if target.doc:
        page.say(cut(plain_text(target.doc), most), target.place)


def say_sites(page: Page, title: str, sites: Sequence[Site], most: int = 5, more: bool = False) -> None:
    """Write call sites; `more` says that there may be unknown ones."""
    if not sites:
        return
    number = counted(len(sites), "place", more=more)
    page.head(title if len(sites) <= most else f"{title} ({most} of {number if number not in title else 'them'})")
    for site in sites[:most]:
        page.item(shortened(site.qualname) + (f": {code(site.text, 70)}" if site.text else ""), site.place)


def say_note(page: Page, result: ToolResult, without: str = "(?!)", named: bool = False) -> None:
    """Write a lookup's notes. Those on partial coverage come first, unless a name was found."""
    notes = [note for note in said(result).split("; ") if note and not re.match(without, note)]
    partly = [note for note in notes if re.search(_PARTLY, note)]
    if partly and not named:
        page.open_with("; ".join(partly))
    if kept := [note for note in notes if note not in partly]:
        page.note("; ".join(kept))


def say_ways(page: Page, found: Sequence[Way], most: int) -> None:
    """Write the paths from entry points, each call with its place; tests only if there are no others."""
    longer = [way for way in found if len(way.names) > 1]
    own = [way for way in longer if not way.is_test] or longer
    if own:
        page.head("Reached from" if len(own) <= most else f"Reached from ({most} of {counted(len(own), 'way')})")
    for way in own[:most]:
        page.item(f"{way.entry}: {cut(' → '.join(way.names), 220)}", *way.places[:6])


def say_tests(page: Page, found: Sequence[Way], most: int) -> None:
    """Write the tests that reach it."""
    tests = [way for way in found if way.is_test]
    if tests and len(tests) < len(found):
        page.head("Tests that reach it")
    for way in tests[:most] if len(tests) < len(found) else ():
        page.item(cut(" → ".join(way.names), 160), way.places[0])


def say_path(page: Page, found: Context, most: int) -> None:
    """Write the first path call by call, without the middle of a long one, and its files."""
    way, target = found.ways[0], found.target
    steps = [f"`{name}` ({glued(place)})" for name, place in zip(way.names, way.places, strict=True)]
    steps = [*steps[:2], "…", *steps[3 - most :]] if len(steps) > most else steps
    page.inner(f"Entry: {way.entry}")
    for step in steps:
        page.item(step, depth=2)
    places = [*way.places, target.place] if target else list(way.places)
    page.inner(f"Files in this path: {joined(dict.fromkeys(place.path for place in places), 8)}")
