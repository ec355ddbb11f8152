"""Records that kernel and plugins exchange: frozen attrs classes without behaviour.

This module also exports the records of a streamed reply (`deltas.py`) and of a workspace (`files.py`).

Times are UTC, RFC 3339 with microseconds, as text. Ids are UUIDv7-shaped (`ids.new_id`). Money is `Decimal` in US
dollars; `None` means unknown, never zero. Paths are relative to the workspace root, with `/` separators.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from attrs import Factory, field

from inarch.contract.deltas import REASONING_INDEX as REASONING_INDEX
from inarch.contract.deltas import TEXT_INDEX as TEXT_INDEX
from inarch.contract.deltas import AnsweredBy as AnsweredBy
from inarch.contract.deltas import CallDelta as CallDelta
from inarch.contract.deltas import Delta as Delta
from inarch.contract.deltas import Effort as Effort
from inarch.contract.deltas import Finish as Finish
from inarch.contract.deltas import FinishReason as FinishReason
from inarch.contract.deltas import PartData as PartData
from inarch.contract.deltas import ProviderNote as ProviderNote
from inarch.contract.deltas import ReasoningDelta as ReasoningDelta
from inarch.contract.deltas import TextDelta as TextDelta
from inarch.contract.deltas import TextWasReasoning as TextWasReasoning
from inarch.contract.deltas import Usage as Usage
from inarch.contract.deltas import UsageDelta as UsageDelta
from inarch.contract.errors import ErrorCode
from inarch.contract.files import FileBytes as FileBytes
from inarch.contract.files import FileChange as FileChange
from inarch.contract.files import FileStat as FileStat
from inarch.contract.files import FileState as FileState
from inarch.contract.files import KeptFolder as KeptFolder
from inarch.contract.files import ProposedFile as ProposedFile
from inarch.contract.files import SearchHit as SearchHit
from inarch.contract.files import SearchHits as SearchHits
from inarch.contract.files import Survey as Survey
from inarch.contract.files import Walk as Walk
from inarch.contract.frozen import frozen

if TYPE_CHECKING:
    from inarch.contract.event import Event

Role = Literal["system", "user", "assistant", "tool"]
CallStatus = Literal["validating", "awaiting_approval", "scheduled", "executing", "success", "error", "cancelled"]
CallOrigin = Literal["model", "strategy", "slash", "mention", "user", "guard"]
TurnStatus = Literal["running", "done", "failed", "limited", "cancelled"]
Category = Literal["file", "search", "command", "git", "ui", "nav", "memory", "trace", "other"]
DecisionKind = Literal["call_tools", "ask_model", "answer"]
Purpose = Literal["turn", "decision", "summary", "check", "approval"]
Outcome = Literal["approve", "deny", "modify"]
ChosenRights = Mapping[str, tuple[str, ...]]
"""Additional rights that the user gave a call: names of rights, each with its values, if any."""
PromptMode = Literal["text", "voice", "selection", "command"]
"""How the user gave a prompt: typed, spoken, typed while they point at an element of their page, or by a slash command
that wrote it."""
ApprovalScope = Literal["once", "shape", "tool", "session", "project"]

TERMINAL: frozenset[CallStatus] = frozenset({"success", "error", "cancelled"})
"""Statuses that a call never leaves."""


@frozen
class Effects:
    """Reads and writes of a call: workspace-relative paths; a trailing `/` is a subtree, `""` is everything.

    Two calls conflict when one writes a path that the other reads or writes, equal or one an ancestor of the other; an
    exclusive call conflicts with every other. A call that starts `programs` keeps to its paths, but may have other
    effects, for example in the network. So Inarch asks about it and never retries it. A call that `removes` leaves
    nothing at the paths it writes; the question shows what it would remove.
    """

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    exclusive: bool = False
    programs: bool = False
    removes: bool = False


@frozen
class ToolError:
    """Why a tool call failed and what to do about it."""

    code: ErrorCode
    message: str
    remedy: str = ""


@frozen
class ToolResult:
    """Result of a call.

    `metadata` keys: `duration_s retries truncated output_ref files repaired rewritten changed_by_user added images`.
    A tool gives pictures for the model in `images`. Inarch stores their bytes, and the result of an ended call has only
    their types and references, in `metadata`. Messages have the bytes again.
    """

    success: bool
    data: Any = None
    error: ToolError | None = None
    metadata: Mapping[str, Any] = field(factory=dict)
    images: tuple[Image, ...] = ()


@frozen
class Text:
    """Plain text of a message."""

    text: str
    provider_data: Mapping[str, Any] | None = None


@frozen
class Reasoning:
    """Reasoning of a model."""

    text: str
    provider_data: Mapping[str, Any] | None = None


@frozen
class CallPart:
    """Tool call in an assistant message; `called` is the model's own name of the tool, if repaired."""

    id: str
    provider_id: str
    name: str
    arguments: Mapping[str, Any]
    provider_data: Mapping[str, Any] | None = None
    called: str = ""


