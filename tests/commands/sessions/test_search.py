"""`inarch sessions search`: prompts and answers of kept sessions, newest first, without secrets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch_plugins.sqlite_store.store import SqliteStore

from ...running.program import Run


def said(session_id: str, root: str, *turns: tuple[str, str]) -> list[inarch.Event]:
    """Return the events of a session with these prompts and answers."""
    rows: list[tuple[str, dict[str, Any]]] = [("session.started", {"root": root})]
    for prompt, answer in turns:
        rows.append(("turn.started", {"turn": {"id": "p", "type": "user", "content": prompt}}))
        rows.append(("call.state", {"status": "done", "result": {"data": "apricots stand in a file"}}))
        rows.append(("turn.ended", {"turn": {"id": "a", "type": "agent", "content": answer, "model": "m/x"}}))
    return [inarch.Event(seq, inarch.utc_now(), session_id, "t", *row) for seq, row in enumerate(rows, 1)]


@pytest.fixture
def kept(environ: dict[str, str], project: Path) -> list[str]:
    """The ids of three kept sessions, the oldest first; the last is about another directory."""
    here, ids = str(project), [inarch.new_id() for _ in range(3)]
    store = SqliteStore(str(Path(environ["XDG_STATE_HOME"], "inarch")))
    store.append(ids[0], said(ids[0], here, ("Where are the APPLES weighed?", "In basket.py.\n\nBy the gram.")))
    store.append(
        ids[1], said(ids[1], here, *[(f"apples {n}", "Äpfel and \x1b[31mpears " + "x" * 500) for n in range(5)])
    )
    store.append(ids[2], said(ids[2], "/elsewhere", ("apples of others", "none")))
    store.close()
    return ids


def found(cli: Run, *words: str, **more: str) -> dict[str, tuple[int, list[str]]]:
    done = cli("sessions", "search", "--json", *words, **more)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    return {one["session"]["id"]: (one["count"], [place["excerpt"] for place in one["found"]]) for one in rows}


def test_prompts_and_answers_are_found_with_excerpts_the_newest_session_first(cli: Run, kept: list[str]) -> None:
    assert list(found(cli, "apples").items()) == [
        (kept[1], (5, ["apples 0", "apples 1", "apples 2"])),
        (kept[0], (1, ["Where are the APPLES weighed?"])),
    ]
    assert found(cli, "gram", "basket") == {kept[0]: (1, ["In basket.py. By the gram."])}
    assert found(cli, "gram", "weighed") == found(cli, "apricots") == found(cli, "user") == {}
    assert [*found(cli, "apples", "--most", "1")] == [kept[1]]
    assert [*found(cli, "apples", "--all")] == [kept[2], kept[1], kept[0]]
    ((_, excerpts),) = found(cli, "äpfel").values()
    assert excerpts[0].startswith("Äpfel") and excerpts[0].endswith("x…") and len(excerpts[0]) < 120


def test_lines_for_people_say_who_and_are_harmless(cli: Run, kept: list[str]) -> None:
    done = cli("sessions", "search", "pears")
    lines = done.stdout.splitlines()
    assert (
        lines[0].startswith(kept[1][:8])
        and lines[1].startswith("    m/x: Äpfel and ")
        and lines[-1] == "    and 2 more"
    )
    assert "\x1b" not in done.stdout
    assert "nothing was found in this directory" in cli("sessions", "search", "no-such-word").stdout
    assert cli("sessions", "search", " ").returncode == cli("sessions", "search").returncode == 2


def test_what_became_known_as_a_secret_is_not_shown_and_not_found(cli: Run, kept: list[str]) -> None:
    hidden = found(cli, "weighed?", GRAM_PASSWORD="By the gram.", APPLE_TOKEN="the APPLES")
    assert hidden == {kept[0]: (1, ["Where are ‹secret:APPLE_TOKEN› weighed?"])}
    assert found(cli, "apples weighed", APPLE_TOKEN="the APPLES") == {}
