"""A reply that its service cut is not shown as whole, whatever the wire calls the reason."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec
from pathlib import Path

import pytest

import inarch
from inarch.testing import HttpReply, HttpServer

from .wires import WIRES, Calls, Says, Step, Wire, composed

REASONS = {
    "gemini": ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "BRAND_NEW"],
    "anthropic": ["refusal", "brand_new", "SAFETY"],
    "chat": ["content_filter", "refusal", "SAFETY", "brand_new"],
}
CASES = [
    pytest.param(wire, reason, id=f"{wire.provider} {reason}", marks=[pytest.mark.filterwarnings("ignore")])
    for wire in WIRES
    for reason in REASONS[wire.provider if wire.provider in REASONS else "chat"]
]


def ended(wire: Wire, step: Step, reason: str) -> HttpReply:
    """A reply whose finish reason is another one."""
    reply = wire.render(step)
    body = b"".join(chunk for chunk in reply.chunks if isinstance(chunk, bytes))
    for usual in (b'"STOP"', b'"stop"', b'"tool_calls"}]', b'"end_turn"', b'"tool_use"}, "usage'):
        body = body.replace(usual, usual.replace(usual.split(b'"')[1], reason.encode()))
    return HttpReply([body], 200, reply.headers)


def turn_with(wire: Wire, reply: HttpReply, folder: Path) -> inarch.Turn:
    if wire.provider == "litellm" and find_spec("litellm") is None:
        pytest.skip("PyPI litellm is not installed")
    with HttpServer([reply]) as server:
        app = composed(wire, folder, server.url, "sandbox-fs", flags={"strategy": []}, journal=False)
        with asyncio.Runner() as runner:
            turn = runner.run(app.session().run("write a poem"))
            runner.run(app.aclose())
    return turn


@pytest.mark.parametrize(("wire", "reason"), CASES)
def test_text_before_the_cut_is_kept_and_the_turn_fails(wire: Wire, reason: str, tmp_path: Path) -> None:
    turn = turn_with(wire, ended(wire, Says(["half a ", "poem"]), reason), tmp_path)
    assert (turn.status, turn.content) == ("failed", "half a poem")
    assert reason in (turn.error or ""), "the service's own reason"


@pytest.mark.parametrize(("wire", "reason"), [case for case in CASES if "SAFETY" in str(case.id)])
def test_calls_of_a_reply_that_was_cut_are_not_run(wire: Wire, reason: str, tmp_path: Path) -> None:
    calls = Calls([("create_file", {"file_path": "made.txt", "content": "x"})])
    turn = turn_with(wire, ended(wire, calls, reason), tmp_path)
    assert (turn.status, turn.calls) == ("failed", ())
    assert not (tmp_path / "made.txt").exists()
