"""Events apart from prompts, calls and replies: messages, commands, children and interventions of plugins.

`event_kinds` lists them with all others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from attrs import Factory

from inarch.contract.event_parts import Spent
from inarch.contract.frozen import frozen


@frozen
class InputWaiting:
    """Event: a message apart from prompts, from the user or the plugin `by`, waits for the next request."""

    kind: ClassVar[str] = "input.waiting"
    id: str
    text: str
    by: str = ""


@frozen
class InputEnded:
    """Event: messages no longer wait.

    `outcome` is `added` (the model sees them from here), `prompt` (the next prompt begins with them) or `taken_back`.
    """

    kind: ClassVar[str] = "input.ended"
    id: str
    outcome: str
    text: str
    by: str = ""


@frozen
class ChildStarted:
    """Event: a call starts a turn of a child session, which has its own record."""

    kind: ClassVar[str] = "child.started"
    call_id: str
    session_id: str
    name: str


@frozen
class ChildEnded:
    """Event: the turn of a child is over, with its end and its usage, which counts for this session too."""

    kind: ClassVar[str] = "child.ended"
    call_id: str
    session_id: str
    name: str
    status: str
    spent: tuple[Spent, ...] = ()


@frozen
class CallRewritten:
    """Event: a plugin gave a call that was not yet judged `arguments`, if not None; `decision` is empty for none.

    `person` is whether only the user can answer its question.
    """

    kind: ClassVar[str] = "call.rewritten"
    call_id: str
    name: str
    plugin: str
    rewriter: str
    arguments: Mapping[str, Any] | None = None
    decision: str = ""
    reason: str = ""
    person: bool = False


@frozen
class CallReviewed:
    """Event: a plugin added text to the result of a call that has ended; `stop` if it wants the turn to end.

    `data` takes the place of the result's data, None if it is unchanged.
    """

    kind: ClassVar[str] = "call.reviewed"
    call_id: str
    name: str
    plugin: str
    reviewer: str
    text: str
    stop: bool = False
    data: Any = None


@frozen
class TurnHeld:
    """Event: a plugin held back the end of a turn; the model receives the reason and continues."""

    kind: ClassVar[str] = "turn.held"
    plugin: str
    guard: str
    reason: str


@frozen
class ContextDropped:
    """Event: part of the context is left out from now on; the whole is in earlier events.

    `reason` is `window` (it would not fit), `refused` (by the service), `early` (it soon would not fit), `turns`
    (`context_turns`) or `asked`. The fields say what is left out:

    - `tokens`: how many, roughly
    - `shortened`: ids of turns of which prompt and answer stay
    - `turns`: ids of dropped turns
    - `results`: call ids with their references for `read_output`
    - `steps`: number of replies dropped with their calls
    - `structure`: whether the project's structure is dropped
    - `added`: number of texts added to the prompt that are cut
    - `summaries`: ids of turns with the texts that replace them
    - `running`: reference of the running turn's messages from now on, empty if they are unchanged
    """

    kind: ClassVar[str] = "context.dropped"
    reason: str
    tokens: int
    shortened: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    results: Mapping[str, str] = Factory(dict)
    steps: int = 0
    structure: bool = False
    added: int = 0
    summaries: Mapping[str, str] = Factory(dict)
    running: str = ""

    def __bool__(self) -> bool:
        """Return whether anything is left out."""
        earlier = self.shortened or self.turns or self.summaries
        return bool(earlier or self.results or self.steps or self.structure or self.added)


@frozen
class ModelSwitched:
    """Event: another model takes over."""

    kind: ClassVar[str] = "model.switched"
    old: str
    new: str
    reason: str


@frozen
class CommandRan:
    """Event: a slash command or a `!` command of the user ran."""

    kind: ClassVar[str] = "command.ran"
    name: str
    arguments: str = ""
    result: str = ""
