"""Lists: commands, routes, entry points, tests, dependencies, classes, functions, modules, files, the licence."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from inarch_offline import calls
from inarch_offline.exchange import Asking, Plan
from inarch_offline.intents import Intent
from inarch_offline.layout import is_test, languages
from inarch_offline.manifests import MANIFESTS, Project, read_project
from inarch_offline.material import Hit, entries, file_text, files, hits, is_partial, said, totals
from inarch_offline.plans.needing import say_imported
from inarch_offline.plans.reading import whole, whole_list
from inarch_offline.readme import Fact
from inarch_offline.rooms import read_rooms, rooms_of
from inarch_offline.writing import Page, Place, code, counted, cut, joined, shortened

_MOST = 30
_FEW_TESTS = 6
_TEST_STEP = (
    r"^\s*(- *)?(run: *)?(\w+ -m )?"
    r"(pytest|tox|nox|(npm|yarn|pnpm)( run)? test|cargo test|go test|make (test|check)|ctest|mvn .*(test|verify)|"
    r"gradlew? .*(test|check)|unittest|rake test|mix test|dotnet test)\b"
)


def list_things(intent: Intent) -> Plan:
    """List what a facet names."""
    if intent.facet in ("commands", "routes", "entry points"):
        from inarch_offline.plans import entering

        page = yield from {
            "commands": entering.list_commands,
            "routes": entering.list_routes,
            "entry points": entering.list_entry_points,
        }[intent.facet]()
        return page
    plan: Callable[[str], Plan] = {
        "tests": _tests,
        "classes": _definitions,
        "functions": _definitions,
        "modules": _files,
        "files": _files,
    }.get(intent.facet, _manifest)
    page = yield from plan(intent.facet)
    return page


def _tests(facet: str) -> Plan:
    listed, found, steps = yield [
        calls.list_files(limit=10_000),
        calls.entry_points("test"),
        calls.search(_TEST_STEP, ".github", limit=40),
    ]
    page = Page()
    everything, whole = yield from whole_list(listed)
    paths = [path for path in everything if is_test(path)]
    ranked = entries(found)
    project = yield from _project(everything)
    _say_commands(page, project, hits(steps))
    if not project.test_command:
        yield from _say_rooms(page, everything)
    if not paths and not ranked:
        page.absent("No test files were found.")
        return page
    known = totals(found)
    if ranked and "test_functions" in known:
        python = all(entry.place.path.endswith(".py") for entry in ranked)
        files = counted(known["test"], "Python test file" if python else "test file")
        how = ", counted by the lines that begin with `def test`" if python else ""
        page.say(f"{counted(known['test_functions'], 'test function')} in {files}{how}", ranked[0].place)
    else:
        page.say(counted(len(paths), "test file", more=not whole), Place(paths[0]))
    if ranked:
        page.head("The fullest files" if len(ranked) > _FEW_TESTS else "By file")
        page.rows((entry.place.path, entry.how, entry.place) for entry in ranked[:_FEW_TESTS])
    else:
        page.head("Test files")
        for path in paths[:_FEW_TESTS]:
            page.item(path.rpartition("/")[2], Place(path))
    left = (known.get("test", len(ranked)) if ranked else len(paths)) - _FEW_TESTS
    if left > 0:
        page.item(f"… {counted(left, 'more file')}", *([ranked[_FEW_TESTS].place] if len(ranked) > _FEW_TESTS else []))
    for note in [note for note in said(found).split("; ") if note and " of kind " not in note]:
        page.note(note)
    return page


def _project(paths: Sequence[str]) -> Asking[Project]:
    """Read the manifests of the top folder."""
    present = [name for name in MANIFESTS if name in paths][:6]
    results = (yield [calls.read_file(name) for name in present]) if present else []
    return read_project([text for result in results if (text := file_text(result))], paths)


def _say_rooms(page: Page, paths: Sequence[str]) -> Asking[None]:
    """Say how the tests of each part of a monorepo are run."""
    rooms = rooms_of(paths)
    results = (yield [calls.read_file(manifest) for manifest in rooms.values()]) if rooms else []
    for folder, project in read_rooms(rooms, results):
        if project.test_command:
            page.say(f"In {folder}/ run them with `{project.test_command.text}`", project.test_command.place)


def _say_commands(page: Page, project: Project, steps: Sequence[Hit]) -> None:
    """Say how tests are run: by the manifest, and in the steps of continuous integration."""
    if project.test_command:
        page.say(f"Run them with `{project.test_command.text}`", project.test_command.place)
    told = {project.test_command.text} if project.test_command else set()
    for hit in steps:
        command = re.sub(r"^\s*(?:-\s*)?(?:run:)?\s*", "", hit.text).strip()
        if command not in told and len(told) < 3:
            page.say(f"Continuous integration runs {code(command, 80)}", hit.place)
        told.add(command)


def _manifest(facet: str) -> Plan:
    [listed] = yield [calls.list_files("*", 500)]
    present = [name for name in files(listed) if name in MANIFESTS or name.lower().startswith(("licen", "copying"))]
    results = (yield [calls.read_file(name) for name in present[:8]]) if present else []
    project = read_project([text for result in results if (text := file_text(result))], files(listed))
    page = Page()
    for name, result in zip(present[:8], results, strict=False):
        if not result.success:
            page.note(f"not read: {name}: {said(result)}")
    if facet == "licence":
        if project.licence:
            page.say(project.licence.text, project.licence.place)
        else:
            page.absent("No licence was found.")
        return page
    _say_dependencies(page, project)
    yield from say_imported(page, project)
    return page


def _say_dependencies(page: Page, project: Project) -> None:
    if project.python:
        page.say(f"Needs {project.python.text}", project.python.place)
    if project.dependencies:
        page.head(f"Dependencies ({len(project.dependencies)})")
    for fact in project.dependencies[:_MOST]:
        page.item(fact.text, fact.place)
    _say_more(page, project.dependencies, _MOST)
    if project.extras and not project.dependencies and project.manifests:
        page.say("No dependency that is always needed is declared", project.manifests[0])
    if project.extras:
        page.head("Optional and development")
    for fact in project.extras[:15]:
        page.item(cut(fact.text, 150), fact.place)
    _say_more(page, project.extras, 15)
    for fact in project.broken:
        page.say(fact.text, fact.place)
    if not project.dependencies and not project.extras and not project.broken:
        page.absent(
            "No dependencies are declared."
            if project.manifests
            else "No manifest that declares dependencies was found."
        )
        for place in project.manifests[:3]:
            page.item(f"looked at {shortened(place.path)}", place)


def _say_more(page: Page, facts: Sequence[Fact], most: int) -> None:
    if len(facts) > most:
        page.item(f"… {len(facts) - most} more", facts[most].place)


def _files(facet: str) -> Plan:
    [listed] = yield [calls.list_files("**/*.py" if facet == "modules" else "**/*", 10_000)]
    page = Page()
    paths, complete = yield from whole_list(listed)
    if not paths:
        page.absent("No files were found.")
        return page
    if facet == "files":
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


def _definitions(facet: str) -> Plan:
    [searched] = yield [
        calls.search(r"^class [A-Za-z]" if facet == "classes" else r"^(async )?def [a-z]", glob="*.py", limit=5_000)
    ]
    [searched] = yield from whole(searched)
    page = Page()
    found = [hit for hit in hits(searched) if not is_test(hit.path)]
    if not found:
        page.absent(f"No Python {facet} were found.")
        return page
    by_file: dict[str, list[tuple[str, Place]]] = {}
    for hit in found:
        name = re.match(r"(?:async )?(?:def|class) (\w+)", hit.text)
        if name:
            known = by_file.setdefault(hit.path, [])
            if name[1] not in [other for other, _ in known[-4:]]:  # overloads stand one after the other
                known.append((name[1], hit.place))
    more = is_partial(searched)
    number = f"{sum(map(len, by_file.values())):,}{' or more' * more}"
    page.head(f"{facet.capitalize()} outside tests ({number} in {counted(len(by_file), 'file', more=more)})")
    ranked = sorted(by_file, key=lambda path: (-len(by_file[path]), path))[:_MOST]
    for path in ranked:
        page.item(joined([name for name, _ in by_file[path]], 8), by_file[path][0][1])
    if len(by_file) > len(ranked):
        page.note(f"{counted(len(by_file) - len(ranked), 'more file')} with fewer")
    if more:
        page.note(f"counts are of the first {len(hits(searched)):,} definitions that were listed")
    return page
