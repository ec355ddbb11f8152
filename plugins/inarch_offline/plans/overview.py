"""Summarize this codebase: which files are looked at for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from inarch import PlannedCall, ToolResult
from inarch_offline import calls
from inarch_offline.centrality import (
    DEFINITIONS,
    DOCSTRINGS,
    METHODS,
    Outline,
    Part,
    exports_of,
    own_imports,
    parts_of,
)
from inarch_offline.doorways import ways_of
from inarch_offline.exchange import Asking, Plan
from inarch_offline.intents import Intent
from inarch_offline.layout import Package, is_aside, main_package, packages
from inarch_offline.manifests import MANIFESTS, is_manifest, read_project
from inarch_offline.material import FileText, file_text, file_texts, hits, is_limited, is_partial, said
from inarch_offline.other_languages import TOP_LEVEL, files_of
from inarch_offline.plans.picturing import say_picture
from inarch_offline.plans.reading import whole, whole_list
from inarch_offline.plans.screen import KEY_PARTS, Findings, write_overview
from inarch_offline.rooms import read_rooms, rooms_of
from inarch_offline.subpackages import docstring_in, groups_of, inits_of, is_many
from inarch_offline.topic_kinds import ARCHITECTURE
from inarch_offline.writing import Page, joined, shortened

MOST_FILES = 10_000
_MOST_HITS = 10_000
_COUNTED = 3
"""The first look-ups, by which definitions are counted: they are read on where they are long."""


def summarize(intent: Intent) -> Plan:
    """Look at names first, then at the few files that tell most, then write one screen."""
    listed, ways_in = yield [calls.list_files(limit=MOST_FILES), calls.entry_points()]
    paths, complete = yield from whole_list(listed)
    if not paths:
        page = Page()
        if listed.success:
            page.plain(f"There are no files here: {said(listed)}" if said(listed) else "There are no files here.")
        else:
            page.plain(f"The files here could not be listed: {said(listed)}")
        return page
    package = main_package(paths)
    rooms = rooms_of(paths)
    telling = _telling_files(paths, not rooms)
    wanted = _looks(package) if package else [calls.search(TOP_LEVEL, limit=_MOST_HITS)]
    results = yield [*(calls.read_file(path, 1, end) for path, end in telling.items()), *wanted]
    looks = yield from whole(*results[len(telling) :][:_COUNTED])
    looks += results[len(telling) + _COUNTED :]
    texts = {text.path: text for result in results[: len(telling)] if (text := file_text(result)) is not None}
    parts: list[Part] = []
    if package:
        parts = _parts(package, looks, texts.get(f"{package.folder}/__init__.py"))
        yield from _read_docstrings(parts)
    else:
        parts = files_of(hits(looks[-1]))
    inner = (yield [calls.read_file(manifest, 1, 400) for manifest in rooms.values()]) if rooms else []
    project = read_project([text for path, text in texts.items() if not path.endswith("__init__.py")], paths)
    broken = tuple(f"{fact.place.path} can't be read" for fact in project.broken)  # said with its reason already
    noted = _unread(telling, results) + _notes(listed, ways_in, looks)
    notes = [note for note in noted if not broken or not note.startswith(broken)]
    if not complete:
        notes.insert(0, f"counts are of the {len(paths):,} files that were listed")
    findings = Findings(paths, texts, project, package, parts, ways_of(ways_in), notes, read_rooms(rooms, inner))
    if intent.facet != ARCHITECTURE:
        return write_overview(findings)
    picture = Page()
    yield from say_picture(picture, paths)
    return write_overview(findings, picture)


def _looks(package: Package) -> list[PlannedCall]:
    """Give the calls that look into a package: at its sub-packages, or at what its modules define and import."""
    if is_many(package):
        inits = inits_of(package)
        return [calls.read_files(inits)] if inits else []
    patterns = (DEFINITIONS, own_imports(package), DOCSTRINGS, METHODS)
    return [calls.search(pattern, package.folder or ".", "*.py", limit=_MOST_HITS) for pattern in patterns]


def _parts(package: Package, results: Sequence[ToolResult], init: FileText | None) -> list[Part]:
    if is_many(package):
        return groups_of(package, file_texts(results[0]) if results else [])
    found = Outline(*map(hits, results))
    inside = {hit.path for hit in (*found.definitions, *found.imports, *found.docstrings)}
    package = package._replace(modules=tuple(sorted(inside.union(package.modules))))
    return parts_of(package, found, exports_of(init))


def _unread(telling: Iterable[str], results: Sequence[ToolResult]) -> list[str]:
    """Say which of the telling files could not be read, and why the first of them could not."""
    failed = [(path, result) for path, result in zip(telling, results, strict=False) if not result.success]
    return [f"not read: {joined([shortened(path) for path, _ in failed])}: {said(failed[0][1])}"] if failed else []


def _notes(listed: ToolResult, ways_in: ToolResult, looks: Sequence[ToolResult]) -> list[str]:
    """Collect what the look-ups say of their own results, but for what doesn't matter here."""
    notes = [said(result) for result in looks if said(result) and not is_limited(result)]
    if any(is_partial(result) for result in looks[:_COUNTED]):
        notes.insert(0, "the definitions are more than could be listed: parts may hold more than is named")
    if said(listed) and not is_limited(listed):
        notes.insert(0, said(listed))
    # How many entry points there are stands beside them.
    kept = [note for note in said(ways_in).split("; ") if note and not re.search(r"entry points|of kind ", note)]
    return [*notes, *kept]


def _telling_files(paths: Sequence[str], deep: bool) -> dict[str, int]:
    """Choose the files to read, with the last line to read of each; manifests further down where they tell of all."""
    top = [path for path in paths if "/" not in path]
    chosen = {name: 400 for name in MANIFESTS if name in top}
    chosen |= {path: 400 for path in top if is_manifest(path)}
    if not chosen and deep:
        nested = sorted(
            (path for path in paths if is_manifest(path) and not is_aside(path)),
            key=lambda path: (path.count("/"), path),
        )
        chosen = dict.fromkeys(nested[:3], 400)
    readmes = [path for path in top if path.lower().startswith("readme")]
    chosen |= dict.fromkeys(sorted(readmes, key=lambda path: (not path.endswith((".md", ".rst")), path))[:1], 80)
    chosen |= dict.fromkeys([path for path in top if path.lower().startswith(("licen", "copying", "unlicen"))][:1], 40)
    chosen |= {
        f"{package.folder}/__init__.py": 300
        for package in packages(paths)[:3]
        if f"{package.folder}/__init__.py" in paths
    }
    return dict(list(chosen.items())[:12])


def _read_docstrings(parts: Sequence[Part]) -> Asking[None]:
    """Read the first lines of the key modules that seem to have a docstring: to see it, or that it is none."""
    seeming = [part for part in parts[:KEY_PARTS] if part.modules == 1 and (part.open_doc or part.doc)]
    wanted = [calls.read_file(part.place.path, 1, part.place.line + 6) for part in seeming]
    results = (yield wanted) if wanted else []
    for part, result in zip(seeming, results, strict=False):
        text = file_text(result)
        if text is not None:
            part.doc = docstring_in(text)
