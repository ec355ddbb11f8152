"""Lists: tests, dependencies, classes, functions, exceptions, decorators, marks, modules, files, licence, versions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from inarch_offline import calls
from inarch_offline.exchange import Asking, Plan
from inarch_offline.intents import Intent
from inarch_offline.layout import is_aside, is_test, languages
from inarch_offline.manifests import MANIFESTS, Project, read_project
from inarch_offline.page import Page, Place, code, counted, cut, joined
from inarch_offline.prose import Fact
from inarch_offline.reading import whole, whole_list
from inarch_offline.results import Hit, entries, file_text, files, hits, is_partial, said, totals

_MOST, _FEW = 30, 6
_TEST_STEP = (
    r"^\s*(- *)?(run: *)?(\w+ -m )?(pytest|tox|nox|(npm|yarn|pnpm)( run)? test|cargo test|go test|"
    r"make (test|check)|ctest|mvn .*(test|verify)|gradlew? .*(test|check)|unittest|rake test|dotnet test)\b"
)
_MARKS = r"\b(TODO|FIXME|XXX)\b"
_DEFINED = {
    "classes": r"^class [A-Za-z]",
    "functions": r"^(async )?def [a-z]",
    "exceptions": r"^\s*class \w+\s*\(.*(Error|Exception|Warning)\b|^\s*class \w*(Error|Exception|Warning)\b",
}
_DECORATED = r"^\s*(>>> |\.\.\. )?@[A-Za-z_][A-Za-z0-9_.]*"
_BUILT_IN = ("property", "staticmethod", "classmethod", "overload", "setter", "getter", "deleter", "override")


def list_things(intent: Intent) -> Plan:
    """List what a facet names."""
    if intent.facet in ("commands", "routes", "entry points"):
        from inarch_offline.plans.entry_lists import list_entries

        page = yield from list_entries(intent)
        return page
    plan: Callable[[Intent], Plan] = {
        "tests": _tests, "modules": _files, "files": _files, "marks": _marks, "decorators": _decorators,
        **dict.fromkeys(_DEFINED, _definitions),
    }.get(intent.facet, _manifest)  # fmt: skip
    page = yield from plan(intent)
    return page


def _tests(intent: Intent) -> Plan:
    listed, found, steps = yield [
        calls.list_files(limit=10_000),
        calls.entry_points("test"),
        calls.search(_TEST_STEP, ".github", limit=40),
    ]
    everything, complete = yield from whole_list(listed)
    paths, ranked, known = [path for path in everything if is_test(path)], entries(found), totals(found)
    project = yield from _project(everything)
    page = Page()
    commands = [(project.test_command.text, project.test_command.place)] if project.test_command else []
    commands += [(re.sub(r"^\s*(?:-\s*)?(?:run:)?\s*", "", hit.text).strip(), hit.place) for hit in hits(steps)]
    for index, (command, place) in enumerate({text: (text, place) for text, place in reversed(commands)}.values()):
        if index < 3:
            page.say(f"Run them with {code(command, 80)}", place)
    if not paths and not ranked:
        page.absent("No test files were found.")
        return page
    if ranked and "test_functions" in known:
        page.say(f"{counted(known['test_functions'], 'test function')} in {counted(known['test'], 'test file')}",
                 ranked[0].place)  # fmt: skip
    else:
        page.say(counted(len(paths), "test file", more=not complete), Place(paths[0]))
    rows = [(one.place.path, one.how, one.place) for one in ranked] or [(path, "", Place(path)) for path in paths]
    page.head("The fullest files" if len(rows) > _FEW else "By file")
    page.rows(rows[:_FEW])
    left = (known.get("test", len(ranked)) if ranked else len(paths)) - _FEW
    if left > 0:
        page.item(f"… {counted(left, 'more file')}", *[rows[_FEW][2]][: len(rows) > _FEW])
    for note in [note for note in said(found).split("; ") if note and " of kind " not in note]:
        page.note(note)
    return page


def _project(paths: Sequence[str]) -> Asking[Project]:
    """Read the manifests and the licence of the top folder."""
    present = [one for one in paths if one in MANIFESTS or one.lower().startswith(("licen", "copying"))][:8]
    results = (yield [calls.read_file(name) for name in present]) if present else []
    return read_project([text for result in results if (text := file_text(result))], paths)


def _manifest(intent: Intent) -> Plan:
    [listed] = yield [calls.list_files("*", 500)]
    project = yield from _project(files(listed))
    page = Page()
    if intent.facet == "licence":
        if project.licence:
            page.say(project.licence.text, project.licence.place)
        else:
            page.absent("No licence was found.")
        return page
    if intent.facet == "versions" and project.name and project.version:
        page.say(f"{project.name.text} {project.version}", project.name.place)
    if project.python:
        page.say(f"Needs {project.python.text}", project.python.place)
    if intent.facet == "versions":
        if not page.lines:
            page.absent("No manifest at the top says which version it is, or on which versions it runs.")
        return page
    _say_facts(page, f"Dependencies ({len(project.dependencies)})", project.dependencies, _MOST)
    if project.extras and not project.dependencies:
        page.say("No dependency that is always needed is declared", project.manifests[0])
    _say_facts(page, "Optional and development", project.extras, 15)
    for fact in project.broken:
        page.say(fact.text, fact.place)
    if not (project.dependencies or project.extras or project.broken):
        what = (
            "No dependencies are declared."
            if project.manifests
            else "No manifest that declares dependencies was found."
        )
        page.absent(what)
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
    if intent.facet == "files":
        told = [f"{name} {count:,}" for name, count, _ in languages(paths)[:6]]
        page.say(f"{counted(len(paths), 'file', more=not complete)}: {', '.join(told)}", Place(paths[0]))
    folders: dict[str, list[str]] = {}
    for path in paths:
        folders.setdefault(path.rpartition("/")[0] or ".", []).append(path)
    page.head(f"Folders ({len(folders):,}{' or more' * (not complete)})")
    shown = sorted(folders, key=lambda folder: (is_test(f"{folder}/"), folder.count("/"), folder))[:_MOST]
    page.rows(
        (f"{folder}/", joined([path.rpartition("/")[2] for path in folders[folder]], 5), Place(folders[folder][0]))
        for folder in shown
    )
    if len(folders) > len(shown):
        page.item(f"… {counted(len(folders) - len(shown), 'more folder', more=not complete)}")
    if not complete:
        page.note(f"counts are of the {len(paths):,} files that were listed")
    return page


def _definitions(intent: Intent) -> Plan:
    """List classes, functions or exceptions by file."""
    [searched] = yield [calls.search(_DEFINED[intent.facet], glob="*.py", limit=5_000)]
    [searched] = yield from whole(searched)
    page = Page()
    by_file: dict[str, dict[str, Place]] = {}
    for hit in hits(searched):
        name = re.match(r"\s*(?:async )?(?:def|class) (\w+)", hit.text)
        if name and not is_test(hit.path):
            by_file.setdefault(hit.path, {}).setdefault(name[1], hit.place)
    if not by_file:
        page.absent(f"No Python {intent.facet} were found.")
        return page
    more = is_partial(searched)
    number = f"{sum(map(len, by_file.values())):,}{' or more' * more}"
    page.head(f"{intent.facet.capitalize()} outside tests ({number} in {counted(len(by_file), 'file', more=more)})")
    ranked = sorted(by_file, key=lambda path: (is_aside(path), -len(by_file[path]), path))[:_MOST]
    most = 40 if intent.facet == "exceptions" else 8
    for path in ranked:
        page.item(joined(by_file[path], most), next(iter(by_file[path].values())))
    if len(by_file) > len(ranked):
        page.note(f"{counted(len(by_file) - len(ranked), 'more file')} with fewer")
    if more:
        page.note(f"counts are of the first {len(hits(searched)):,} definitions that were listed")
    return page


def _marks(intent: Intent) -> Plan:
    """List the marks TODO, FIXME and XXX, the product's first."""
    [result] = yield [calls.search(_MARKS, limit=500)]
    inside = intent.subject.strip("./")
    marks = [hit for hit in hits(result) if not inside or f"/{hit.path}/".find(f"/{inside}/") >= 0]
    found = sorted(marks, key=lambda hit: (is_aside(hit.path), hit.path, hit.line))
    page = Page()
    if not result.success:
        page.plain(f"The files could not be searched: {said(result)}")
    elif not found:
        page.absent(f"There is no TODO, FIXME or XXX in {'the files of ' + inside if inside else 'the files here'}.")
    else:
        more = is_partial(result)
        number = counted(len({hit.path for hit in found}), "file", more=more)
        page.head(f"{counted(len(found), 'mark', more=more)} in {number}")
    for hit in found[:15]:
        mark = re.search(_MARKS, hit.text)
        page.item(cut(hit.text[mark.start() :] if mark else hit.text, 84), hit.place)
    if len(found) > 15:
        page.item(f"… {len(found) - 15:,}{' or more' * is_partial(result)} more", found[15].place)
    return page


