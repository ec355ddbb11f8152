"""Port of compactions, which shorten a conversation that is too long for its model."""

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
        """Return only the prompt, later user messages and the answer of a whole turn, without calls and results."""
        if self.form != "whole":
            return self
        prompt = next((m for m in self.messages if m.role == "user"), None)
        answer = next((m for m in reversed(self.messages) if m.role == "assistant" and m.text), None)
        kept = []
        if prompt is not None:
            own = [part for part in prompt.parts if isinstance(part, Text)][:1]  # sources add theirs behind the prompt
            later = (m for m in self.messages if m.role == "user" and m is not prompt)
            own += [part for m in later for part in m.parts if isinstance(part, Text)]  # sent while the turn ran
            kept.append(Message("user", tuple(own)))
        if answer is not None:
            kept.append(Message("assistant", (Text(answer.text),)))
        return EarlierTurn(self.turn_id, tuple(kept), "short")

    def summary(self, text: str) -> EarlierTurn:
        """Return a text in place of the turn, and of those before it that are dropped with it."""
        return EarlierTurn(self.turn_id, (Message("user", (Text(text),)),), "summary")

    def dropped(self) -> EarlierTurn:
        """Return the turn as dropped, with no content."""
        return self if self.form == "dropped" else EarlierTurn(self.turn_id, (), "dropped")


@frozen
class Crowded:
    """Conversation that is, or soon will be, too long for the next model.

    Args:
        earlier: Finished turns of which the model still sees something, oldest first.
        running: The messages of the present turn; the first one is the prompt.
        room: Token limit for all these messages together.
        reason: `window` if the model's window is known and too small, `refused` if its service called a request
            too long, `early` if it would fit and the compaction's `at` is reached.
        model: The model to ask, by its full name.
        size: Counts the tokens of a message, as for `room`.
        keep: Stores a result where the model can read it and returns the reference; "" if it cannot be stored.
        ask: Sends a request at the turn's expense, for example with a `purpose` of `summary`.
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
        """Tokens of all messages."""
        return sum(self.size(message) for said in self.earlier for message in said.messages) + sum(
            map(self.size, self.running)
        )


@frozen
class Compacted:
    """The same conversation with less content, and what was left out of the running turn.

    Args:
        earlier: The same turns in the same order, in any form.
        running: The remaining messages of the present turn: its prompt, and calls together with their results.
        results: Ids of calls whose results are cut or replaced, each with the return value of `keep`.
        steps: Number of replies removed with their calls.
        structure: Whether the project's structure was removed.
        added: Number of texts added to the prompt that are cut.
    """

    earlier: tuple[EarlierTurn, ...]
    running: tuple[Message, ...]
    results: Mapping[str, str] = Factory(dict)
    steps: int = 0
    structure: bool = False
    added: int = 0

    def after(self, former: Compacted) -> Compacted:
        """Return the combination of `former`, which was not enough, and this."""
        return evolve(
            self,
            results={**former.results, **self.results},
            steps=former.steps + self.steps,
            structure=former.structure or self.structure,
            added=max(former.added, self.added),
        )


class Compaction(Protocol):
    """Port of an object that shortens a conversation whose next request does not fit the model.

    If it has an attribute `at`, a share of the model's window, it is called as soon as a request takes more than that.
    If its attribute `watches` is true, it is called whenever another compaction is, and before it.
    """

    @property
    def name(self) -> str:
        """Name for messages."""

    async def compact(self, crowded: Crowded) -> Compacted | None:
        """Return what the model sees from now on, or None to leave it to the next compaction."""
