"""Event classes, one per kind; each defines the keys of `Event.data`. `EVENT_KINDS` lists them.

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
    """Event: a session began. `root` is the workspace, `version` Inarch's, `plugins` the composed ones.

    A fork names its source in `forked_from` and starts with the source's first `forked_at` agent turns. If
    `forked_events` is not 0, its events from the second to that one are the source's, under the same numbers. A child
    session has its origin and limits in `branch`.
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
    """Event: a turn began; a user turn carries its whole prompt in `turn.content`.

    An agent's turn has in `settings` its profile's models, strategies, approvals and limits at that moment.
    """

    kind: ClassVar[str] = "turn.started"
    turn: Turn
    settings: Mapping[str, Any] = Factory(dict)


@frozen
class ContextAdded:
    """Event: a context source, or Inarch itself, added text and pictures that the model will see.

    They belong to the prompt. If `apart` is true, they are a separate message at this position of the turn.
    """

    kind: ClassVar[str] = "context.added"
    source: str
    text: str
    images: tuple[KeptImage, ...] = ()
    apart: bool = False


@frozen
class ContextFixed:
    """Event: the fixed beginning of each request to a service, until the context begins anew.

    `system` and `tools` are references to the text and to the specs of the tools as JSON. `instructions` is the digest
    of the project's instructions that the model knows, from the system text or from a message. `late` has the names of
    tools that the model knows from a message; it calls them through `call_tool`.
    """

    kind: ClassVar[str] = "context.fixed"
    service: str
    system: str
    tools: str
    instructions: str = ""
    late: tuple[str, ...] = ()


@frozen
class ContextBroken:
    """Event: the next request does not continue the last one, so the service reads all of it at the full price.

    `messages` is the number of messages in the request. `reason` is one of:

    - `compaction`
    - `service`: another service is asked
    - `secret`: one has become known and is redacted from now on
    - `tools`: the tool list was renewed
    - `older`: the session is from a version that did not store what was sent
    - `resumed`: the stored context is not what was sent

    Except for `service`, reasoning and other data that only a service can read are left out of all earlier messages.
    """

    kind: ClassVar[str] = "context.broken"
    reason: Broken
    model: str
    messages: int


@frozen
class DecisionMade:
    """Event: a strategy decided how the turn starts; `present` says how the results of `calls` reach the model."""

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
    """Event: a request is about to be sent. `messages` and `tools` are counts; the texts are in earlier events.

    `plugin` owns the strategy or context source that asks; empty for the turn itself. Then `digest` is that of the
    messages: a resumed session uses it to check whether it still has what was sent.
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
    """Event: a piece of a reply, shown while it arrives and never stored."""

    kind: ClassVar[str] = "model.delta"
    text: str = ""
    reasoning: str = ""


@frozen
class ModelReplied:
    """Event: the end of a request, with a whole reply, or a partial one if `finish` is `error`.

    `error` describes the failure. `failure` is the error that ended it, or None if it was whole or cancelled.
    `input_ratio` is the ratio that the token counter learned from it, or 0. `answered_by` is the model that answered
    according to the service, and `company` runs it; empty if the service does not say.
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
    """Event: the kernel waits before a request, for a rate limit or after an error."""

    kind: ClassVar[str] = "limit.wait"
    model: str
    seconds: float
    reason: str


@frozen
class ErrorHappened:
    """Event: a failure. `door` and `plugin` name the culprit if there is one, `call_id` the call it was about."""

    kind: ClassVar[str] = "error"
    message: str
    remedy: str = ""
    plugin: str = ""
    door: str = ""
    call_id: str = ""


@frozen
class Note:
    """Event: a plain remark for the user. One with source `repair` is counted and not shown."""

    kind: ClassVar[str] = "note"
    text: str
    source: str = ""


@frozen
class TurnEnded:
    """Event: a turn is over; the record is whole except for its calls, which have their own events.

    `spent` is the usage of this turn by purpose, plugin and model, `session` the session's usage so far.
    """

    kind: ClassVar[str] = "turn.ended"
    turn: Turn
    spent: tuple[Spent, ...] = ()
    session: Spent | None = None


def event_data(payload: EventData | PluginEvent) -> dict[str, Any]:
    """Return the payload's fields as plain JSON data."""
    data: dict[str, Any] = to_data(payload.data if isinstance(payload, PluginEvent) else payload)
    return data
