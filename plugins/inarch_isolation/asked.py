"""Answers to what a child asks for while one of its calls runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from inarch import InarchError, PluginError, ToolFailed
from inarch.host import guarded
from inarch_isolation.channel import Channel, Message
from inarch_isolation.failures import error_data

if TYPE_CHECKING:
    import asyncio

Answers = Callable[[str, Any], Any]
MOST_AT_ONCE = 8
"""Questions of one call that are answered side by side; the rest waits its turn."""


def answered(plugin: str, number: int, message: Message, answer: Answers | None) -> Message:
    """Return the message that answers what a child asked, be it an error: whatever it sends, nothing is raised."""
    head = {"op": "back", "id": number, "ask": message.get("ask")}
    try:
        with guarded(plugin, "tool", (InarchError,)):
            method = message.get("method")
            if answer is None or not isinstance(method, str):
                raise ToolFailed("permission", "nothing may be asked here")
            return {**head, "value": answer(method, message)}
    except InarchError as error:
        return {**head, "error": error_data(_told(error))}


async def answer_later(
    plugin: str, channel: Channel, number: int, message: Message, answer: Any, turns: asyncio.Semaphore
) -> None:
    """Answer what a child asked, after awaiting the answer if it is to be awaited."""
    async with turns:
        reply = answered(plugin, number, message, answer)
        value = reply.get("value")
        if inspect.isawaitable(value):
            try:
                with guarded(plugin, "tool", (InarchError,)):
                    reply = {**reply, "value": await value}
            except InarchError as error:
                reply = {"op": "back", "id": number, "ask": message.get("ask"), "error": error_data(_told(error))}
    channel.send(reply)


def _told(error: InarchError) -> InarchError:
    """Return an error as the plugin is told it: what its own question raised is a wrong question."""
    cause = error.__cause__
    if isinstance(error, PluginError) and cause is not None and not isinstance(cause, InarchError):
        return ToolFailed("validation", f"{type(cause).__name__}: {cause}")
    return error


def hand_over(loop: Any, queue: Any, message: Message) -> None:
    """Give a message to whoever awaits the queue on the loop."""
    try:
        loop.call_soon_threadsafe(queue.put_nowait, message)
    except RuntimeError:
        pass  # the loop is closed: nobody waits any more
