"""A run whose session, or whose whole database, is removed meanwhile: it stops before it changes anything more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import define, evolve, field

from inarch import Event, PluginContext, StoreError
from inarch.plugins.registration import Bound
from inarch.testing import calls, says, scripted_app
from inarch_plugins.sqlite_store.store import SqliteStore


@define(eq=False)
class AfterTheFirstCall:
    """A tracer that does something once a call has its result."""

    act: Callable[[str], object]
    name: str = "acting"
    acted: bool = field(init=False, default=False)

    def saw(self, event: Event) -> None:
        if event.kind == "call.result" and not self.acted:
            self.acted = True
            self.act(event.session_id)

    def summary(self, turn_id: str) -> str | None:
        return None

    def close(self) -> None:
        pass


def _delete(folder: Path, session_id: str) -> None:
    other = SqliteStore(str(folder))
    other.delete(session_id)
    other.close()


def _unlink(folder: Path, session_id: str) -> None:
    for file in folder.glob("sessions.db*"):
        file.unlink()


@pytest.mark.parametrize(("act", "message"), [(_delete, "was deleted meanwhile"), (_unlink, "was removed while")])
def test_a_run_whose_record_is_gone_stops_before_its_next_effect(
    tmp_path: Path, act: Callable[[Path, str], None], message: str
) -> None:
    root, folder = tmp_path / "root", tmp_path / "state" / "inarch"
    root.mkdir()
    (root / "a.txt").write_text("one\n")
    steps = [
        calls(("read_file", {"file_path": "a.txt"})),
        calls(("write_file", {"file_path": "b.txt", "content": "x"})),
        says("done"),
    ]
    environ = {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    app, _ = scripted_app(steps, root, flags={"approve": "all"}, journal=True, environ=environ)
    tracer = AfterTheFirstCall(lambda session_id: act(folder, session_id))
    bound = Bound("test", tracer, PluginContext("test", str(root)))
    app.composition = evolve(app.composition, tracers=(bound,))
    session = app.session()
    with pytest.raises(StoreError, match=message):
        asyncio.run(session.run("read, then write"))
    assert tracer.acted
    assert sorted(path.name for path in root.iterdir()) == ["a.txt"]
    app.close()
    later = SqliteStore(str(folder))
    assert list(later.sessions()) == []
    later.close()
