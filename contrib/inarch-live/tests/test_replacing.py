"""A connection that ends is replaced: the conversation goes on, and what was said into the gap is not lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from inarch_live import conversation
from inarch_live.testing import GeminiServer, OpenAIServer, There

from .bench import talking

both = pytest.mark.parametrize("kind", [GeminiServer, OpenAIServer])
LOUD = b"\x00\x40" * 1_600
"""A tenth of a second that is speech."""


async def answered(there: Any, bench: Any, asked: str, said: str) -> None:
    """Have a turn asked by voice and answered."""
    turns = len(bench.turns)
    await there.hear(asked)
    await there.speak(LOUD, said)
    await there.end_turn()
    await bench.until(lambda: len(bench.turns) > turns)


def is_told(there: There, *words: str) -> bool:
    return all(word in str(there.received) for word in words)


@both
async def test_a_cut_between_turns_goes_on_with_what_was_said(kind: Any, tmp_path: Path) -> None:
    async with kind() as server, talking(server.provider(), tmp_path) as bench:
        there = await server.connection()
        await answered(there, bench, "Remember plum.", "Plum it is.")
        await bench.conversation.hear(LOUD)
        there.cut()
        await bench.until(lambda: not bench.conversation.is_connected)
        await bench.conversation.hear(b"\x00\x20" * 1_600)
        again = await server.connection(1)
        wanted = 6_400 if kind is GeminiServer else 9_000
        await again.until(lambda there: len(there.audio) >= wanted, "what was said before and into the gap")
        await again.until(lambda there: is_told(there, "Remember plum.", "Plum it is."))
        await bench.until(lambda: bench.recorded[-1:] == [("resumed", {"is_same": False})])
        await answered(again, bench, "Which fruit?", "A plum.")
        assert [turn.content for turn in bench.turns] == ["Plum it is.", "A plum."]


async def test_a_service_that_goes_is_left_when_nothing_is_under_way(tmp_path: Path) -> None:
    async with GeminiServer() as server, talking(server.provider(), tmp_path) as bench:
        there = await server.connection()
        await there.hear("Hello.")
        await there.go_away(10)
        await there.speak(LOUD, "Good morning.")
        await there.end_turn()
        again = await server.connection(1)
        await bench.until(lambda: [turn.content for turn in bench.turns] == ["Good morning."])
        await again.until(lambda there: is_told(there, "Hello.", "Good morning."))
        assert there.has_ended and not bench.told


@both
async def test_a_service_that_is_gone_is_told_after_some_attempts(
    kind: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation, "DELAYS_S", (0.0, 0.0))
    async with kind() as server, talking(server.provider(), tmp_path) as bench:
        there = await server.connection()
        server.refuse = (503, "later")
        there.cut()
        await bench.until(lambda: bench.told)
        assert "later" in bench.told[0] and bench.conversation.is_cut
        server.refuse = None
        bench.type("Are you there?")
        again = await server.connection(1)
        await again.until(lambda there: is_told(there, "Are you there?"))


async def test_a_key_that_is_refused_now_is_told_at_once(tmp_path: Path) -> None:
    async with GeminiServer() as server, talking(server.provider(), tmp_path) as bench:
        there = await server.connection()
        server.refuse = (401, "no")
        there.cut()
        await bench.until(lambda: bench.told)
        assert "GEMINI_API_KEY" in bench.told[0] and len(server.connections) == 1
