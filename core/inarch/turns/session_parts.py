"""What a session was composed with: the same for all of its turns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from inarch.turns.models import Choice, Models, choose_model, find_default

if TYPE_CHECKING:
    from inarch.contract.compaction import Compaction
    from inarch.contract.intervening import EndGuard
    from inarch.contract.ports import ContextSource, DecisionStrategy, Tracer, Workspace
    from inarch.contract.replacements import Pacing
    from inarch.contract.session_extensions import SessionExtension
    from inarch.plugins.composition import Bound


@frozen(eq=False, repr=False)
class SessionParts:
    """The composed parts that a turn works with.

    Args:
        models: The composed providers.
        environ: Where keys are.
        workspace: What tools work on.
        pacer: Spaces the requests of all sessions.
        sources: What adds to prompts, in this order.
        find_strategies: Returns the composed strategies of these names.
        compactions: What makes a conversation shorter that is too long, in this order.
        end_guards: What may hold back the end of a turn, in this order.
        tracers: What sums up a turn.
        extensions: What plugins add to sessions.
        runners: The tools that run command lines.
    """

    models: Models
    environ: Mapping[str, str]
    workspace: Workspace
    pacer: Pacing
    sources: Sequence[Bound[ContextSource]]
    find_strategies: Callable[[Sequence[str]], Sequence[Bound[DecisionStrategy]]]
    compactions: Sequence[Bound[Compaction]]
    end_guards: Sequence[Bound[EndGuard]]
    tracers: Sequence[Bound[Tracer]]
    extensions: Mapping[str, Bound[SessionExtension]]
    runners: Collection[str]

    def choose(self, name: str) -> Choice:
        """Return the provider and model that `name` means.

        Raises:
            ConfigError: No composed plugin provides it.
        """
        return choose_model(name, self.models, self.environ)

    async def find_default(self, name: str) -> None:
        """Let the provider find out its default model, if `name` names none.

        Raises:
            ConfigError: No composed plugin provides it.
        """
        await find_default(name, self.models, self.environ)
