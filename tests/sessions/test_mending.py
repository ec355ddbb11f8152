"""Damage of a store is told wherever sessions are read, and what a log has of a session comes back when it goes on."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
from pathlib import Path

import pytest
from attrs import frozen

import inarch
from inarch.testing import ScriptedModel, says, scripted_app
from inarch_sdk.event_log import WAY_ON

from ..forking import run_inarch


@frozen
class Place:
    """A project with a session of two turns."""

    root: Path
    state: Path
    session_id: str

    @property
    def file(self) -> Path:
        return self.state / "sessions.db"

    def cli(self, *words: str) -> subprocess.CompletedProcess[str]:
        return run_inarch(*words, cwd=self.root, environ={**os.environ, "LANG": "C.UTF-8"})

    def change(self, statement: str) -> None:
        with sqlite3.connect(self.file) as connection:
            connection.execute(statement)
        connection.close()

    def go_on(self) -> tuple[list[str], list[int], ScriptedModel]:
        """Go on with the session; return the notes of the store, the numbers of its events, and the model."""

        async def once() -> tuple[list[str], list[int], ScriptedModel]:
            app, model = scripted_app([says("three")], self.root, journal=True)
            session = app.session(self.session_id)
            await session.run("and a third one?")
            events = app.store.load(self.session_id)
            await app.aclose()
            notes = [event.data["text"] for event in events if event.data.get("source") == "store"]
            return notes, [event.seq for event in events], model

        return asyncio.run(once())


@pytest.fixture
def place(tmp_path: Path, own_home: Path) -> Place:
    async def two_turns() -> str:
        app, _ = scripted_app([says("the first answer"), says("the second answer")], root, journal=True)
        session = app.session()
        await session.run("a first question")
        await session.run("a second question")
        await app.aclose()
        return session.id

    root = tmp_path / "project"
    root.mkdir()
    return Place(root, own_home / "state" / "inarch", asyncio.run(two_turns()))


def garbage(place: Place) -> None:
    place.file.write_bytes(bytes(range(256)) * 20)


@pytest.mark.parametrize("words", [("sessions", "list"), ("sessions", "list", "--json"), ("ask", "what", "is", "here")])
def test_a_store_that_was_set_aside_is_reported_with_what_to_do(place: Place, words: tuple[str, ...]) -> None:
    garbage(place)
    done = place.cli(*words)
    assert "sessions.db was damaged: it is now sessions.db.damaged-1" in done.stderr
    assert "inarch sessions restore" in done.stderr


def test_restore_without_a_file_brings_back_the_sessions_of_this_directory_alone(place: Place, tmp_path: Path) -> None:
    async def elsewhere() -> str:
        (tmp_path / "other").mkdir()
        app, _ = scripted_app([says("one")], tmp_path / "other", journal=True)
        session = app.session()
        await session.run("elsewhere")
        await app.aclose()
        return session.id

    other = asyncio.run(elsewhere())
    with inarch.compose(root=place.root) as app:
        before = app.store.load(place.session_id)
    garbage(place)
    done = place.cli("sessions", "restore")
    assert done.returncode == 0 and f"session {place.session_id}: " in done.stdout
    assert other not in done.stdout
    with inarch.compose(root=place.root) as app:
        assert app.store.load(place.session_id) == before
        assert not app.store.load(other)


@pytest.mark.parametrize(
    "damage", ["UPDATE events SET line = 'x' WHERE id & 0xFFFFFFFF = 4", "DELETE FROM events WHERE id & 0xFFFFFFFF = 4"]
)
def test_a_session_with_damaged_rows_is_made_whole_from_its_log_and_says_so(place: Place, damage: str) -> None:
    place.change(damage)
    notes, seqs, model = place.go_on()
    assert "1 event that the store had lost: restored from the log" in notes
    assert seqs == [*range(1, len(seqs) + 1)]
    assert "a first question" in str(model.requests[0].messages)


def test_a_session_without_a_log_says_what_is_missing(place: Place) -> None:
    for log in (place.state / "plugins" / "jsonl-logger" / "logs").iterdir():
        log.unlink()
    place.change("DELETE FROM events WHERE id & 0xFFFFFFFF IN (4, 5)")
    notes, seqs, _ = place.go_on()
    assert notes == [f"of this session events 4 to 5 are missing; {WAY_ON}"]
    assert 4 not in seqs


@pytest.mark.usefixtures("permissions_count")
@pytest.mark.parametrize("whole", [True, False])
def test_where_nothing_can_be_written_best_effort_still_answers_and_goes_on(place: Place, whole: bool) -> None:
    """The folder alone is closed, or the database with it; other commands read what there is."""
    if whole:
        place.file.chmod(0o400)
    place.state.chmod(0o500)
    before = place.file.read_bytes()

    async def ask(session_id: str | None, journal: str) -> tuple[inarch.Turn, ScriptedModel]:
        app, model = scripted_app([says("an answer")], place.root, journal=True, flags={"journal": journal})
        try:
            return await app.session(session_id).run("go on"), model
        finally:
            await app.aclose()

    try:
        turn, model = asyncio.run(ask(place.session_id, "best-effort"))
        assert turn.content == "an answer" and "a first question" in str(model.requests[0].messages)
        assert asyncio.run(ask(None, "best-effort"))[0].content == "an answer"
        for session_id in (place.session_id, None):
            with pytest.raises(inarch.StoreError) as caught:
                asyncio.run(ask(session_id, "required"))
            assert "--no-journal" in caught.value.remedy
        assert place.file.read_bytes() == before
    finally:
        place.state.chmod(0o700)
