"""Handlers of a page's messages by verb. Each takes the page and the message and returns the answer."""

from __future__ import annotations

import asyncio
import base64
import io
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

import inarch
from inarch.commands import CHANGEABLE
from inarch_web.server.message_log import Raw, encoded
from inarch_web.server.page import Page
from inarch_web.server.page_commands import commands_of, complete
from inarch_web.server.reviews import review
from inarch_web.server.room import Room

if TYPE_CHECKING:
    from inarch_web.server.page import Page
    from inarch_web.server.room import Room


PART = 256 << 10
"""Bytes of an export in one message."""
_IN_MEMORY = 8 << 20
_TYPES = {".html": "text/html", ".md": "text/markdown", ".jsonl": "application/x-ndjson"}


async def export(page: Page, room: Room, request: Any, form: str) -> Mapping[str, Any]:
    """Send an exported session to a page in parts. Return the name and type of the file."""
    bound = room.app.composition.exporters.get(form)
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as file:
        await asyncio.to_thread(_write, room, form, file)
        parts = 0
        file.seek(0)
        while data := file.read(PART):
            page.put(encoded({"re": request, "part": parts, "base64": base64.b64encode(data).decode()}))
            await page.outbox.comfortable()
            parts += 1
    suffix = bound.value.suffixes[0] if bound is not None and bound.value.suffixes else ""
    return {
        "name": f"session-{room.id[:8]}{suffix}",
        "type": _TYPES.get(suffix, "application/octet-stream"),
        "parts": parts,
    }


def _write(room: Room, form: str, file: Any) -> None:
    out = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
    room.app.export(room.app.transcript(room.id), form, out)
    out.detach()


Message = Mapping[str, Any]
SOUND = b"\x01"
"""The first byte of a binary message with sound."""
LEVELS = tuple(one.name for one in CHANGEABLE)


def text_of(message: Message, key: str, default: str | None = None) -> str:
    """Return a text of a message."""
    value = message.get(key, default)
    if not isinstance(value, str):
        raise inarch.UsageError(f"{key} is {value!r:.40}, not a text", f"send {key}")
    return value


def number_of(message: Message, key: str, default: int | None = None) -> int:
    """Return a number of a message."""
    value = message.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise inarch.UsageError(f"{key} is {value!r:.40}, not a whole number from 0", f"send {key}")
    return value


def room_here(page: Page, message: Message) -> Room:
    """Return the room that a message names."""
    room = page.desk.rooms.get(text_of(message, "session"))
    if room is None or page.number not in room.pages:
        raise inarch.UsageError(f"session {message.get('session')!r} is not open in this page", "open it first")
    return room


async def _hello(page: Page, message: Message) -> Message:
    app = page.desk.app
    framed = page.desk.framed
    models = {app.config.profile.model: None}
    models.update({f"{name}/{one.value.default_model}": None for name, one in app.composition.models.items()})
    return {
        "version": inarch.__version__,
        "token": page.tokens.token,  # a page that used the ticket has no token yet
        "page": page.number,
        "root": page.desk.root,
        "models": list(models),
        "approve": app.config.profile.approve,
        "modes": [{"name": one.name, "title": one.title, "help": one.help} for one in CHANGEABLE],
        "commands": [{"name": name, "help": help} for name, help in sorted(commands_of(app).items())],
        "exports": list(app.composition.exporters),
        "proxy": framed.told() if framed is not None else None,
        "voice": page.desk.voice_missing,
    }


async def _sessions(page: Page, message: Message) -> Message:
    return await page.desk.sessions(text_of(message, "words", ""), number_of(message, "from", 0))


async def _open(page: Page, message: Message) -> Message:
    wanted = message.get("session")
    room = await page.desk.room(None if wanted is None else text_of(message, "session"))
    since = (text_of(message, "room"), number_of(message, "since")) if message.get("since") is not None else None
    return await room.opened(page, since)


async def _leave(page: Page, message: Message) -> Message:
    room_here(page, message).left(page)
    return {}


async def _earlier(page: Page, message: Message) -> Message:
    return await room_here(page, message).earlier(number_of(message, "before"))


async def _steps(page: Page, message: Message) -> Message:
    return await room_here(page, message).steps(number_of(message, "turn"), number_of(message, "before"))


async def _path(page: Page, message: Message) -> Message:
    from inarch_web.server.path_picture import drawn

    exchange = await room_here(page, message).exchange(number_of(message, "turn"))
    return {"svg": Raw(await asyncio.to_thread(drawn, page.desk.root, exchange))}


