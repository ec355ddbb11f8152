"""project: gives the model the files that a prompt mentions with `@`, the structure, and the user's recent actions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from importlib import import_module

from attrs import frozen

import inarch

Gather = Callable[[inarch.Situation], Awaitable[inarch.Contribution | None]]


@frozen
class Source:
    """Context source whose function, `MODULE:FUNCTION`, is imported when it may have content."""

    name: str
    place: str
    is_due: Callable[[inarch.Situation], object] = bool

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        """Return the content for the model, if there is any."""
        if not self.is_due(situation):
            return None
        module, function = self.place.split(":")
        gather: Gather = getattr(import_module(f"inarch_plugins.project.{module}"), function)
        return await gather(situation)


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> Iterable[inarch.ContextSource]:
    """Return the sources: the user's undone changes and commands since the last answer, mentions, the structure."""
    return [
        Source("undo", "recent_actions:changes_undone", lambda situation: situation.happened),
        Source("commands", "recent_actions:commands_ran", lambda situation: situation.happened),
        Source("mentions", "mentions:mentions", lambda situation: "@" in situation.turn.content),
        Source("structure", "structure:structure"),
    ]
