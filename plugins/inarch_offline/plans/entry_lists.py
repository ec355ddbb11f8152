"""Lists of ways into a program: commands, routes, and all entry points by kind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from inarch import ToolResult
from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.intents import Intent
from inarch_offline.layout import is_aside, is_code
from inarch_offline.lookup import say_hits
from inarch_offline.manifests import read_project
from inarch_offline.page import Page, counted, fitted, joined
from inarch_offline.results import Entry, entries, file_text, hits, is_partial, said, totals

SCRIPTS, PLUGINS, MAINS, COMMANDS, ROUTES = (
    "console script", "plugin entry point", "runnable module", "command", "route",
)  # fmt: skip
_KINDS = {"main": MAINS, "command": COMMANDS, "route": ROUTES}
_MOST, _FEW = 40, 6
_MAIN = (
    r"^\s*(func main\(\)|(pub )?(async )?fn main\(|public static void main\(|int main\s*\(|"
    r"(static )?(async )?\w+ Main\()|require\.main === module"
)


class Way(NamedTuple):
    """The entry points of one kind.

    Args:
        kind: What they are, in the singular.
        found: Those of the product; those of its examples and tests if there are no others.
        aside: How many more there are in examples and tests.
        complete: Whether all were listed.
    """

    kind: str
    found: tuple[Entry, ...]
    aside: int
    complete: bool

    @property
    def number(self) -> str:
        """How many there are, as far as that is known."""
        return counted(len(self.found), self.kind, more=not self.complete)


def ways_of(*results: ToolResult) -> list[Way]:
    """Put entry points together by kind; tests are none."""
    groups: dict[str, list[Entry]] = {}
    cut: set[str] = set()
    for result in results:
        listed, known = entries(result), totals(result)
        for entry in listed:
            if entry.kind != "test":
                groups.setdefault(_kind(entry), []).append(entry)
        cut |= {kind for kind in known if sum(entry.kind == kind for entry in listed) < known[kind]}
        cut |= {entry.kind for entry in listed if is_partial(result) and not known}
    return [_way(kind, group, group[0].kind not in cut) for kind, group in groups.items()]


def _kind(entry: Entry) -> str:
    if entry.kind == "script":
        return SCRIPTS if "script" in entry.how else PLUGINS
    return _KINDS.get(entry.kind, entry.kind.replace("_", " "))


def _way(kind: str, group: Sequence[Entry], complete: bool) -> Way:
    own = [entry for entry in group if not _is_example(entry.place.path)]
    found = sorted(own or group, key=lambda entry: entry.kind == "main" and " -m " not in entry.name)
    return Way(kind, tuple(found), len(group) - len(found), complete)


def _is_example(path: str) -> bool:
    return is_aside(path) or bool(re.search(r"(^|/)(tests?|examples?|samples?)/", path))


def named(way: Way, most: int) -> str:
    """Name entry points on one line. Commands of a group are counted behind it."""
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
    page = Page()
    for way in ways_of(*results):
        if intent.facet == "entry points":
            _say_few(page, way)
        elif way.kind in (SCRIPTS, COMMANDS, ROUTES):
            _say_all(page, way)
    if intent.facet == "entry points":
        yield from _say_other_languages(page)
        if number := totals(results[0]).get("test"):
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


def _say_all(page: Page, way: Way) -> None:
    """List the entry points of a kind, each command below its group."""
    page.head(_title(f"{way.kind.capitalize()}s", way))
    names = {entry.name for entry in way.found}
    shown = sorted(way.found, key=lambda entry: entry.name.split(" ")) if way.kind == COMMANDS else list(way.found)
    rows = []
    for entry in shown[:_MOST]:
        words = entry.name.split(" ")
        depth = sum(" ".join(words[:size]) in names for size in range(1, len(words))) if way.kind == COMMANDS else 0
        label = words[-1] if depth else entry.name
        doc = entry.doc or ("" if entry.qualname.endswith(".Command") else entry.qualname)
        rows.append((depth, label, entry.qualname if way.kind == SCRIPTS else doc, entry.place))
    pad = max(2 * depth + len(label) for depth, label, _, _ in rows)
    for depth, label, doc, place in rows:
        page.item(fitted(doc, place, pad + 4, 2), place, label=label, pad=pad - 2 * depth, depth=depth)
    _say_rest(page, way, _MOST)


def _say_few(page: Page, way: Way) -> None:
    page.head(_title({MAINS: "Runnable modules and files"}.get(way.kind, f"{way.kind.capitalize()}s"), way))
    if way.kind == PLUGINS or (way.kind == COMMANDS and len(way.found) > _FEW):
        page.item(named(way, 12), way.found[0].place)
        return
    page.rows(((entry.name, entry.doc or entry.qualname, entry.place) for entry in way.found[:_FEW]), 2)
    _say_rest(page, way, _FEW)


def _title(noun: str, way: Way) -> str:
    number = f"{len(way.found):,}" if way.complete else f"the first {len(way.found):,} that were listed"
    beside = " in tests, examples and documentation" if is_aside(way.found[0].place.path) else ""
    return f"{noun} ({number}{beside})"


def _say_rest(page: Page, way: Way, most: int) -> None:
    left = len(way.found) - most
    told = [f"{left:,} more"] if left > 0 else []
    told += [f"{way.aside:,} more in tests, examples and documentation"] if way.aside else []
    if told:
        page.item("… " + "; ".join(told), *([way.found[most].place] if left > 0 else []))


def _say_other_languages(page: Page) -> Plan:
    """Say what manifests of other languages name as the way in, and in which files a `main` is defined."""
    names = ("package.json", "Cargo.toml", "Makefile")
    *results, mains = yield [*map(calls.read_file, names), calls.search(_MAIN, limit=60)]
    project = read_project([text for result in results if (text := file_text(result))], [])
    own = [hit for hit in hits(mains) if is_code(hit.path) and not is_aside(hit.path) and not hit.path.endswith(".py")]
    if project.scripts:
        page.head("Declared in manifests")
    for fact in project.scripts[:_FEW]:
        page.item(fact.text, fact.place)
    say_hits(page, "Programs", own, _FEW)
    return page
