"""A kept session for whoever reads it: its exchanges one after another, each made of steps in the order they happened.

Public as a whole: what writes a session down, shows or counts it reads these records instead of the events.
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
"""A damaged record may claim more than a float holds."""


@frozen
class Span:
    """A stretch of time, in seconds since the epoch."""

    begin: float
    end: float

    @property
    def seconds(self) -> float:
        """How long it is."""
        return max(self.end - self.begin, 0.0)


@frozen
class Change:
    """A file that something changed: `created`, `changed`, `deleted` or `moved`."""

    path: str
    verb: str
    new_path: str = ""

    def __str__(self) -> str:
        return f"{self.path} → {self.new_path}" if self.new_path else self.path


@frozen
class Answered:
    """An answer to a question of approval: what it was, how far it reaches, who gave it and why."""

    outcome: str
    scope: str = ""
    by: str = ""
    reason: str = ""


@define(eq=False)
class Request:
    """A request to a model with as much of a reply as came; `usage` is None where none did.

    `answered_by` is the model that the service says has answered, and `company` who runs it; empty if it doesn't say.
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
        """When it was under way; what nobody saw end took no time that is known."""
        return Span(self.asked, self.asked if self.replied is None else self.replied)


@define(eq=False)
class Call:
    """A call of a tool from its first state to its result; `status` is the last that is known.

    `rewritten` are the data of its `call.rewritten` events, `added` those of its `call.reviewed` events. If it failed,
    `recovered_by` is the id of the later call of its turn that did what it could not; empty if none did.
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

    @property
    def span(self) -> Span | None:
        """When it ran; None where it never did."""
        if self.started is None:
            return None
        return Span(self.started, self.started if self.ended is None else self.ended)

    @property
    def asking(self) -> Span | None:
        """How long it waited for a person; None where nobody was asked."""
        if self.waiting is None:
            return None
        return Span(self.waiting, self.waiting if self.answered is None else self.answered)


@frozen
class Remark:
    """Anything else that happened: the kind and the data of its event, as they were recorded."""

    kind: str
    at: float
    data: Data = field(factory=dict)
    changes: list[Change] = field(factory=list)

    @property
    def span(self) -> Span | None:
        """What was waited for a service; None for what takes no time."""
        seconds = self.data.get("seconds")
        if self.kind != "limit.wait":
            return None
        return Span(self.at, self.at + (min(seconds, _LONGEST_S) if isinstance(seconds, (int, float)) else 0.0))


Step = Request | Call | Remark


@define(eq=False)
class Exchange:
    """An agent's turn with the prompt it answers. `number` counts agent turns from 1; 0 is what came before them.

    `later` is what happened after its end and before the next prompt, `pictures` how many came with the prompt, and
    `size` how many characters its events have as they are kept. `mode` is how the prompt was given (`text`, `voice` or
    `selection`); `answered_by` and `company` are those of its last reply.
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
        """Its calls, those after its end too."""
        return [step for step in (*self.steps, *self.later) if isinstance(step, Call)]

    @property
    def changes(self) -> list[Change]:
        """What it changed, each path and verb once."""
        found = [
            change for step in (*self.steps, *self.later) if not isinstance(step, Request) for change in step.changes
        ]
        return list(dict.fromkeys(found))

    @property
    def span(self) -> Span | None:
        """From its beginning to the end of its last step; None where neither is known."""
        times = [time for time in (self.begun, self.ended) if time is not None]
        for step in self.steps:
            span = step.span
            times += [span.begin, span.end] if span is not None else []
        return Span(min(times), max(times)) if times else None


class Transcript(Protocol):
    """Stored session, up to its last event when it was opened, with secrets as placeholders.

    Each method reads the session anew and holds one exchange at a time, so that memory doesn't grow with the session.
    """

    @property
    def info(self) -> SessionInfo:
        """Its id, directory, times and title."""

    @property
    def begun(self) -> Data:
        """What was recorded as it began: `profile`, `version`, `plugins`, `forked_from`, `forked_at`."""

    def exchanges(self) -> Iterator[Exchange]:
        """Yield each agent's turn with its prompt; first what came before them, if anything did."""

    def events(self, kinds: Collection[str] = (), after: int = 0) -> Iterator[Event]:
        """Yield the events themselves, all or those of some kinds, such as `turn.ended`; those behind a number."""

    def spent(self) -> tuple[Spent, ...]:
        """Return what its requests came to, by purpose, plugin and model."""


@runtime_checkable
class Exporter(Protocol):
    """Port: writes a session in one format, for `inarch sessions export`."""

    @property
    def name(self) -> str:
        """What `--format` calls it."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The ends of file names that mean it, such as `(".csv",)`; the first is that of a file nobody named."""

    def export(self, session: Transcript, out: TextIO) -> None:
        """Write the session. `out` is UTF-8 without any change of line ends; `out.buffer` takes bytes."""
