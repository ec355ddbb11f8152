"""`inarch context`: the code that a task or question is about, with the flow through it."""

from __future__ import annotations

from typing import Any

import click

from inarch_brief.tracer.answers.trace_shape import MAX_TOKENS, Shape, formats


@click.group()
def context() -> None:
    """Get the execution flow through the code that a task or question is about."""


@context.command()
@click.argument("words", nargs=-1, required=True, metavar="QUERY")
@click.option(
    "--tokens", type=click.IntRange(50, MAX_TOKENS), help="Token limit of the answer; 1,500 by default for text."
)
@formats
@click.option("--file", "file", default="", metavar="PATH", help="Only matches in this file or folder.")
@click.option("--no-paths", is_flag=True, help="Leave out the paths from the entry points.")
@click.option("--code", is_flag=True, help="Show the source, too.")
def get(words: tuple[str, ...], file: str, no_paths: bool, code: bool, **shape: Any) -> None:
    """Show the best match for QUERY, every entry point that reaches it, and what it calls."""
    chosen = Shape(**shape)
    from inarch_brief.tracer.answers import trace_output  # imported here so that `--help` does not wait for it
    from inarch_brief.tracer.answers.answer import Wish

    trace_output.get(" ".join(words), chosen, Wish(file, not no_paths, code))
