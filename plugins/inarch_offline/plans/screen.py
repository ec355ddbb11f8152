"""The overview on one screen: most useful first, each line with its place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inarch_offline.centrality import Part
from inarch_offline.doorways import COMMANDS, MAINS, SCRIPTS, Way, named
from inarch_offline.layout import Package, code_folders, folders, is_aside, is_test, languages, packages, sources
from inarch_offline.manifests import Project, is_manifest
from inarch_offline.material import FileText
from inarch_offline.readme import Fact, lead_of, title_of
from inarch_offline.subpackages import docstring_in
from inarch_offline.writing import Page, Place, clause, counted, fitting, joined, room_for, sentence, sentences

KEY_PARTS = 8
"""Modules or sub-packages that are described; the others are only named."""
SCREEN = 43
"""Lines of an overview, without the two before it."""
_SIZES = ((11, 8, 2), (8, 8, 2), (8, 6, 2), (6, 6, 2), (8, 8, 1), (6, 6, 1), (4, 4, 1))
"""Rows of the layout, parts that are described, and lines of each: what fits is taken."""


class Findings(NamedTuple):
    """All that an overview is written from."""

    paths: Sequence[str]
    texts: Mapping[str, FileText]
    project: Project
    package: Package | None
    parts: Sequence[Part]
    ways_in: Sequence[Way]
    notes: Sequence[str]
    rooms: Sequence[tuple[str, Project]] = ()
    """Folders with a manifest of their own, and what it says."""


def write_overview(found: Findings, picture: Page | None = None) -> Page:
    """Write the whole overview: what is long gives way until all of it is one screen; a picture stands in it whole."""
    head, end = Page(), Page()
    _say_what_it_is(head, found)
    head.gap()
    _say_rooms(head, found)
    _say_ways_in(end, found)
    _say_practice(end, found)
    for fact in found.project.broken:
        end.say(fact.text, fact.place)
    for note in dict.fromkeys(found.notes):
        end.note(note)
    room = SCREEN - len(head.lines) - (len(picture.lines) if picture else 0) - len(end.lines)
    for rows, parts, lines in _SIZES:
        middle = Page()
        _say_layout(middle, found, rows)
        _say_parts(middle, found, parts, lines)
        if len(middle.lines) <= room:
            break
    for one in (middle, picture, end):
        if one is not None:
            head.add(one)
    return head


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
        page.say(f"{named}{sentences(about.text, 330)}", title.place, about.place)
        about = None
    elif title:
        page.say(_titled(title, project), title.place)
    if about:
        page.say(sentences(about.text, 330), about.place)
    if not title and lead is None and not _may_say(found):
        page.note("no manifest and no README says what this is")
    counts = languages(sources(found.paths))
    if counts:
        told = [f"{name} {counted(count, 'file')}" for name, count, _ in counts[:5]]
        page.say(f"Languages: {', '.join(told)}", Place(_first_of(found, counts[0])))
    else:
        page.say(f"{counted(len(found.paths), 'file')}, none in a known language", Place(found.paths[0]))


def _may_say(found: Findings) -> bool:
    """Whether a manifest or README is there that was not read or could not be parsed."""
    telling = [path for path in found.paths if is_manifest(path) or path.lower().startswith("readme")]
    return bool(found.project.broken) or any(path not in found.texts for path in telling)


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


def _say_rooms(page: Page, found: Findings) -> None:
    """Say what each part of a repository is that has a manifest of its own."""
    if found.rooms:
        page.head(f"Parts with a manifest of their own ({len(found.rooms)})")
    rows: list[tuple[str, str, Place]] = []
    for folder, project in found.rooms:
        name = project.name
        place = name.place if name else project.manifests[0]
        told = [name.text if name else "", sentence(project.description.text) if project.description else ""]
        rows.append((f"{folder}/", ": ".join(one for one in told if one) or place.path.rpartition("/")[2], place))
    page.rows(rows, 1)


def _say_layout(page: Page, found: Findings, most: int) -> None:
    rows: list[tuple[str, str, Place, str]] = []
    everything = packages(found.paths)
    few = max(most - 5, 3)
    for package in everything[:few]:
        first = f"{package.folder}/__init__.py"
        place = Place(first if first in found.paths else package.modules[0])
        doc = _package_doc(found, package)
        label = f"{package.folder}/" if package.folder else "./"
        rows.append((label, counted(len(package.modules), "module"), place, doc.text if doc else ""))
    if rest := everything[few:]:
        names = joined([package.name for package in rest], 4)
        rows.append(("…", f"{counted(len(rest), 'more package')}: {names}", Place(rest[0].modules[0]), ""))
    if not everything:
        rows += [
            (f"{folder}/" if folder else "./", counted(count, "code file"), place, "")
            for folder, count, place in code_folders(found.paths)[: most - 3]
        ]
    covered = {label.split("/")[0] for label, _, _, _ in rows}
    others = [row for row in folders(found.paths) if row[0] not in covered]
    shown = others if len(rows) + len(others) <= most else others[: max(most - len(rows) - 1, 0)]
    for top, count, tests, place in shown:
        told = counted(count, "file") + (f", {counted(tests, 'test file')}" if tests else "")
        rows.append((f"{top}/", told, place, ""))
    if left := others[len(shown) :]:
        rows.append(("…", joined([f"{top}/ {count:,}" for top, count, _, _ in left], 5) + " files", left[0][3], ""))
    if rows:
        page.head("Layout")
        pad = max(len(label) for label, _, _, _ in rows)
        page.rows((label, _described(text, doc, place, pad + 4), place) for label, text, place, doc in rows)


def _described(text: str, doc: str, place: Place, indent: int) -> str:
    """Put what a docstring says behind a text where the line has room for it."""
    room = room_for(place, indent, 1) - len(text) - 2
    told = clause(doc, room) if doc and room > 20 else ""
    return f"{text}: {told}" if told and not told.endswith("…") else text


def _say_parts(page: Page, found: Findings, most: int, lines: int) -> None:
    if not found.parts:
        return
    if found.package:
        noun = "Main parts" if found.parts[0].modules > 1 else "Key modules"
        page.head(f"{noun} of {found.package.name or 'the top folder'}")
    else:
        page.head("Key files")
    pad = max(len(part.name) for part in found.parts[:most])
    rows = []
    for part in found.parts[:most]:
        first = part.definitions[0].place if part.definitions else part.place
        place = part.doc.place if part.doc else first
        rows.append((part.name, _part(part, room_for(place, pad + 4, lines)), place))
    page.rows(rows, lines)
    rest = [part for part in found.parts[most:] if part.definitions or part.modules > 1]
    if rest:
        place = rest[0].place
        page.item(f"and {fitting([part.name for part in rest], room_for(place, 6, min(lines, 1)), 12)}", place)


def _part(part: Part, room: int) -> str:
    """Say what a part is and what is in it, as far as there is room."""
    size = f"{counted(part.modules, 'module')}: " if part.modules > 1 else ""
    doc = clause(part.doc.text, min(110, room - len(size))).rstrip(".:") if part.doc else ""
    left = room - len(size) - len(doc) - 3 * bool(doc)
    names = fitting(part.names, left, 7 if part.modules > 1 else 4 if doc else 6) if part.names else ""
    if doc and (len(names) > left or names.count(",") < min(len(part.names) - 1, 2)):
        names = ""  # one name of many says little
    return f"{size}{' — '.join(piece for piece in (doc, names) if piece)}" if doc or names else size.rstrip(": ")


def _say_ways_in(page: Page, found: Findings) -> None:
    own = [way for way in found.ways_in if not is_aside(way.found[0].place.path)]
    scripts = {entry.qualname for way in own if way.kind == SCRIPTS for entry in way.found}
    own = [way for way in (_without(way, scripts) for way in own) if way.found]
    known = {entry.name for way in own for entry in way.found}
    other = [fact for fact in found.project.scripts if fact.text.split(" ")[0] not in known][:4]
    if own or other:
        page.head("Ways in")
    for fact in other:
        page.item(fact.text, fact.place)
    for way in own[:5]:
        place = way.found[0].place
        page.item(_way(way, room_for(place, 4, 2)), place)


def _without(way: Way, scripts: set[str]) -> Way:
    """Leave out the commands that are said already, as console scripts."""
    if way.kind != COMMANDS:
        return way
    return way._replace(found=tuple(entry for entry in way.found if entry.qualname not in scripts))


def _way(way: Way, room: int) -> str:
    """Say what the ways in of a kind are: a few with what runs, else as many names as there is room for."""
    few = len(way.found) <= 2 and way.complete
    if way.kind == SCRIPTS:
        told = [f"`{entry.name}`" + (f" → {entry.qualname}" if few else "") for entry in way.found]
        return f"command {fitting(told, room - 8)}"
    if few:
        told = [f"{entry.name} → {entry.qualname}" for entry in way.found]
        return f"{way.kind}: {fitting(told, room - len(way.kind) - 2)}"
    start = f"{way.number}: "
    most = 3 if way.kind == MAINS else 8
    texts = (named(way, count) for count in range(most, 0, -1))
    return start + next((text for text in texts if len(text) <= room - len(start)), named(way, 1))


def _say_practice(page: Page, found: Findings) -> None:
    project = found.project
    rows: list[tuple[str, str, Place]] = []
    if project.dependencies:
        rows.append(("Depends on", *_dependencies(project)))
    elif project.nothing_needed:
        rows.append(("Depends on", project.nothing_needed.text, project.nothing_needed.place))
    elif project.broken:
        rows.append(("Depends on", "not known: a manifest could not be parsed", project.broken[0].place))
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


def _dependencies(project: Project) -> tuple[str, Place]:
    """Name dependencies without their conditions, as many as two lines hold: those of the manifest that has most."""
    by_manifest: dict[str, list[Fact]] = {}
    for fact in project.dependencies:
        by_manifest.setdefault(fact.place.path, []).append(fact)
    facts = max(by_manifest.values(), key=len)
    names = [fact.text.partition(";")[0].strip() for fact in facts]
    return fitting(names, room_for(facts[0].place, 14, 2), 12), facts[0].place
