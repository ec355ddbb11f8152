"""Lines of source as they are now: calls as they are written, and functions."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

from attrs import Factory, define

from inarch_brief_tracer.answers.wording import cut
from inarch_brief_tracer.graph.model import Node, Step

MAX_TEXT = 90
"""Characters of a call that are shown."""
_LARGEST = 400_000
"""Bytes of a file that is read for its lines. Larger ones are generated."""
_MOST_LINES = 12
"""Lines that a call may take."""


@define(eq=False, repr=False)
class Sources:
    """Reads lines of files.

    Args:
        read: Gives the bytes of a file, None if that is not possible.
    """

    read: Callable[[str], bytes | None]
    _lines: dict[str, list[str]] = Factory(dict)

    def lines(self, path: str) -> list[str]:
        """Give the lines of a file, none if it can't be read."""
        if path not in self._lines:
            data = self.read(path) or b""
            self._lines[path] = [] if len(data) > _LARGEST else data.decode("utf-8", "replace").splitlines()
        return self._lines[path]

    def call(self, step: Step) -> str:
        """Give the call that leads to a step on one line: from its first line on, until its brackets are closed."""
        found = ""
        for line in self.lines(step.file)[max(step.line - 1, 0) : step.line - 1 + _MOST_LINES] if step.line else ():
            text = line.strip()
            tight = not found or found[-1] in "([{" or text[:1] in ")]}"
            found = f"{found}{'' if tight else ' '}{text}"
            if len(found) > MAX_TEXT or sum(map(found.count, "([{")) <= sum(map(found.count, ")]}")):
                break
        return cut(found.replace(",)", ")"), MAX_TEXT)

    def column(self, step: Step) -> int:
        """Say at which column of its line a step is called: the graph knows lines only."""
        lines = self.lines(step.file)
        name = step.node.qualname.rpartition(".")[2]
        return lines[step.line - 1].find(name) if 0 < step.line <= len(lines) else -1

    def code(self, node: Node, most: int) -> str:
        """Give the source of a function, at most some lines of it."""
        lines = self.lines(node.file)[node.line - 1 : node.end]
        more = [f"… {len(lines) - most} more lines"] if len(lines) > most else []
        return textwrap.dedent("\n".join([*lines[:most], *more]))
