"""Lists: entry points, tests, dependencies, classes, functions, exceptions, marks, files, licence, versions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from inarch import ToolResult
from inarch_brief.offline import calls
from inarch_brief.offline.calls import read_file, whole, whole_list, whole_texts
from inarch_brief.offline.intents import Intent
from inarch_brief.offline.layout import MANIFESTS, is_aside, is_test, languages
from inarch_brief.offline.manifests import Project, read_project
from inarch_brief.offline.page import Asking, Page, Plan, code, counted, cut, fitted, joined, shortened
from inarch_brief.offline.prose import Fact
from inarch_brief.offline.results import Entry, Place, entries, files, hits, is_partial, said, totals

_MOST, _FEW, _LINES = 30, 6, 15
_MARKS = r"\b(TODO|FIXME|XXX)\b"
_DEFINED = {
    "classes": r"^class [A-Za-z]",
    "functions": r"^(async )?def [a-z]",
    "exceptions": r"^\s*class \w+\s*\(.*(Error|Exception|Warning)\b|^\s*class \w*(Error|Exception|Warning)\b",
}


def list_things(intent: Intent) -> Plan:
    """List the items of a facet."""
    if intent.facet in ("commands", "routes", "entry points"):
        page = yield from list_entries(intent)
        return page
    plan: Callable[[Intent], Plan] = {
        "tests": _tests, "modules": _files, "files": _files, "marks": _marks, "licence": _licence,
        "versions": _versions, **dict.fromkeys(_DEFINED, _definitions),
    }.get(intent.facet, _dependencies)  # fmt: skip
    page = yield from plan(intent)
    return page


def _tests(intent: Intent) -> Plan:
    listed, found = yield [calls.list_files(limit=10_000), calls.entry_points("test")]
    everything, complete = yield from whole_list(listed)
    paths, ranked, known = [path for path in everything if is_test(path)], entries(found), totals(found)
    project = yield from _project(everything)
    page = Page()
    if project.test_command:
        page.say(f"Run them with {code(project.test_command.text, 80)}", project.test_command.place)
    if not paths and not ranked:
        page.absent("No test files were found.")
        return page
    rows = [(one.place.path, one.how, one.place) for one in ranked] or [(path, "", Place(path)) for path in paths]
    number = known.get("test", len(ranked)) if ranked else len(paths)
    functions = f"{counted(known['test_functions'], 'test function')} in " if "test_functions" in known else ""
    page.say(functions + counted(number, "test file", more=not (ranked or complete)), rows[0][2])
    page.head("The fullest files" if len(rows) > _FEW else "By file")
    page.rows(rows[:_FEW])
    if number > _FEW:
        page.item(f"… {counted(number - _FEW, 'more file')}", rows[min(_FEW, len(rows) - 1)][2])
    for note in [note for note in said(found).split("; ") if note and " of kind " not in note]:
        page.note(note)
    return page


def _project(paths: Sequence[str]) -> Asking[Project]:
    """Read the manifests and the licence of the top folder."""
    present = [one for one in paths if one in MANIFESTS or one.lower().startswith(("licen", "copying"))][:8]
    read = yield from whole_texts(*map(read_file, present))
    return read_project([text for text, _ in read if text], paths)


def _declared() -> Asking[Project]:
    [listed] = yield [calls.list_files("*", 500)]
    project = yield from _project(files(listed))
    return project


def _licence(intent: Intent) -> Plan:
    project = yield from _declared()
    page = Page()
    if project.licence:
        page.say(project.licence.text, project.licence.place)
    else:
        page.absent("No licence was found.")
    return page


def _versions(intent: Intent) -> Plan:
    project = yield from _declared()
    page = Page()
    if project.name and project.version:
        page.say(f"{project.name.text} {project.version}", project.name.place)
    if project.python:
        page.say(f"Needs {project.python.text}", project.python.place)
    if not page.lines:
        page.absent("No manifest at the top says which version it is, or on which versions it runs.")
    return page


def _dependencies(intent: Intent) -> Plan:
    project = yield from _declared()
    page = Page()
    if project.python:
        page.say(f"Needs {project.python.text}", project.python.place)
    _say_facts(page, f"Dependencies ({len(project.dependencies)})", project.dependencies, _MOST)
    if project.extras and not project.dependencies:
        page.say("No dependency that is always needed is declared", project.manifests[0])
    _say_facts(page, "Optional and development", project.extras, _LINES)
    for fact in project.broken:
        page.say(fact.text, fact.place)
    if not (project.dependencies or project.extras or project.broken):
        page.absent("No dependencies are declared.")
        for place in project.manifests[:3]:
            page.item(f"looked at {place.path}", place)
    return page


def _say_facts(page: Page, title: str, facts: Sequence[Fact], most: int) -> None:
    if facts:
        page.head(title)
    for fact in facts[:most]:
        page.item(cut(fact.text, 150), fact.place)
    if len(facts) > most:
        page.item(f"… {len(facts) - most} more", facts[most].place)


def _files(intent: Intent) -> Plan:
    [listed] = yield [calls.list_files("**/*.py" if intent.facet == "modules" else "**/*", 10_000)]
    page = Page()
    paths, complete = yield from whole_list(listed)
    if not paths:
        page.absent("No files were found.")
        return page
    told = ", ".join(f"{name} {count:,}" for name, count, _ in languages(paths)[:6])
    page.say(f"{counted(len(paths), 'file', more=not complete)}: {told}", Place(paths[0]))
    say_folders(page, paths, not complete)
    return page


def say_folders(page: Page, paths: Sequence[str], more: bool) -> None:
    """List folders with the names of their files, those of tests last."""
    folders: dict[str, list[str]] = {}
    for path in paths:
        folders.setdefault(path.rpartition("/")[0] or ".", []).append(path)
    page.head(f"Folders ({len(folders):,}{' or more' * more})")
    ranked = sorted(folders, key=lambda folder: (is_test(f"{folder}/"), folder.count("/"), folder))
    for folder in ranked[:_MOST]:
        names = joined([path.rpartition("/")[2] for path in folders[folder]], 5)
        page.item(f"{shortened(folder)}/: {names}", Place(folders[folder][0]))
    if len(ranked) > _MOST:
        page.item(f"… {counted(len(ranked) - _MOST, 'more folder', more=more)}")
    if more:
        page.note(f"counts are of the {len(paths):,} files that were listed")


def _definitions(intent: Intent) -> Plan:
    """List classes, functions or exceptions by file."""
    [searched] = yield [calls.search(_DEFINED[intent.facet], glob="*.py", limit=5_000)]
    [searched] = yield from whole(searched)
    page, more = Page(), is_partial(searched)
    by_file: dict[str, dict[str, Place]] = {}
    for hit in hits(searched):
        name = re.match(r"\s*(?:async )?(?:def|class) (\w+)", hit.text)
        if name and not is_test(hit.path):
            by_file.setdefault(hit.path, {}).setdefault(name[1], hit.place)
    if not by_file:
        page.absent(f"No Python {intent.facet} were found.")
        return page
    number = f"{sum(map(len, by_file.values())):,}{' or more' * more}"
    page.head(f"{intent.facet.capitalize()} outside tests ({number} in {counted(len(by_file), 'file', more=more)})")
    ranked = sorted(by_file, key=lambda path: (is_aside(path), -len(by_file[path]), path))
    for path in ranked[:_MOST]:
        page.item(joined(by_file[path], 40 if intent.facet == "exceptions" else 8), next(iter(by_file[path].values())))
    if len(ranked) > _MOST:
        page.note(f"{counted(len(ranked) - _MOST, 'more file')} with fewer")
    return page


def _marks(intent: Intent) -> Plan:
    """List the marks TODO, FIXME and XXX, the product's first."""
    [result] = yield [calls.search(_MARKS, limit=500)]
    inside, page, more = intent.subject.strip("./"), Page(), is_partial(result)
    found = [hit for hit in hits(result) if not inside or f"/{inside}/" in f"/{hit.path}/"]
    found.sort(key=lambda hit: (is_aside(hit.path), hit.path, hit.line))
    if not result.success:
        page.plain(f"The files could not be searched: {said(result)}")
    elif not found:
        page.absent(f"There is no TODO, FIXME or XXX in {'the files of ' + inside if inside else 'the files here'}.")
    else:
        number = counted(len({hit.path for hit in found}), "file", more=more)
        page.head(f"{counted(len(found), 'mark', more=more)} in {number}")
    for hit in found[:_LINES]:
        mark = re.search(_MARKS, hit.text)
        page.item(cut(hit.text[mark.start() :] if mark else hit.text, 84), hit.place)
    if len(found) > _LINES:
        page.item(f"… {len(found) - _LINES:,}{' or more' * more} more", found[_LINES].place)
    return page


