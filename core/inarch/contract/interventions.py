"""Intervening, the ports: who rewrites a call before it is judged, adds to its result, or holds back a turn's end."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any, Literal, Protocol

from inarch.contract.capabilities import Patient, able
from inarch.contract.frozen import frozen
from inarch.contract.ports import Situation, Tool, ToolContext
from inarch.contract.records import ToolCall

LONGEST_S = 60.0
"""Seconds that each of these has for an answer, where it has no `timeout_s` of its own."""
MOST_S = 600.0
"""Seconds that a `timeout_s` may be at most."""
MOST_TEXT = 16_000
"""Characters of a text that the model is shown; of a longer one, head and tail."""


@frozen
class Rewrite:
    """New arguments of a call, and a decision about it.

    Args:
        arguments: Its arguments from now on; None leaves them as they are.
        decision: `deny` and `ask` tighten what happens anyway, `stop` denies the call and ends the turn. `allow`
            answers the question of the approve mode or of the tool itself, where the user's own file names the plugin
            in `may_allow`; else it says nothing.
        reason: Why, for the person and, where the call is denied, for the model.
        person: Whether only a person can answer what it asks: no approve mode, grant or earlier approval does.
    """

    arguments: Mapping[str, Any] | None = None
    decision: Literal["", "allow", "ask", "deny", "stop"] = ""
    reason: str = ""
    person: bool = False


@frozen
class Review:
    """Reviewer's text about a call, with the option to end the turn.

    Args:
        text: What the model is to read with the result.
        stop: Whether the turn ends when the calls that are running have ended; its answer is then the text.
    """

    text: str = ""
    stop: bool = False


class Rewriter(Protocol):
    """Port: looks at each call before it is judged, and may change it.

    One that raises, returns something else, or is not done in time is skipped, and that is told. An `async` one runs on
    the loop, any other in a thread.
    """

    @property
    def name(self) -> str:
        """Name for messages."""

    def rewrite(self, call: ToolCall, tool: Tool, context: ToolContext) -> Rewrite | Awaitable[Rewrite | None] | None:
        """Return what becomes of a valid call, or None; through `context` it may look, and change nothing."""


Reviewed = str | Review | None


class Reviewer(Protocol):
    """Port: looks at each finished call and may add text to its result. It fails as a rewriter does."""

    @property
    def name(self) -> str:
        """Name for messages."""

    def review(self, call: ToolCall, tool: Tool, context: ToolContext) -> Reviewed | Awaitable[Reviewed]:
        """Return what the model is to read with the result, a `Review`, or None.

        Calls that wait for this one wait for its reviewers, too. Through `context` a reviewer may change the files that
        the call declared to write, and run programs: what they change is the call's, and is undone with it.
        """


@frozen
class Ending:
    """Turn that is about to end, as an end guard sees it.

    Args:
        situation: The turn, its messages, the workspace, and `record`.
        answer: What the model said last.
        calls: The turn's calls, oldest first.
        held: How often the end of this turn was held back already.
    """

    situation: Situation
    answer: str
    calls: tuple[ToolCall, ...] = ()
    held: int = 0


class EndGuard(Protocol):
    """Port: can hold back the end of a turn. `max_holds` bounds how often."""

    @property
    def name(self) -> str:
        """Name for messages."""

    async def hold(self, ending: Ending) -> str | None:
        """Return why the turn must go on, for the model, or None to let it end."""


def patience_of(part: object) -> float:
    """Return the seconds that one of these has for an answer: its own `timeout_s`, or a number, within bounds."""
    patient = able(part, Patient)
    given = patient.timeout_s if patient is not None else part if isinstance(part, (int, float)) else LONGEST_S
    is_number = isinstance(given, (int, float)) and not isinstance(given, bool) and given > 0
    return min(float(given), MOST_S) if is_number else LONGEST_S
