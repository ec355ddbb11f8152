"""What is typed while a turn runs: it goes in before the next request, or is taken back, or put after the turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from attrs import define, field

from inarch import InarchError
from inarch.commands import say
from inarch_terminal.conversation.work import Line

if TYPE_CHECKING:
    from inarch import Session

ON = Line("", "")
"""Makes a prompt of what was said and still waits."""


@define(eq=False, repr=False)
class Steering:
    """The words that wait in a session, with the lines in which they were typed.

    Args:
        session: Returns the session that is talked to, if it is there already.
        changed: Told when something waits, or does no more.
    """

    session: Callable[[], Session | None]
    changed: Callable[[], object]
    in_turn: bool = field(init=False, default=False)
    _lines: dict[str, Line] = field(init=False, factory=dict)

    @property
    def waiting(self) -> Sequence[tuple[str, Line]]:
        """What the person said, by its id, oldest first."""
        session = self.session()
        waiting = session.waiting if session is not None else ()
        return [(one.id, self._lines.get(one.id) or Line(one.text, one.text)) for one in waiting if not one.by]

    @property
    def has_more(self) -> bool:
        """Whether anything waits, what plugins said included."""
        session = self.session()
        return session is not None and bool(session.waiting)

    def add(self, line: Line) -> bool:
        """Have a line go in before the next request; whether that could be, or why not was told."""
        session = self.session()
        if session is None or not self.in_turn:
            return False
        try:
            self._lines[session.say(line.whole).id] = line
        except InarchError as error:
            say("error", str(error))
        self.changed()
        return True

    def take_back(self) -> Line | None:
        """Take out the line that came last, and return it; None where none waits."""
        return next((line for said, line in reversed(self.waiting) if self._taken(said)), None)

    def after(self) -> Sequence[Line]:
        """Take out every line, to be a prompt of its own when the turn has ended."""
        return [line for said, line in self.waiting if self._taken(said)]

    def words(self) -> str:
        """Return all that waits, as it will be asked."""
        session = self.session()
        waiting = session.waiting if session is not None else ()
        return "\n\n".join(self._lines[one.id].shown if one.id in self._lines else one.wording for one in waiting)

    def _taken(self, input_id: str) -> bool:
        session = self.session()
        try:
            found = session.unsay(input_id) if session is not None else None
        except InarchError as error:
            say("error", str(error))
            return False
        self._lines.pop(input_id, None)
        self.changed()
        return found is not None
