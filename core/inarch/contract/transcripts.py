"""Stored session for readers: its exchanges in order, each made of steps in the order they happened.

All of it is public. Code that exports, shows or counts a session reads these records instead of the events.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Protocol, TextIO, runtime_checkable

from attrs import define, field, frozen

from inarch.contract.event_parts import Spent as Spent
from inarch.contract.events import Event
from inarch.contract.records import SessionInfo

Data = Mapping[str, Any]
_LONGEST_S = 1e9
"""A damaged record may have a value beyond a float."""


@frozen
class Span:
    """Period of time, in seconds since the epoch."""

    begin: float
    end: float

    @property
    def seconds(self) -> float:
        """Its length."""
        return max(self.end - self.begin, 0.0)


@frozen
class Change:
    """Change of a file: `created`, `changed`, `deleted` or `moved`."""

    path: str
    verb: str
    new_path: str = ""

    def __str__(self) -> str:
        return f"{self.path} → {self.new_path}" if self.new_path else self.path


@frozen
class Answered:
    """Answer to an approval question: its outcome, its scope, who gave it and why."""

    outcome: str
    scope: str = ""
    by: str = ""
    reason: str = ""


@define(eq=False)
class Request:
    """Request to a model with the received part of its reply; `usage` is None if there was no reply.

    `answered_by` is the model that answered according to the service, and `company` runs it; empty if it does not say.
    """

    model: str
    asked: float
    purpose: str = "turn"
    plugin: str = ""
    attempt: int = 1
    replied: float | None = None
    text: str = ""
    reasoning: str = ""
    usage: Data | None = None
    finish: str = ""
    error: str = ""
    seconds: float = 0.0
    answered_by: str = ""
    company: str = ""

    @property
    def span(self) -> Span:
        """Time it took; a request without a recorded end took no known time."""
        return Span(self.asked, self.asked if self.replied is None else self.replied)


@define(eq=False)
class Call:
    """Call of a tool from its first state to its result; `status` is the last known one.

    `rewritten` are the data of its `call.rewritten` events, `added` those of its `call.reviewed` events. If it failed,
    `recovered_by` is the id of the later call of its turn that succeeded instead; empty for none. `title` is what it
    does in people's words; empty for a page that shows its name and arguments.
    """

    id: str
    name: str
    seen: float
    arguments: Data = field(factory=dict)
    origin: str = ""
    status: str = ""
    reasons: list[str] = field(factory=list)
    answers: list[Answered] = field(factory=list)
    waiting: float | None = None
    answered: float | None = None
    started: float | None = None
    ended: float | None = None
    result: Data | None = None
    output: str = ""
    changes: list[Change] = field(factory=list)
    rewritten: list[Data] = field(factory=list)
    added: list[Data] = field(factory=list)
    recovered_by: str = ""
    title: str = ""

    @property
    def pictures(self) -> int:
        """Number of pictures in its result."""
        metadata = (self.result or {}).get("metadata")
        images = metadata.get("images") if isinstance(metadata, dict) else None
        return len(images) if isinstance(images, list) else 0

    @property
    def span(self) -> Span | None:
        """Time it ran; None if it never did."""
        if self.started is None:
            return None
        return Span(self.started, self.started if self.ended is None else self.ended)

    @property
    def asking(self) -> Span | None:
        """Time it waited for the user; None if there was no question."""
        if self.waiting is None:
            return None
        return Span(self.waiting, self.waiting if self.answered is None else self.answered)


@frozen
class Remark:
    """Any other event: its kind and its data, as recorded."""

    kind: str
    at: float
    data: Data = field(factory=dict)
    changes: list[Change] = field(factory=list)

    @property
    def span(self) -> Span | None:
        """Time spent waiting for a service; None for an event without a wait."""
        seconds = self.data.get("seconds")
        if self.kind != "limit.wait":
            return None
        return Span(self.at, self.at + (min(seconds, _LONGEST_S) if isinstance(seconds, (int, float)) else 0.0))


Step = Request | Call | Remark


@define(eq=False)
class Exchange:
    """Agent's turn with the prompt it answers. `number` counts agent turns from 1; 0 is what came before them.

    `later` is what happened after its end and before the next prompt. `pictures` counts those of the prompt, and `size`
    counts the characters of its stored events. `mode` is how the prompt was given (`text`, `voice` or `selection`).
    `answered_by` and `company` are those of its last reply.
    """

    number: int = 0
    prompt: str | None = None
    prompted: float | None = None
    pictures: int = 0
    begun: float | None = None
    ended: float | None = None
    answer: str = ""
    model: str = ""
    status: str = "running"
    limit: str = ""
    error: str = ""
    usage: Data = field(factory=dict)
    spent: list[Data] = field(factory=list)
    steps: list[Step] = field(factory=list)
    later: list[Step] = field(factory=list)
    size: int = 0
    is_over: bool = False
    mode: str = "text"
    answered_by: str = ""
    company: str = ""

    @property
    def calls(self) -> list[Call]:
        """Its calls, including those after its end."""
        return [step for step in (*self.steps, *self.later) if isinstance(step, Call)]

    @property
    def changes(self) -> list[Change]:
        """Its changes, each path and verb once."""
        found = [
            change for step in (*self.steps, *self.later) if not isinstance(step, Request) for change in step.changes
        ]
        return list(dict.fromkeys(found))

    @property
    def span(self) -> Span | None:
        """Time from its beginning to the end of its last step; None if neither is known."""
        times = [time for time in (self.begun, self.ended) if time is not None]
        for step in self.steps:
            span = step.span
            times += [span.begin, span.end] if span is not None else []
        return Span(min(times), max(times)) if times else None


class Transcript(Protocol):
    """Stored session, up to its last event when it was opened; secrets are placeholders.

    Each method reads the session anew and holds one exchange at a time, so that memory does not grow with the session.
    """

    @property
    def info(self) -> SessionInfo:
        """Its id, directory, times and title."""

    @property
    def begun(self) -> Data:
        """Data recorded at its beginning: `profile`, `version`, `plugins`, `forked_from`, `forked_at`."""

    def exchanges(self) -> Iterator[Exchange]:
        """Yield each agent's turn with its prompt; first what came before them, if anything."""

    def events(self, kinds: Collection[str] = (), after: int = 0) -> Iterator[Event]:
        """Yield the stored events numbered above `after`, all or those of `kinds`, such as `turn.ended`."""

    def spent(self) -> tuple[Spent, ...]:
        """Return the usage of its requests, by purpose, plugin and model."""


@runtime_checkable
class Exporter(Protocol):
    """Port of an object that writes a session in one format, for `inarch sessions export`."""

    @property
    def name(self) -> str:
        """Its name for `--format`."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """File name suffixes that select it, such as `(".csv",)`; the first is used for a file without a given name."""

    def export(self, session: Transcript, out: TextIO) -> None:
        """Write the session. `out` is UTF-8 without any change of line ends; `out.buffer` takes bytes."""
