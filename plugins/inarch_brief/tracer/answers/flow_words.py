"""The wording of names, places and counts in flows, and current lines of source."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

from attrs import Factory, define

from inarch import escape
from inarch_brief.tracer.graph.model import CALL, Entry, Node, Step

MARK = "← YOUR TARGET"


def plain(text: str) -> str:
    """Put a text on one line, and escape every character that could mislead."""
    return text if text.isascii() and text.isprintable() else escape(text, keep_newlines=False)


def cut(text: str, most: int) -> str:
    """Shorten a text that is too long."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def named(node: Node) -> str:
    """Return a function's spoken name: `TableCommand.execute()`."""
    if node.kind in ("function", "method"):
        return f"{plain(node.name)}()"
    if node.kind == "module":
        return f"{plain(node.qualname)} (module)"
    return plain(node.name)


def signature(text: str, most: int = 110) -> str:
    """Return a signature without `self`, shortened if it is long."""
    text = plain(text)
    for own in ("self", "cls"):
        text = text.replace(f"({own}, ", "(", 1).replace(f"({own})", "()", 1)
    return cut(text, most)


def at(path: str, line: int) -> str:
    """Return a place: `acme/cli.py:14`."""
    return f"{plain(path)}:{line}"


def entered(entry: Entry) -> str:
    """Return the kind of an entry point: `command "acme check", @main.command`."""
    if entry.kind == "orphan":
        return "no known caller"
    name = f' "{plain(entry.name)}"' if entry.name not in ("", entry.node.name, entry.node.qualname) else ""
    how = f", {plain(entry.how)}" if entry.how and entry.how not in (entry.kind, "public") else ""
    return {"api": "public"}.get(entry.kind, entry.kind) + name + how


def tag(step: Step) -> str:
    """Return the kind of a step's call, or "" for a plain call."""
    return f" [{step.kind}]" if step.kind not in ("", CALL) else ""


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun: `1 entry`, `1,200 entries`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def joined(*notes: str | None) -> str:
    """Join all notes, or return "" without any."""
    return "; ".join(filter(None, notes))


MAX_TEXT = 90
"""Characters of a call that are shown."""
_LARGEST = 400_000
"""The largest file, in bytes, that is read for its lines. Larger ones are generated."""
_MOST_LINES = 12
"""The most lines of a call."""


@define(eq=False, repr=False)
class Sources:
    """Reader of source lines."""

    read: Callable[[str], bytes | None]
    _lines: dict[str, list[str]] = Factory(dict)

    def lines(self, path: str) -> list[str]:
        """Return the lines of a file, or none if it is not readable."""
        if path not in self._lines:
            data = self.read(path) or b""
            self._lines[path] = [] if len(data) > _LARGEST else data.decode("utf-8", "replace").splitlines()
        return self._lines[path]

    def call(self, step: Step) -> str:
        """Return the call that leads to a step on one line: from its first line until its brackets are closed."""
        found = ""
        for line in self.lines(step.file)[max(step.line - 1, 0) : step.line - 1 + _MOST_LINES] if step.line else ():
            text = line.strip()
            tight = not found or found[-1] in "([{" or text[:1] in ")]}"
            found = f"{found}{'' if tight else ' '}{text}"
            if len(found) > MAX_TEXT or sum(map(found.count, "([{")) <= sum(map(found.count, ")]}")):
                break
        return cut(found.replace(",)", ")"), MAX_TEXT)

    def column(self, step: Step) -> int:
        """Return the column of a step's call in its line, since the graph stores only lines."""
        lines = self.lines(step.file)
        name = step.node.qualname.rpartition(".")[2]
        return lines[step.line - 1].find(name) if 0 < step.line <= len(lines) else -1

    def code(self, node: Node, most: int) -> str:
        """Return the source of a function, at most some lines of it."""
        lines = self.lines(node.file)[node.line - 1 : node.end]
        more = [f"… {len(lines) - most} more lines"] if len(lines) > most else []
        return textwrap.dedent("\n".join([*lines[:most], *more]))
