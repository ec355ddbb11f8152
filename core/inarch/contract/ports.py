"""The ports: what the kernel asks of the objects that hooks return.

Ports are structural: a class that has the members is enough. Hot paths call these objects, never hooks. The
ports of stores, workspaces and front ends have files of their own, and so has what an object may offer beyond its port.
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
    from inarch.contract.events import Event  # only a turn has events: listing tools does without
    from inarch.contract.inputs import Inbox


class ToolFunction:
    """What `@inarch.tool` makes of a function: in a module without hooks, these are its tools."""

    __slots__ = ()
    function: Callable[..., Any]


class Clock(Protocol):
    """Port: ids and times of a session, and waiting for a model's service.

    Time limits of turns, requests and calls go by the machine's own clock, whatever this one says.
    """

    def new_id(self) -> str:
        """Return an id that nothing else has."""

    def utc_now(self) -> str:
        """Return the present time, UTC, RFC 3339 with microseconds and `Z`."""

    def monotonic(self) -> float:
        """Return seconds that never go back."""

    async def sleep(self, seconds: float) -> None:
        """Wait for seconds of `monotonic`."""


class ToolContext(Protocol):
    """Handles that a running call receives. After a cancel or a time-out every use of it raises `Cancelled`."""

    @property
    def turn_id(self) -> str:
        """The turn the call belongs to."""

    @property
    def call_id(self) -> str:
        """The call's own id."""

    @property
    def workspace(self) -> Workspace:
        """The workspace; what is read and written through it is recorded with the call."""

    @property
    def cancelled(self) -> threading.Event:
        """Set when the call should stop."""

    @property
    def earlier(self) -> Sequence[ToolCall]:
        """This turn's finished calls, oldest first."""

    @property
    def seen(self) -> Mapping[str, str]:
        """Path to hash of the files as this session last read or wrote them."""

    @property
    def selection(self) -> Any:
        """What the user points at in a front end that has such a thing, else None."""

    @property
    def rights(self) -> ChosenRights | None:
        """What a person let the call do beyond what it may anyway, of what the tool's `rights` offers.

        None where no person let the call run, by an answer or by a rule that names it: an approve mode did, or nothing
        was asked.
        """

    @property
    def settings(self) -> Any:
        """The plugin's settings."""

    @property
    def state(self) -> Path:
        """The plugin's own safe folder."""

    @property
    def inbox(self) -> Inbox:
        """What takes the plugin's words for the model, also when the call is over: for work that goes on behind it."""

    async def child(self, task: ChildTask) -> ChildTurn:
        """Run a turn of a child session to its end.

        It spends from the call's turn, ends with the call, asks the person under its name, and what it changes counts
        as changed by the call. A call that did not declare that it may change anything (`exclusive`) gets a child that
        only reads, unless its task has a `root` of its own: what it changes there is no change of the call's.

        Raises:
            ToolFailed: It can't be begun: too deep, no such tool, setting or child, or a `root` that is no true copy.
            ConfigError: Its model isn't there.
        """

    def emit(self, chunk: str) -> None:
        """Show live output."""

    def output(self, ref: str) -> bytes:
        """Return the whole of a long output that was stored under `output_ref`."""

    def record(self, name: str, data: Mapping[str, Any]) -> None:
        """Record an event of a kind that the plugin declares with `inarch_events`, in the turn of the call.

        Raises:
            ValueError: The plugin declares no such kind, or the data is not as its schema says.
        """


@runtime_checkable
class Tool(Protocol):
    """Port: something that a model, a strategy or a user can call. `@inarch.tool` makes one from a typed function.

    A tool may offer seven more methods. `shape(arguments) -> str | None` says in a few words what a lasting approval of
    such a call would cover: calls whose words are equal. `allowed_by(arguments) -> str` gives the lines of
    configuration that lift a denial of the tool's own policy. `asking(arguments) -> Sequence[int]` gives the places,
    from 0, of the commands of a line that a rule or grant has to allow; without it these are all.
    `check(arguments, context)` raises `ToolFailed` where a call can only fail: it looks before the person is asked, in
    a thread, and changes nothing. `rights(arguments, chosen) -> RightsOffer | None` says what a person can let such a
    call do in the same question, and raises `ToolFailed` where what was chosen can't be; the running call finds it in
    `context.rights`. `offered(model)` says whether a model, by its full name, is told of the tool.
    `preview(arguments) -> str | None` is what a person who is asked sees in place of the arguments, like a diff. A tool
    may have `modes`, the approve modes in which there is such a tool, empty for all; `least_window`, below which many
    tokens of room for a request no model is told of it; `for_a_watcher`, that it only shows something to who watches a
    session, so that other programs aren't offered it; `known_as`, names that guards of other programs mean it by; and
    `text`, the argument in Markdown that the person reads, and may edit, before they let the call run.
    """

    @property
    def name(self) -> str:
        """Unique name: letters, digits and `_`."""

    @property
    def description(self) -> str:
        """What it does, for a model, in a sentence or two."""

    @property
    def category(self) -> Category:
        """What kind of tool it is; bounded writes of `file` and `other` are what `--approve edits` lets through."""

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
        """How often a failed call without writes is tried again."""

    @property
    def requires_confirmation(self) -> bool:
        """Whether the person is asked even where nothing else asks."""

    @property
    def receives_secrets(self) -> bool:
        """Whether placeholders in the arguments are replaced by the values they stand for."""

    def effects(self, arguments: Mapping[str, Any]) -> Effects:
        """Return what a call with these arguments reads and writes; pure."""

    def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Any | Awaitable[Any]:
        """Do it and return plain JSON data or a `ToolResult`; synchronous ones run in a thread."""


