"""The flow through what a prompt names, added to the turn if there is no doubt what is meant."""

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
    from inarch_brief_tracer.graph.call_graph import Graph
    from inarch_brief_tracer.indexing.index import Coverage

CODE = (
    "**/*.{py,js,mjs,cjs,jsx,ts,mts,cts,tsx,go,rs,java,c,h,cc,cpp,cxx,c++,hpp,hh,hxx,h++,ipp,inl,cu,cuh,"
    "rb,rake,gemspec,php}"
)
"""Matches every file that is looked at."""
TITLE = "# Execution flow"
MAX_PROMPT = 4_000
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
        tokens: Bound of the text; 0 adds none, and only takes note of the turn.
    """

    desk: Desk
    seconds: float
    tokens: int
    name: str = "brief-tracer"

    async def gather(self, situation: Situation) -> Contribution | None:
        """Give the flow, or nothing if the prompt does not clearly name something that is known."""
        import asyncio  # not with the plugin: what only lists or checks it runs no loop

        is_model = not (situation.turn.model or "").startswith("offline/")
        self.desk.begin(situation.workspace, situation.turn.id, is_model)
        prompt = situation.turn.content.strip()
        # The offline planner asks by itself, and reads no context.
        if not self.tokens or len(prompt) < _SHORTEST or not is_model:
            return None
        given_up = threading.Event()
        deadline = time.monotonic() + self.seconds

        def stopped() -> bool:
            return given_up.is_set() or time.monotonic() > deadline

        task = asyncio.create_task(asyncio.to_thread(self._text, situation, prompt[:MAX_PROMPT], stopped))
        try:
            text = await asyncio.wait_for(asyncio.shield(task), self.seconds)
        except (TimeoutError, asyncio.CancelledError) as error:
            given_up.set()
            task.add_done_callback(_ignore)
            if isinstance(error, TimeoutError):
                return None
            raise
        return Contribution(f"{TITLE}\n\n{text}") if text else None

    def _text(self, situation: Situation, prompt: str, stopped: Callable[[], bool]) -> str:
        if not situation.workspace.walk(CODE, 1).paths:
            return ""  # all that reads and links code needn't be loaded
        from inarch_brief_tracer.answers.answer import Wish, answered
        from inarch_brief_tracer.answers.flow_text import HEADING
        from inarch_brief_tracer.answers.kept_paths import KeptPaths
        from inarch_brief_tracer.indexing.looking import Look
        from inarch_search import understood

        query = understood(prompt)
        if not (query.identifiers or query.frames or len(query.terms) > 1):
            return ""

        def answer(graph: Graph, coverage: Coverage) -> str:
            if stopped() or not coverage.files:
                return ""
            found = answered(graph, coverage, prompt, Wish(), KeptPaths(self.desk.context.project))
            flow = found.story.flow if found.story else None
            if flow is None or not found.match.is_strong or not (flow.routes or flow.down):
                return ""
            text = found.text(self.tokens - _ROOM).removeprefix(HEADING).lstrip("\n")
            is_known = any(text in message.text for message in situation.messages if message.role == "user")
            return "" if is_known else text

        return Look(situation.workspace, stop=stopped, about=prompt).graph(self.desk.index, answer)


def _ignore(task: asyncio.Task[str]) -> None:
    """Take note of how a late look ended: an error that came too late to matter is not shown."""
    if not task.cancelled():
        task.exception()
