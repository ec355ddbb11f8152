"""Parts of a session as HTML for live pages: the same parts as in the exported page.

All content of a session is escaped here. The results are safe to insert into a page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import define

from inarch.transcripts import Call, Exchange, Step
from inarch_plugins.export.html import diffs, prose, steps, turn
from inarch_plugins.export.html.tags import Html, join
from inarch_plugins.export.remarks import says_nothing


@define
class Fragments:
    """Maker of the parts; each is finished HTML.

    Args:
        titled: Returns what a call does in people's words, by its tool's name and its arguments.
    """

    titled: Callable[[str, Mapping[str, Any]], str] | None = None

    def exchange(self, exchange: Exchange, *, folded: bool = False, apart: bool = False, running: bool = False) -> Html:
        """Return a turn as a section: prompt, work, answer.

        Args:
            exchange: The turn.
            folded: Whether its work is collapsed, and stays text in a `noscript` element until a page opens it.
            apart: Whether the list of its steps stays empty, for steps that are sent one by one.
            running: Whether the turn is still running.
        """
        shown = [step for step in exchange.steps if self.shows(step)]
        later = [step for step in exchange.later if self.shows(step)]
        exchange.steps, exchange.later = shown, later
        self._name([*shown, *later])
        return turn.turn(exchange, folded=folded, apart=apart, running=running)

    def shows(self, step: Step) -> bool:
        """Return whether a step is shown, unless it is mere bookkeeping."""
        return not says_nothing(step)

    def step(self, step: Step, answer: str = "", *, running: bool = False) -> Html:
        """Return a request, a call or a remark as a list item; empty for mere bookkeeping."""
        if says_nothing(step):
            return Html()
        self._name([step])
        return steps.step_items([step], answer, running=running)

    def _name(self, found: Iterable[Step]) -> None:
        for call in found:
            if self.titled is not None and isinstance(call, Call):
                call.title = self.titled(call.name, call.arguments)

    def prose(self, markdown: str) -> Html:
        """Return Markdown, without its raw HTML and without anything that a browser would load."""
        return prose.prose(markdown)

    def diff(self, old: str, new: str, path: str = "") -> Html:
        """Return the change of a whole file, in the colours of its language."""
        return diffs.file_diff(old, new, path)

    def preview(self, arguments: Mapping[str, Any]) -> Html:
        """Return the arguments of a call: short values as a list, texts of files as a diff."""
        names = diffs.shown_as_diff(arguments)
        return join([prose.members(arguments, names), diffs.diff(arguments, names) if names else Html()])