class ModelProvider(Protocol):
    """Port: a service that answers requests.

    One whose default model is known only once the service was asked may offer `async find_default()`: it is awaited
    before a turn that names no model, and `default_model` tells the name from then on. One that needs keys may offer
    `check_key(model)`: it raises the `ProviderError` that asking for this model would end in without its key, and sends
    nothing; where it can't know, it may return what to tell. It is called before a person chooses a model. One that
    says a request's `effort` to its service has `takes_effort(model)`: where it is false, or missing, the person is
    told, and requests have none. One that asks a service over HTTP has its `HttpService` as `service`: a person who
    uses the service for the first time is told its host, and nothing if it is this machine.
    """

    @property
    def name(self) -> str:
        """The part of `PROVIDER/MODEL` before the slash."""

    @property
    def default_model(self) -> str:
        """Used for `model = "PROVIDER"` and by `auto`."""

    @property
    def default_decision_model(self) -> str:
        """Cheap model for decisions."""

    def answer(self, request: ModelRequest) -> AsyncIterator[Delta]:
        """Stream the reply; failures are `ProviderError`s."""

    async def models(self) -> Sequence[ModelInfo]:
        """Return the models on offer."""

    def limits(self, model: str) -> Limits:
        """Return what is known of a model's limits."""

    def price(self, model: str) -> Price | None:
        """Return a model's price, None if unknown."""

    async def close(self) -> None:
        """Let go of connections; may be called twice."""


def _record_nowhere(name: str, data: Mapping[str, Any]) -> None:
    """Keep nothing: what a situation that no turn made does with events."""


@frozen
class Situation:
    """State of a turn as a strategy or context source sees it.

    `ask` sends a request at the turn's expense, `record` keeps an event of a kind that the plugin declares, as that of
    a `ToolContext` does.

    `happened` has the events of no turn since a strategy last decided or a model was last asked, after a break of the
    session, too: commands that a person ran (`command.ran`), what they took back (`changes.undone`), the files that
    either changed (`file.changed`), and what plugins recorded.
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


class DecisionStrategy(Protocol):
    """Port: decides how a turn starts, once a turn, before the first request."""

    @property
    def name(self) -> str:
        """The name a profile uses."""

    async def decide(self, situation: Situation) -> Decision | None:
        """Return a decision, or None to pass on to the next strategy."""


class ContextSource(Protocol):
    """Port: adds to a turn before the model is asked."""

    @property
    def name(self) -> str:
        """Name for `context.added`."""

    async def gather(self, situation: Situation) -> Contribution | None:
        """Return what to add, or None."""


class Policy(Protocol):
    """Port: judges a call before it runs, without side effects. One that raises counts as deny."""

    @property
    def name(self) -> str:
        """Name for messages."""

    def judge(self, call: ToolCall, tool: Tool) -> Verdict:
        """Return allow, ask or deny with a reason."""


class Tracer(Protocol):
    """Port: sees every stored event and changes nothing.

    One that keeps a log of each session may offer more methods: `copied(event)` is given each event that a session was
    forked with; `forked(first)` only the first of them, whose `forked_events` is not 0, and returns whether that is
    enough, because its log of `forked_from` has the rest: then that is copied not before that log is deleted.
    `files(session_id)` returns the paths of its files about a session, `logs()` those of the logs of all
    sessions as `inarch sessions restore` takes them, named by the session's id. `remarks()` may return lines about how
    its plugin was composed, such as a part that had to be left out: they are told before the first turn.
    """

    @property
    def name(self) -> str:
        """Name for messages."""

    def saw(self, event: Event) -> None:
        """Take note of an event; must be quick."""

    def summary(self, turn_id: str) -> str | None:
        """Return a line about the turn that ends, or None."""

    def close(self) -> None:
        """Let go of files; may be called twice."""


class LateTools(Protocol):
    """Port: brings tools that appear while sessions run."""

    @property
    def name(self) -> str:
        """Name for messages."""

    def new_tools(self) -> Sequence[Tool]:
        """Return the tools that came since it was last asked; asked at each prompt and after each batch of calls."""
