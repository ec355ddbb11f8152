"""What a program puts in place of parts that a composition brings: for tests, for replays, for tools of its own."""

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
    from inarch.contract.interventions import EndGuard, Reviewer, Rewriter


class Pacing(Protocol):
    """Port: decides when requests are sent and retried."""

    @property
    def longest_silence_s(self) -> float:
        """How many seconds a reply may say nothing."""

    @property
    def longest_reply_s(self) -> float:
        """How many seconds a reply may take, however steadily it drips."""

    async def before(
        self, model: str, tokens: int, told: Callable[[LimitWait], None], patience: float = float("inf")
    ) -> None:
        """Wait until a request may be sent.

        Args:
            model: The model's full name.
            tokens: The estimate of what the request uses, its reply included.
            told: Is to hear of each wait before it starts.
            patience: Seconds; a longer wait is not to be begun.

        Raises:
            ProviderError: It is not to be sent.
        """

    def sent(self, model: str, tokens: int) -> None:
        """Count a request that goes out now, each attempt by itself."""

    def corrected(self, model: str, estimated: int, used: int) -> None:
        """Replace the estimate that `sent` was given by what the service has reported."""

    def refused(self, model: str, error: ProviderError, attempt: int) -> float | None:
        """Return the seconds to wait before a request that failed is sent again, None where it is not."""


class LastingApprovals(Protocol):
    """Port: remembers approvals that hold for more than one call.

    What was chosen beside an answer counts again where two more methods are offered: `remember_rights(shape, tool,
    rights)` is called after `remember` for what lasts, and `rights_of(shape, tool) -> ChosenRights` once a scope was
    found, for which this very call goes before those like it. Without them such a call is asked about again, or runs
    with no more than it may anyway.
    """

    def scope_of(self, shape: str, tool: Tool) -> ApprovalScope | None:
        """Return the scope of an earlier answer that covers a call of this shape, None where the person is asked."""

    def remember(self, scope: ApprovalScope, shape: str, tool: Tool, words: str) -> None:
        """Keep an answer for as long as its scope says.

        Args:
            scope: How long and for what; `once` is not kept.
            shape: Equal for calls that are alike.
            tool: The call's tool.
            words: What such calls have in common.

        Raises:
            StoreError: It can't be kept; then it holds for this session.
        """


@frozen
class Settled:
    """Known outcome of a call whose process ended while it ran.

    Args:
        changes: What it did to files, as far as that was not recorded.
        result: How it ended, None where nobody knows.
    """

    changes: tuple[FileChanged, ...] = ()
    result: ToolResult | None = None


@frozen
class Replacements:
    """Objects that replace parts of a composition, for `inarch.compose(replacing=...)`.

    A part takes the place of the composed one of its name: it is given that plugin's settings and state, and rules,
    grants and approvals judge it as they judged the other; only what was approved for good in the project holds for
    neither. What judges, hides secrets and records can't be replaced; whom to ask is the `front_end`.

    Args:
        tools: Each in place of the tool of its name.
        models: All model providers that there are: no other is asked. Where the configuration names none of them, the
            first one answers.
        strategies: Each in place of the decision strategy of its name.
        context_sources: Each in place of the context source of its name.
        rewriters: Each in place of the rewriter of its name.
        reviewers: Each in place of the reviewer of its name.
        end_guards: Each in place of the end guard of its name.
        tracers: Each in place of the tracer of its name.
        workspace: In place of the one that the profile names; it is closed with the application, as is the store.
        store: Where sessions are kept, in place of what the profile names.
        clock: Where ids and times come from, and how pacing waits.
        pacing: When requests are sent, and sent again.
        approvals: Where the person's answers are kept, in place of the session and the project: it is told what they
            said, and says which calls an earlier answer covers.
        settle: Is given the id of a call whose process ended while it ran, and what the files tell of it; returns what
            holds.
    """

    tools: Sequence[Tool] = ()
    models: Sequence[ModelProvider] = ()
    strategies: Sequence[DecisionStrategy] = ()
    context_sources: Sequence[ContextSource] = ()
    rewriters: Sequence[Rewriter] = ()
    reviewers: Sequence[Reviewer] = ()
    end_guards: Sequence[EndGuard] = ()
    tracers: Sequence[Tracer] = ()
    workspace: Workspace | None = None
    store: ContextStore | None = None
    clock: Clock | None = None
    pacing: Pacing | None = None
    approvals: LastingApprovals | None = None
    settle: Callable[[str, Settled], Settled] | None = None
