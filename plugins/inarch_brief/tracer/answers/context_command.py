"""`inarch context`: the code that a task or question is about, with the flow through it."""

from __future__ import annotations

import click

MAX_TOKENS = 1_000_000


@click.group()
def context() -> None:
    """Get the execution flow through the code that a task or question is about."""


@context.command()
@click.argument("words", nargs=-1, required=True, metavar="QUERY")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option("--mermaid", is_flag=True, help="Print a Mermaid flowchart.")
@click.option(
    "--tokens", type=click.IntRange(50, MAX_TOKENS), help="Token limit of the answer; 1,500 by default for text."
)
@click.option("--file", "file", default="", metavar="PATH", help="Only matches in this file or folder.")
@click.option("--no-paths", is_flag=True, help="Leave out the paths from the entry points.")
@click.option("--code", is_flag=True, help="Show the source, too.")
def get(
    words: tuple[str, ...], as_json: bool, mermaid: bool, tokens: int | None, file: str, no_paths: bool, code: bool
) -> None:
    """Show the best match for QUERY, every entry point that reaches it, and what it calls."""
    if as_json and mermaid:
        raise click.UsageError("--json and --mermaid exclude each other")
    from inarch_brief.tracer.answers import trace_output  # imported here so that `--help` does not wait for it
    from inarch_brief.tracer.answers.answer import Wish

    trace_output.get(" ".join(words), as_json, mermaid, tokens, Wish(file, not no_paths, code))
