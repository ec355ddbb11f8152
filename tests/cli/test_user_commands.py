from __future__ import annotations

from asyncio import Runner
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inarch.cli.user_commands import run_command
from inarch.journal import fold
from inarch.testing import says, scripted_app

Run = Callable[[str], list[tuple[str, dict[str, object]]]]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Run commands of one session; the events that each one gave are returned."""
    app, _ = scripted_app([says("hello")], tmp_path)
    events: list[tuple[str, dict[str, object]]] = []
    with Runner() as runner:
        session = app.session()
        session.conversation.journal.listeners.append(lambda event: events.append((event.kind, dict(event.data))))

        def run_one(command: str) -> list[tuple[str, dict[str, object]]]:
            events.clear()
            run_command(session, runner, command)
            journal = session.conversation.journal
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


def test_a_failing_command_says_so_and_a_refused_one_says_why(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run("grep -r nothing-like-this .")
    assert "nothing matched" in capsys.readouterr().err
    run("rm x")
    said = capsys.readouterr()
    assert "delete_file" in said.err and "\n  [commands.rm]\n" in said.err and said.out == ""
    run("")
    assert capsys.readouterr().err
