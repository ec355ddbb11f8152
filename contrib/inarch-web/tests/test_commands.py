"""Commands of the terminal that the page has, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inarch.testing import says

from .talking import entered, served


async def _shown(one: Any, session: str, line: str) -> str:
    before = len(one.came)
    assert await one.do("say", session=session, text=line) == {"as": "command"}
    message = await one.until(lambda message: "shown" in message or "failed" in message, before)
    return str((message.get("shown") or message["failed"])["text"])


async def test_context_stats_and_compact_are_shown(project: Path) -> None:
    async with served([says("First."), says("Second.")], project) as there, entered(there.address) as one:
        offered = {row["name"] for row in one.hello["commands"]}
        assert {"compact", "context", "stats"} <= offered and not {"quit", "resume"} & offered
        session = (await one.do("open", session=None))["session"]
        assert await _shown(one, session, "/stats") == "No requests yet."
        for text in ("one", "two"):
            before = len(one.came)
            await one.do("say", session=session, text=text)
            await one.idle(before)
        assert "scripted/script: 2 requests, 20 in, 10 out" in await _shown(one, session, "/stats")
        assert (await _shown(one, session, "/context")).startswith("scripted/script sees about ")
        assert (await _shown(one, session, "/compact x")).startswith("/compact takes the number")
        assert (await _shown(one, session, "/compact 2")).startswith("Nothing to leave out")