@frozen
class ResultPart:
    """Result of a call in a tool message."""

    call_id: str
    provider_id: str
    name: str
    result: ToolResult
    provider_data: Mapping[str, Any] | None = None


@frozen
class Image:
    """Picture: `data` is the raw bytes of the file."""

    media_type: str
    data: bytes
    provider_data: Mapping[str, Any] | None = None


Part = Text | Reasoning | CallPart | ResultPart | Image
"""Piece of a message; `provider_data` is opaque and goes back only to the provider that made it."""


@frozen
class Message:
    """Message of the conversation that a model sees."""

    role: Role
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The message's plain text, without reasoning, calls and results. Texts added to a prompt are paragraphs."""
        between = "\n\n" if self.role == "user" else ""
        return between.join(part.text for part in self.parts if isinstance(part, Text))


@frozen
class ToolSpec:
    """Tool as a model sees it: never runnable."""

    name: str
    description: str
    input_schema: Mapping[str, Any]


@frozen
class ModelRequest:
    """Request to a model. `model` is the provider's own name for it, without the provider's prefix.

    `effort` is the reasoning effort; a provider uses the nearest level of its service.
    """

    model: str
    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: Literal["auto", "none", "required"] = "auto"
    response_schema: Mapping[str, Any] | None = None
    temperature: float | None = None
    max_output_tokens: int | None = None
    purpose: Purpose = "turn"
    effort: Effort | None = None


@frozen
class Reply:
    """Whole reply: the assistant message, its calls, its cost, its end, and the model that answered, if known."""

    message: Message
    calls: tuple[CallPart, ...]
    usage: Usage
    finish: FinishReason
    answered_by: AnsweredBy | None = None


@frozen
class ToolCall:
    """Call of a tool, at one moment of its life. `after` are the ids of the calls it waited for."""

    id: str
    provider_id: str
    turn_id: str
    name: str
    arguments: Mapping[str, Any]
    status: CallStatus = "validating"
    result: ToolResult | None = None
    started: str | None = None
    ended: str | None = None
    origin: CallOrigin = "model"
    after: tuple[str, ...] = ()


@frozen
class Turn:
    """Turn of the user or of the agent; an agent turn's `parent_id` is the user turn it answers.

    `unmet` says that nothing was done: every call that would have changed something was denied or failed, or the model
    declined. `answered_by` is the model of the last reply according to its service, and `company` runs it; empty if the
    service does not say. `mode` is how the prompt was given.
    """

    id: str
    type: Literal["user", "agent"]
    parent_id: str | None
    session_id: str
    started: str
    ended: str | None = None
    content: str = ""
    model: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(factory=Usage)
    status: TurnStatus = "running"
    error: str | None = None
    limit: str | None = None
    unmet: bool = False
    answered_by: str = ""
    company: str = ""
    mode: PromptMode = "text"


@frozen
class PlannedCall:
    """Call that a strategy or a context source requests; it becomes a `ToolCall` in the scheduler."""

    name: str
    arguments: Mapping[str, Any]


@frozen
class Decision:
    """First steps of a turn that a strategy wants.

    `present` says how the results of `calls` reach the model: as tool results, or embedded in an enhanced prompt.
    """

    kind: DecisionKind
    calls: tuple[PlannedCall, ...] = ()
    text: str = ""
    reason: str = ""
    confidence: float = 1.0
    cached: bool = False
    strategy: str = ""
    present: Literal["results", "prompt"] = "results"


@frozen
class DispatchReply:
    """JSON that a decision model sends."""

    requires_tool_call: bool
    tool_name: str | None = None
    arguments: Mapping[str, Any] = field(factory=dict)
    reasoning: str = ""


@frozen
class Contribution:
    """Addition of a context source: text and pictures for the model, and calls to run before it is asked.

    `notes` are remarks for the user, such as that something could not be added; the model does not see them. `stop`
    says why this prompt gets no answer: then no model receives the prompt, now or later.
    """

    text: str = ""
    calls: tuple[PlannedCall, ...] = ()
    images: tuple[Image, ...] = ()
    notes: tuple[str, ...] = ()
    stop: str = ""


