"""`inarch sessions fork`, `delete`, `restore`, and `--continue`: the real program, in processes of its own."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inarch_plugins.commands.sessions.delete import _unlink

pytestmark = pytest.mark.once

Run = Callable[..., "subprocess.CompletedProcess[str]"]
ASK = ("ask", "--model", "offline/extractive")


def listed(cli: Run) -> list[dict[str, Any]]:
    sessions: list[dict[str, Any]] = json.loads(cli("sessions", "list", "--json").stdout)
    return sessions


def shown(cli: Run, session_id: str) -> dict[str, Any]:
    session: dict[str, Any] = json.loads(cli("sessions", "show", session_id, "--json").stdout)
    return session


@pytest.fixture
def talked(cli: Run) -> str:
    """The id of a session with two turns."""
    assert cli(*ASK, "what is in README.md").returncode == 0
    assert cli(*ASK, "and what does", "basket.py do", "--continue").returncode == 0
    (session,) = listed(cli)
    return str(session["id"])


def logs(environ: dict[str, str]) -> list[Path]:
    return sorted(Path(environ["XDG_STATE_HOME"]).rglob("logs/*.jsonl"))


def test_a_fork_begins_with_the_turns_up_to_one(cli: Run, talked: str, environ: dict[str, str]) -> None:
    done = cli("sessions", "fork", talked[:13], "--at", "1")
    assert done.returncode == 0
    fork = done.stdout.split()[1]
    assert "begins with 1 turn of" in done.stdout
    assert f"inarch --session {fork}" in done.stdout
    assert [turn["content"] for turn in shown(cli, fork)["turns"] if turn["type"] == "user"] == ["what is in README.md"]
    assert len([turn for turn in shown(cli, talked)["turns"] if turn["type"] == "user"]) == 2
    whole = json.loads(cli("sessions", "fork", talked, "--json").stdout)
    assert (whole["forked_from"], whole["forked_at"]) == (talked, 2)
    # The log of a fork is a whole session, too.
    assert len(logs(environ)) == 3
    assert cli("sessions", "delete", fork, "--yes").returncode == 0
    assert cli("sessions", "restore", next(str(file) for file in logs(environ) if fork in file.name)).returncode == 0
    assert len(shown(cli, fork)["turns"]) == 2
    other = str(whole["session_id"])
    assert cli("sessions", "restore", next(str(file) for file in logs(environ) if other in file.name)).returncode == 0
    before = shown(cli, other)["turns"]
    refused = cli("sessions", "fork", talked, "--at", "3")
    assert refused.returncode == 2
    assert "2 turns, not 3" in refused.stderr
    # It stays one when that of the session it was forked from is deleted.
    assert cli("sessions", "delete", talked, "--yes", "--logs").returncode == 0
    assert shown(cli, other)["turns"] == before
    assert cli("sessions", "delete", other, "--yes").returncode == 0
    assert cli("sessions", "restore", next(str(file) for file in logs(environ) if other in file.name)).returncode == 0
    assert shown(cli, other)["turns"] == before


def test_delete_asks_or_refuses(cli: Run, talked: str, environ: dict[str, str]) -> None:
    refused = cli("sessions", "delete", talked)
    assert refused.returncode == 2
    assert "--yes" in refused.stderr
    assert len(listed(cli)) == 1
    for words in ((), (talked, "--older-than", "1d"), ("--older-than", "soon"), ("nothing", "--yes")):
        assert cli("sessions", "delete", *words).returncode == 2
    done = cli("sessions", "delete", talked[:13], "--yes")
    assert done.returncode == 0
    assert "deleted 1 session" in done.stdout
    assert "event logs stay" in done.stdout
    assert listed(cli) == []
    assert cli("sessions", "show", talked).returncode == 2
    (log,) = logs(environ)
    assert cli("sessions", "restore", str(log)).returncode == 0
    gone = json.loads(cli("sessions", "delete", talked, talked, "--yes", "--logs", "--json").stdout)
    assert gone == {"deleted": [talked], "logs": []}
    assert logs(environ) == []


def test_delete_what_is_older(cli: Run, talked: str, environ: dict[str, str], tmp_path: Path) -> None:
    assert "nothing to delete" in cli("sessions", "delete", "--older-than", "30d", "--yes").stdout
    assert cli("sessions", "delete", "--older-than", "0h").returncode == 2
    tried = cli("sessions", "delete", "--older-than", "0h", "--dry-run").stdout
    assert talked[:8] in tried and "would delete 1 session" in tried
    assert json.loads(cli("sessions", "delete", talked, "--dry-run", "--json").stdout) == {"would_delete": [talked]}
    assert "nothing to delete" in cli("sessions", "delete", "--older-than", "90d", "--dry-run").stdout
    assert len(listed(cli)) == 1
    (tmp_path / "elsewhere").mkdir()
    other = ("--root", str(tmp_path / "elsewhere"))
    assert "nothing to delete" in cli("sessions", "delete", "--older-than", "0h", "--yes", *other).stdout
    assert len(listed(cli)) == 1
    assert "deleted 1 session" in cli("sessions", "delete", "--older-than", "0h", "--yes", "--all", *other).stdout
    assert listed(cli) == []


def test_restore_says_what_is_lost(cli: Run, talked: str, environ: dict[str, str], tmp_path: Path) -> None:
    (log,) = logs(environ)
    data = log.read_bytes().splitlines(keepends=True)
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(b"".join([*data[:4], b"\0" * 300 + b"\n", data[5][:40] + b"\n", *data[6:-3], data[-3][:50]]))
    assert cli("sessions", "delete", talked, "--yes").returncode == 0
    done = cli("sessions", "restore", str(broken))
    assert done.returncode == 0
    assert f"session {talked}: {len(data) - 5} events restored" in done.stdout
    assert "events 5 to 6 are missing" in done.stdout
    assert "broken.jsonl:5: 300 bytes are zero" in done.stderr
    assert "broken.jsonl:6: this is no whole line" in done.stderr
    damaged = cli("sessions", "show", talked)
    assert damaged.returncode == 0
    assert "events 5 to 6 are missing" in damaged.stderr
    assert "sessions restore" in damaged.stderr
    assert shown(cli, talked)["missing"] == [[5, 6]]
    whole = log.rename(tmp_path / "whole.jsonl")  # else what is missing would come back at once
    assert cli(*ASK, "go on", "--continue").returncode == 0
    # The whole log brings back the two; what came after the cut is another story by now.
    again = json.loads(cli("sessions", "restore", str(whole), "--json").stdout)
    assert again["sessions"][0]["missing"] == []
    assert again["sessions"][0]["events"] == 2


def test_a_damaged_session_is_shown_resumed_and_deleted(cli: Run, talked: str, environ: dict[str, str]) -> None:
    database = Path(environ["XDG_STATE_HOME"]) / "inarch" / "sessions.db"
    connection = sqlite3.connect(database)
    connection.execute("UPDATE events SET line = substr(line, 1, 60) WHERE id & 0xFFFFFFFF IN (3, 5)")
    connection.execute("DELETE FROM events WHERE id & 0xFFFFFFFF IN (1, 8)")
    connection.commit()
    connection.close()
    done = cli("sessions", "show", talked)
    assert done.returncode == 0
    assert "event 3 of session" in done.stderr
    assert "event 8 is missing" in done.stderr
    as_json = shown(cli, talked)
    assert as_json["missing"] == [[1, 1], [3, 3], [5, 5], [8, 8]]
    assert len(as_json["damage"]) == 2
    assert as_json["tokens"][0].keys() == {"what", "count", "tokens"}
    done = cli(*ASK, "go on", "--session", talked)
    assert done.returncode == 0 and "4 events that the store had lost: restored from the log" in done.stderr
    assert cli("sessions", "fork", talked, "--at", "1").returncode == 0
    (log,) = (file for file in logs(environ) if talked in file.name)
    assert "everything that the log has was there" in cli("sessions", "restore", str(log)).stdout
    assert shown(cli, talked)["missing"] == []
    assert cli("sessions", "delete", talked, "--yes").returncode == 0
    assert [session["id"] for session in listed(cli)] != [talked]


def test_a_database_without_its_head_is_set_aside_and_restored_from_the_logs(
    cli: Run, talked: str, environ: dict[str, str]
) -> None:
    state = Path(environ["XDG_STATE_HOME"]) / "inarch"
    before = shown(cli, talked)["turns"]
    (state / "sessions.db").write_bytes(b"not a database at all\n" * 1000)
    for name in ("sessions.db-wal", "sessions.db-shm"):
        (state / name).unlink(missing_ok=True)
    assert listed(cli) == []
    assert (state / "sessions.db.damaged-1").read_bytes().startswith(b"not a database")
    (log,) = logs(environ)
    assert cli("sessions", "restore", str(log)).returncode == 0
    assert shown(cli, talked)["turns"] == before


def test_a_log_whose_folder_has_become_a_link_stays(tmp_path: Path) -> None:
    own, others = tmp_path / "own", tmp_path / "others"
    for folder in (own, others):
        folder.mkdir()
        (folder / "s.jsonl").touch()
    assert _unlink(own / "absent.jsonl")
    assert _unlink(own / "s.jsonl") and not (own / "s.jsonl").exists()
    own.rmdir()
    own.symlink_to(others)  # as the process of an isolated plugin may do between the naming and the deleting
    assert not _unlink(own / "s.jsonl")
    assert (others / "s.jsonl").exists()
