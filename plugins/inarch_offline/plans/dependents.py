"""What depends on X: the files that import it, and the classes that inherit from it."""

from __future__ import annotations

import re
from collections import Counter

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.intents import Intent
from inarch_offline.layout import is_aside
from inarch_offline.lookup import bears, say_hits, written
from inarch_offline.manifests import is_manifest
from inarch_offline.page import Page, code, counted, cut
from inarch_offline.plans.callers import callers
from inarch_offline.results import context, hits, is_partial

_MOST = 15
_IMPORTING = (
    r"(^\s*(pub +)?(from|import|export|use|mod|#?include|require|require_relative|using|extern|@import|\} *from)\b.*|"
    r"\b(require|import|import_module)\s*\(.*)(^|[^\w-])NAME($|[^\w-])"
)
_PROSE = r"\s*from\s+(?!\S+\s+import\b)|\s*(?:export|import)\s+\w+\s+(?!from\b|as\b|=)\w"
_BEGINS = r"^\s*((export|default|public|private|protected|internal|abstract|final|sealed|static|data|open) +)*class "


def importers(intent: Intent) -> Plan:
    """List the files that import a module or package; what is no module is answered by its callers."""
    name = intent.subject.strip(" `'\"")
    last = re.split(r"[./:\\]", re.sub(r"\.(?:py|js|ts|go|rs|java)$", "", name))[-1] or name
    result, declared, looked = yield [
        calls.search(_IMPORTING.replace("NAME", calls.literal(last)), limit=2_000),
        calls.search(rf"(^|[^\w-]){calls.literal(name)}($|[^\w-])", limit=400),
        calls.context_get(intent.subject or name),
    ]
    found = written([hit for hit in hits(result) if not re.match(_PROSE, hit.text)]) if hits(result) else []
    target = context(looked).target
    if not found and target is not None and bears(target, [name]):
        page = yield from callers(intent._replace(names=(name,)))
        return page
    page, more = Page(), is_partial(result)
    counts = Counter(hit.path for hit in found)
    if found:
        number = counted(len(counts), "file", more=more)
        page.head(f"“{cut(name, 60)}” is imported in {number} ({counted(len(found), 'import', more=more)})")
    else:
        page.absent(f"Nothing here imports “{cut(name, 60)}”.")
    first = {hit.path: hit for hit in reversed(found)}
    ranked = sorted(counts, key=lambda path: (is_aside(path), -counts[path], path))
    for path in ranked[:_MOST]:
        times = f"{counts[path]} times, first " if counts[path] > 1 else ""
        page.item(f"{times}{code(first[path].text)}", first[path].place)
    if ranked[_MOST:]:
        page.item(f"… {counted(len(ranked) - _MOST, 'more file', more=more)}", first[ranked[_MOST]].place)
    say_hits(page, "Declared in", (hit for hit in hits(declared) if is_manifest(hit.path)), 3)
    return page


def subclasses(intent: Intent) -> Plan:
    """List the classes whose first line names a class as a base; without one, what else is known of its name."""
    name = intent.subject.strip(" `'\"").removesuffix("()")
    last = re.split(r"[.:\\]", name)[-1] or name
    [result] = yield [calls.search(rf"{_BEGINS}.*\b{calls.literal(last)}\b", limit=500)]
    base = re.compile(rf"\bclass\s+\w+\s*(?:\(|:|<|\bextends\b|\bimplements\b).*(?<![\w=]){re.escape(last)}\b(?!\s*=)")
    found = [hit for hit in hits(result) if base.search(re.sub(r"\[[^\[\]]*\]|<[^<>]*>", "", hit.text))]
    if not found:
        page = yield from callers(intent._replace(names=(name,)))
        page.note(f"no line that begins a class names “{cut(last, 60)}” as its base")
        return page
    page = Page()
    number = counted(len(found), "class", "classes", more=is_partial(result))
    shown = f" ({_MOST} of them)" if len(found) > _MOST else ""
    ranked = sorted(found, key=lambda hit: (is_aside(hit.path), hit.path, hit.line))
    say_hits(page, f"{number} directly below “{cut(name, 60)}”{shown}", ranked, _MOST)
    return page
