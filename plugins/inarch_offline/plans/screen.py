"""The overview on one screen: most useful first, each line with its place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attrs import frozen

from inarch_offline.centrality import Part
from inarch_offline.layout import Package, code_folders, folders, is_aside, is_test, languages, packages
from inarch_offline.manifests import Project
from inarch_offline.material import Entry, FileText
from inarch_offline.readme import Fact, lead_of, title_of
from inarch_offline.subpackages import docstring_in
from inarch_offline.writing import Page, Place, counted, cut, joined, sentence

KEY_PARTS = 8
"""Modules or sub-packages that are described; the others are only named."""


@frozen
class Findings:
    """All that an overview is written from."""

    paths: Sequence[str]
    texts: Mapping[str, FileText]
    project: Project
    package: Package | None
    parts: Sequence[Part]
    ways_in: Sequence[Entry]
    notes: Sequence[str]


def write_overview(found: Findings) -> Page:
    """Write the whole overview."""
    page = Page()
    _say_what_it_is(page, found)
    page.gap()
    _say_layout(page, found)
    _say_parts(page, found)
    _say_ways_in(page, found)
    _say_practice(page, found)
    for note in dict.fromkeys(found.notes):
        page.note(note)
    return page


def _say_what_it_is(page: Page, found: Findings) -> None:
    project = found.project
    readme = next((text for path, text in found.texts.items() if path.lower().startswith("readme")), None)
    title = project.name or (title_of(readme) if readme else None)
    lead = lead_of(readme) if readme else None
    purpose = project.description
    about = lead or (_package_doc(found, found.package) if found.package else None)
    if purpose and about and _bare(purpose.text) in _bare(about.text):
        purpose = None  # the longer text says it as well
    if title and purpose:
        page.say(f"{_titled(title, project)}: {sentence(purpose.text)}", purpose.place)
    elif title and about:
        named = "" if about.text.startswith(title.text) else f"{_titled(title, project)}: "
        page.say(f"{named}{cut(about.text, 330)}", title.place, about.place)
        about = None
    elif title:
        page.say(_titled(title, project), title.place)
    if about:
        page.say(cut(about.text, 330), about.place)
    if not title and lead is None:
        page.note("no manifest and no README that could be read says what this is")
    counts = languages(found.paths)
    if counts:
        told = [f"{name} {counted(count, 'file')}" for name, count, _ in counts[:5]]
        page.say(f"Languages: {', '.join(told)}", Place(_first_of(found, counts[0])))
    else:
        page.say(f"{counted(len(found.paths), 'file')}, none in a known language", Place(found.paths[0]))


def _titled(title: Fact, project: Project) -> str:
    return f"{title.text} {project.version}".strip()


def _bare(text: str) -> str:
    """Give a text's words alone, to see whether two texts say the same."""
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def _first_of(found: Findings, language: tuple[str, int, str]) -> str:
    """Choose a file that stands for a language: the main package's first module for Python."""
    return found.package.modules[0] if found.package and language[0] == "Python" else language[2]


def _package_doc(found: Findings, package: Package) -> Fact | None:
    text = found.texts.get(f"{package.folder}/__init__.py")
    return docstring_in(text) if text else None


def _say_layout(page: Page, found: Findings) -> None:
    rows: list[tuple[str, str, Place]] = []
    everything = packages(found.paths)
    shown = everything[:6]
    for package in shown:
        doc = _package_doc(found, package)
        told = f": {sentence(doc.text, 110)}" if doc else ""
        first = f"{package.folder}/__init__.py"
        rows.append(
            (
                f"{package.folder}/" if package.folder else "./",
                counted(len(package.modules), "module") + told,
                Place(first if first in found.paths else package.modules[0]),
            )
        )
    if len(everything) > len(shown):
        rest = joined([package.folder for package in everything[6:]], 6)
        rows.append(("…", f"{counted(len(everything) - 6, 'more package')}: {rest}", Place(everything[6].modules[0])))
    if not shown:
        rows += [
            (f"{folder}/" if folder else "./", counted(count, "code file"), place)
            for folder, count, place in code_folders(found.paths)[:8]
        ]
    covered = {label.split("/")[0] for label, _, _ in rows}
    for top, count, tests, place in folders(found.paths):
        if top not in covered and len(rows) < 11:
            rows.append(
                (f"{top}/", f"{counted(count, 'file')}" + (f", {counted(tests, 'test file')}" if tests else ""), place)
            )
    if rows:
        page.head("Layout")
        page.rows(rows)


