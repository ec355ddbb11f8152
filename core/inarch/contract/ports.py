"""Ports: the interfaces of the objects that hooks return.

Ports are structural: a class that has the members is enough. Hot paths call these objects, never hooks. The
ports of stores, workspaces and front ends have their own files, and so have the capabilities beyond a port.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from inarch.contract.frozen import frozen
from inarch.contract.records import (
    Category,
    ChosenRights,
    Contribution,
    Decision,
    Delta,
    Effects,
    Limits,
    Message,
    ModelInfo,
    ModelRequest,
    Price,
    Reply,
    ToolCall,
    ToolSpec,
    Turn,
    Verdict,
)
from inarch.contract.workspaces import Workspace

if TYPE_CHECKING:
    from inarch.contract.children import ChildTask, ChildTurn
    from inarch.contract.events import Event  # only a turn has events: listing tools avoids the import
    from inarch.contract.inputs import Inbox


class ToolFunction:
    """Function marked by `@inarch.tool`; in a module without hooks, these are its tools."""

    __slots__ = ()
    function: Callable[..., Any]


class Clock(Protocol):
    """Source of a session's ids and times, and of waits for a model's service.

    Time limits of turns, requests and calls use the machine's own clock.
    """

    def new_id(self) -> str:
        """Return a unique id."""

    def utc_now(self) -> str:
        """Return the present time, UTC, RFC 3339 with microseconds and `Z`."""

    def monotonic(self) -> float:
        """Return seconds that never go back."""

    async def sleep(self, seconds: float) -> None:
        """Wait for seconds of `monotonic`."""


class ToolContext(Protocol):
    """Context of a running call. After a cancel or a timeout, every use of it raises `Cancelled`."""

    @property
    def turn_id(self) -> str:
        """The turn that the call belongs to."""

    @property
    def call_id(self) -> str:
        """The call's own id."""

    @property
    def workspace(self) -> Workspace:
        """The workspace; accesses through it are recorded with the call."""

    @property
    def cancelled(self) -> threading.Event:
        """Event that is set when the call should stop."""

    @property
    def earlier(self) -> Sequence[ToolCall]:
        """This turn's finished calls, oldest first."""

    @property
    def seen(self) -> Mapping[str, str]:
        """Path to hash of the files as this session last read or wrote them."""

    @property
    def selection(self) -> Any:
        """The user's selection in a front end that supports it, else None."""

    @property
    def rights(self) -> ChosenRights | None:
        """Additional rights that the user gave the call, from those that the tool's `rights` offers.

        None if the user did not let the call run by an answer or by a rule that names it. Then an approval mode did, or
        there was no question. In the mode `bypass` it has the one right `bypass`: no sandbox.
        """

    @property
    def settings(self) -> Any:
        """The plugin's settings."""

    @property
    def state(self) -> Path:
        """The plugin's own private folder."""

    @property
    def inbox(self) -> Inbox:
        """Inbox for the plugin's messages to the model, usable after the call, for work in the background."""

    async def child(self, task: ChildTask) -> ChildTurn:
        """Run a turn of a child session to its end.

        It spends from the call's turn, ends with the call and asks the user under its name. Its changes count as the
        call's. If the call did not declare that it may change anything (`exclusive`), the child is read-only, unless
        its task has its own `root`. Changes there are not changes of the call.

        Raises:
            ToolFailed: It cannot start: too deep, no such tool, setting or child, or a `root` that is not a true copy.
            ConfigError: Its model is not available.
        """

    def emit(self, chunk: str) -> None:
        """Show live output."""

    def output(self, ref: str) -> bytes:
        """Return the whole of a long output that was stored under `output_ref`."""

    def record(self, name: str, data: Mapping[str, Any]) -> None:
        """Record an event of a kind that the plugin declares with `inarch_events`, in the turn of the call.

        Raises:
            ValueError: The plugin declares no such kind, or the data does not match its schema.
        """


