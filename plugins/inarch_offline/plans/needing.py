"""What the project, or a part of it, depends on: what its manifests declare, and what its code imports of others."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence

from inarch_offline import calls
from inarch_offline.exchange import Asking, Plan
from inarch_offline.intents import CALLEES, LIST, Intent
from inarch_offline.layout import is_aside, is_code
from inarch_offline.manifests import Project
from inarch_offline.material import Hit, context, files, hits, is_partial
from inarch_offline.plans.naming import is_named
from inarch_offline.plans.reading import whole
from inarch_offline.plans.whole import of_the_whole
from inarch_offline.words import paths_in
from inarch_offline.writing import Page, code, counted

_MOST = 12
_LIMIT = 2_000
_IMPORTS = r"^\s*(from|import)\s+[A-Za-z_]|\b(require|import)\(\s*['\"]|\bfrom\s+['\"]|^\s*import\s+['\"]"
_PYTHON, _SCRIPT = (".py", ".pyi"), (".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts")
_MODULES = r"[A-Za-z_][\w.]*(?: as \w+)?"
_LINE = rf"\s*(?:from\s+([A-Za-z_]\w*)[\w.]*\s+import\b.*|import\s+({_MODULES}(?:\s*,\s*{_MODULES})*)\s*(?:#.*|;.*)?)"
"""A line that imports, rather than prose that begins with such a word."""


def needs(intent: Intent) -> Plan:
    """Say what the project depends on; of a module what it imports, of any other definition what it calls."""
    asked = yield from of_the_whole(intent)
    if not asked.subject:
        from inarch_offline.plans.listing import list_things

        page = yield from list_things(Intent(LIST, facet="dependencies"))
        return page
    if path := (yield from _module_of(asked)):
        from inarch_offline.plans.outlining import explain_file

        page = yield from explain_file(asked._replace(path=path))
        return page
    from inarch_offline.plans.calling import callees

    page = yield from callees(asked._replace(kind=CALLEES))
    return page


def _module_of(intent: Intent) -> Asking[str]:
    """Give the file of the module that is asked about, "" where it is none."""
    path = paths[0] if (paths := paths_in(intent.subject)) else ""
    said = re.fullmatch(r"([\w./-]+) (?:module|file|script)", intent.subject)
    name = (said[1] if said else intent.subject).rpartition(".")[2]
    found, listed = yield [calls.context_get(intent.subject), calls.list_files(f"**/{name}.*", 20)]
    target = context(found).target
    if path or not said:
        is_module = target is not None and target.kind == "module" and is_named(intent, target)
        return path or (target.place.path if target is not None and is_module else "")
    return next((one for one in files(listed) if is_code(one) and not is_aside(one)), "")


def say_imported(page: Page, project: Project) -> Asking[None]:
    """List what the code here imports of others, the most imported first."""
    found, plain, inner = yield [
        calls.search(_IMPORTS, limit=_LIMIT),
        calls.list_files("*/__init__.py", 100),
        calls.list_files("src/*/__init__.py", 100),
    ]
    [found] = yield from whole(found)
    lines = [hit for hit in hits(found) if not is_aside(hit.path)]
    own = {path.split("/")[-2] for path in (*files(plain), *files(inner))} | {_stem(hit.path) for hit in lines}
    declared = {
        name for fact in (*project.dependencies, *project.extras) for name in re.findall(r"[@\w./-]+", fact.text)
    }
    imported: dict[str, list[Hit]] = defaultdict(list)
    for hit in lines:
        for name in _foreign(hit, own, declared):
            imported[name].append(hit)
    ranked = sorted(imported, key=lambda name: (-_files(imported[name]), name))
    if ranked:
        page.head("Imported by its code")
    for name in ranked[:_MOST]:
        page.item(_counted(name, imported[name], is_partial(found)), imported[name][0].place)
    if len(ranked) > _MOST:
        page.item(f"… {len(ranked) - _MOST} more", imported[ranked[_MOST]][0].place)


def _counted(name: str, lines: Sequence[Hit], more: bool) -> str:
    return f"{name} in {counted(_files(lines), 'file', more=more)}, first {code(lines[0].text)}"


def _files(lines: Sequence[Hit]) -> int:
    return len({hit.path for hit in lines})


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _foreign(hit: Hit, own: set[str], declared: set[str]) -> Iterator[str]:
    """Give the packages of others that a line imports; of scripts those that a manifest declares."""
    if hit.path.endswith(_PYTHON):
        for name in _roots(hit.text):
            if name not in own and name not in sys.stdlib_module_names and not name.startswith("_"):
                yield name
    elif hit.path.endswith(_SCRIPT) and not hit.text.lstrip().startswith(("*", "/")):
        for quoted in re.findall(r"['\"]([@\w][\w./@-]*)['\"]", hit.text):
            parts = quoted.split("/")
            name = "/".join(parts[:2]) if quoted.startswith("@") else parts[0]
            if name in declared:
                yield name


def _roots(line: str) -> list[str]:
    """Give the top-level packages that a line of Python imports."""
    found = re.fullmatch(_LINE, line.rstrip())
    if found is None:
        return []
    names = [found[1]] if found[1] else re.split(r"\s*,\s*", found[2])
    return list(dict.fromkeys(re.split(r"[.\s]", name)[0] for name in names))
