"""The events of what happens beside prompts, calls and replies: words, commands, children, and what plugins do.

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
    """Words were said beside prompts, by the person or by the plugin `by`: they go in before the next request."""

    kind: ClassVar[str] = "input.waiting"
    id: str
    text: str
    by: str = ""


@frozen
class InputEnded:
    """Words wait no more. `outcome` is `added` (the model sees them from here), `prompt` (the next prompt begins with
    them) or `taken_back`.
    """

    kind: ClassVar[str] = "input.ended"
    id: str
    outcome: str
    text: str
    by: str = ""


@frozen
class ChildStarted:
    """A call has a turn run by a child session, which has a record of its own."""

    kind: ClassVar[str] = "child.started"
    call_id: str
    session_id: str
    name: str


@frozen
class ChildEnded:
    """The turn of a child is over: how, and what it took, which is part of what this session took."""

    kind: ClassVar[str] = "child.ended"
    call_id: str
    session_id: str
    name: str
    status: str
    spent: tuple[Spent, ...] = ()


@frozen
class CallRewritten:
    """A plugin gave a call that was not judged yet `arguments`, if not None; `decision` is empty where it has none.

    `person` is whether only a person can answer what it asks.
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
    """A plugin added text to the result of a call that has ended; `stop` where it wants the turn to end."""

    kind: ClassVar[str] = "call.reviewed"
    call_id: str
    name: str
    plugin: str
    reviewer: str
    text: str
    stop: bool = False


@frozen
class TurnHeld:
    """A plugin held back the end of a turn: the model is told the reason and goes on."""

    kind: ClassVar[str] = "turn.held"
    plugin: str
    guard: str
    reason: str


@frozen
class ContextDropped:
    """Something is left out of what the model sees from now on; the whole stands in earlier events.

    `reason` is `window` (it would not fit), `refused` (the service said so), `early` (it soon would not fit), `turns`
    (`context_turns`) or `asked`.
    `tokens` is how many that are, about; `shortened` are ids of turns of which prompt and answer stay, `turns` of those
    that are gone; `results` has call ids with what `read_output` takes, `steps` counts replies that are gone with their
    calls, `structure` says that the project's structure is, `added` counts texts added to the prompt that are cut;
    `summaries` has ids of turns with the text that stands in their place. `running` is the reference of what the
    messages of the running turn are from now on, empty if they are what they were.
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
        """Whether anything is left out at all."""
        earlier = self.shortened or self.turns or self.summaries
        return bool(earlier or self.results or self.steps or self.structure or self.added)


@frozen
class ModelSwitched:
    """Another model takes over."""

    kind: ClassVar[str] = "model.switched"
    old: str
    new: str
    reason: str


@frozen
class CommandRan:
    """A slash command or a `!` command of the user ran."""

    kind: ClassVar[str] = "command.ran"
    name: str
    arguments: str = ""
    result: str = ""
