"""Summarize this codebase: one screen, the most useful first, each line with its place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inarch import ToolResult
from inarch_brief.offline import calls
from inarch_brief.offline.calls import read_file, whole, whole_list, whole_texts
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
from inarch_brief.offline.page import Asking, Page, Plan, clause, counted, fitting, joined, room_for
from inarch_brief.offline.plans.lists import Way, ways_of
from inarch_brief.offline.plans.ways_in import say_ways_in
from inarch_brief.offline.prose import Fact, docstring_in, title_of
from inarch_brief.offline.public_api import exported, is_script, main_file
from inarch_brief.offline.purpose import comment_in, is_telling, names_of, said_of
from inarch_brief.offline.results import FileText, Hit, Place, file_text, hits, is_limited, is_partial, said

MOST_FILES = 10_000
_MOST_HITS = 10_000
_MODULE = "main module = "
_SCREEN = 43
"""Lines of an overview, without the two before it."""
_SIZES = ((11, 8, 2), (8, 6, 2), (6, 6, 1), (4, 4, 1))
"""Rows of the layout, described parts, and lines of each: the first that fits is used."""


class _Main(NamedTuple):
    """The main part of a project: its names, the folder of its manifest ("" or with a slash), its Python packages, the
    main one of them unless it is in another language, and the file that exports its names, or ""."""

    names: Sequence[str]
    home: str
    packages: Sequence[Package]
    package: Package | None
    first: str


class _Findings(NamedTuple):
    """The input of an overview; `doc` is the documentation of the main part, `api` has its exported names."""

    paths: Sequence[str]
    texts: Mapping[str, FileText]
    project: Project
    main: _Main
    parts: Sequence[Part]
    doc: Fact | None
    api: tuple[list[str], Place] | None


def summarize(intent: Intent) -> Plan:
    """Look at names first, then at manifests and README, then at the main part, then write one screen."""
    listed, ways_in = yield [calls.list_files(limit=MOST_FILES), calls.entry_points()]
    paths, complete = yield from whole_list(listed)
    page = Page()
    if not paths:
        page.plain(
            "There are no files here." if listed.success else f"The files here could not be listed: {said(listed)}"
        )
        return page
    chosen = _important_files(paths)
    read = yield from whole_texts(*(read_file(path, None, last) for path, last in chosen.items()))
    texts = {text.path: text for text, _ in read if text is not None}
    findings, looks = yield from _look_closer(paths, texts)
    _write(page, findings, ways_of(ways_in))
    if not complete:
        page.note(f"counts are of the {len(paths):,} files that were listed")
    if any(map(is_partial, looks)):
        page.note("the definitions are more than could be listed: parts may hold more than is named")
    told = [said(one) for one in (listed, *looks) if not is_limited(one)]
    told += [note for note in said(ways_in).split("; ") if not re.search(r"entry points|of kind ", note)]
    for note in dict.fromkeys(filter(None, told)):
        page.note(note)
    failed = [(path, result) for path, (_, result) in zip(chosen, read, strict=True) if not result.success]
    if failed:
        page.note(f"not read: {joined([path for path, _ in failed])}: {said(failed[0][1])}")
    return page


def _important_files(paths: Sequence[str]) -> dict[str, int]:
    """Choose the manifests, the README and the licence, with the last line to read of each, 0 for all."""
    top = [path for path in paths if "/" not in path]
    chosen = {name: 0 for name in MANIFESTS if name in top} | {path: 0 for path in top if is_manifest(path)}
    nested = [path for path in paths if is_manifest(path) and not is_aside(path)]
    chosen = chosen or dict.fromkeys(sorted(nested, key=lambda path: (path.count("/"), path))[:3], 0)
    readmes = [path for path in top if path.lower().startswith("readme")]
    readmes.sort(key=lambda path: (not re.fullmatch(r"readme(\.\w+)?", path.lower()), not path.endswith(("md", "rst"))))
    chosen |= dict.fromkeys(readmes[:1], 300)
    chosen |= dict.fromkeys([path for path in top if path.lower().startswith(("licen", "copying", "unlicen"))][:1], 40)
    return dict(list(chosen.items())[:12])


def _look_closer(paths: Sequence[str], texts: dict[str, FileText]) -> Asking[tuple[_Findings, Sequence[ToolResult]]]:
    """Read the manifest and the first files of the main part, and search its definitions and their documentation."""
    project, main = _main_of(paths, texts)
    wanted = [main.first, f"{main.home}src/main.rs", *(f"{one.folder}/__init__.py" for one in main.packages[:3])]
    wanted += [f"{main.home}{one}" for one in MANIFESTS] if main.home else []
    where, glob = (main.package.folder, "*.py") if main.package else (main.home.rstrip("/"), "")
    searched = [
        calls.search(TOP_LEVEL, where or ".", glob, limit=_MOST_HITS),
        calls.search(imports_of(main.package.name if main.package else ""), where or ".", glob, limit=_MOST_HITS),
    ]
    if f"{main.home}go.mod" in paths:
        searched.append(calls.search(r"^(// |/\* ?)?Package \w+ ", where or ".", "*.go", limit=_MOST_HITS))
    reads = [read_file(path) for path in dict.fromkeys(wanted) if path in paths and not is_script(path)]
    yield [*searched, *reads]
    texts |= {text.path: text for text, _ in (yield from whole_texts(*reads)) if text is not None}
    looks = yield from whole(*(yield searched))
    if main.home:
        project = read_project([one for path, one in texts.items() if not _is_readme(path)], paths)
        main = main._replace(names=names_of(project.name, _title(texts)))
    defined, used, *documented = map(hits, looks)
    init = texts.get(main.first)
    if main.package:
        parts = parts_of(main.package.folder, main.package.modules, defined, used, init.text if init else "")
    else:
        parts = parts_of(None, [path for path in paths if path.startswith(main.home)], defined, used)
    if is_script(main.first) and all(part.name != main.first for part in parts):
        parts.insert(0, Part(main.first, Place(main.first), Fact("the main module", Place(main.first))))
    places = _documented([one for found in documented for one in found], main.names)
    docs = yield from _documentation(parts[: _SIZES[0][1]] if main.package else [], places)
    docs += [comment_in(texts[path]) for path in wanted[:2] if path in texts]
    doc = next((one for one in docs if one and is_telling(one.text, main.names)), None)
    order = {part.name: rank for rank, part in enumerate(parts)}
    api = exported(init, main.first or main.home, sorted(defined, key=lambda one: order.get(one.path, len(order))))
    if is_script(main.first) and not any(fact.text.startswith(_MODULE) for fact in project.scripts):
        project.scripts.append(Fact(f"{_MODULE}{main.first}", Place(main.first)))
    return _Findings(paths, texts, project, main, parts, doc, api), looks[:2]


def _documentation(parts: Sequence[Part], places: Sequence[Place]) -> Asking[list[Fact | None]]:
    """Read the documentation of parts into them, and return that at other places."""
    wanted = [*(part.place for part in parts), *places]
    starts = (yield [calls.read_file(one.path, one.line, one.line + 20) for one in wanted]) if wanted else []
    docs = [comment_in(text) if (text := file_text(one)) else None for one in starts]
    for part, doc in zip(parts, docs, strict=False):
        part.doc = doc
    return docs[len(parts) :]


def _main_of(paths: Sequence[str], texts: Mapping[str, FileText]) -> tuple[Project, _Main]:
    """Choose the main part by the manifests at the top."""
    project = read_project([text for path, text in texts.items() if not _is_readme(path)], paths)
    if len({place.path.rpartition("/")[0] for place in project.manifests}) > 1:  # several parts, none of them the whole
        project.name, project.description, project.version = None, None, ""
    names = names_of(project.name, _title(texts))
    home = _home(paths, names, project)
    package = main_package(paths, names, project.packages)
    declared = [fact.text.removeprefix(_MODULE) for fact in project.scripts if fact.text.startswith(_MODULE)]
    first = f"{package.folder}/__init__.py" if package else main_file(home, declared, names, paths)
    return project, _Main(names, home, packages(paths, names, project.packages), package, first)


def _is_readme(path: str) -> bool:
    return path.lower().startswith("readme")


def _title(texts: Mapping[str, FileText]) -> Fact | None:
    return next((title_of(text) for path, text in texts.items() if _is_readme(path)), None)


def _home(paths: Sequence[str], names: Sequence[str], project: Project) -> str:
    """Return the folder of the main package of a workspace, with a slash, or "" for the top folder."""
    if project.description and is_telling(project.description.text, names) and not project.is_private:
        return ""
    nested = [path.rpartition("/")[0] for path in paths if "/" in path and is_manifest(path) and not is_aside(path)]
    named = [one for name in names for one in nested if one.rpartition("/")[2].lower() == name]
    return f"{min(named, key=lambda one: one.count('/'))}/" if named else ""


def _documented(found: Sequence[Hit], names: Sequence[str]) -> list[Place]:
    """Return the place of the package comment of a Go module: of the package with its name, or of the top folder."""
    near = [hit for hit in found if hit.path.count("/") <= 1 and not is_aside(hit.path)]
    named = [hit for hit in near if (one := re.search(r"Package (\w+)", hit.text)) and one[1].lower() in names]
    return [hit.place for hit in (*named, *(hit for hit in near if "/" not in hit.path))][:1]


def _write(page: Page, found: _Findings, ways_in: Sequence[Way]) -> None:
    """Write the whole overview, shortening long parts until it fits one screen."""
    end = Page()
    _say_what_it_is(page, found)
    page.gap()
    say_ways_in(end, ways_in, found.project.scripts, found.api, found.paths)
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
    project, title = found.project, found.project.name or _title(found.texts)
    readme = next((text for path, text in found.texts.items() if _is_readme(path)), None)
    name = names_of(title)[0] if title and "/" in title.text else title.text if title else ""
    told = f"{name} {project.version}".strip()
    about = said_of(project, found.doc, readme, found.main.names)
    for fact in about[:1]:
        places = [title.place] if title and title.place.path != fact.place.path else []
        page.say(f"{told}: {fact.text}" if told else fact.text, *places, fact.place)
    for fact in about[1:]:
        page.say(fact.text, fact.place)
    if title and not about:
        page.say(told, title.place)
    telling = [path for path in found.paths if is_manifest(path) or _is_readme(path)]
    if not (title or about or project.broken or any(path not in found.texts for path in telling)):
        page.note("no manifest and no README says what this is")
    counts = languages(sources(found.paths))
    kinds = ", ".join(f"{name} {counted(count, 'file')}" for name, count, _ in counts[:5])
    told = f"Languages: {kinds}" if kinds else f"{counted(len(found.paths), 'file')}, none in a known language"
    page.say(told, Place(counts[0][2] if counts else found.paths[0]))


def _say_layout(page: Page, found: _Findings, most: int) -> None:
    rows: list[tuple[str, str, Place]] = []
    for package in found.main.packages[: max(most - 5, 3)]:
        first = f"{package.folder}/__init__.py"
        doc = docstring_in(found.texts[first]) if first in found.texts else None
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
    page.head(f"{noun} of {found.main.package.name or 'the top folder'}" if found.main.package else "Key files")
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
