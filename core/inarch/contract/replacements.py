"""Replacements for parts of a composition, for tests, replays and other tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from inarch.contract.call_events import FileChanged
from inarch.contract.errors import ProviderError
from inarch.contract.events import LimitWait
from inarch.contract.frozen import frozen
from inarch.contract.ports import Clock, ContextSource, DecisionStrategy, ModelProvider, Tool, Tracer
from inarch.contract.records import ApprovalScope, ToolResult
from inarch.contract.stores import ContextStore
from inarch.contract.workspaces import Workspace

if TYPE_CHECKING:
    from inarch.contract.interventions import Approver, EndGuard, Reviewer, Rewriter


class Pacing(Protocol):
    """Timing and retries of requests to models, for all sessions of an application."""

    @property
    def longest_silence_s(self) -> float:
        """Seconds that a reply may be silent."""

    @property
    def longest_reply_s(self) -> float:
        """Seconds that a whole reply may take, even if it keeps arriving."""

    async def before(
        self, model: str, tokens: int, told: Callable[[LimitWait], None], patience: float = float("inf")
    ) -> None:
        """Wait until a request may be sent.

        Args:
            model: The model's full name.
            tokens: The estimate of the request's tokens, including its reply.
            told: Receives each wait before it starts.
            patience: Seconds; a longer wait does not begin.

        Raises:
            ProviderError: The request must not be sent.
        """

    def sent(self, model: str, tokens: int) -> None:
        """Count a request that is sent now; each attempt counts."""

    def corrected(self, model: str, estimated: int, used: int) -> None:
        """Replace the estimate given to `sent` by what the service has reported."""

    def refused(self, model: str, error: ProviderError, attempt: int) -> float | None:
        """Return the seconds to wait before a failed request is retried, None for no retry."""


class LastingApprovals(Protocol):
    """Store of the user's answers that hold for more than one call.

    To store chosen rights too, offer two more methods. `remember_rights(shape, tool, rights)` is called after
    `remember` for lasting answers. `rights_of(shape, tool) -> ChosenRights` is called after a scope was found; this
    very call takes precedence over similar calls. Without them, Inarch asks about such a call again or runs it without
    the additional rights.
    """

    def scope_of(self, shape: str, tool: Tool) -> ApprovalScope | None:
        """Return the scope of an earlier answer that covers a call of this shape, None to ask the user."""

    def remember(self, scope: ApprovalScope, shape: str, tool: Tool, words: str) -> None:
        """Store an answer for as long as its scope says.

        Args:
            scope: How long and for what; `once` is not stored.
            shape: Equal for calls that are alike.
            tool: The call's tool.
            words: Description of such calls.

        Raises:
            StoreError: It cannot be stored; then it holds for this session.
        """


@frozen
class Settled:
    """Known outcome of a call whose process ended while it ran.

    Args:
        changes: Its changes to files that were not recorded.
        result: Its result, None if unknown.
    """

    changes: tuple[FileChanged, ...] = ()
    result: ToolResult | None = None


@frozen
class Replacements:
    """Replacements for parts of a composition, for `inarch.compose(replacing=...)`.

    A replacement takes the place of the composed object of its name. It receives that plugin's settings and state, and
    rules, grants and approvals judge it in the same way. Only permanent project approvals do not apply. Policies,
    redaction and recording cannot be replaced; `front_end` sets who is asked.

    Args:
        tools: Each replaces the tool of its name.
        models: Replace all model providers. If the configuration names none of them, the first one answers.
        strategies: Each replaces the decision strategy of its name.
        context_sources: Each replaces the context source of its name.
        rewriters: Each replaces the rewriter of its name.
        approvers: Each replaces the approver of its name.
        reviewers: Each replaces the reviewer of its name.
        end_guards: Each replaces the end guard of its name.
        tracers: Each replaces the tracer of its name.
        workspace: Replaces the workspace that the profile names; closed with the application, as is the store.
        store: Stores sessions, in place of the store that the profile names.
        clock: Source of ids and times, and of pacing's waits.
        pacing: Timing and retries of requests.
        approvals: Stores the user's answers in place of session and project, and says which calls an earlier answer
            covers.
        settle: Receives the id of a call whose process ended while it ran, and the evidence from files; returns the
            outcome to use.
    """

    tools: Sequence[Tool] = ()
    models: Sequence[ModelProvider] = ()
    strategies: Sequence[DecisionStrategy] = ()
    context_sources: Sequence[ContextSource] = ()
    rewriters: Sequence[Rewriter] = ()
    approvers: Sequence[Approver] = ()
    reviewers: Sequence[Reviewer] = ()
    end_guards: Sequence[EndGuard] = ()
    tracers: Sequence[Tracer] = ()
    workspace: Workspace | None = None
    store: ContextStore | None = None
    clock: Clock | None = None
    pacing: Pacing | None = None
    approvals: LastingApprovals | None = None
    settle: Callable[[str, Settled], Settled] | None = None
