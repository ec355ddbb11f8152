"""What depends on X: the files that import it, what a manifest says of it, and the classes that inherit from it."""

from __future__ import annotations

import re
from collections import Counter

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.intents import CALLERS, Intent
from inarch_offline.layout import is_aside
from inarch_offline.lookup import bears, say_hits, written
from inarch_offline.manifests import is_manifest
from inarch_offline.page import Page, code, counted, cut
from inarch_offline.plans.callers import callers
from inarch_offline.results import context, hits, is_partial

_MOST = 15
_LIMIT = 2_000
_KEYWORDS = (
    r"^\s*(from|import|export|use|require|require_relative|include|#include|using|pub use|mod|extern crate|@import)\b"
)
_CLOSED = r"^\s*\}\s*from\s*['\"]"
"""The last line of an import of several names."""
_CALLS = r"\b(require|import|import_module)\s*\(\s*['\"]"


def importers(intent: Intent) -> Plan:
    """List the files that import a module or package; what is no module is answered by its callers."""
    name = intent.subject.strip(" `'\"")
    last = re.split(r"[./:\\]", re.sub(r"\.(?:py|js|ts|go|rs|java)$", "", name))[-1] or name
    line = rf"({_KEYWORDS}|{_CALLS}|{_CLOSED}).*{calls.literal(last)}"
    [result] = yield [calls.search(line, limit=_LIMIT)]
    whole = re.compile(rf"(?<![\w-]){re.escape(last)}(?![\w-])")
    found = written([hit for hit in hits(result) if whole.search(hit.text) and _imports(hit.text)])
    if not found:
        page = yield from _not_imported(intent, name)
        return page
    page = Page()
    counts = Counter(hit.path for hit in found)
    first = {hit.path: hit for hit in reversed(found)}
    more = is_partial(result)
    imports = counted(len(found), "import", more=more)
    page.head(f"“{cut(name, 60)}” is imported in {counted(len(counts), 'file', more=more)} ({imports})")
    ranked = sorted(counts, key=lambda path: (is_aside(path), -counts[path], path))
    for path in ranked[:_MOST]:
        times = f"{counts[path]} times, first " if counts[path] > 1 else ""
        page.item(f"{times}{code(first[path].text)}", first[path].place)
    if len(ranked) > _MOST:
        aside = sum(map(is_aside, ranked[_MOST:]))
        told = f" ({aside} in tests, examples and documentation)" if aside else ""
        page.item(f"… {counted(len(ranked) - _MOST, 'more file', more=more)}{told}", first[ranked[_MOST]].place)
    yield from _say_declared(page, name)
    return page


def _not_imported(intent: Intent, name: str) -> Plan:
    """Tell who calls a definition of this name; where there is none, that nothing imports it, and where it is named."""
    [looked] = yield [calls.context_get(intent.subject or name)]
    target = context(looked).target
    if target is not None and bears(target, [name]):
        page = yield from callers(intent._replace(kind=CALLERS, names=(name,)))
        return page
    page = Page()
    page.absent(f"Nothing here imports “{cut(name, 60)}”.")
    yield from _say_declared(page, name)
    [mentions] = yield [calls.search(rf"\b{calls.literal(name)}\b", limit=60)]
    say_hits(page, f"Lines that name “{cut(name, 60)}”", hits(mentions), 6)
    return page


def _imports(line: str) -> bool:
    """Whether a line imports, rather than being prose that begins with such a word."""
    return bool(
        re.match(
            r"\s*(?:from\s+[.\w]+\s+import\b|import\s+[\w.{*'\"]|export\b.*\bfrom\b|(?:pub )?use\s+[\w:{]|mod\s+\w+;)",
            line,
        )
        or re.match(r"\s*(?:#?include|require(?:_relative)?|using|extern crate|@import)\b", line)
        or re.search(_CALLS, line)
        or re.match(_CLOSED, line)
    )


def _say_declared(page: Page, name: str) -> Plan:
    """Say which manifest declares it."""
    edge = r"[\"'\s=<>~!;:,\[\]]"
    [declared] = yield [calls.search(rf"(^|{edge}){calls.literal(name)}({edge}|$)", limit=400)]
    lines = [hit for hit in hits(declared) if is_manifest(hit.path)]
    if lines:
        page.head("Declared in")
    for hit in lines[:3]:
        page.item(code(hit.text), hit.place)
    return page


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
