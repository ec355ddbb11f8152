"""Slash commands of the page (`/compact`, `/context`, `/stats`) and completion of typed text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import inarch
from inarch.figures import dropped_words, spent_words
from inarch_brief.search.typed_paths import escaped, ranked, unescaped, with_folders
from inarch_web.server.message_log import Raw

if TYPE_CHECKING:
    from inarch_web.server.room import Room


def _compact(room: Room, session: inarch.Session, words: str) -> str:
    keep = words or "1"
    if not (keep.isascii() and keep.isdecimal()):
        raise inarch.UsageError(f"/compact takes the number of last turns to keep whole, not {keep!r:.60}")
    dropped = session.compact(int(keep))
    if not dropped:
        return "Nothing to leave out: there are no more whole turns than that."
    return f"Left out from now on: {dropped_words(inarch.to_data(dropped))}."


def _context(room: Room, session: inarch.Session, words: str) -> str:
    view = session.context()
    of = f" of {view.window:,}" if view.window else ""
    rows = [f"{row.name}: {row.tokens:,}" for row in view.rows if row.tokens]
    return "\n".join([f"{view.model} sees about {view.tokens:,} tokens{of}", *rows])


def _stats(room: Room, session: inarch.Session, words: str) -> str:
    rows = [inarch.to_data(row) for row in room.spent_by()]
    lines = [f"{row['purpose']}, {row['model']}: {row['requests']} requests, {spent_words(row)}" for row in rows]
    return "\n".join(lines) or "No requests yet."


Run = Callable[["Room", inarch.Session, str], str]
_OWN: Mapping[str, tuple[str, Run]] = {
    "compact": ("Keep of all but the last KEEP turns (1) only prompt and answer.", _compact),
    "context": ("Show what the model sees and where its tokens go.", _context),
    "stats": ("Show what the session took: requests, tokens, cost.", _stats),
}


def commands_of(app: inarch.App) -> dict[str, str]:
    """Return the page's slash commands with their help. The terminal's own commands are left out."""
    others = {
        name: one.value.help for name, one in app.composition.slash_commands.items() if not _is_terminals(app, name)
    }
    return {**{name: help for name, (help, _) in _OWN.items()}, **others}


def own_command(app: inarch.App, name: str) -> Run | None:
    """Return the page's own function for a command, or None if it has none."""
    return _OWN[name][1] if name in _OWN and _is_terminals(app, name) else None


def _is_terminals(app: inarch.App, name: str) -> bool:
    """Return whether a command belongs to the plugin of the front end `text`, or to no plugin."""
    text, one = app.composition.front_ends.get("text"), app.composition.slash_commands.get(name)
    return one is None or (text is not None and one.plugin == text.plugin)


MOST = 50


async def complete(room: Room, text: str, commands: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the start of the last word, and its completions with their help."""
    if text.startswith("/"):
        return await _command(room, text, commands)
    begin = max(text.rfind(" "), text.rfind("\n"), text.rfind("\t")) + 1
    while begin > 1 and text[begin - 2] == "\\":  # a space that is part of the path
        begin = max(text.rfind(" ", 0, begin - 1), text.rfind("\n", 0, begin - 1)) + 1
    if not text[begin:].startswith("@"):
        return {"from": begin, "items": []}
    paths = await asyncio.to_thread(_paths, room.app.workspace, unescaped(text[begin + 1 :]))
    return {"from": begin, "items": [{"text": Raw(f"@{escaped(path)}"), "help": ""} for path in paths[:MOST]]}


def _paths(workspace: inarch.Workspace, typed: str) -> list[str]:
    with suppress(inarch.InarchError):
        return ranked(typed, tuple(with_folders(workspace.walk().paths)))
    return []


async def _command(room: Room, text: str, commands: Mapping[str, str]) -> Mapping[str, Any]:
    name, space, _ = text.removeprefix("/").partition(" ")
    if not space:
        found = [(known, help) for known, help in sorted(commands.items()) if known.startswith(name)]
        return {"from": 0, "items": [{"text": f"/{known}", "help": help} for known, help in found]}
    rows = await room.app.completions(await room.session(), text) if name in commands else ()
    return {"from": text.rfind(" ") + 1, "items": [{"text": Raw(word), "help": help} for word, help in rows[:MOST]]}
