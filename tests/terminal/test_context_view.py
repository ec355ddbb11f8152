"""`/context`, `/compact` and where tokens go, as somebody sees them in a conversation, on any terminal."""

from __future__ import annotations

import re
import sys
from asyncio import Runner
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from inarch.contract.errors import UsageError
from inarch.contract.records import Price, Usage
from inarch.program.chat_launch import Launched
from inarch.program.composer import Options
from inarch.sessions.session import Session
from inarch.testing import ScriptedModel, calls, says, scripted_app
from inarch_lib.output.printer import width
from inarch_plugins.terminal.slash.talk import Talk
from inarch_plugins.terminal.slash.views import compact, context, context_lines

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
        yield Talk(app, made, Launched(Options()), lambda text: sys.stdout.write(text), lambda: 200)
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


def test_the_context_says_price_window_and_precision(talk_of_two: Talk) -> None:
    shown = context(talk_of_two, "")
    assert "scripted/script · window unknown" in shown
    assert "earlier turns: 2 whole, 0 as prompt and answer, 0 dropped" in shown
    assert "input cost of such a request: about $0.0" in shown
    assert re.search(r"tokens are counted by estimate, at most \d+% off", shown)


def test_compacting_says_what_is_left_out_and_where_it_is(talk_of_two: Talk) -> None:
    said = compact(talk_of_two, "")
    assert "1 earlier turn but for prompt and answer; about " in said
    assert f"inarch sessions show {talk_of_two.session.id}" in said
    assert "Nothing to leave out" in compact(talk_of_two, "1")
    assert "1 whole, 1 as prompt and answer" in context(talk_of_two, "")
    assert "0 whole, 2 as prompt" in (compact(talk_of_two, "0"), context(talk_of_two, ""))[1]


@pytest.mark.parametrize("words", ["many", "-1", "1 2", "²"])
def test_compacting_takes_a_number(talk_of_two: Talk, words: str) -> None:
    with pytest.raises(UsageError, match="number"):
        compact(talk_of_two, words)
