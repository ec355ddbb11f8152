"""A kept session as a program reads it."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from pathlib import Path

import pytest

import inarch
from inarch.testing import calls, says, scripted_app
from inarch.transcripts import Call, Request


def test_a_session_is_read_as_it_went(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello\n")
    app, _ = scripted_app([calls(("read_file", {"file_path": "a.txt"})), says("hello"), says("bye")], tmp_path)
    with app:
        session = app.session()
        asyncio.run(session.run("what is in a.txt?"))
        read = app.transcript(session.id[:18])
        asyncio.run(session.run("and now?"))
        (exchange,) = read.exchanges()  # what came since isn't in it
        assert (exchange.number, exchange.prompt, exchange.answer, exchange.status) == (
            1, "what is in a.txt?", "hello", "done",
        )  # fmt: skip
        assert [type(step) for step in exchange.steps if isinstance(step, (Request, Call))] == [Request, Call, Request]
        (call,) = exchange.calls
        assert (call.name, call.status, call.arguments) == ("read_file", "success", {"file_path": "a.txt"})
        assert call.span is not None and exchange.span is not None and exchange.span.begin <= call.span.begin
        assert read.begun["profile"] == "default" and read.info.root == str(tmp_path)
        assert exchange.size == sum(len(event.line) for event in read.events() if event.turn_id)
        assert [one.prompt for one in app.transcript().exchanges()] == ["what is in a.txt?", "and now?"]
        (row,) = read.spent()
        assert row.requests >= 2 and row.cost_usd >= Decimal(0)


def test_a_session_that_is_not_there_is_said(tmp_path: Path) -> None:
    app, _ = scripted_app([], tmp_path)
    with app:
        with pytest.raises(inarch.UsageError, match="no sessions in this directory"):
            app.transcript()
        with pytest.raises(inarch.UsageError, match="there is no session 'x'"):
            app.transcript("x")
