"""kill -9, or a full disk, at every write of the journal, then going on: nothing is lost, done twice or made up."""

from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from attrs import define

from inarch.contract.codec import to_data
from inarch.journal.fold import fold
from inarch_plugins.sqlite_store.store import SqliteStore

from ...forking import run_inarch
from ...probes import keep_passes, pass_of

pytestmark = pytest.mark.once

PLUGIN = Path(__file__).with_name("killing.py")
AT_ONCE = 2
EFFECTS = ("a", "b", "c")


@pytest.fixture
def tmp_path(memory_path: Path) -> Path:
    return memory_path


@define
class Place:
    """A project, a home and the files that the plugin writes, for one killed run."""

    folder: Path

    def __attrs_post_init__(self) -> None:
        (self.folder / "project").mkdir(parents=True)
        (self.folder / "project" / "README.md").write_text("# shop\n")
        (self.folder / "config.toml").write_text('[profiles.default]\nplugins = ["sandbox-fs", "sqlite-store"]\n')
        keep_passes(self.folder / "cache", [pass_of(PLUGIN)])

    def run(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        names = ("requests", "marks", "moments")
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "INARCH_CONFIG": str(self.folder / "config.toml"),
            **{f"XDG_{name}_HOME": str(self.folder / name.lower()) for name in ("STATE", "CONFIG", "CACHE")},
            **{f"DURABILITY_{name.upper()}": str(self.folder / name) for name in names},
            **more,
        }
        return run_inarch(*words, "--plugin", str(PLUGIN), cwd=self.folder / "project", environ=environ)

    def ask(self, prompt: str, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        return self.run("ask", prompt, "--model", "marking/script", "--approve", "all", *words, **more)

    def lines(self, name: str) -> list[str]:
        file = self.folder / name
        return file.read_text().splitlines() if file.exists() else []


def calls_of(messages: list[dict[str, Any]]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the calls of a request with their results; every call has one, in the message that follows it."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for place, message in enumerate(messages):
        for part in message["parts"]:
            if part["type"] == "call":
                (result,) = (
                    other["result"]
                    for other in messages[place + 1]["parts"]
                    if other["type"] == "result" and other["call_id"] == part["id"]
                )
                assert part["id"] not in found
                found[part["id"]] = (part["arguments"].get("name", part["name"]), result)
    return found


def kill(place: Place, moment: int) -> str:
    """Kill a run at a moment, go on in a new process, and return how the calls with effects then stand."""
    killed = place.ask("do it", INARCH_STORE="killing", DURABILITY_KILL_AT=str(moment))
    assert killed.returncode == -9, killed.stderr
    return check(place, moment)


def fill_up(place: Place, moment: int) -> str:
    """Let the disk be full from a moment on, go on when there is room, and return as `kill` does."""
    full = place.ask("do it", INARCH_STORE="killing", DURABILITY_FULL_AT=str(moment))
    assert full.returncode in (0, 1), full.stderr
    assert full.returncode == 0 or "no room to write" in full.stderr
    assert "Traceback" not in full.stderr
    return check(place, moment)


def check(place: Place, moment: int) -> str:
    """Go on in a new process with what was broken off, and return how the calls with effects then stand."""
    marked = place.lines("marks")
    assert len(marked) == len(set(marked))
    made = (place.folder / "project" / "new.txt").exists()
    (place.folder / "requests").unlink(missing_ok=True)

    resumed = place.ask("go on", "--continue")
    if resumed.returncode == 2:  # broken off before the first event was kept: nothing may have happened
        assert "no session" in resumed.stderr
        assert not marked and not made
        return "nothing"
    assert resumed.returncode == 0, resumed.stderr
    assert place.lines("marks") == marked

    (request,) = map(json.loads, place.lines("requests"))
    calls = calls_of(request)
    states = {name: result["error"]["code"] if result["error"] else "success" for name, result in calls.values()}
    done = {**{name: name in marked for name in EFFECTS}, "create_file": made}
    for name, state in states.items():
        assert state in ("success", "unknown_outcome", "cancelled", "execution"), states
        assert state != "success" or done.get(name, True), f"{name} is said to be done and isn't"
        # Where nothing could be recorded an edit fails, and nothing was written.
        assert state not in ("cancelled", "execution") or not done.get(name), f"{name} was done and is said not to be"
        if state == "unknown_outcome":
            assert "what it did is unknown" in resumed.stderr
            assert "what it did is unknown" in json.dumps(request)
    assert all(name in states for name, was_done in done.items() if was_done), "what was done has no record"

    if moment % 4 == 0:  # what is unknown is told once
        assert "is unknown" not in place.ask("go on", "--continue").stderr
    store = SqliteStore(str(place.folder / "state" / "inarch"))
    (info,) = store.sessions()
    events = store.load(info.id)
    store.close()
    history = fold(events)
    assert (history.unknown, history.cut_off, history.unended, store.damage) == ((), (), (), [])
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    kept = {call.id: call for turn in history.turns for call in turn.calls}
    assert {call_id: to_data(kept[call_id].result)["error"] for call_id in calls} == {
        call_id: result["error"] for call_id, (_, result) in calls.items()
    }
    return " ".join(f"{name}:{states.get(name, '-')}" for name in (*EFFECTS, "create_file"))


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_killed_at_writes_of_the_journal(tmp_path: Path, step: int) -> None:
    whole = Place(tmp_path / "whole")
    assert whole.ask("do it", INARCH_STORE="killing").returncode == 0
    assert whole.lines("marks") == ["a", "b", "c"]
    moments = int(whole.lines("moments")[0])
    assert moments > 12
    with ThreadPoolExecutor(AT_ONCE) as pool:
        places = ((Place(tmp_path / str(moment)), moment) for moment in range(1, moments + 1, step))
        ends = list(pool.map(lambda one: kill(*one), places))
    # Every kind of end was met: before, unknown in the middle, and after a call with effects.
    assert ends[0] == "nothing"
    for state in ("-", "unknown_outcome", "success"):
        assert any(f"b:{state}" in end for end in ends), ends
    for state in ("-", "cancelled", "success"):  # the file says what its call did
        assert any(f"create_file:{state}" in end for end in ends), ends
    assert not any("create_file:unknown_outcome" in end for end in ends), ends


def test_a_disk_that_is_full_from_some_write_on(tmp_path: Path) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        places = ((Place(tmp_path / str(moment)), moment) for moment in range(2, 36, 6))
        ends = list(pool.map(lambda one: fill_up(*one), places))
    assert any("b:success c:-" in end for end in ends), ends
