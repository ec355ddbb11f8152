"""What `inarch context get` prints."""

from __future__ import annotations

from typing import Any

import click

from inarch_brief_tracer.answers import command_room
from inarch_brief_tracer.answers.flow_answers import Answered, Wish, answered
from inarch_brief_tracer.answers.flow_data import bounded
from inarch_brief_tracer.answers.flow_mermaid import chart
from inarch_brief_tracer.answers.flow_text import TOKENS
from inarch_brief_tracer.answers.flow_tree import Detail, shown_routes
from inarch_brief_tracer.answers.neighbourhood import neighbourhood
from inarch_brief_tracer.graph.call_graph import Graph
from inarch_brief_tracer.indexing.index import Coverage


def get(query: str, as_json: bool, mermaid: bool, tokens: int | None, file: str, paths: bool, code: bool) -> None:
    """Print the best match for a query, every entry point that reaches it, and what it calls."""
    wish = Wish(tokens or TOKENS, file, paths, code)
    with command_room.room() as room:

        def answer(graph: Graph, coverage: Coverage) -> None:
            notes = room.ignored
            found = answered(graph, coverage, query, wish, room.paths, notes)
            if as_json:
                command_room.say_json(_data(graph, coverage, query, found, tokens))
            elif mermaid and found.story:
                flow = found.story.flow
                click.echo(
                    chart(shown_routes(flow.routes, Detail()) if paths else (), flow.down, flow.target), nl=False
                )
            else:
                command_room.say(found.text(wish.tokens))

        room.graph(answer, query)


def _data(graph: Graph, coverage: Coverage, query: str, found: Answered, tokens: int | None) -> dict[str, Any]:
    data = found.data()
    around = neighbourhood(graph, coverage, query)
    if around["target"] is None or data["target"] is None or around["target"]["qualname"] != data["target"]["qualname"]:
        around = {
            **around,
            "callers": [],
            "callees": [],
            "more_callers": False,
            "more_callees": False,
            "target": data["target"],
        }
    whole = {**data, **around, "note": data["note"] or around["note"], "flow": found.text(tokens or TOKENS)}
    return bounded(whole, tokens) if tokens else whole
