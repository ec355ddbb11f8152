from __future__ import annotations

import asyncio
import sys
from asyncio import Runner
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import inarch
from inarch.journal.fold import fold
from inarch.testing import says, scripted_app
from inarch_plugins.terminal.user_commands import run_command

Run = Callable[[str], list[tuple[str, dict[str, object]]]]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Run commands of one session; the events that each one gave are returned."""
    app, _ = scripted_app([says("hello")], tmp_path)
    events: list[tuple[str, dict[str, object]]] = []
    with Runner() as runner:
        session = app.session()
        session.state.journal.listeners.append(lambda event: events.append((event.kind, dict(event.data))))

        def run_one(command: str) -> list[tuple[str, dict[str, object]]]:
            events.clear()
            runner.run(run_command(session, command, sys.stdout.write))
            journal = session.state.journal
            assert fold(journal.store.load(journal.session_id)).turns == ()
            return list(events)

        yield run_one
        runner.run(app.aclose())


def test_a_command_is_run_shown_escaped_and_recorded(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "odd.txt").write_bytes(b"one\x1b[31m\ntwo\n")
    events = run("cat odd.txt")
    out = capsys.readouterr().out
    assert "\x1b" not in out and out.startswith("one") and out.endswith("two\n")
    kind, data = events[-1]
    assert (kind, data["name"], data["arguments"]) == ("command.ran", "!", "cat odd.txt")
    (call,) = (event["call"] for kind, event in events if kind == "call.state" and event.get("call"))
    assert isinstance(call, dict) and call["origin"] == "user"


def test_a_cancelled_command_keeps_what_it_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "slow.py").write_text(
        "import time\nfor i in range(150):\n    print('line', i, flush=True)\ntime.sleep(600)\n"
    )
    argv = [sys.executable, "slow.py"]
    app, _ = scripted_app([says("hello")], tmp_path, config={"commands": {"slow": {"argv": argv}}})
    ran: list[str] = []

    async def go() -> None:
        session = app.session()
        task = asyncio.ensure_future(run_command(session, " ".join(argv), sys.stdout.write))

        def saw(event: inarch.Event) -> None:
            if event.kind == "call.output" and "line 149" in event.data["text"]:
                loop.call_soon_threadsafe(task.cancel)
            elif event.kind == "command.ran":
                ran.append(event.data["result"])

        loop = asyncio.get_running_loop()
        session.state.journal.listeners.append(saw)
        await task
        await app.aclose()

    asyncio.run(go())
    said = capsys.readouterr()
    assert said.out.startswith("… 50 lines before …\nline 50\n") and said.out.endswith("line 149\n")
    assert "the command was cancelled" in said.err
    assert ran[0].endswith("line 149\n(cancelled)")


def test_a_line_that_nobody_typed_is_denied_as_one(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("ls | wc -l")
    assert capsys.readouterr().out == "0\n"
    run("mkdir x && touch x/y")
    said = capsys.readouterr().err
    assert "part 1, mkdir x: " in said and "part 2, touch x/y: " in said and "[commands.touch]" in said
    assert not (tmp_path / "x").exists()
