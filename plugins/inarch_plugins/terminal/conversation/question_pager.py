"""Pager of a question that is longer than the screen, with the keys of `less`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import define, field

from inarch_plugins.terminal.front_ends.questions import BESIDE, Line
from inarch_plugins.terminal.rendering.code import inked
from inarch_plugins.terminal.rendering.colors import Ink

_LINES = {"j": 1, "down": 1, "k": -1, "up": -1}
_PAGES = {" ": 1, "pagedown": 1, "b": -1, "pageup": -1}
_ENDS = {"g": False, "home": False, "G": True, "end": True}
SCROLLING = tuple(key for key in (*_LINES, *_PAGES, *_ENDS) if len(key) > 1)
"""Keys that are not characters, by their names in prompt_toolkit."""
UNSEEN = "Part of it was not shown yet: space shows the next page, v prints all of it."


@define(eq=False, repr=False)
class Pager:
    """Part of a question that is on the screen."""

    lines: Sequence[str]
    rows: Callable[[], int]
    top: int = 0
    seen: set[int] = field(init=False, factory=set)  # places of lines that were on the screen

    @property
    def below(self) -> int:
        """Return the number of lines that were not on the screen yet."""
        self.shown()
        return len(self.lines) - len(self.seen)

    @property
    def _room(self) -> int:
        return max(self.rows() - BESIDE, 3)

    def shown(self) -> Sequence[str]:
        """Return the lines on the screen."""
        last = min(self.top + self._room, len(self.lines))
        self.seen.update(range(self.top, last))
        return self.lines[self.top : last]

    def go_on(self) -> None:
        """Show the first page that was not on the screen yet."""
        self.top = min(set(range(len(self.lines))) - self.seen, default=0)
        self.scroll("")

    def scroll(self, key: str) -> bool:
        """Scroll by a key; return False if it is not such a key."""
        if key in _ENDS:
            self.top = len(self.lines) if _ENDS[key] else 0
        else:
            self.top += _LINES.get(key, 0) + _PAGES.get(key, 0) * (self._room - 1)
        self.top = max(0, min(self.top, len(self.lines) - self._room))
        return key in _ENDS or key in _LINES or key in _PAGES


def ink_line(line: Line, ink: Ink) -> str:
    """Return a line of a question with its styles."""
    if line.style == "title":
        lead = line.text[: line.part or None]
        return ink.paint(lead, "bold") + (ink.paint(line.text[line.part :], "dim") if line.part else "")
    if line.language:
        lead, code = line.text[: line.part], line.text[line.part :]
        return ink.paint(lead, line.style) + inked(code, line.language, ink)
    return ink.paint(line.text, line.style)
