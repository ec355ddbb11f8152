"""`inarch trace`: functions traced up, down and to each other, entry points, the index, and curated paths.

Each command loads its code when it runs, so that `--help` does not wait for it.
"""

from __future__ import annotations

from typing import Any

import click

from inarch_brief.tracer.answers.trace_shape import Shape, shapes

MAX_LISTED = 2_000


def _trace(function: str, way: str, depth: int, shape: dict[str, Any], end: str = "") -> None:
    chosen = Shape(**shape)
    from inarch_brief.tracer.answers import trace_output

    trace_output.trace(function, way, depth, chosen, end)


class Traces(click.Group):
    """The subcommands of `trace`. An unknown one may be a function's name, so the error names `trace up`."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of the first word."""
        word = args[0]
        if word not in self.commands and word[:1] != "-":
            ways = f"inarch trace up {word} shows what reaches a function, inarch trace --help lists the commands"
            raise click.UsageError(f"No such command {word!r} ({ways})", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=Traces)
def trace() -> None:
    """Trace execution paths through the code here."""


@trace.command()
@click.argument("function")
@click.option(
    "--depth", type=click.IntRange(1, 20), default=20, show_default=True, help="Maximum number of calls on a path."
)
@shapes
def up(function: str, depth: int, **shape: Any) -> None:
    """Show every entry point that reaches FUNCTION, and how."""
    _trace(function, "up", depth, shape)


@trace.command()
@click.argument("function")
@click.option("--depth", type=click.IntRange(1, 20), default=3, show_default=True, help="Levels of calls.")
@shapes
def down(function: str, depth: int, **shape: Any) -> None:
    """Show what FUNCTION calls, level by level."""
    _trace(function, "down", depth, shape)


@trace.command()
@click.argument("function")
@click.argument("other", required=False)
@click.option("--to", "end", metavar="X", help="The end of the path, instead of OTHER.")
@click.option(
    "--depth", type=click.IntRange(1, 20), default=20, show_default=True, help="Maximum number of calls on a path."
)
@shapes
def path(function: str, other: str | None, end: str | None, depth: int, **shape: Any) -> None:
    """Show the paths from FUNCTION to OTHER."""
    if bool(other) == bool(end):
        raise click.UsageError("name the end of the path once: inarch trace path FUNCTION OTHER")
    _trace(function, "path", depth, shape, other or end or "")


@trace.command()
@click.option("--kind", default=None, metavar="KIND", help="Only entry points of this kind.")
@click.option(
    "--limit",
    type=click.IntRange(1, MAX_LISTED),
    default=200,
    show_default=True,
    help="Maximum number of entry points.",
)
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def entries(kind: str | None, limit: int, as_json: bool) -> None:
    """List the entry points, the most telling kinds first. Tests and uncalled functions need --kind."""
    from inarch_brief.tracer.answers import trace_output

    trace_output.entries(kind, limit, as_json)


@trace.command()
@click.option("--status", is_flag=True, help="Show what is indexed, without updating it.")
@click.option("--rebuild", is_flag=True, help="Delete the index and build it again.")
@click.option("--export", "folder", metavar="DIR", help="Write manifest.jsonl and relationships.jsonl to DIR.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def index(status: bool, rebuild: bool, folder: str | None, as_json: bool) -> None:
    """Update the index, however long that takes, and print what it contains."""
    from inarch_brief.tracer.answers import index_output

    if status and (rebuild or folder):
        raise click.UsageError("--status does not update the index: omit --rebuild and --export")
    index_output.index(status, rebuild, folder, as_json)


@trace.command()
@click.argument("name")
@click.argument("functions", nargs=-1, required=True, metavar="FUNCTION...")
@click.option("--description", "-d", default="", help="Description of the path.")
def define(name: str, functions: tuple[str, ...], description: str) -> None:
    """Store a path as NAME: through the FUNCTIONs in their order, or along the best path to a single one."""
    from inarch_brief.tracer.answers import trace_output

    trace_output.define(name, functions, description)


@trace.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def listing(as_json: bool) -> None:
    """List the curated paths, and mark stale ones."""
    from inarch_brief.tracer.answers import trace_output

    trace_output.listing(as_json)


@trace.command()
@click.argument("target")
@shapes
def show(target: str, **shape: Any) -> None:
    """Show a curated path and mark deleted or moved steps, or the paths through a function."""
    chosen = Shape(**shape)
    from inarch_brief.tracer.answers import trace_output

    trace_output.show(target, chosen)


@trace.command()
@click.argument("name")
@click.argument("functions", nargs=-1, metavar="[FUNCTION]...")
@click.option("--description", "-d", default=None, help="Description of the path.")
def update(name: str, functions: tuple[str, ...], description: str | None) -> None:
    """Update the places of a curated path's steps, or lead the path through FUNCTIONs instead."""
    from inarch_brief.tracer.answers import trace_output

    trace_output.update(name, functions, description)


@trace.command()
@click.argument("name")
def delete(name: str) -> None:
    """Delete a curated path."""
    from inarch_brief.tracer.answers import trace_output

    trace_output.delete(name)
