"""What a program puts in place of parts that a composition brings: for tests, for replays, for tools of its own."""

from __future__ import annotations

from collections.abc import Sequence

from inarch.contract.frozen import frozen
from inarch.contract.ports import (
    Clock,
    ContextSource,
    ContextStore,
    DecisionStrategy,
    ModelProvider,
    Tool,
    Tracer,
    Workspace,
)


@frozen
class Replacements:
    """Objects in place of what a composition brings, for `inarch.compose(replacing=...)`.

    A part takes the place of the composed one of its name: it is given that plugin's settings and state, and rules,
    grants and approvals judge it as they judged the other; only what was approved for good in the project holds for
    neither. What judges, asks, hides secrets and records can't be replaced.

    Args:
        tools: Each in place of the tool of its name.
        models: All model providers that there are: no other is asked. Where the configuration names none of them, the
            first one answers.
        strategies: Each in place of the decision strategy of its name.
        context_sources: Each in place of the context source of its name.
        tracers: Each in place of the tracer of its name.
        workspace: In place of the one that the profile names; it is closed with the application, as is the store.
        store: Where sessions are kept, in place of what the profile names.
        clock: Where ids and times come from, and how pacing waits.
    """

    tools: Sequence[Tool] = ()
    models: Sequence[ModelProvider] = ()
    strategies: Sequence[DecisionStrategy] = ()
    context_sources: Sequence[ContextSource] = ()
    tracers: Sequence[Tracer] = ()
    workspace: Workspace | None = None
    store: ContextStore | None = None
    clock: Clock | None = None
