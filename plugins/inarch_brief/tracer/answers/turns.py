"""The plugin's part in a turn: the added flow, the reach of its edits, and the strategy `trace-first`."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import Factory, define, frozen

from inarch import Contribution, Decision, PlannedCall, Situation

if TYPE_CHECKING:
    import asyncio

    from inarch import Event, ProposedFile
    from inarch_brief.tracer.answers.tracer_tools import Desk
    from inarch_brief.tracer.graph.call_graph import Graph
    from inarch_brief.tracer.indexing.index import Coverage


CODE = (
    "**/*.{py,js,mjs,cjs,jsx,ts,mts,cts,tsx,go,rs,java,c,h,cc,cpp,cxx,c++,hpp,hh,hxx,h++,ipp,inl,cu,cuh,"
    "rb,rake,gemspec,php}"
)
"""Matches every supported code file."""
TITLE = "# Execution flow"
MAX_PROMPT = 4_000
_ROOM = 20
"""Tokens that the title takes."""
_SHORTEST = 4
"""Characters of the shortest prompt that may name something."""


@frozen(eq=False, repr=False)
class FlowSource:
    """The context source."""

    desk: Desk
    seconds: float
    tokens: int
    name: str = "brief-tracer"

    async def gather(self, situation: Situation) -> Contribution | None:
        """Return the flow, or nothing if the prompt does not clearly name a known symbol."""
        import asyncio  # imported here: lists and checks of plugins run no loop

        is_model = not (situation.turn.model or "").startswith("offline/")
        self.desk.begin(situation.workspace, situation.turn.id, is_model)
        prompt = situation.turn.content.strip()
        # The offline planner searches by itself, and reads no context.
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
            return ""  # without code, the reader and linker are not loaded
        from inarch_brief.search import understood
        from inarch_brief.tracer.answers.answer import Wish, answered
        from inarch_brief.tracer.answers.flow_text import HEADING
        from inarch_brief.tracer.answers.kept_paths import KeptPaths
        from inarch_brief.tracer.indexing.index import Look

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
    """Retrieve the result of a late lookup, so that its error is not logged."""
    if not task.cancelled():
        task.exception()


@define(eq=False, repr=False)
class ImpactTracer:
    """Recorder of a turn's changes. It reads the graph only at the turn's end, if code changed."""

    desk: Desk
    name: str = "brief-tracer"
    _texts: dict[str, str] = Factory(dict)
    """The text that each call of the turn puts into a file."""
    _changed: dict[str, list[str]] = Factory(dict)
    """The new texts of each changed file; an empty one is the whole file."""

    def saw(self, event: Event) -> None:
        """Record calls and changed files."""
        data = event.data
        if event.kind == "turn.started":
            self._texts.clear()
            self._changed.clear()
        elif event.kind == "call.state" and data.get("call"):
            text = (data["call"].get("arguments") or {}).get("replace")
            self._texts[data["call_id"]] = text if isinstance(text, str) else ""
        elif event.kind == "file.changed":
            path = data.get("new_path") or data["path"]
            if _is_code(path) and data.get("after") is not None:
                self._changed.setdefault(path, []).append(self._texts.get(data["call_id"], ""))

    def summary(self, turn_id: str) -> str | None:
        """Describe what reaches the changed functions, or return nothing without known code changes."""
        if not self._changed or self.desk.workspace is None:
            return None
        from inarch_brief.tracer.answers.impact import impact_of

        return impact_of(self.desk, dict(self._changed))

    def foresee(self, file: ProposedFile) -> str | None:
        """Describe what reaches the functions that an edit would change."""
        from inarch_brief.tracer.answers.impact import foresee

        return foresee(self.desk, file) if _is_code(file.path) else None

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def _is_code(path: str) -> bool:
    from inarch_brief.tracer.facts.modules import is_other

    return path.endswith(".py") or is_other(path)


_IMPACT = (
    r"(?i:\bwhat (?:breaks|would break|will break|is affected|depends|happens) (?:if|when|on)\b"
    r"|\bimpact of\b|\bsafe to\b|\bwho (?:calls|uses)\b|\bwhat (?:calls|uses)\b|\bcallers? of\b"
    r"|\bwhere is\b.{0,60}\b(?:called|used)\b)"
)
_BELOW = r"(?i:\bwhat does\b.{0,60}\bcall\b|\bcallees? of\b)"
_ABOUT = r"(?i:\bhow (?:does|do|is|are)\b|\bwhere (?:is|are|does|do|in)\b|\bworking on\b|\bexecution (?:path|flow)\b)"
_CODE = (
    r"`(?P<ticked>[A-Za-z_][\w.]*(?:\(\))?)`|(?P<dotted>\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)"
    r"|(?P<snake>\b\w*[a-z0-9]_\w+)|(?P<called>\b\w+)\(\)|(?P<camel>\b[A-Z]\w*[a-z][A-Z]\w*)"
)


@frozen(eq=False, repr=False)
class TraceFirst:
    """Strategy that decides without a model, and passes on prompts that are not about the flow of the code."""

    name: str = "trace-first"

    async def decide(self, situation: Situation) -> Decision | None:
        """Return the decision to trace first, or None to pass on."""
        call = planned(situation.turn.content)
        if call is None or call.name not in {tool.name for tool in situation.tools}:
            return None
        return Decision(
            "call_tools", (call,), reason=f"the prompt asks about the flow of the code: {call.name}", strategy=self.name
        )


def planned(prompt: str) -> PlannedCall | None:
    """Return the first call for a prompt, or None if it asks for something else."""
    found = re.search(_CODE, prompt)
    name = next((text for text in found.groups() if text), "").removesuffix("()") if found else ""
    if name and re.search(_IMPACT, prompt):
        return PlannedCall("trace_execution", {"function": name, "direction": "up"})
    if name and re.search(_BELOW, prompt):
        return PlannedCall("trace_execution", {"function": name, "direction": "down", "depth": 4})
    if re.search(_IMPACT, prompt) or re.search(_BELOW, prompt) or re.search(_ABOUT, prompt):
        return PlannedCall("context_get", {"query": name or " ".join(prompt.split())[:500]})
    return None
