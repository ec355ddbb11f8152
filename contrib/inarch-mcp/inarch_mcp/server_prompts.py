"""Servers' prompts as slash commands `/SERVER:PROMPT`."""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING

import inarch
from inarch_mcp.offerings import ServerPrompt
from inarch_mcp.server_tools import data_of

if TYPE_CHECKING:
    from inarch_mcp.catalog import Catalog

LONGEST_NAME = 64


def commands(catalog: Catalog) -> Iterator[inarch.SlashCommand]:
    """Yield a command for each prompt whose name is short enough."""
    for server in catalog.servers:
        for prompt in catalog.offerings(server).prompts:
            name = f"{server}:{prompt.command}"
            if len(name) <= LONGEST_NAME:
                words = " ".join(one if one in prompt.required else f"[{one}]" for one in prompt.arguments)
                about = f"{prompt.description} · MCP server {server}".removeprefix(" · ")
                yield inarch.SlashCommand(name, about, _runner(catalog, server, prompt), words, asks=True)


def _runner(catalog: Catalog, server: str, prompt: ServerPrompt) -> Callable[..., Awaitable[str]]:
    async def run(words: str, context: inarch.SlashContext) -> str:
        try:
            given = arguments(prompt, words)
            result = await catalog.hub.request(server, lambda client: client.get_prompt(prompt.name, given))
        except inarch.ToolFailed as error:
            return str(error)
        said = [one.get("content") or {} for one in result.get("messages") or ()]
        text = data_of({"content": [*said, {"type": "text", "text": ""}]}).rstrip("\n")  # never parsed as JSON
        if not text.strip():
            return f"prompt {prompt.name} of MCP server {server} is empty"
        context.submit(text)
        return ""

    return run


def arguments(prompt: ServerPrompt, words: str) -> dict[str, str]:
    """Return a prompt's arguments: `name=value` or in order. The last one takes the remaining words.

    Raises:
        ToolFailed: One that it needs is missing.

    >>> arguments(ServerPrompt("p", "", ("a", "b"), ("a",)), "one two 'and three'")
    {'a': 'one', 'b': 'two and three'}
    """
    try:
        parts = shlex.split(words)
    except ValueError:  # an open quote is a character as any other
        parts = words.split()
    given: dict[str, str] = {}
    free: list[str] = []
    for part in parts:
        name, sign, value = part.partition("=")
        if sign and name in prompt.arguments:
            given[name] = value
        else:
            free.append(part)
    left = [name for name in prompt.arguments if name not in given]
    for name in left[:-1]:
        if free:
            given[name] = free.pop(0)
    if free and left:
        given[left[-1]] = " ".join(free)
    missing = [name for name in prompt.required if name not in given]
    if missing:
        raise inarch.ToolFailed("validation", f"{prompt.name} needs {', '.join(missing)}", "write it after the command")
    return given
