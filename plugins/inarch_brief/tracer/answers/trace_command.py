"""`inarch trace`: functions traced up, down and to each other, entry points, the index, and curated paths.

What a command does is loaded once it does it: `--help` is not to wait for that.
"""

from __future__ import annotations

from typing import Any

import click

MAX_TOKENS = 1_000_000
MAX_LISTED = 2_000


def shapes(command: Any) -> Any:
    """Add the options that choose how a trace is printed."""
    for option in (
        click.option("--tokens", type=click.IntRange(50, MAX_TOKENS), help="Token limit of the text. Default: 4,000."),
        click.option("--mermaid", is_flag=True, help="Print a Mermaid flowchart."),
        click.option("--json", "as_json", is_flag=True, help="Print everything as JSON."),
    ):
        command = option(command)
    return command


def _trace(
    function: str, way: str, depth: int, as_json: bool, mermaid: bool, tokens: int | None, end: str = ""
) -> None:
    if as_json and mermaid:
        raise click.UsageError("--json and --mermaid exclude each other")
    from inarch_brief.tracer.answers import trace_output

    trace_output.trace(function, way, depth, as_json, mermaid, tokens, end)


class Traces(click.Group):
    """The subcommands of `trace`; a name of a function in their place is told which of them takes it."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return what the first word means."""
        word = args[0]
        if word not in self.commands and word[:1] != "-":
            ways = f"inarch trace up {word} shows what reaches a function, inarch trace --help what else there is"
            raise click.UsageError(f"No such command {word!r} ({ways})", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=Traces)
def trace() -> None:
    """Trace execution paths through the code."""


@trace.command()
@click.argument("function")
@click.option("--depth", type=click.IntRange(1, 20), default=20, show_default=True, help="Maximum calls on a path.")
@shapes
def up(function: str, depth: int, as_json: bool, mermaid: bool, tokens: int | None) -> None:
    """Show every entry point that reaches FUNCTION, and how."""
    _trace(function, "up", depth, as_json, mermaid, tokens)


@trace.command()
@click.argument("function")
@click.option("--depth", type=click.IntRange(1, 20), default=3, show_default=True, help="Levels of calls.")
@shapes
def down(function: str, depth: int, as_json: bool, mermaid: bool, tokens: int | None) -> None:
    """Show what FUNCTION calls, level by level."""
    _trace(function, "down", depth, as_json, mermaid, tokens)


@trace.command()
@click.argument("function")
@click.argument("other", required=False)
@click.option("--to", "end", metavar="X", help="Same as OTHER.")
@click.option("--depth", type=click.IntRange(1, 20), default=20, show_default=True, help="Maximum calls on a path.")
@shapes
def path(
    function: str, other: str | None, end: str | None, depth: int, as_json: bool, mermaid: bool, tokens: int | None
) -> None:
    """Show how FUNCTION reaches OTHER."""
    if bool(other) == bool(end):
        raise click.UsageError("a path has one end: inarch trace path FUNCTION OTHER")
    _trace(function, "path", depth, as_json, mermaid, tokens, other or end or "")


@trace.command()
@click.option("--kind", default=None, metavar="KIND", help="Only entry points of this kind.")
@click.option("--limit", type=click.IntRange(1, MAX_LISTED), default=200, show_default=True, help="Maximum number.")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def entries(kind: str | None, limit: int, as_json: bool) -> None:
    """List entry points. Tests and uncalled functions only with --kind."""
    from inarch_brief.tracer.answers import trace_output

    trace_output.entries(kind, limit, as_json)


@trace.command()
@click.option("--status", is_flag=True, help="Only show the contents.")
@click.option("--rebuild", is_flag=True, help="Rebuild the index.")
@click.option("--export", "folder", metavar="DIR", help="Write manifest.jsonl and relationships.jsonl to DIR.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def index(status: bool, rebuild: bool, folder: str | None, as_json: bool) -> None:
    """Update the index completely, and show its contents."""
    from inarch_brief.tracer.answers import index_output

    if status and (rebuild or folder):
        raise click.UsageError("--status changes nothing: leave out --rebuild and --export")
    index_output.index(status, rebuild, folder, as_json)


@trace.command()
@click.argument("name")
@click.argument("functions", nargs=-1, required=True, metavar="FUNCTION...")
@click.option("--description", "-d", default="", help="Description of the path.")
def define(name: str, functions: tuple[str, ...], description: str) -> None:
    """Store a path as NAME: through the FUNCTIONs in order, or the best path to one."""
    from inarch_brief.tracer.answers import trace_output

    trace_output.define(name, functions, description)


@trace.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def listing(as_json: bool) -> None:
    """List stored paths, and mark stale ones."""
    from inarch_brief.tracer.answers import trace_output

    trace_output.listing(as_json)


@trace.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def show(name: str, as_json: bool) -> None:
    """Show a stored path, and mark missing or moved steps."""
    from inarch_brief.tracer.answers import trace_output

    trace_output.show(name, as_json)


@trace.command()
@click.argument("name")
@click.argument("functions", nargs=-1, metavar="[FUNCTION]...")
@click.option("--description", "-d", default=None, help="Description of the path.")
def update(name: str, functions: tuple[str, ...], description: str | None) -> None:
    """Update the steps of a stored path, or replace them by FUNCTIONs."""
    from inarch_brief.tracer.answers import trace_output

    trace_output.update(name, functions, description)


@trace.command()
@click.argument("name")
def delete(name: str) -> None:
    """Delete a stored path."""
    from inarch_brief.tracer.answers import trace_output

    trace_output.delete(name)
