"""`/context`, `/compact` and where tokens go, as somebody sees them in a conversation, on any terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from asyncio import Runner
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from inarch.contract.errors import UsageError
from inarch.contract.records import Price, Usage
from inarch.program.composing import Options
from inarch.program.conversing import Launched
from inarch.sessions.session import Session
from inarch.testing import ScriptedModel, calls, says, scripted_app
from inarch_output.columns import width
from inarch_terminal.slash.context_view import compact_text, context_lines, context_text
from inarch_terminal.slash.running import SlashCommands
from inarch_terminal.slash.talk import Talk

from ..running.program import PROGRAM, Run

USED = Usage(4000, 5, cost_usd=Decimal(0))
SCRIPT = [calls(("read_file", {"file_path": "a.txt"}), usage=USED), says("first", USED), says("second", USED)]


@pytest.fixture
def talk_of_two(tmp_path: Path) -> Iterator[Talk]:
    (tmp_path / "a.txt").write_text("some words of text\n" * 300)
    model = ScriptedModel(SCRIPT, cost=Price(Decimal(3), Decimal(9)))
    app, _ = scripted_app(model, tmp_path)
    with Runner() as runner:
        made = app.session()
        runner.run(made.run("one"))
        runner.run(made.run("two"))
        yield Talk(app, made, Launched(Options()), lambda text: sys.stdout.write(text), lambda: 80)
        runner.run(app.aclose())


@pytest.fixture
def session(talk_of_two: Talk) -> Session:
    return talk_of_two.session


@pytest.mark.parametrize("columns", [20, 40, 80, 200])
def test_the_context_fits_any_terminal(session: Session, columns: int) -> None:
    lines = list(context_lines(session.context(), columns))
    rows = "\n".join(lines).splitlines()
    assert all(width(line) <= max(columns, 36) for line in rows)
    names = [line.split("  ")[0].strip() for line in rows]
    for name in ("system", "tools", "project structure", "earlier turns, whole", "tool results", "in all"):
        assert name in names
    assert ("#" in "".join(rows)) == (columns >= 60)


def test_the_context_says_price_window_and_calibration(session: Session) -> None:
    shown = context_text(session, "", 200)
    assert "scripted/script · window unknown" in shown
    assert "earlier turns: 2 whole, 0 as prompt and answer, 0 not seen" in shown
    assert "one such request costs: about $0.0" in shown
    assert "calibrated on 3 reports of the service: estimate × " in shown
    assert "reported 4,000" in shown


def test_compacting_says_what_is_left_out_and_where_it_is(session: Session) -> None:
    said = compact_text(session, "", 200)
    assert "1 earlier turn but for prompt and answer; about " in said
    assert f"inarch sessions show {session.id}" in said
    assert "Nothing to leave out" in compact_text(session, "1", 200)
    assert "1 whole, 1 as prompt and answer" in context_text(session, "", 200)
    assert "0 whole, 2 as prompt" in (compact_text(session, "0", 200), context_text(session, "", 200))[1]


@pytest.mark.parametrize("words", ["many", "-1", "1 2", "²"])
def test_compacting_takes_a_number(session: Session, words: str) -> None:
    with pytest.raises(UsageError, match="number"):
        compact_text(session, words, 80)
    with pytest.raises(UsageError, match="no words"):
        context_text(session, words, 80)


def test_both_are_commands_and_recorded(talk_of_two: Talk, capsys: pytest.CaptureFixture[str]) -> None:
    session = talk_of_two.session
    journal = session.state.journal
    with Runner() as runner:
        for line in ("/context", "/compact 0"):
            runner.run(SlashCommands(talk_of_two).run(line))
    assert "Left out from now on" in capsys.readouterr().out
    ran = [event.data["name"] for event in journal.store.load(session.id) if event.kind == "command.ran"]
    assert ran == ["context", "compact"]


def talk(environ: dict[str, str], project: Path, typed: str, *words: str) -> tuple[int, str]:
    """Type lines at a terminal into the real program, whose output goes into a pipe."""
    ours, theirs = pty.openpty()
    try:
        program = subprocess.Popen(
            [*PROGRAM, "chat", *words],
            cwd=project, env=environ, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        os.write(ours, typed.encode())
        said, _ = program.communicate(timeout=120)
    finally:
        os.close(ours)
        os.close(theirs)
    return program.returncode, said.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_a_conversation_over_a_pipe_and_its_record(environ: dict[str, str], project: Path, cli: Run) -> None:
    typed = "list the files\nread README.md\n/context\n/compact 0\n/compact x\n/context\n/quit\n"
    code, said = talk(environ | {"COLUMNS": "40"}, project, typed, "--model", "offline")
    assert code == 0
    assert said.count("offline/extractive · window") == 2
    assert "Left out from now on: 2 earlier turns" in said
    assert "0 whole, 2 as prompt" in said.replace("\n", " ")
    assert "/compact takes the number" in said
    assert "\x1b" not in said
    session_id = cli("sessions", "list").stdout.split()[0]
    shown = cli("sessions", "show", session_id).stdout
    assert "where tokens went, about, each thing counted once:" in shown
    assert "left out (/compact): 2 earlier turns but for prompt and answer; about" in shown
    assert "project structure" in shown
