"""Events: what happened, in order. One class a kind gives the keys of `Event.data`; `EVENT_KINDS` lists them.

A class here is both the schema and the constructor: the journal turns an instance into an `Event` whose `data` is a
plain JSON mapping of its fields. `model.delta` is shown and never stored; the reply is one event.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Protocol

from attrs import Factory

from inarch.contract.codec import to_data
from inarch.contract.event import Event as Event
from inarch.contract.event_parts import Branch, Failure, KeptImage, PluginEvent, Spent
from inarch.contract.frozen import frozen
from inarch.contract.records import Message, Turn, Usage


class EventData(Protocol):
    """Any of the classes below."""

    kind: ClassVar[str]


Broken = Literal["compaction", "service", "secret", "tools", "older", "resumed"]
"""Why a request does not continue the last one."""


@frozen
class SessionStarted:
    """A session began. `root` is the workspace, `version` Inarch's, `plugins` the composed ones.

    One that was forked has in `forked_from` the session whose first `forked_at` agent turns it begins with. Where
    `forked_events` is not 0, its events from the second to that one are those of that session under the same numbers.
    A child session has in `branch` where it comes from, and what it may have.
    """

    kind: ClassVar[str] = "session.started"
    root: str
    version: str
    plugins: tuple[str, ...] = ()
    profile: str = ""
    forked_from: str = ""
    forked_at: int = 0
    forked_events: int = 0
    branch: Branch | None = None


@frozen
class TurnStarted:
    """A turn began; a user turn carries its whole prompt in `turn.content`.

    An agent's turn has in `settings` what its profile said at that moment of models, strategies, approvals and limits.
    """

    kind: ClassVar[str] = "turn.started"
    turn: Turn
    settings: Mapping[str, Any] = Factory(dict)


@frozen
class ContextAdded:
    """A context source, or Inarch itself, contributed text and pictures that the model will see.

    It belongs to the prompt, or, if it is `apart`, is a message of its own at this place of the turn.
    """

    kind: ClassVar[str] = "context.added"
    source: str
    text: str
    images: tuple[KeptImage, ...] = ()
    apart: bool = False


@frozen
class ContextFixed:
    """What each request to a service begins with from now on, until the context begins anew.

    `system` and `tools` are references to the text and to the specs of the tools as JSON. `instructions` is the digest
    of the project's instructions that the model knows, from the system text or from a message. `late` has the names of
    tools that it knows from a message: it reaches them through `call_tool`.
    """

    kind: ClassVar[str] = "context.fixed"
    service: str
    system: str
    tools: str
    instructions: str = ""
    late: tuple[str, ...] = ()


@frozen
class ContextBroken:
    """The next request does not continue the last one: its service reads all of it anew, at the full price.

    `reason` is `compaction`, `service` (another one is asked), `secret` (one has become known, and is hidden from now
    on), `tools` (they were taken in anew), `older` (the session is from a version that did not keep what was sent) or
    `resumed` (what was kept is not what was sent). `messages` is how many the request has. But for `service`, thoughts
    and whatever else only a service can read are left out of all that came before.
    """

    kind: ClassVar[str] = "context.broken"
    reason: Broken
    model: str
    messages: int


@frozen
class DecisionMade:
    """A strategy decided how the turn starts; `present` says how the results of `calls` reach the model."""

    kind: ClassVar[str] = "decision.made"
    strategy: str
    decision: str
    reason: str = ""
    confidence: float = 1.0
    cached: bool = False
    calls: tuple[str, ...] = ()
    text: str = ""
    present: str = "results"


@frozen
class ModelRequested:
    """A request is about to be sent. `messages` and `tools` are counts; the texts stand in earlier events.

    `plugin` is whose strategy or context source asks; empty for the turn itself. Then `digest` is that of the messages:
    a session that is resumed knows from it whether it still has what was sent.
    """

    kind: ClassVar[str] = "model.requested"
    model: str
    purpose: str
    messages: int
    tools: int
    tool_choice: str = "auto"
    attempt: int = 1
    plugin: str = ""
    digest: str = ""


@frozen
class ModelDelta:
    """A piece of a reply, shown while it comes and never stored."""

    kind: ClassVar[str] = "model.delta"
    text: str = ""
    reasoning: str = ""


@frozen
class ModelReplied:
    """The end of a request: a whole reply, or as much of one as came where `finish` is `error` and `error` says what.

    `input_ratio` is what the token counter learned from it, 0 where it learned nothing. `failure` is the error that
    ended it, None where it was whole or cancelled. `answered_by` is the model that the service says has answered, and
    `company` who runs it; empty where it doesn't say.
    """

    kind: ClassVar[str] = "model.replied"
    model: str
    message: Message
    usage: Usage
    finish: str
    duration_s: float = 0.0
    purpose: str = "turn"
    plugin: str = ""
    error: str = ""
    input_ratio: float = 0.0
    failure: Failure | None = None
    answered_by: str = ""
    company: str = ""


@frozen
class LimitWait:
    """The kernel waits before a request, for a rate limit or after an error."""

    kind: ClassVar[str] = "limit.wait"
    model: str
    seconds: float
    reason: str


@frozen
class ErrorHappened:
    """Something failed; `door` and `plugin` name the culprit where there is one, `call_id` the call it was about."""

    kind: ClassVar[str] = "error"
    message: str
    remedy: str = ""
    plugin: str = ""
    door: str = ""
    call_id: str = ""


@frozen
class Note:
    """A plain remark for the user. One of the source `repair`, on what a provider mended, is counted and not shown."""

    kind: ClassVar[str] = "note"
    text: str
    source: str = ""


@frozen
class TurnEnded:
    """A turn is over; the record is whole except for its calls, which have events of their own.

    `spent` is what this turn came to by purpose, plugin and model, `session` what the session came to so far.
    """

    kind: ClassVar[str] = "turn.ended"
    turn: Turn
    spent: tuple[Spent, ...] = ()
    session: Spent | None = None


def event_data(payload: EventData | PluginEvent) -> dict[str, Any]:
    """Return the payload's fields as plain JSON data."""
    data: dict[str, Any] = to_data(payload.data if isinstance(payload, PluginEvent) else payload)
    return data
