"""What a word of the prompt may become: commands behind a slash, paths behind an `@`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from inarch_sdk.path_index import PathIndex, escaped, unescaped
from inarch_web.server.numbering import Raw

if TYPE_CHECKING:
    from inarch_web.server.room import Room

MOST = 50


async def complete(room: Room, text: str, commands: Mapping[str, str]) -> Mapping[str, Any]:
    """Return where the last word begins and what it may become, each with what it means."""
    if text.startswith("/"):
        return await _command(room, text, commands)
    begin = max(text.rfind(" "), text.rfind("\n"), text.rfind("\t")) + 1
    while begin > 1 and text[begin - 2] == "\\":  # a space that is part of the path
        begin = max(text.rfind(" ", 0, begin - 1), text.rfind("\n", 0, begin - 1)) + 1
    if not text[begin:].startswith("@"):
        return {"from": begin, "items": []}
    paths = await asyncio.to_thread(PathIndex(room.app.workspace).matching, unescaped(text[begin + 1 :]))
    return {"from": begin, "items": [{"text": Raw(f"@{escaped(path)}"), "help": ""} for path in paths[:MOST]]}


async def _command(room: Room, text: str, commands: Mapping[str, str]) -> Mapping[str, Any]:
    name, space, _ = text.removeprefix("/").partition(" ")
    if not space:
        found = [(known, help) for known, help in sorted(commands.items()) if known.startswith(name)]
        return {"from": 0, "items": [{"text": f"/{known}", "help": help} for known, help in found]}
    rows = await room.app.completions(await room.session(), text) if name in commands else ()
    return {"from": text.rfind(" ") + 1, "items": [{"text": Raw(word), "help": help} for word, help in rows[:MOST]]}
