"""`inarch context`: what a task or question is about, with the flow through it."""

from __future__ import annotations

from typing import Any

import click

MAX_TOKENS = 1_000_000


@click.group()
def context() -> None:
    """Get the execution flow through the code that a task or question is about."""


@context.command()
@click.argument("words", nargs=-1, required=True, metavar="QUERY")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option("--mermaid", is_flag=True, help="Print a Mermaid flowchart.")
@click.option("--tokens", type=click.IntRange(50, MAX_TOKENS), help="Bound of the answer; 1,500 by default for text.")
@click.option("--file", "file", default="", metavar="PATH", help="Only matches in this file or folder.")
@click.option("--no-paths", is_flag=True, help="Leave out the ways from the entry points.")
@click.option("--code", is_flag=True, help="Show the source, too.")
def get(
    words: tuple[str, ...], as_json: bool, mermaid: bool, tokens: int | None, file: str, no_paths: bool, code: bool
) -> None:
    """Show the best match for QUERY, every entry point that reaches it, and what it calls."""
    from inarch_brief_tracer.answers import command_room
    from inarch_brief_tracer.answers.flow_answers import Wish, answered
    from inarch_brief_tracer.answers.flow_text import TOKENS

    if as_json and mermaid:
        raise click.UsageError("--json and --mermaid exclude each other")
    query = " ".join(words)
    wish = Wish(tokens or TOKENS, file, not no_paths, code)
    with command_room.room() as room:

        def answer(graph: Any, coverage: Any) -> None:
            notes = "; ".join(filter(None, (room.notebooks, room.ignored)))
            found = answered(graph, coverage, query, wish, room.paths, notes)
            if as_json:
                command_room.say_json(_data(graph, coverage, query, found, tokens))
            elif mermaid and found.story:
                from inarch_brief_tracer.answers.flow_mermaid import chart
                from inarch_brief_tracer.answers.flow_tree import Detail, shown_routes

                flow = found.story.flow
                click.echo(
                    chart(() if no_paths else shown_routes(flow.routes, Detail()), flow.down, flow.target), nl=False
                )
            else:
                command_room.say(found.text(wish.tokens))

        room.graph(answer)


def _data(graph: Any, coverage: Any, query: str, found: Any, tokens: int | None) -> dict[str, Any]:
    from inarch_brief_tracer.answers.flow_data import bounded
    from inarch_brief_tracer.answers.flow_text import TOKENS
    from inarch_brief_tracer.answers.neighbourhood import neighbourhood

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
