"""Compaction, the port: what becomes of a conversation that is too long for its model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Literal, Protocol

from attrs import Factory, evolve

from inarch.contract.frozen import frozen
from inarch.contract.records import Message, ModelRequest, Reply, Text, ToolResult

Form = Literal["whole", "short", "summary", "dropped"]
Crowding = Literal["window", "refused", "early"]


@frozen
class EarlierTurn:
    """Finished turn as the model sees it: `whole`, `short` (prompt and answer), a `summary`, or `dropped`."""

    turn_id: str
    messages: tuple[Message, ...]
    form: Form = "whole"

    def short(self) -> EarlierTurn:
        """Return the person's words and the final answer of a whole turn; its calls go with their results."""
        if self.form != "whole":
            return self
        prompt = next((m for m in self.messages if m.role == "user"), None)
        answer = next((m for m in reversed(self.messages) if m.role == "assistant" and m.text), None)
        kept = []
        if prompt is not None:
            own = [part for part in prompt.parts if isinstance(part, Text)][:1]
            later = (m for m in self.messages if m.role == "user" and m is not prompt)
            own += [part for m in later for part in m.parts if isinstance(part, Text)]  # said while the turn ran
            kept.append(Message("user", tuple(own)))
        if answer is not None:
            kept.append(Message("assistant", (Text(answer.text),)))
        return EarlierTurn(self.turn_id, tuple(kept), "short")

    def summary(self, text: str) -> EarlierTurn:
        """Return a text in the place of the turn, and of those before it that are dropped with it."""
        return EarlierTurn(self.turn_id, (Message("user", (Text(text),)),), "summary")

    def dropped(self) -> EarlierTurn:
        """Return the turn without anything to see."""
        return self if self.form == "dropped" else EarlierTurn(self.turn_id, (), "dropped")


@frozen
class Crowded:
    """Conversation that is, or soon will be, too long for the model.

    Args:
        earlier: The turns that are over and that the model still sees something of, oldest first.
        running: The messages of the present turn; the first one is the prompt.
        room: Tokens that all these messages may have together.
        reason: `window` where the model's window is known and too small, `refused` where its service called a request
            too long, `early` where it would fit and the compaction's `at` is reached.
        model: Who is asked, by its full name.
        size: Counts the tokens of a message, as `room` has them.
        keep: Keeps a result where the model can read it back and returns the reference; empty where it can't be kept.
        ask: Sends a request at the turn's expense, with a `purpose` of `summary` for instance.
    """

    earlier: tuple[EarlierTurn, ...]
    running: tuple[Message, ...]
    room: float
    reason: Crowding
    model: str
    size: Callable[[Message], float]
    keep: Callable[[ToolResult], str]
    ask: Callable[[ModelRequest], Awaitable[Reply]]

    @property
    def tokens(self) -> float:
        """What the messages come to."""
        return sum(self.size(message) for said in self.earlier for message in said.messages) + sum(
            map(self.size, self.running)
        )


@frozen
class Compacted:
    """Shortened conversation, with what was left out of the running turn.

    Args:
        earlier: The same turns in the same order, in whichever form.
        running: What stays of the present turn: its prompt, and calls only together with their results.
        results: Ids of calls whose results are cut or replaced, each with what `keep` returned.
        steps: How many replies are gone with their calls.
        structure: Whether the project's structure is gone.
        added: How many texts that were added to the prompt are cut.
    """

    earlier: tuple[EarlierTurn, ...]
    running: tuple[Message, ...]
    results: Mapping[str, str] = Factory(dict)
    steps: int = 0
    structure: bool = False
    added: int = 0

    def after(self, former: Compacted) -> Compacted:
        """Return this as what came of both, where `former` was not enough."""
        return evolve(
            self,
            results={**former.results, **self.results},
            steps=former.steps + self.steps,
            structure=former.structure or self.structure,
            added=max(former.added, self.added),
        )


class Compaction(Protocol):
    """Port: shortens a conversation that no longer fits the model.

    One with an attribute `at`, a share of the model's window, is called as soon as a request takes more than that. One
    whose attribute `watches` is true is called before the others, whenever one of them is.
    """

    @property
    def name(self) -> str:
        """Name for messages."""

    async def compact(self, crowded: Crowded) -> Compacted | None:
        """Return what the model sees from now on, or None to leave it to the next one."""
