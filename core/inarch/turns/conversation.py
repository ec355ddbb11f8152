"""What turns of one session share: what was said, which files were seen, and the parts that do the work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import define, field

from inarch.calls import Scheduler
from inarch.config import Config
from inarch.contract.ports import ContextSource, DecisionStrategy, Tracer, Workspace
from inarch.contract.records import Message, Text, ToolSpec, Turn
from inarch.journal import Journal
from inarch.plugins import Bound
from inarch.turns.hiding import Hiding
from inarch.turns.limits import Repeats
from inarch.turns.models import Models

COMPACTED_FACTOR = 4
"""Of the turns before the last `context_turns`, this many times as many stay in their short form."""


@define(eq=False, repr=False)
class Conversation:
    """The state of a session between turns, and the composed parts a turn works with."""

    session_id: str
    config: Config
    models: Models
    tools: tuple[ToolSpec, ...]
    strategies: Sequence[Bound[DecisionStrategy]]
    sources: Sequence[Bound[ContextSource]]
    tracers: Sequence[Bound[Tracer]]
    scheduler: Scheduler
    journal: Journal
    workspace: Workspace
    seen: dict[str, str]
    environ: Mapping[str, str]
    instructions: str = ""
    history: list[tuple[Message, ...]] = field(factory=list)
    turns: list[Turn] = field(factory=list)
    effectful_calls: int = 0
    repeats: Repeats = field(factory=Repeats)
    hiding: Hiding = field(init=False)

    @hiding.default
    def _make_hiding(self) -> Hiding:
        return Hiding(self.journal.redactor)

    def earlier_messages(self) -> list[Message]:
        """Return the messages of earlier turns: the last `context_turns` whole, those before in short form."""
        keep = self.config.profile.context_turns
        whole = self.history[-keep:] if keep else []
        older = self.history[: len(self.history) - len(whole)]
        short = older[-keep * COMPACTED_FACTOR :] if keep else []
        messages = [message for turn in short for message in _shortened(turn)]
        return messages + [message for turn in whole for message in turn]


def _shortened(turn: Sequence[Message]) -> list[Message]:
    """Keep the prompt and the final answer of a turn; its calls go with their results."""
    prompt = next((m for m in turn if m.role == "user"), None)
    answer = next((m for m in reversed(turn) if m.role == "assistant" and m.text), None)
    short = []
    if prompt is not None:
        short.append(Message("user", tuple(part for part in prompt.parts if isinstance(part, Text))[:1]))
    if answer is not None:
        short.append(Message("assistant", (Text(answer.text),)))
    return short
