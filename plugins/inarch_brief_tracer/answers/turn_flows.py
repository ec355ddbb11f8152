"""What a prompt names, looked up for the turn's context."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from inarch import Situation
from inarch_brief_tracer.answers import curated_paths
from inarch_brief_tracer.answers.flow_answers import Wish, answered
from inarch_brief_tracer.answers.flow_text import HEADING
from inarch_brief_tracer.graph.call_graph import Graph
from inarch_brief_tracer.indexing.index import Coverage
from inarch_brief_tracer.indexing.looking import Look
from inarch_search import understood

if TYPE_CHECKING:
    from inarch_brief_tracer.answers.tools import Desk

MAX_PROMPT = 4_000


def flow_for(desk: Desk, situation: Situation, prompt: str, tokens: int, stopped: Callable[[], bool]) -> str:
    """Give the flow through what a prompt names, "" where that is nothing, in doubt, or told in this conversation."""
    query = understood(prompt[:MAX_PROMPT])
    if not (query.identifiers or query.frames or len(query.terms) > 1):
        return ""

    def answer(graph: Graph, coverage: Coverage) -> str:
        if stopped() or not coverage.files:
            return ""
        found = answered(
            graph, coverage, prompt[:MAX_PROMPT], Wish(tokens), curated_paths.CuratedPaths(desk.context.project)
        )
        story = found.story
        if not found.match.is_strong or story is None or not (story.flow.routes or story.flow.down):
            return ""
        text = found.text(tokens).removeprefix(HEADING).lstrip("\n")
        return "" if _is_known(situation, text) else text

    return Look(situation.workspace, stop=stopped, about=prompt[:MAX_PROMPT]).graph(desk.index, answer)


def _is_known(situation: Situation, text: str) -> bool:
    """Whether the same flow stands in the conversation already."""
    return any(text in message.text for message in situation.messages if message.role == "user")