@frozen
class Verdict:
    """Verdict of a policy on a call; the strictest of all policies holds.

    Args:
        decision: The answer.
        reason: Why.
        person: For `ask`: no approval mode but `bypass` and no wider approval answers it, only the user, or their rule
            or grant for this very thing. For `allow`, in the user's own rules: it is such a rule or grant.
        remedy: Alternative for the model if there is no user to ask.
        held: Promises that answer the question, as `Confinement.promises` names them: the modes `auto`, `review` and
            `all` let the call run if the workspace keeps each of them. None: only a person answers.
        why: The reason for the person who is asked, if it differs from that for the record.
        reviewable: Such promises that let an approver answer instead of a person, if the workspace keeps each of them.
    """

    decision: Literal["allow", "ask", "deny"]
    reason: str = ""
    person: bool = False
    remedy: str = ""
    held: tuple[str, ...] = ()
    reviewable: tuple[str, ...] = ()
    why: str = ""


@frozen
class ModelInfo:
    """Model that a provider offers; `retires` is the day on which it stops answering, as YYYY-MM-DD, if known."""

    name: str
    description: str = ""
    context_tokens: int | None = None
    retires: str = ""


@frozen
class Limits:
    """Limits of a model in tokens, and those per minute; None is unknown."""

    context_tokens: int | None = None
    output_tokens: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


@frozen
class Price:
    """US dollars for a million tokens; `above` has prices for requests with more input tokens than its key.

    `cached` is the price of input read from the service's cache, `written` of input stored in it.
    """

    input: Decimal
    output: Decimal
    cached: Decimal | None = None
    above: tuple[int, Price] | None = None
    written: Decimal | None = None


_TITLE = 100
"""Characters of a session's title, at most."""


@frozen
class SessionInfo:
    """Session as a list shows it."""

    id: str
    root: str
    started: str
    updated: str
    events: int
    title: str = ""

    @staticmethod
    def title_of(events: Iterable[Event]) -> str:
        """Return the first prompt among a session's events, on one line; "" if there is none."""
        for event in events:
            turn = event.data.get("turn") if event.kind == "turn.started" else None
            content = turn.get("content", "") if isinstance(turn, Mapping) and turn.get("type") == "user" else ""
            if words := " ".join(str(content)[: 4 * _TITLE].split()):
                return words if len(words) <= _TITLE else words[: _TITLE - 1] + "…"
        return ""


@frozen
class Refused:
    """Plugin that was left out, why, and what to do."""

    name: str
    distribution: str
    version: str
    reason: str
    remedy: str


@frozen
class PluginContext:
    """Context that every registration hook receives.

    Args:
        name: The plugin's name, as in the profile.
        root: The workspace root, as an absolute path for messages and cache keys, never to open files with.
        settings: An instance of the plugin's settings class, or an empty mapping.
        commands: The user's `[commands.NAME]` grants.
        cache_dir: A folder of the plugin's own that may be deleted at any time.
        state_dir: A permanent folder of the plugin's own.
        recorded: Whether this run may leave a record; with `--no-journal` a plugin stores none of its own either.
        user: The user's configuration folder, for files that the user may edit; None while the plugin is probed.
        project: The project's `.inarch` folder; None if the project is not trusted.
        brought: Files for agents in the trusted project, by their paths: the files below `.agents`, `.inarch` and
            `.claude`'s `agents`, `commands`, `hooks`, `rules` and `skills`, its `settings.json` and
            `settings.local.json`, and the `AGENTS.md` of folders. Read-only; None if the project is not trusted or has
            none.
        added: Absolute paths of the folders beside the root whose files belong to the workspace, too. Their files have
            the paths `+/home/me/lib/a.py`: `+` before the absolute one.
        environ: The environment variables in use, including keys of services; empty while the plugin is probed.
    """

    name: str
    root: str
    settings: Any = Factory(dict)
    commands: Mapping[str, Any] = Factory(dict)
    cache_dir: str = ""
    state_dir: str = ""
    recorded: bool = True
    user: KeptFolder | None = None
    project: KeptFolder | None = None
    brought: KeptFolder | None = None
    added: tuple[str, ...] = field(default=(), kw_only=True)
    environ: Mapping[str, str] = field(factory=dict, repr=False)
