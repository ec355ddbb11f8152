"""The flow through what a prompt names, added to the turn where there is no doubt what is meant."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import frozen

from inarch import Contribution, Situation

if TYPE_CHECKING:
    import asyncio

    from inarch_brief_tracer.answers.tools import Desk

CODE = (
    "**/*.{py,js,mjs,cjs,jsx,ts,mts,cts,tsx,go,rs,java,c,h,cc,cpp,cxx,c++,hpp,hh,hxx,h++,ipp,inl,cu,cuh,"
    "rb,rake,gemspec,php}"
)
"""Matches every file that is looked at."""
TITLE = "# Execution flow"
_ROOM = 20
"""Tokens that the title takes."""
_SHORTEST = 4
"""Characters of a prompt that may name something."""


@frozen(eq=False, repr=False)
class FlowSource:
    """The context source.

    Args:
        desk: Where the index is found.
        seconds: How long a turn may wait for it; what is not known by then is left out.
        tokens: Bound of the text; 0 adds none, and only tells the desk which workspace the turn has.
    """

    desk: Desk
    seconds: float
    tokens: int
    name: str = "brief-tracer"

    async def gather(self, situation: Situation) -> Contribution | None:
        """Give the flow, or nothing where the prompt does not clearly name something that is known."""
        import asyncio  # not with the plugin: what only lists or checks it runs no loop

        self.desk.workspace = situation.workspace
        prompt = situation.turn.content.strip()
        # The offline planner asks by itself, and reads no context.
        if not self.tokens or len(prompt) < _SHORTEST or (situation.turn.model or "").startswith("offline/"):
            return None
        given_up = threading.Event()
        deadline = time.monotonic() + self.seconds

        def stopped() -> bool:
            return given_up.is_set() or time.monotonic() > deadline

        task = asyncio.create_task(asyncio.to_thread(self._text, situation, prompt, stopped))
        try:
            text = await asyncio.wait_for(asyncio.shield(task), self.seconds)
        except TimeoutError:
            given_up.set()
            task.add_done_callback(_ignore)
            return None
        except asyncio.CancelledError:
            given_up.set()
            task.add_done_callback(_ignore)
            raise
        return Contribution(f"{TITLE}\n\n{text}") if text else None

    def _text(self, situation: Situation, prompt: str, stopped: Callable[[], bool]) -> str:
        if not situation.workspace.walk(CODE, 1).paths:
            return ""  # all that reads and links code needn't be loaded
        from inarch_brief_tracer.answers.turn_flows import flow_for

        return flow_for(self.desk, situation, prompt, self.tokens - _ROOM, stopped)


def _ignore(task: asyncio.Task[str]) -> None:
    """Take note of how a late look ended, so that nobody is told of an error that came too late to matter."""
    if not task.cancelled():
        task.exception()