@runtime_checkable
class Tool(Protocol):
    """Port of a tool that a model, a strategy or the user can call. `@inarch.tool` makes one from a typed function.

    `inarch.capabilities` has the optional members. One more is `title`, what a call does in people's words, with
    arguments in braces: `Search for {pattern}[ in {path}]`. A part in brackets is left out if an argument in it is
    missing; `{files}` are the files that the call declares to change.
    """

    @property
    def name(self) -> str:
        """Unique name: letters, digits and `_`."""

    @property
    def description(self) -> str:
        """Description for a model, in a sentence or two."""

    @property
    def category(self) -> Category:
        """Kind of tool; `--approve edits` allows bounded writes of `file` and `other`."""

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """JSON Schema (2020-12) of the arguments: an object."""

    @property
    def output_schema(self) -> Mapping[str, Any] | None:
        """JSON Schema of the result's data, or None."""

    @property
    def timeout_s(self) -> float:
        """Seconds after which the call is stopped."""

    @property
    def max_retries(self) -> int:
        """How often a failed call without writes is retried."""

    @property
    def requires_confirmation(self) -> bool:
        """Whether Inarch asks the user even if nothing else requires it."""

    @property
    def receives_secrets(self) -> bool:
        """Whether placeholders in the arguments are replaced by their values."""

    def effects(self, arguments: Mapping[str, Any]) -> Effects:
        """Return what a call with these arguments reads and writes; pure."""

    def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Any | Awaitable[Any]:
        """Run the call and return plain JSON data or a `ToolResult`; synchronous ones run in a thread."""


class ModelProvider(Protocol):
    """Port of a service that answers requests; `inarch.capabilities` has the optional members."""

    @property
    def name(self) -> str:
        """The part of `PROVIDER/MODEL` before the slash."""

    @property
    def default_model(self) -> str:
        """Model for `model = "PROVIDER"` and for `auto`."""

    @property
    def default_decision_model(self) -> str:
        """Cheap model for decisions."""

    def answer(self, request: ModelRequest) -> AsyncIterator[Delta]:
        """Stream the reply; failures are `ProviderError`s."""

    async def models(self) -> Sequence[ModelInfo]:
        """Return the models on offer."""

    def limits(self, model: str) -> Limits:
        """Return the known limits of a model."""

    def price(self, model: str) -> Price | None:
        """Return a model's price, None if unknown."""

    async def close(self) -> None:
        """Close connections; may be called twice."""


def _record_nowhere(name: str, data: Mapping[str, Any]) -> None:
    """Discard an event: the default for a situation without a turn."""


@frozen
class Situation:
    """Situation that a strategy or a context source reads.

    `ask` sends a request at the turn's expense. `record` stores an event of a kind that the plugin declares, as that of
    a `ToolContext` does.

    `happened` has the events outside turns since a strategy last decided or a model was last asked, even before a
    resume: commands that the user ran (`command.ran`), reverted changes (`changes.undone`), the files that either
    changed (`file.changed`), and plugins' records.

    `prompts` has the user's own messages in this session, oldest first; in a child session, those of the session above.
    Of a prompt that a slash command wrote, it has the line that the user typed.
    """

    turn: Turn
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    workspace: Workspace
    ask: Callable[[ModelRequest], Awaitable[Reply]]
    decision_model: str = ""
    effectful_calls: int = 0
    seen: Mapping[str, str] = {}
    happened: tuple[Event, ...] = ()
    record: Callable[[str, Mapping[str, Any]], None] = _record_nowhere
    prompts: tuple[str, ...] = ()


class DecisionStrategy(Protocol):
    """Port of an object that decides how a turn starts; it is asked once a turn, before the first request."""

    @property
    def name(self) -> str:
        """The name a profile uses."""

    async def decide(self, situation: Situation) -> Decision | None:
        """Return a decision, or None to pass on to the next strategy."""


class ContextSource(Protocol):
    """Port of an object that adds something to a turn before the model is asked."""

    @property
    def name(self) -> str:
        """Name for `context.added`."""

    async def gather(self, situation: Situation) -> Contribution | None:
        """Return what to add, or None."""


class Policy(Protocol):
    """Port of an object that judges a call before it runs; pure. One that raises counts as deny."""

    @property
    def name(self) -> str:
        """Name for messages."""

    def judge(self, call: ToolCall, tool: Tool) -> Verdict:
        """Return allow, ask or deny with a reason."""


class Tracer(Protocol):
    """Port of an object that sees every stored event and changes nothing; `inarch.capabilities` has more members."""

    @property
    def name(self) -> str:
        """Name for messages."""

    def saw(self, event: Event) -> None:
        """Process an event; must be quick."""

    def summary(self, turn_id: str) -> str | None:
        """Return a line about the turn that ends, or None."""

    def close(self) -> None:
        """Close files; may be called twice."""


class LateTools(Protocol):
    """Source of tools that appear while sessions run, such as those that a server lists later."""

    @property
    def name(self) -> str:
        """Name for messages."""

    def new_tools(self) -> Sequence[Tool]:
        """Return the tools added since the last call; called at each prompt and after each batch of calls."""
