"""Real sessions, recorded through the real composition with a scripted model, and their replays."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

import inarch
from inarch.testing import ScriptedModel, scripted_app
from inarch_plugins.replay import ReplayReport, replay

Play = Callable[[inarch.Session, inarch.App], Awaitable[None]]


def places() -> dict[str, str]:
    """The variables that say where state and caches are; keys are not among them."""
    return {name: value for name, value in os.environ.items() if name == "HOME" or name.startswith("XDG_")}


def project(root: Path) -> Path:
    """Make a small project."""
    (root / "shop").mkdir(parents=True)
    (root / "README.md").write_text("# shop\n\nSells apples by the basket.\n")
    (root / "shop" / "__init__.py").write_text("")
    (root / "shop" / "basket.py").write_text("def weigh_basket(apples):\n    return apples * 15\n")
    (root / "shop" / "till.py").write_text(
        "from shop.basket import weigh_basket\n\n\ndef pay_basket(apples):\n    return weigh_basket(apples) * 2\n"
    )
    return root


@frozen
class Recorded:
    """A session that was recorded, and how it was composed."""

    id: str
    root: Path
    options: dict[str, Any]
    turns: tuple[inarch.Turn, ...] = ()

    def replay(self, **more: Any) -> ReplayReport:
        """Replay it in this process."""
        return asyncio.run(replay(self.id, **{**self.options, **more}))

    def events(self) -> list[inarch.Event]:
        """What its store holds."""
        with inarch.compose(**self.options) as app:
            return list(app.store.load(self.id))

    def tamper(self, change: Callable[[list[inarch.Event]], Sequence[inarch.Event]]) -> None:
        """Write the record anew with something changed; what is kept beside the events stays."""
        with inarch.compose(**self.options) as app:
            store, events = app.store, list(app.store.load(self.id))
            blobs = {
                data[side]
                for data in (event.data for event in events if event.kind == "file.changed")
                for side in ("before", "after")
                if data[side]
            }
            kept = [store.get_blob(self.id, ref) for ref in blobs]
            store.delete(self.id)
            store.append(self.id, change(events))
            for data in kept:
                store.put_blob(self.id, data)


def record(root: Path, script: Any, *prompts: str, play: Play | None = None, **options: Any) -> Recorded:
    """Record a session: its prompts one after the other, or whatever `play` does with it."""
    options = {"config": {}, "environ": places(), **options}

    async def go() -> tuple[str, tuple[inarch.Turn, ...]]:
        app, _ = scripted_app(script, root, journal=True, **options)
        try:
            session = app.session()
            for prompt in prompts:
                await session.run(prompt)
            if play is not None:
                await play(session, app)
            return session.id, session.turns
        finally:
            await app.aclose()

    session_id, turns = asyncio.run(go())
    known = {key: value for key, value in options.items() if key != "front_end"}
    return Recorded(session_id, root, {"root": root, **known}, turns)


def resume(recorded: Recorded, script: Any, *prompts: str, play: Play | None = None, **options: Any) -> None:
    """Go on with a recorded session, as another process would."""

    async def go() -> None:
        model = ScriptedModel(script)
        app, _ = scripted_app(model, journal=True, **{**recorded.options, **options})
        try:
            session = app.session(recorded.id)
            for prompt in prompts:
                await session.run(prompt)
            if play is not None:
                await play(session, app)
        finally:
            await app.aclose()

    asyncio.run(go())


def assert_same(report: ReplayReport) -> None:
    """Check that a replay came to the same, in everything that it says."""
    assert (report.first_difference, report.refused, report.drifted, report.files) == (None, "", (), ())
    assert report.same
    assert report.digest == report.replayed_digest
    assert report.tree == report.replayed_tree
