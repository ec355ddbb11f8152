"""Undo from outside a conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import define, evolve, field

from inarch.contract.errors import UsageError
from inarch.contract.events import Event
from inarch.contract.records import PluginContext
from inarch.plugins.registration import Bound
from inarch.sessions.app import App
from inarch_testing.apps import scripted_app
from inarch_testing.scripted import calls, says


@define(eq=False)
class Tracer:
    """Keeps what it sees, or fails."""

    name: str
    fails: bool = False
    kinds: list[str] = field(factory=list)

    def saw(self, event: Event) -> None:
        self.kinds.append(event.kind)
        if self.fails:
            raise RuntimeError("broken")

    def summary(self, turn_id: str) -> str | None:
        return None

    def close(self) -> None:
        pass


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[tuple[App, str]]:
    """A kept session that wrote a file, and the application that may undo it."""
    (tmp_path / "root").mkdir()
    environ = {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    steps = [calls(("write_file", {"file_path": "a.txt", "content": "1\n"})), says("done")]
    app, _ = scripted_app(steps, tmp_path / "root", flags={"approve": "all"}, journal=True, environ=environ)
    session = app.session()
    asyncio.run(session.run("write"))
    yield app, session.id
    app.close()


def test_what_is_undone_apart_is_recorded_and_seen_by_every_tracer(kept: tuple[App, str]) -> None:
    app, session_id = kept
    place = Path(app.config.root, "a.txt")
    tracers = [Tracer("broken", fails=True), Tracer("whole")]
    context = PluginContext("test", app.config.root)
    app.composition = evolve(app.composition, tracers=tuple(Bound("test", one, context) for one in tracers))
    assert app.extension(session_id, "undo").run("undo", "", dry_run=True).files
    assert place.exists() and tracers[1].kinds == []
    assert app.extension(session_id, "undo").run("undo", "", dry_run=False).done
    assert not place.exists()
    assert not app.extension(session_id, "undo").run("undo", "", dry_run=False).done
    assert app.extension(session_id, "undo").run("redo", "1", dry_run=False).done
    assert place.read_text() == "1\n"
    assert tracers[1].kinds == ["changes.undoing", "changes.undone", "file.changed"] * 2
    assert tracers[0].kinds == ["changes.undoing", "changes.undone"] * 2
    events = app.store.load(session_id)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert [event.kind for event in events][-6:] == tracers[1].kinds


def test_a_session_of_another_directory_is_not_undone_here(kept: tuple[App, str], tmp_path: Path) -> None:
    app, session_id = kept
    (tmp_path / "other").mkdir()
    app.config = evolve(app.config, root=str(tmp_path / "other"))
    with pytest.raises(UsageError, match=r"is about .*root.*\n?.*do it there"):
        app.extension(session_id, "undo").run("undo", "", dry_run=False)
    assert (tmp_path / "root" / "a.txt").exists()
