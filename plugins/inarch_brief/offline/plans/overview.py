"""Summarize this codebase: one screen, the most useful first, each line with its place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inarch_brief.offline import calls
from inarch_brief.offline.calls import whole, whole_list
from inarch_brief.offline.exchange import Plan
from inarch_brief.offline.intents import Intent
from inarch_brief.offline.layout import (
    MANIFESTS,
    TOP_LEVEL,
    Package,
    Part,
    folders,
    imports_of,
    is_aside,
    is_manifest,
    is_test,
    languages,
    main_package,
    packages,
    parts_of,
    sources,
)
from inarch_brief.offline.manifests import Project, read_project
from inarch_brief.offline.page import Page, Place, clause, counted, cut, fitting, joined, room_for, sentence
from inarch_brief.offline.plans.lists import SCRIPTS, Way, named, ways_of
from inarch_brief.offline.prose import Fact, docstring_in, lead_of, title_of
from inarch_brief.offline.results import FileText, file_text, hits, is_limited, is_partial, said

MOST_FILES = 10_000
_MOST_HITS = 10_000
_SCREEN = 43
"""Lines of an overview, without the two before it."""
_SIZES = ((11, 8, 2), (8, 6, 2), (6, 6, 1), (4, 4, 1))
"""Rows of the layout, described parts, and lines of each: the first that fits is used."""


class _Findings(NamedTuple):
    """The input of an overview."""

    paths: Sequence[str]
    texts: Mapping[str, FileText]
    project: Project
    package: Package | None
    parts: Sequence[Part]
    ways_in: Sequence[Way]


def summarize(intent: Intent) -> Plan:
    """Look at names first, then at the few most telling files, then write one screen."""
    listed, ways_in = yield [calls.list_files(limit=MOST_FILES), calls.entry_points()]
    paths, complete = yield from whole_list(listed)
    page = Page()
    if not paths:
        page.plain(
            "There are no files here." if listed.success else f"The files here could not be listed: {said(listed)}"
        )
        return page
    package = main_package(paths)
    chosen = _important_files(paths)
    where, glob = (package.folder or ".", "*.py") if package else (".", "")
    patterns = (TOP_LEVEL, imports_of(package.name if package else ""))
    wanted = [calls.search(one, where, glob, limit=_MOST_HITS) for one in patterns]
    results = yield [*(calls.read_file(path, 1, end) for path, end in chosen.items()), *wanted]
    looks = yield from whole(*results[len(chosen) :])
    read = results[: len(chosen)]
    texts = {text.path: text for result in read if (text := file_text(result)) is not None}
    init = texts.get(f"{package.folder}/__init__.py") if package else None
    found = (hits(looks[0]), hits(looks[1]), init.text if init else "")
    parts = parts_of(package.folder, package.modules, *found) if package else parts_of(None, paths, *found)
    key = parts[: _SIZES[0][1]] if package else []
    starts = (yield [calls.read_file(part.place.path, 1, 12) for part in key]) if key else []
    for part, result in zip(key, starts, strict=True):
        text = file_text(result)
        part.doc = docstring_in(text) if text else None
    project = read_project([text for path, text in texts.items() if not path.endswith("__init__.py")], paths)
    _write(page, _Findings(paths, texts, project, package, parts, ways_of(ways_in)))
    if not complete:
        page.note(f"counts are of the {len(paths):,} files that were listed")
    if any(map(is_partial, looks)):
        page.note("the definitions are more than could be listed: parts may hold more than is named")
    told = [said(one) for one in (listed, *looks) if not is_limited(one)]
    told += [note for note in said(ways_in).split("; ") if not re.search(r"entry points|of kind ", note)]
    for note in dict.fromkeys(filter(None, told)):
        page.note(note)
    failed = [(path, result) for path, result in zip(chosen, read, strict=True) if not result.success]
    if failed:
        page.note(f"not read: {joined([path for path, _ in failed])}: {said(failed[0][1])}")
    return page


def _important_files(paths: Sequence[str]) -> dict[str, int]:
    """Choose the files to read, with the last line to read of each."""
    top = [path for path in paths if "/" not in path]
    chosen = {name: 400 for name in MANIFESTS if name in top} | {path: 400 for path in top if is_manifest(path)}
    nested = [path for path in paths if is_manifest(path) and not is_aside(path)]
    chosen = chosen or dict.fromkeys(sorted(nested, key=lambda path: (path.count("/"), path))[:3], 400)
    readmes = [path for path in top if path.lower().startswith("readme")]
    chosen |= dict.fromkeys(sorted(readmes, key=lambda path: (not path.endswith((".md", ".rst")), path))[:1], 80)
    chosen |= dict.fromkeys([path for path in top if path.lower().startswith(("licen", "copying", "unlicen"))][:1], 40)
    inits = [f"{package.folder}/__init__.py" for package in packages(paths)[:3]]
    chosen |= {path: 300 for path in inits if path in paths}
    return dict(list(chosen.items())[:12])


def _write(page: Page, found: _Findings) -> None:
    """Write the whole overview, shortening long parts until it fits one screen."""
    end = Page()
    _say_what_it_is(page, found)
    page.gap()
    _say_ways_in(end, found)
    _say_practice(end, found.project, [path for path in found.paths if is_test(path)])
    for fact in found.project.broken:
        end.say(fact.text, fact.place)
    for rows, parts, lines in _SIZES:
        middle = Page()
        _say_layout(middle, found, rows)
        _say_parts(middle, found, parts, lines)
        if len(page.lines) + len(middle.lines) + len(end.lines) <= _SCREEN:
            break
    page.add(middle)
    page.add(end)


def _say_what_it_is(page: Page, found: _Findings) -> None:
    project = found.project
    readme = next((text for path, text in found.texts.items() if path.lower().startswith("readme")), None)
    title = project.name or (title_of(readme) if readme else None)
    about = (lead_of(readme) if readme else None) or (_package_doc(found, found.package) if found.package else None)
    purpose = project.description
    if purpose and about and _bare(purpose.text) in _bare(about.text):
        purpose = None  # the longer text includes it
    told = f"{title.text} {project.version}".strip() if title else ""
    if title and purpose:
        page.say(f"{told}: {sentence(purpose.text)}", purpose.place)
    elif title and about:
        page.say(f"{told}: {cut(about.text, 330)}", title.place, about.place)
        about = None
    elif title:
        page.say(told, title.place)
    if about:
        page.say(cut(about.text, 330), about.place)
    telling = [path for path in found.paths if is_manifest(path) or path.lower().startswith("readme")]
    if not (title or about or project.broken or any(path not in found.texts for path in telling)):
        page.note("no manifest and no README says what this is")
    counts = languages(sources(found.paths))
    kinds = ", ".join(f"{name} {counted(count, 'file')}" for name, count, _ in counts[:5])
    told = f"Languages: {kinds}" if kinds else f"{counted(len(found.paths), 'file')}, none in a known language"
    page.say(told, Place(counts[0][2] if counts else found.paths[0]))


def _bare(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def _package_doc(found: _Findings, package: Package) -> Fact | None:
    text = found.texts.get(f"{package.folder}/__init__.py")
    return docstring_in(text) if text else None


def _say_layout(page: Page, found: _Findings, most: int) -> None:
    rows: list[tuple[str, str, Place]] = []
    for package in packages(found.paths)[: max(most - 5, 3)]:
        first = f"{package.folder}/__init__.py"
        doc = _package_doc(found, package)
        told = counted(len(package.modules), "module") + (f": {clause(doc.text, 70)}" if doc else "")
        place = Place(first if first in found.paths else package.modules[0])
        rows.append((f"{package.folder}/" if package.folder else "./", told, place))
    covered = {label.split("/")[0] for label, _, _ in rows}
    others = [row for row in folders(found.paths) if row[0] not in covered]
    shown = others if len(rows) + len(others) <= most else others[: max(most - len(rows) - 1, 0)]
    for top, count, tests, place in shown:
        rows.append((f"{top}/", counted(count, "file") + (f", {counted(tests, 'test file')}" * bool(tests)), place))
    if left := others[len(shown) :]:
        rows.append(("…", joined([f"{top}/ {count:,}" for top, count, _, _ in left], 5) + " files", left[0][3]))
    if rows:
        page.head("Layout")
        page.rows(rows, 1)


def _say_parts(page: Page, found: _Findings, most: int, lines: int) -> None:
    if not found.parts:
        return
    noun = "Main parts" if found.parts[0].modules > 1 else "Key modules"
    page.head(f"{noun} of {found.package.name or 'the top folder'}" if found.package else "Key files")
    pad = max(len(part.name) for part in found.parts[:most])
    page.rows(
        ((part.name, _part(part, room_for(_place(part), pad + 4, lines)), _place(part)) for part in found.parts[:most]),
        lines,
    )
    if rest := [part for part in found.parts[most:] if part.names or part.modules > 1]:
        place = rest[0].place
        page.item(f"and {fitting([part.name for part in rest], room_for(place, 6, 1), 12)}", place)


def _place(part: Part) -> Place:
    return part.doc.place if part.doc else part.place


def _part(part: Part, room: int) -> str:
    """Describe a part and its contents, as far as there is room."""
    size = f"{counted(part.modules, 'module')}: " if part.modules > 1 else ""
    doc = clause(part.doc.text, min(110, room - len(size))).rstrip(".:") if part.doc else ""
    left = room - len(size) - len(doc) - 3 * bool(doc)
    names = fitting(part.names, left, 4 if doc else 6) if part.names else ""
    names = "" if doc and (len(names) > left or names.count(",") < min(len(part.names) - 1, 2)) else names
    return f"{size}{' — '.join(piece for piece in (doc, names) if piece)}".rstrip(": ")


def _say_ways_in(page: Page, findings: _Findings) -> None:
    own = [way for way in findings.ways_in if not is_aside(way.found[0].place.path)]
    scripts = {entry.qualname for way in own if way.kind == SCRIPTS for entry in way.found}
    kept = [tuple(one for one in way.found if way.kind == SCRIPTS or one.qualname not in scripts) for way in own]
    own = [way._replace(found=found) for way, found in zip(own, kept, strict=True) if found]
    known = {entry.name for way in own for entry in way.found}
    other = [fact for fact in findings.project.scripts if fact.text.split(" ")[0] not in known][:4]
    if own or other:
        page.head("Ways in")
    for fact in other:
        page.item(fact.text, fact.place)
    for way in own[:5]:
        if way.complete and len(way.found) <= 2:
            kind, mark = ("command", "`") if way.kind == SCRIPTS else (f"{way.kind}:", "")
            told = f"{kind} " + ", ".join(f"{mark}{entry.name}{mark} → {entry.qualname}" for entry in way.found)
        else:
            told = f"{way.number}: {named(way, 6)}"
        page.item(told, way.found[0].place)


def _say_practice(page: Page, project: Project, tests: Sequence[str]) -> None:
    rows: list[tuple[str, str, Place]] = []
    if needed := project.dependencies:
        names = [one.text.partition(";")[0].strip() for one in needed if one.place.path == needed[0].place.path]
        rows.append(("Depends on", fitting(names, room_for(needed[0].place, 14, 2), 12), needed[0].place))
    elif project.broken:
        rows.append(("Depends on", "not known: a manifest could not be parsed", project.broken[0].place))
    if project.python:
        rows.append(("Needs", *project.python))
    told = [f"`{project.test_command.text}`"] if project.test_command else []
    told += [counted(len(tests), "test file")] if tests else []
    if told:
        rows.append(("Tests", ", ".join(told), project.test_command.place if project.test_command else Place(tests[0])))
    if project.licence:
        rows.append(("Licence", *project.licence))
    if rows:
        page.head("Practice")
        page.rows(rows)
