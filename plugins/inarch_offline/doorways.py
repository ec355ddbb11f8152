"""Ways into a program: entry points put together by what they are, and how many there are of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from inarch import ToolResult
from inarch_offline.layout import is_aside
from inarch_offline.material import Entry, entries, is_partial, totals
from inarch_offline.writing import counted, joined

SCRIPTS, PLUGINS, MAINS, COMMANDS, ROUTES = (
    "console script",
    "plugin entry point",
    "runnable module",
    "command",
    "route",
)
_KINDS = {"main": MAINS, "command": COMMANDS, "route": ROUTES}


class Way(NamedTuple):
    """The entry points of one kind.

    Args:
        kind: What they are, in the singular.
        found: Those of the product; those of its examples and tests where there are no others.
        aside: How many more stand in examples and tests.
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
    """Put entry points together by kind, in the order of their kinds; test files are none."""
    groups: dict[str, list[Entry]] = {}
    cut: set[str] = set()
    for result in results:
        listed = entries(result)
        for entry in listed:
            if entry.kind != "test":
                groups.setdefault(_kind(entry), []).append(entry)
        known = totals(result)
        cut |= {kind for kind in known if sum(entry.kind == kind for entry in listed) < known[kind]}
        cut |= {entry.kind for entry in listed if is_partial(result) and not known}
    return [_way(kind, group, group[0].kind not in cut) for kind, group in groups.items()]


def named(way: Way, most: int) -> str:
    """Name entry points on one line; commands of a group are counted behind it."""
    if way.kind == COMMANDS:
        inner = nested(way.found)
        roots = [entry for entry, depth in inner if not depth]
        return _cut([f"{entry.name}{_below(entry, way.found)}" for entry in roots], most, way)
    names = [entry.name or entry.qualname for entry in way.found]
    return _cut(names if way.kind == PLUGINS else list(dict.fromkeys(names)), most, way)


def _cut(names: Sequence[str], most: int, way: Way) -> str:
    """List names; how many more there are is only said where it is known."""
    return joined(names, most) if way.complete or len(names) <= most else f"{', '.join(names[:most])}, … and more"


def nested(commands: Sequence[Entry]) -> list[tuple[Entry, int]]:
    """Order commands so that each stands below its group, with how deep it stands."""
    names = {entry.name for entry in commands}
    below: dict[str, list[Entry]] = {}
    for entry in commands:
        below.setdefault(_group(entry.name, names), []).append(entry)
    ordered: list[tuple[Entry, int]] = []
    placed: set[str] = set()

    def place(group: str, depth: int) -> None:
        for entry in below.get(group, ()):
            ordered.append((entry, depth))
            if entry.name not in placed:  # two groups of one name: all their commands stand below the first
                placed.add(entry.name)
                place(entry.name, depth + 1)

    place("", 0)
    return ordered


def _below(group: Entry, commands: Sequence[Entry]) -> str:
    count = sum(entry.name.startswith(f"{group.name} ") for entry in commands)
    return f" ({counted(count, 'subcommand')})" if count else ""


def _group(name: str, names: set[str]) -> str:
    words = name.split(" ")
    return next((group for size in range(len(words) - 1, 0, -1) if (group := " ".join(words[:size])) in names), "")


def _kind(entry: Entry) -> str:
    if entry.kind == "script":
        return SCRIPTS if "script" in entry.how else PLUGINS
    return _KINDS.get(entry.kind, entry.kind.replace("_", " "))


def _way(kind: str, group: Sequence[Entry], complete: bool) -> Way:
    own = [entry for entry in group if not _is_example(entry.place.path)]
    found = own or group
    return Way(kind, tuple(sorted(found, key=_rank)), len(group) - len(found), complete)


def _rank(entry: Entry) -> bool:
    """Put what is run as a package before other files with a main block."""
    return entry.kind == "main" and " -m " not in entry.name


def _is_example(path: str) -> bool:
    return is_aside(path) or bool(re.search(r"(^|/)(tests?|examples?|samples?)/", path))
