"""Lists of ways into a program: commands, routes, and all entry points by kind."""

from __future__ import annotations

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

SCRIPTS, PLUGINS, COMMANDS, ROUTES = "console script", "plugin entry point", "command", "route"
_KINDS = {"main": "runnable module", "command": COMMANDS, "route": ROUTES}
_MOST, _FEW = 40, 6
_MAIN = (
    r"^\s*(func main\(\)|(pub )?(async )?fn main\(|public static void main\(|int main\s*\(|"
    r"(static )?(async )?\w+ Main\()|require\.main === module"
)


class Way(NamedTuple):
    """The entry points of one kind, those of the product first.

    Args:
        kind: What they are, in the singular.
        found: The entry points; those of examples and tests only if there are no others.
        complete: Whether all were listed.
    """

    kind: str
    found: tuple[Entry, ...]
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
        known = totals(result)
        for entry in entries(result):
            kind = _KINDS.get(entry.kind, entry.kind.replace("_", " "))
            if entry.kind == "script":
                kind = SCRIPTS if "script" in entry.how else PLUGINS
            if entry.kind != "test":
                groups.setdefault(kind, []).append(entry)
            listed = sum(other.kind == entry.kind for other in entries(result)) if entry.kind in known else 0
            if (known and listed < known.get(entry.kind, 0)) or (not known and is_partial(result)):
                cut.add(kind)
    own = {kind: [one for one in group if not is_aside(one.place.path)] or group for kind, group in groups.items()}
    return [Way(kind, tuple(group), kind not in cut) for kind, group in own.items()]


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
    page, is_all = Page(), intent.facet == "entry points"
    for way in ways_of(*results):
        if is_all or way.kind in (SCRIPTS, COMMANDS, ROUTES):
            _say(page, way, _FEW if is_all else _MOST)
    if is_all:
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


def _say(page: Page, way: Way, most: int) -> None:
    """List the entry points of a kind, each command below its group; many of a group on one line if few are shown."""
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
