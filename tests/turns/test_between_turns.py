"""What happened since a model was last asked is before every context source, of any plugin and after a break, once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from attrs import define, evolve, field

import inarch
from inarch.contract.events import Note
from inarch.contract.other_events import CommandRan
from inarch.plugins.registration import Bound, DeclaredEvents
from inarch.testing import says, scripted_app

CONTEXT = inarch.PluginContext("shop", "/")
DECLARED = DeclaredEvents([Bound("shop", inarch.EventKind("sold", "Something was sold."), CONTEXT)])


@define(eq=False)
class Onlooker:
    """A context source that notes what it may look at, and is stopped once if it is told so."""

    name: str = "onlooker"
    stops: bool = False
    seen: list[list[tuple[str, object]]] = field(factory=list)

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        self.seen.append([(one.kind, one.data.get("arguments", one.data.get("what"))) for one in situation.happened])
        if self.stops:
            self.stops = False
            raise asyncio.CancelledError
        return None


def opened(root: Path, source: Onlooker) -> inarch.App:
    app, _ = scripted_app([says("one"), says("two"), says("three")], root)
    bound = Bound("shop", source, CONTEXT)
    app.composition = evolve(app.composition, context_sources=(*app.composition.context_sources, bound))
    return app


def happen(session: inarch.Session, word: str) -> None:
    journal = session.state.journal
    journal.record(Note("no deed"))
    journal.record(CommandRan("!", word, ""))
    journal.record(DECLARED.checked("shop", "sold", {"what": word}))
    journal.flush()


@pytest.mark.parametrize("breaks", [False, True])
def test_a_source_sees_it_once_even_after_a_break(tmp_path: Path, breaks: bool) -> None:
    source = Onlooker()
    app = opened(tmp_path, source)

    async def go() -> None:
        session = app.session()
        await session.run("first")
        happen(session, "a")
        again = app.session(session.id) if breaks else session
        await again.run("second")
        await again.run("third")
        await app.aclose()

    asyncio.run(go())
    assert source.seen == [[], [("command.ran", "a"), ("shop.sold", "a")], []]


def test_a_turn_that_was_stopped_before_anybody_was_asked_leaves_it_to_the_next(tmp_path: Path) -> None:
    source = Onlooker(stops=True)
    app = opened(tmp_path, source)

    async def go() -> None:
        session = app.session()
        happen(session, "a")
        with pytest.raises(asyncio.CancelledError):
            await session.run("first")
        await session.run("second")
        await app.aclose()

    asyncio.run(go())
    assert source.seen == [[("command.ran", "a"), ("shop.sold", "a")]] * 2
