"""Stores, logs, caches and approvals that 0.1.0 wrote are read, gone on with, undone, exported and replayed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence

import pytest
from tests.export.written import export

import inarch
from inarch_plugins.replay import replay
from inarch_sdk.log_restore import restore_log

from .conftest import Kept

TITLES = {
    "greet in English": 2,  # and its fork
    "greet in French": 1,
    "list and count": 1,
    "remember the basket": 1,
    "trace the basket": 1,
    "what does it sell": 1,
    "write what is not granted: tidy up": 1,
    "wait for it": 1,
}


def cli(kept: Kept, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "inarch", *words],
        cwd=kept.project, env=kept.environ, stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )  # fmt: skip


def session_of(app: inarch.App, title: str, *, oldest: bool = True) -> inarch.SessionInfo:
    found = [info for info in app.store.sessions(app.config.root) if info.title == title]
    return found[-1 if oldest else 0]


def test_every_session_is_listed_and_shown(everyday: Kept) -> None:
    with everyday.compose() as app:
        titles = [info.title for info in app.store.sessions(app.config.root)]
        newest = session_of(app, "greet in English", oldest=False)
    assert {title: titles.count(title) for title in titles} == TITLES
    listed = cli(everyday, "sessions", "list")
    assert (listed.returncode, listed.stderr, len(listed.stdout.splitlines())) == (0, "", 9)
    shown = cli(everyday, "sessions", "show", newest.id)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "> greet in English" in shown.stdout and "patch_source_file" in shown.stdout


def test_it_is_searched_and_summed_up(everyday: Kept) -> None:
    found = cli(everyday, "sessions", "search", "tidy", "up")
    assert (found.returncode, found.stderr) == (0, "") and "    you: write what is not granted: tidy up" in found.stdout
    summed = cli(everyday, "stats")
    assert (summed.returncode, summed.stderr) == (0, "") and "sessions: " in summed.stdout


def test_no_event_is_damaged_or_missing(everyday: Kept) -> None:
    with everyday.compose() as app:
        for info in app.store.sessions():
            assert [event.seq for event in app.store.load(info.id)] == [*range(1, info.events + 1)]
        assert not app.store.damage  # type: ignore[attr-defined]


def test_each_session_goes_on(everyday: Kept) -> None:
    async def go_on() -> list[inarch.Turn]:
        app = everyday.compose()
        turns = [await app.session(info.id).run("look around") for info in app.store.sessions(app.config.root)]
        await app.aclose()
        return turns

    turns = asyncio.run(go_on())
    assert [turn.status for turn in turns] == ["done"] * 9


def test_what_was_changed_is_undone_up_to_the_first_edit(everyday: Kept) -> None:
    with everyday.compose() as app:
        session = app.session(session_of(app, "greet in English").id)
        session.undo()  # the third turn was undone by 0.1.0; since then another session greets in French
        assert (everyday.project / "old.txt").read_text() == "nobody reads this\n"
        assert (everyday.project / "notes.txt").exists() and not (everyday.project / "docs" / "notes.txt").exists()
    assert 'GREETING = "Salut"' in (everyday.project / "shop" / "greeting.py").read_text()
    with everyday.compose() as app:
        french = app.session(session_of(app, "greet in French").id)
        french.undo("1")
    assert 'GREETING = "Hello"' in (everyday.project / "shop" / "greeting.py").read_text()


@pytest.mark.parametrize("form", ["jsonl", "markdown", "html"])
def test_each_session_is_exported(everyday: Kept, form: str) -> None:
    with everyday.compose() as app:
        for info in app.store.sessions():
            page = export(app.store.load(info.id), form)
            assert info.title in page


def test_each_session_is_replayed(everyday: Kept) -> None:
    with everyday.compose() as app:
        sessions = app.store.sessions(app.config.root)
    for info in sessions:
        report = asyncio.run(replay(info.id, **everyday.options))
        assert report.same, (info.title, report)


def test_each_log_restores_its_session(everyday: Kept) -> None:
    logs = everyday.state / "plugins" / "jsonl-logger" / "logs"
    with everyday.compose() as app:
        before = {info.id: app.store.load(info.id) for info in app.store.sessions()}
        for session_id, events in before.items():
            app.store.delete(session_id)
            done = restore_log(app.store, logs / f"{session_id}.jsonl", app.config.root)
            assert not done.problems
            assert app.store.load(session_id) == events


def test_what_was_approved_for_good_still_runs_unasked(everyday: Kept) -> None:
    """An approval is bound to the plugin's version on purpose, so the version is the one thing that is put right."""
    approvals = everyday.state / "approvals.json"
    approvals.write_text(approvals.read_text().replace("(inarch 0.1.0)", f"(inarch {inarch.__version__})"))

    class Nobody:
        name = "nobody"

        def show(self, event: inarch.Event) -> None:
            pass

        async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
            raise AssertionError(f"asked about {[request.call.name for request in batch]}")

        def close(self) -> None:
            pass

    greeting = everyday.project / "shop" / "greeting.py"
    greeting.write_text(greeting.read_text().replace("Salut", "Hello"))
    with everyday.compose(front_end=Nobody()) as app:
        asyncio.run(app.session().run("greet in French"))
    assert 'GREETING = "Salut"' in greeting.read_text()
    listed = cli(everyday, "policy", "list")
    assert "patch_source_file on shop/greeting.py" in listed.stdout, listed.stderr


def test_trust_history_and_notes_are_still_there(everyday: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    from inarch.config.directories import state_dir
    from inarch_plugins.terminal.conversation.line_history import KeptHistory

    for name, value in everyday.environ.items():
        monkeypatch.setenv(name, value)
    kept = KeptHistory(str(everyday.project), lambda: state_dir(everyday.environ))
    assert [*kept.load_history_strings()] == ["/sessions", "greet in English"]
    with everyday.compose() as app:
        assert app.config.trusted and [*app.config.commands] == ["made"]
        recalled = asyncio.run(app.call_tool("recall", {"query": "basket"}))
    assert "150 grams" in str(recalled.data)


def test_caches_are_used_or_made_anew(everyday: Kept) -> None:
    with everyday.compose() as app:
        found = asyncio.run(app.call_tool("find_callers", {"function": "weigh"}))
    assert not found.error and "pay" in str(found.data)
    kept = cli(everyday, "dispatch", "stats")
    assert kept.returncode == 0 and "1 decision" in kept.stdout, kept.stdout + kept.stderr


def test_a_session_of_ten_thousand_events_is_shown_gone_on_with_and_undone(long: Kept) -> None:
    count = long.project / "count.txt"
    before = count.read_text()
    with long.compose(flags={"approve": "edits"}) as app:
        (info,) = app.store.sessions(app.config.root)
        assert info.events > 10_000
        assert [event.seq for event in app.store.load(info.id)] == [*range(1, info.events + 1)]
        session = app.session(info.id)
        turn = asyncio.run(session.run("count up"))
        assert (turn.status, count.read_text()) == ("done", f"1{before}")
        session.undo()
        session.undo()
        assert count.read_text() == before.removeprefix("1")
    shown = cli(long, "sessions", "show", info.id)
    assert (shown.returncode, shown.stderr) == (0, "")