async def _say(page: Page, message: Message) -> Message:
    room, text = room_here(page, message), text_of(message, "text")
    command = inarch.split_slash_command(text)
    there = page.desk.app.composition.slash_commands
    if command is not None and command[0] in there and command[0] not in commands_of(page.desk.app):
        raise inarch.UsageError(f"/{command[0]} is a command of the terminal", "the page has it beside the prompt")
    return {"as": await room.work.say(text)}


async def _unqueue(page: Page, message: Message) -> Message:
    return {"text": Raw(room_here(page, message).work.unqueue(number_of(message, "place")))}


async def _cancel(page: Page, message: Message) -> Message:
    return {"unsaid": [Raw(text) for text in await room_here(page, message).work.cancel()]}


async def _answer(page: Page, message: Message) -> Message:
    room = room_here(page, message)
    by = room.questions.answer(number_of(message, "question"), message.get("answers"), page.number)
    return {"counts": by == page.number, "by": by}


async def _try(page: Page, message: Message) -> Message:
    return await room_here(page, message).questions.tried(number_of(message, "question"))


async def _set(page: Page, message: Message) -> Message:
    room = room_here(page, message)
    session = await room.session()
    if "model" in message:
        room.model = await session.set_model(text_of(message, "model"))
    if "approve" in message:
        level = text_of(message, "approve")
        if level not in LEVELS:
            raise inarch.UsageError(f"there is no level {level!r}", f"one of {', '.join(LEVELS)}")
        session.set_approve(level)
        room.approve = level
    room.tell_state()
    return {"state": room.state()}


async def _undo(page: Page, message: Message) -> Message:
    session = await room_here(page, message).session()
    report = await asyncio.to_thread(session.undo, text_of(message, "target", ""), bool(message.get("dry_run")))
    return _reported(report)


async def _redo(page: Page, message: Message) -> Message:
    session = await room_here(page, message).session()
    return _reported(await asyncio.to_thread(session.redo, text_of(message, "target", "")))


def _reported(report: inarch.UndoReport) -> Message:
    told: Message = inarch.to_data(report)
    return told


async def _blame(page: Page, message: Message) -> Message:
    session, path = await room_here(page, message).session(), text_of(message, "path")
    lines = await asyncio.to_thread(session.extension("undo").blame, path)
    return {"path": path, "lines": [inarch.to_data(line) for line in lines]}


async def _fork(page: Page, message: Message) -> Message:
    room = room_here(page, message)
    at = None if message.get("at") is None else number_of(message, "at")
    return {"session": (await page.desk.fork(room.id, at)).id}


async def _name(page: Page, message: Message) -> Message:
    room = room_here(page, message)
    await asyncio.to_thread(room.app.name_session, room.id, text_of(message, "name"))
    room.tell_state()
    return {"state": room.state()}


async def _export(page: Page, message: Message) -> Message:
    room = room_here(page, message)
    return await export(page, room, message.get("id"), text_of(message, "form", "html"))


async def _complete(page: Page, message: Message) -> Message:
    return await complete(room_here(page, message), text_of(message, "text"), commands_of(page.desk.app))


async def _select(page: Page, message: Message) -> Message:
    room, given = room_here(page, message), message.get("selection")
    if given is not None:
        from inarch_web.pointing.element_source import chosen

        given = await chosen(given, room.app, page.desk.framed)
    room.set_selection(given)
    return {"selection": given}


async def _replied(page: Page, message: Message) -> Message:
    for room in page.desk.rooms.values():
        room.asks.answered(page.number, message.get("ask"), message.get("ok"), message.get("error"))
    return {}


async def heard(page: Page, data: bytes) -> None:
    """Take a binary message. `SOUND` is followed by sound of the page's microphone."""
    if page.desk.voice is not None and data[:1] == SOUND:
        page.desk.voice.heard(page, data[1:])


async def _voice(page: Page, message: Message) -> Message:
    from inarch_web.voice import asked  # loaded only when a page uses voice

    return await asked(page, room_here(page, message), message)


VERBS: Mapping[str, Callable[[Page, Message], Awaitable[Message]]] = {
    "hello": _hello,
    "sessions": _sessions,
    "open": _open,
    "leave": _leave,
    "earlier": _earlier,
    "steps": _steps,
    "path": _path,
    "say": _say,
    "unqueue": _unqueue,
    "cancel": _cancel,
    "answer": _answer,
    "try": _try,
    "set": _set,
    "undo": _undo,
    "redo": _redo,
    "blame": _blame,
    "review": review,
    "fork": _fork,
    "name": _name,
    "export": _export,
    "complete": _complete,
    "select": _select,
    "voice": _voice,
    "replied": _replied,
}
