"""Applications whose plugin rewrites calls, adds to results and holds back ends, by functions of a test's own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

import inarch
from inarch.plugins.registration import Bound
from inarch.testing import ScriptedModel, Step, scripted_app

PLUGIN = "shop"


@frozen
class Rewriting:
    """A rewriter that is a function."""

    rewrite: Callable[..., Any]
    name: str = "rewriting"
    timeout_s: float = 60.0


@frozen
class Approving:
    """An approver that is a function."""

    decide: Callable[[inarch.ApprovalRequest, inarch.Situation], Awaitable[Any]]
    name: str = "approving"
    timeout_s: float = 60.0


@frozen
class Reviewing:
    """A reviewer that is a function."""

    review: Callable[..., Any]
    name: str = "reviewing"
    timeout_s: float = 60.0


@frozen
class Guarding:
    """An end guard that is a function."""

    hold: Callable[[inarch.Ending], Awaitable[Any]]
    name: str = "guarding"
    timeout_s: float = 60.0
    most_holds: int | None = None


def app_with(
    root: Path, script: Sequence[Step], parts: Sequence[Any], **options: Any
) -> tuple[inarch.App, ScriptedModel]:
    """Compose an application whose plugin has these parts."""
    app, model = scripted_app(ScriptedModel(script), root, **options)
    context = inarch.PluginContext(PLUGIN, str(root))
    kinds = {Rewriting: "rewriters", Approving: "approvers", Reviewing: "reviewers", Guarding: "end_guards"}
    for cls, kind in kinds.items():
        bound = tuple(Bound(PLUGIN, part, context) for part in parts if isinstance(part, cls))
        app.composition = evolve(app.composition, **{kind: bound})
    return app, model


class Talk:
    """A conversation that was had: the application, its session, model and events."""

    def __init__(
        self,
        root: Path,
        script: Sequence[Step],
        prompts: Sequence[str] = ("go",),
        parts: Sequence[Any] = (),
        **options: Any,
    ) -> None:
        self.app, self.model = app_with(root, script, parts, **options)
        self.events: list[inarch.Event] = []
        self.session = asyncio.run(self._talk(prompts))

    async def _talk(self, prompts: Sequence[str]) -> inarch.Session:
        session = self.app.session()
        session.state.journal.listeners.append(self.events.append)
        for prompt in prompts:
            await session.run(prompt)
        return session

    @property
    def turn(self) -> inarch.Turn:
        """The last turn."""
        return self.session.turns[-1]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the data of all events of a kind."""
        return [dict(event.data) for event in self.events if event.kind == kind]

    def results(self) -> list[str]:
        """Return the results of the last request as the model reads them."""
        messages = self.model.requests[-1].messages
        parts = (part for message in messages for part in message.parts if isinstance(part, inarch.ResultPart))
        return [inarch.result_text(part.result) for part in parts]

    def close(self) -> None:
        """Let go of it."""
        asyncio.run(self.app.aclose())