def _say_parts(page: Page, found: Findings) -> None:
    if not found.parts:
        return
    if found.package:
        noun = "Main parts" if found.parts[0].modules > 1 else "Key modules"
        page.head(f"{noun} of {found.package.name or 'the top folder'}")
    else:
        page.head("Key files")
    rows = []
    for part in found.parts[:KEY_PARTS]:
        doc = sentence(part.doc.text, 110) if part.doc else ""
        names = joined(part.names, 7 if part.modules > 1 else 4 if doc else 6)
        text = " — ".join(piece for piece in (doc.rstrip(".:"), names) if piece) or counted(part.modules, "module")
        if part.modules > 1:
            text = f"{counted(part.modules, 'module')}: {text}" if names or doc else text
        first = part.definitions[0].place if part.definitions else part.place
        rows.append((part.name, text, part.doc.place if part.doc else first))
    page.rows(rows)
    if len(found.parts) > KEY_PARTS:
        rest = [part for part in found.parts[KEY_PARTS:] if part.definitions]
        if rest:
            page.item(f"and {joined([part.name for part in rest], 12)}", rest[0].place)


def _say_ways_in(page: Page, found: Findings) -> None:
    own = [entry for entry in found.ways_in if not is_aside(entry.place.path) and "test" not in entry.kind]
    if not own and not found.project.scripts:
        return
    page.head("Ways in")
    by_kind: dict[str, list[Entry]] = {}
    for entry in own:
        is_plugin = entry.kind == "script" and "script" not in entry.how
        by_kind.setdefault("plugin entry point" if is_plugin else entry.kind.replace("_", " "), []).append(entry)
    known = {entry.name for entry in own}
    for fact in [fact for fact in found.project.scripts if fact.text.split(" ")[0] not in known][:4]:
        page.item(fact.text, fact.place)
    for kind, group in list(by_kind.items())[:5]:
        page.item(f"{kind}: {_named_entries(group)}", group[0].place)


def _named_entries(group: Sequence[Entry]) -> str:
    """Name entry points, with what runs where there are few."""
    group = sorted(group, key=lambda entry: entry.kind == "main" and " -m " not in entry.name)
    if len(group) > 2:
        return joined(list(dict.fromkeys(entry.name or entry.qualname for entry in group)), 6)
    return ", ".join(f"{entry.name} → {entry.qualname}" if entry.qualname else entry.name for entry in group)


def _say_practice(page: Page, found: Findings) -> None:
    project = found.project
    rows: list[tuple[str, str, Place]] = []
    if project.dependencies:
        rows.append(
            ("Depends on", joined([fact.text for fact in project.dependencies], 8), project.dependencies[0].place)
        )
    elif project.nothing_needed:
        rows.append(("Depends on", project.nothing_needed.text, project.nothing_needed.place))
    if project.python:
        rows.append(("Needs", project.python.text, project.python.place))
    tests = [path for path in found.paths if is_test(path)]
    if project.test_command:
        rows.append(
            (
                "Tests",
                f"`{project.test_command.text}`" + (f", {counted(len(tests), 'test file')}" if tests else ""),
                project.test_command.place,
            )
        )
    elif tests:
        rows.append(("Tests", counted(len(tests), "test file"), Place(tests[0])))
    if project.licence:
        rows.append(("Licence", project.licence.text, project.licence.place))
    if rows:
        page.head("Practice")
        page.rows(rows)
