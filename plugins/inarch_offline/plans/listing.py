"""Lists: commands, routes, entry points, tests, dependencies, classes, functions, modules, files, the licence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.intents import Intent
from inarch_offline.layout import is_test, languages
from inarch_offline.manifests import MANIFESTS, Project, read_project
from inarch_offline.material import Entry, entries, file_text, files, hits, said
from inarch_offline.plans.reading import whole_list
from inarch_offline.writing import Page, Place, counted, cut, joined

_MOST = 30
_KINDS = {
    "commands": r"command|cli|script|parser|__main__|main",
    "routes": r"route|web|url|endpoint|http|view|websocket",
    "entry points": r"^(?!.*test)",
}


def list_things(intent: Intent) -> Plan:
    """List what a facet names."""
    plan: Callable[[str], Plan] = {
        "tests": _tests,
        "dependencies": _manifest,
        "licence": _manifest,
        "files": _files,
        "classes": _definitions,
        "functions": _definitions,
        "modules": _files,
    }.get(intent.facet, _entries)
    page = yield from plan(intent.facet)
    return page


def _entries(facet: str) -> Plan:
    [result] = yield [calls.entry_points()]
    page = Page()
    known = [entry for entry in entries(result) if re.search(r"test", entry.kind) is None]
    wanted = [entry for entry in known if re.search(_KINDS[facet], entry.kind.lower())]
    shown = _outside_examples(wanted)
    if not shown:
        outside = f"No {facet} were found in the code and its manifests."
        page.plain(outside if result.success else f"The {facet} could not be listed.")
    by_kind: dict[str, list[Entry]] = {}
    for entry in shown:
        by_kind.setdefault(entry.kind.replace("_", " "), []).append(entry)
    for kind, group in by_kind.items():
        page.head(f"{kind.capitalize()} ({len(group)})")
        most = max(6, _MOST // len(by_kind))
        page.rows((entry.name or entry.qualname, _how(entry), entry.place) for entry in group[:most])
        if len(group) > most:
            page.note(f"{len(group) - most} more")
    if len(wanted) > len(shown):
        page.note(f"{len(wanted) - len(shown)} more in tests, examples and documentation")
    if facet != "entry points" and not shown and known:
        page.plain("Other ways in:")
        page.rows((entry.name or entry.qualname, entry.kind, entry.place) for entry in known[:8])
    if said(result):
        page.note(said(result))
    return page


def _how(entry: Entry) -> str:
    target = entry.qualname if entry.qualname and entry.qualname != entry.name else ""
    return " ".join(part for part in (target, f"[{cut(entry.how, 60)}]" if entry.how else "") if part)


def _outside_examples(found: Sequence[Entry]) -> list[Entry]:
    """Prefer what belongs to the product over examples and tests, where there is such."""
    own = [
        entry
        for entry in found
        if not re.search(r"(^|/)(tests?|examples?|docs?|samples?|benchmarks?)/", entry.place.path)
    ]
    return own or list(found)


def _tests(facet: str) -> Plan:
    listed, searched, *manifests = yield [
        calls.list_files(limit=10_000),
        calls.search(r"^\s*(async )?def test_|^\s*class Test", glob="*.py", limit=5_000),
        *(calls.read_file(name) for name in ("pyproject.toml", "tox.ini", "package.json")),
    ]
    page = Page()
    everything = yield from whole_list(listed)
    paths = [path for path in everything if is_test(path)]
    if not paths:
        page.plain("No test files were found.")
        return page
    project = read_project([text for result in manifests if (text := file_text(result))], everything)
    page.say(f"{counted(len(paths), 'test file')}", Place(paths[0]))
    if project.test_command:
        page.say(f"Run them with `{project.test_command.text}`", project.test_command.place)
    tests = [hit for hit in hits(searched) if "def test" in hit.text]
    counts = Counter(hit.path for hit in tests)
    first = {hit.path: hit.place for hit in reversed(tests)}
    if counts:
        page.head(f"{counted(len(tests), 'test function')}, by file")
        page.rows((path, counted(count, "test"), first[path]) for path, count in counts.most_common(15))
    else:
        page.head("Test files")
        for path in paths[:15]:
            page.item(path.rpartition("/")[2], Place(path))
    if said(searched):
        page.note(said(searched))
    return page


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
            page.plain("No licence was found.")
        return page
    _say_dependencies(page, project)
    return page


def _say_dependencies(page: Page, project: Project) -> None:
    if project.python:
        page.say(f"Needs {project.python.text}", project.python.place)
    if project.dependencies:
        page.head(f"Dependencies ({len(project.dependencies)})")
    for fact in project.dependencies[:25]:
        page.item(fact.text, fact.place)
    if project.extras:
        page.head("Optional and development")
    for fact in project.extras[:12]:
        page.item(cut(fact.text, 150), fact.place)
    if not project.dependencies and not project.extras:
        page.plain(
            "No dependencies are declared."
            if project.manifests
            else "No manifest that declares dependencies was found."
        )
        for place in project.manifests[:3]:
            page.item(f"looked at {place.path}", place)


def _files(facet: str) -> Plan:
    [listed] = yield [calls.list_files("**/*.py" if facet == "modules" else "**/*", 10_000)]
    page = Page()
    paths = yield from whole_list(listed)
    if not paths:
        page.plain("No files were found.")
        return page
    if facet == "files":
        told = [f"{name} {count:,}" for name, count, _ in languages(paths)[:6]]
        page.say(f"{counted(len(paths), 'file')}: {', '.join(told)}", Place(paths[0]))
    folders: dict[str, list[str]] = {}
    for path in paths:
        folders.setdefault(path.rpartition("/")[0] or ".", []).append(path)
    page.head(f"Folders ({len(folders)})")
    shown = sorted(folders, key=lambda folder: (is_test(f"{folder}/"), folder.count("/"), folder))[:_MOST]
    page.rows(
        (f"{folder}/", joined([path.rpartition("/")[2] for path in folders[folder]], 5), Place(folders[folder][0]))
        for folder in shown
    )
    if said(listed):
        page.note(said(listed))
    return page


def _definitions(facet: str) -> Plan:
    [searched] = yield [
        calls.search(r"^class [A-Za-z]" if facet == "classes" else r"^(async )?def [a-z]", glob="*.py", limit=1_000)
    ]
    page = Page()
    found = [hit for hit in hits(searched) if not is_test(hit.path)]
    if not found:
        page.plain(f"No Python {facet} were found.")
        return page
    by_file: dict[str, list[tuple[str, Place]]] = {}
    for hit in found:
        name = re.match(r"(?:async )?(?:def|class) (\w+)", hit.text)
        if name:
            known = by_file.setdefault(hit.path, [])
            if name[1] not in [other for other, _ in known[-4:]]:  # overloads stand one after the other
                known.append((name[1], hit.place))
    page.head(f"{facet.capitalize()} ({sum(map(len, by_file.values())):,} in {counted(len(by_file), 'file')})")
    ranked = sorted(by_file, key=lambda path: (-len(by_file[path]), path))[:_MOST]
    for path in ranked:
        page.item(joined([name for name, _ in by_file[path]], 8), by_file[path][0][1])
    if len(by_file) > len(ranked):
        page.note(f"{len(by_file) - len(ranked)} more files with fewer")
    if said(searched):
        page.note(said(searched))
    return page
