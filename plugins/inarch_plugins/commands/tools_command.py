"""`inarch tools`: lists the profile's tools, and calls one from the shell."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

import click

from inarch import UsageError, escape, shorten
from inarch.commands import ANSWERED, CANCELLED, FAILED, Group, compose_given, composing_options, interrupts
from inarch.output import Harmless, columns_of, print_json, print_line

if TYPE_CHECKING:
    from inarch import App, Tool, ToolResult


@click.group("tools", cls=Group)
def tools() -> None:
    """List, show and call the tools of the profile."""


@tools.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON array.")
@composing_options
def list_tools(as_json: bool, **given: Any) -> None:
    """List the tools with their descriptions."""
    with compose_given(given) as app:
        rows = [_described(app, name) for name in sorted(app.composition.tools)]
    if as_json:
        print_json(rows)
        return
    columns = columns_of(sys.stdout) if sys.stdout.isatty() else 10_000
    wide = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        said = row["description"].split("\n", 1)[0]
        line = escape(f"{row['name']:<{wide}}  {row['category']:<8}  {said}", keep_newlines=False)
        click.echo(shorten(line, columns))


@tools.command("show")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@composing_options
def show_tool(name: str, as_json: bool, **given: Any) -> None:
    """Show a tool's description, arguments and limits."""
    from inarch_sdk.suggestions import nearest
    from inarch_sdk.tool_pages import argument_lines

    with compose_given(given) as app:
        if name not in app.composition.tools:
            remedy = nearest(name, app.composition.tools) or "`inarch tools list` shows them"
            raise UsageError(f"no tool {name!r}", remedy)
        row = _described(app, name)
    if as_json:
        print_json(row)
        return
    print_line(f"{row['name']} · {row['category']} · plugin {row['plugin']} · {row['timeout_s']:g} s")
    click.echo(f"\n{escape(row['description'])}\n\nArguments")
    for line in argument_lines(row["input_schema"]):
        print_line(f"  {line}")
    click.echo("\nEffects")
    for line in row["effects"]:
        print_line(f"  {line}")


@tools.command("call")
@click.argument("name")
@click.argument("arguments", default="{}")
@composing_options
def call_tool(name: str, arguments: str, **given: Any) -> int:
    """Call a tool with ARGUMENTS, a JSON object (`-` reads it from standard input), and print its result as JSON.

    Inarch does not ask. It denies a call that needs approval, unless --approve or a rule allows it.
    """
    if arguments == "-":
        arguments = sys.stdin.read()
    wanted = read_object(arguments)
    from inarch import to_data

    app = compose_given(given)
    try:
        result = asyncio.run(_call(app, name, wanted))
    except asyncio.CancelledError:
        return CANCELLED
    print_json(to_data(result), indent=None)
    return ANSWERED if result.success else FAILED


async def _call(app: App, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    loop = asyncio.get_running_loop()
    task = loop.create_task(app.call_tool(name, arguments))
    try:
        # Standard output is for the result, so output of the tool goes to standard error.
        with redirect_stdout(Harmless(sys.stderr)), interrupts(lambda _: loop.call_soon_threadsafe(task.cancel)):
            return await task
    finally:
        await app.aclose()


def read_object(text: str) -> dict[str, Any]:
    """Parse a JSON object."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        remedy = "write them like '{\"key\": 1}'"
        raise UsageError(f"the arguments are not JSON: {error.msg} at {where}", remedy) from None
    except RecursionError:
        raise UsageError("the arguments are nested too deeply") from None
    if not isinstance(value, dict):
        raise UsageError(f"the arguments are a JSON {type(value).__name__}, not an object", "write them like '{}'")
    return value


def _described(app: App, name: str) -> dict[str, Any]:
    from inarch_sdk.tool_pages import effect_lines

    bound = app.composition.tools[name]
    tool: Tool = bound.value
    return {
        "name": tool.name,
        "category": tool.category,
        "plugin": bound.plugin,
        "description": tool.description,
        "timeout_s": tool.timeout_s,
        "requires_confirmation": tool.requires_confirmation,
        "effects": effect_lines(bound.plugin, tool),
        "input_schema": tool.input_schema,
        "output_schema": tool.output_schema,
    }