SCRIPTS, PLUGINS, COMMANDS, ROUTES = "console script", "plugin entry point", "command", "route"
NPM, MODULES, HOOKS = "npm script", "runnable module", "hook"
_KINDS = {"main": MODULES, "command": COMMANDS, "route": ROUTES}
_MOST_ENTRIES = 40


class Way(NamedTuple):
    """The entry points of one kind, those of the product first."""

    kind: str
    found: tuple[Entry, ...]
    complete: bool

    @property
    def number(self) -> str:
        """The number of entry points, as far as known."""
        return counted(len(self.found), self.kind, more=not self.complete)


def ways_of(*results: ToolResult) -> list[Way]:
    """Group entry points by kind, without tests."""
    groups: dict[str, list[Entry]] = {}
    cut: set[str] = set()
    for result in results:
        known = totals(result)
        for entry in entries(result):
            kind = _KINDS.get(entry.kind, entry.kind.replace("_", " "))
            if entry.kind == "script":
                kind = PLUGINS if entry.how.startswith("entry point") else NPM if NPM in entry.how else SCRIPTS
            if entry.kind != "test":
                groups.setdefault(kind, []).append(entry)
            listed = sum(other.kind == entry.kind for other in entries(result)) if entry.kind in known else 0
            if (known and listed < known.get(entry.kind, 0)) or (not known and is_partial(result)):
                cut.add(kind)
    own = {kind: [one for one in group if not is_aside(one.place.path)] or group for kind, group in groups.items()}
    return [Way(kind, tuple(group), kind not in cut) for kind, group in own.items()]