def _decorators(intent: Intent) -> Plan:
    """List the functions and classes of the product that are used as decorators somewhere, the most used first."""
    [searched] = yield [calls.search(_DECORATED, limit=4_000)]
    uses: dict[str, list[Hit]] = {}
    for hit in hits(searched):
        found = re.search(r"@([\w.]+)", hit.text)
        name = found[1].rpartition(".")[2] if found else ""
        if name and name not in _BUILT_IN and hit.path.endswith((".py", ".pyi", ".md", ".rst", ".txt")):
            uses.setdefault(name, []).append(hit)
    counts = Counter({name: len(found) for name, found in uses.items()})
    names = [name for name, _ in counts.most_common(150)]
    pattern = rf"^\s*((async )?def|class) ({calls.any_of(names)})\b"
    defining = (yield [calls.search(pattern, glob="*.py", limit=4_000)]) if names else []
    defined: dict[str, Place] = {}
    for hit in [hit for result in defining for hit in hits(result) if not is_aside(hit.path)]:
        if found := re.match(r"\s*(?:(?:async )?def|class) (\w+)", hit.text):
            defined.setdefault(found[1], hit.place)
    page = Page()
    if not defined:
        page.absent("No function and no class that is defined here is used as a decorator.")
    ranked = sorted(defined or names[:_FEW], key=lambda name: (name.startswith("_"), -counts[name], name))
    if ranked:
        number = counted(len(ranked), "decorator")
        page.head(f"{number} defined here, by their uses" if defined else "Used as decorators")
    for name in ranked[:15]:
        first = uses[name][0]
        places = [defined[name], first.place] if name in defined else [first.place]
        page.item(f"{code(first.text.lstrip('>. '), 50)}, {counted(counts[name], 'time')}", *places)
    return page
