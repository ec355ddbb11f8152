"""What a conversation asks of a long session is read from its end: counted by the events that the store hands out."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inarch import Turn
from inarch.contract.call_events import CallOutput
from inarch.contract.events import SessionStarted, TurnEnded, TurnStarted
from inarch.contract.other_events import ContextDropped
from inarch.contract.stores import ContextStore
from inarch.journal.journal import Journal
from inarch.program.chat_launch import Launched
from inarch.program.composer import Options
from inarch.testing import says, scripted_app
from inarch_plugins.terminal.conversation.chat_start import new_view
from inarch_plugins.terminal.slash.sessions import fork
from inarch_plugins.terminal.slash.talk import SlashCommands, Talk
from inarch_plugins.undo.prompts import last_prompt


def long_session(store: ContextStore, turns: int = 500, root: str = "/root") -> str:
    """Keep a session of five events a turn, of whose turns the model sees the last one."""
    journal = Journal(store, "s")
    journal.record(SessionStarted(root, "1"))
    for number in range(turns):
        asked = Turn(f"p{number}", "user", None, "s", "2026-01-01T00:00:00Z", content="go on", status="done")
        turn = Turn(f"t{number}", "agent", asked.id, "s", "2026-01-01T00:00:00Z", status="done")
        gone = ContextDropped("turns", 1, turns=(f"t{number - 1}",))
        journal.record_all([(TurnStarted(asked), asked.id), (gone, None), (TurnStarted(turn), turn.id)])
        journal.record_all([(CallOutput("c", f"output {number}"), turn.id), (TurnEnded(turn), turn.id)])
    journal.flush()
    return journal.session_id


@pytest.fixture
def talk(tmp_path: Path, own_home: Path) -> Iterator[Talk]:
    (tmp_path / "root").mkdir()
    app, _ = scripted_app([says("done")], tmp_path / "root", journal=True)
    session = app.session(long_session(app.store, root=app.config.root))
    yield Talk(app, session, Launched(Options()), lambda text: None, lambda: 80)
    app.close()


def handed_out(talk: Talk, asking: Callable[[], object]) -> int:
    """Return how many events the store hands out for something, the second time that it is asked."""
    store: Any = talk.app.store
    scan, found = store.scan, []

    def counted(session_id: str, after: int = 0) -> Iterator[object]:
        for event in scan(session_id, after):
            found.append(event.seq)
            yield event

    asking()
    store.scan = counted
    try:
        asking()
    finally:
        store.scan = scan
    return len(found)


@pytest.mark.parametrize(
    "asking",
    [
        lambda talk: talk.session.is_kept,
        lambda talk: talk.keep(),
        lambda talk: last_prompt(talk.app.store, talk.session.id),
        lambda talk: asyncio.run(SlashCommands(talk).run("/retry")),
        lambda talk: new_view(talk, "m", colours=False, stream=io.StringIO()),
        lambda talk: fork(talk, ""),
    ],
    ids=["is kept", "keep", "last prompt", "retry", "the line of figures", "fork"],
)
def test_what_is_about_the_end_reads_the_end(talk: Talk, asking: Callable[[Talk], object]) -> None:
    assert handed_out(talk, lambda: asking(talk)) < 40


def test_what_is_read_from_the_end_is_right(talk: Talk) -> None:
    session = asyncio.run(_one_more(talk))
    assert last_prompt(session.app.store, session.session.id) == "and now this"
    asyncio.run(SlashCommands(session).run("/retry"))
    assert session.next_prompts == ["and now this"]
    assert len(session.session.turns) == 501


async def _one_more(talk: Talk) -> Talk:
    await talk.session.run("and now this")
    return talk
