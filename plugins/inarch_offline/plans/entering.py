"""Lists of ways in: commands, routes, and all entry points by kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inarch import ToolResult
from inarch_offline import calls
from inarch_offline.doorways import COMMANDS, MAINS, PLUGINS, ROUTES, SCRIPTS, Way, named, nested, ways_of
from inarch_offline.exchange import Plan
from inarch_offline.layout import is_aside, is_code
from inarch_offline.manifests import read_project
from inarch_offline.material import Hit, file_text, files, hits, said, totals
from inarch_offline.readme import Fact
from inarch_offline.writing import Page, Place, code, counted, cut, fitted

_MOST = 40
_FEW = 6
_MAIN = (
    r"^\s*(func main\(\)|(pub )?(async )?fn main\(|public static void main\(|"
    r"int main\s*\(|(static )?(async )?\w+ Main\()|"
    r"require\.main === module"
)
_INDEXES = ("index.js", "index.mjs", "index.ts")


def list_commands() -> Plan:
    """List console scripts, then all commands, each below its group."""
    scripts, commands = yield [calls.entry_points("script"), calls.entry_points("command")]
    page = Page()
    ways = {way.kind: way for way in ways_of(scripts, commands)}
    if SCRIPTS in ways:
        page.head(_title("Console scripts", ways[SCRIPTS]))
        page.rows((entry.name, entry.qualname, entry.place) for entry in ways[SCRIPTS].found[:_MOST])
    if COMMANDS in ways:
        _say_commands(page, ways[COMMANDS])
    if not page.lines:
        yield from _instead(page, "commands", [commands])
    _say_notes(page, scripts, commands)
    return page


def list_routes() -> Plan:
    """List the routes of web applications."""
    [result] = yield [calls.entry_points("route")]
    page = Page()
    for way in [way for way in ways_of(result) if way.kind == ROUTES]:
        page.head(_title("Routes", way))
        page.rows(((entry.name, cut(entry.qualname, 90), entry.place) for entry in way.found[:_MOST]), 2)
        _say_rest(page, way, _MOST)
    if not page.lines:
        yield from _instead(page, "routes", [result])
    _say_notes(page, result)
    return page


def list_entry_points() -> Plan:
    """Give all kinds of entry points, the first few of each."""
    result, listed, mains = yield [
        calls.entry_points(),
        calls.list_files(limit=10_000),
        calls.search(_MAIN, limit=60),
    ]
    page = Page()
    for way in ways_of(result):
        page.head(_title({MAINS: "Runnable modules and files"}.get(way.kind, f"{way.kind.capitalize()}s"), way))
        if way.kind == PLUGINS or (way.kind == COMMANDS and len(way.found) > _FEW):
            page.item(named(way, 12), way.found[0].place)
            continue
        page.rows(((entry.name, entry.doc or entry.qualname, entry.place) for entry in way.found[:_FEW]), 2)
        _say_rest(page, way, _FEW)
    yield from _say_other_languages(page, files(listed), hits(mains))
    known = totals(result)
    if not page.lines:
        yield from _instead(page, "entry points", [result])
    elif known.get("test"):
        page.note(f"{counted(known['test'], 'test file')} besides; ask “list the tests”")
    _say_notes(page, result)
    return page


def _say_other_languages(page: Page, paths: Sequence[str], mains: Sequence[Hit]) -> Plan:
    """Say what manifests of other languages name as the way in, and where a `main` is defined."""
    present = [name for name in ("package.json", "Cargo.toml", "Makefile") if name in paths]
    results = (yield [calls.read_file(name) for name in present]) if present else []
    project = read_project([text for result in results if (text := file_text(result))], paths)
    found = [fact for fact in project.scripts if not fact.place.path.endswith(".py")]
    if "package.json" in present and not any(fact.text.startswith("main module") for fact in found):
        found += [Fact(f"main module {name}, by convention", Place(name)) for name in _INDEXES if name in paths][:1]
    if found:
        page.head("Declared in manifests")
    for fact in found[:_FEW]:
        page.item(fact.text, fact.place)
    own = [hit for hit in mains if is_code(hit.path) and not is_aside(hit.path) and not hit.path.endswith(".py")]
    if own:
        page.head("Programs")
    for hit in own[:_FEW]:
        page.item(code(hit.text, 80), hit.place)
    return page


def _say_commands(page: Page, way: Way) -> None:
    page.head(_title("Commands", way))
    shown = nested(way.found)[:_MOST]
    labels = [entry.name.rpartition(" ")[2] if depth else entry.name for entry, depth in shown]
    pad = max(2 * depth + len(label) for label, (_, depth) in zip(labels, shown, strict=True))
    for label, (entry, depth) in zip(labels, shown, strict=True):
        doc = entry.doc or ("" if entry.qualname.endswith(".Command") else entry.qualname)
        page.item(fitted(doc, entry.place, pad + 4, 2), entry.place, label=label, pad=pad - 2 * depth, depth=depth)
    _say_rest(page, way, _MOST)


def _title(noun: str, way: Way) -> str:
    number = f"{len(way.found):,}" if way.complete else f"the first {len(way.found):,} that were listed"
    beside = " in tests, examples and documentation" if is_aside(way.found[0].place.path) else ""
    return f"{noun} ({number}{beside})"


def _say_rest(page: Page, way: Way, most: int) -> None:
    left = len(way.found) - most
    told = [f"{left:,} more"] if left > 0 else []
    if way.aside:
        told.append(f"{way.aside:,} more in tests, examples and documentation")
    if told:
        page.item("… " + "; ".join(told), *([way.found[most].place] if left > 0 else []))


def _instead(page: Page, facet: str, results: Iterable[ToolResult]) -> Plan:
    """Say that there are none, and what there is."""
    if not all(result.success for result in results):
        page.plain(f"The {facet} could not be listed.")
        return page
    page.absent(f"No {facet} were found in the code and its manifests.")
    if facet != "entry points":
        [everything] = yield [calls.entry_points()]
        others = ways_of(everything)
        if others:
            page.head("Other ways in")
        for way in others:
            page.item(f"{way.number}: {named(way, _FEW)}", way.found[0].place)
    return page


def _say_notes(page: Page, *results: ToolResult) -> None:
    notes = [note for result in results for note in said(result).split("; ") if note and " of kind " not in note]
    for note in dict.fromkeys(notes):
        page.note(note)