def named(way: Way, most: int) -> str:
    """Name entry points on one line, a group of commands with its count."""
    names = list(dict.fromkeys(entry.name or entry.qualname for entry in way.found))
    if way.kind == COMMANDS:
        below = {name: sum(other.startswith(f"{name} ") for other in names) for name in names}
        roots = [name for name in names if not any(name.startswith(f"{other} ") for other in names)]
        names = [name + (f" ({counted(below[name], 'subcommand')})" if below[name] else "") for name in roots]
    return joined(names, most) if way.complete or len(names) <= most else f"{', '.join(names[:most])}, … and more"


def list_entries(intent: Intent) -> Plan:
    """List commands, routes, or all kinds of entry points."""
    kinds = {"commands": ("script", "command"), "routes": ("route",)}.get(intent.facet, ("all",))
    results = yield [calls.entry_points(kind) for kind in kinds]
    page, is_all = Page(), intent.facet == "entry points"
    for way in ways_of(*results):
        if is_all or way.kind in (SCRIPTS, NPM, COMMANDS, ROUTES):
            _say(page, way, _FEW if is_all else _MOST_ENTRIES)
    if is_all and (number := totals(results[0]).get("test")):
        page.note(f"{counted(number, 'test file')} besides; ask “list the tests”")
    if not page.lines and not all(result.success for result in results):
        page.plain(f"The {intent.facet} could not be listed.")
    elif not page.lines:
        page.absent(f"No {intent.facet} were found in the code and its manifests.")
        [everything] = yield [calls.entry_points()]
        if others := ways_of(everything):
            page.head("Other ways in")
        for way in others:
            page.item(f"{way.number}: {named(way, _FEW)}", way.found[0].place)
    notes = [note for result in results for note in said(result).split("; ") if note and " of kind " not in note]
    for note in dict.fromkeys(notes):
        page.note(note)
    return page


def _say(page: Page, way: Way, most: int) -> None:
    """List the entry points of a kind, each command below its group. In a short list, many share one line."""
    number = f"{len(way.found):,}" if way.complete else f"the first {len(way.found):,} that were listed"
    beside = " in tests, examples and documentation" if is_aside(way.found[0].place.path) else ""
    page.head(f"{way.kind.capitalize()}s ({number}{beside})")
    if most == _FEW and (way.kind == PLUGINS or (way.kind == COMMANDS and len(way.found) > _FEW)):
        page.item(named(way, 12), way.found[0].place)
        return
    names = {entry.name for entry in way.found}
    shown = sorted(way.found, key=lambda entry: entry.name.split(" ")) if way.kind == COMMANDS else list(way.found)
    rows = []
    for entry in shown[:most]:
        words = entry.name.split(" ")
        depth = sum(" ".join(words[:size]) in names for size in range(1, len(words))) if way.kind == COMMANDS else 0
        doc = entry.doc if entry.doc and way.kind != SCRIPTS else entry.qualname
        doc = "" if doc.endswith(".Command") else doc
        rows.append((depth, words[-1] if depth else entry.name, doc, entry.place))
    pad = max(2 * depth + len(label) for depth, label, _, _ in rows)
    for depth, label, doc, place in rows:
        page.item(fitted(doc, place, pad + 4, 2), place, label=label, pad=pad - 2 * depth, depth=depth)
    if left := shown[most:]:
        page.item(f"… {len(left):,} more", left[0].place)
