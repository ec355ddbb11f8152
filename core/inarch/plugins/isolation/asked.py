"""Answers to what a child asks for while one of its calls runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from inarch.contract.errors import InarchError, ToolFailed
from inarch.plugins.isolation.channel import Channel, Message
from inarch.plugins.isolation.failures import error_data

Answers = Callable[[str, Any], Any]
_WRONG = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RecursionError)
"""What is raised where the child's arguments were wrong."""


def answered(number: int, message: Message, answer: Answers | None) -> Message:
    """Return the message that answers what a child asked, be it an error."""
    head = {"op": "back", "id": number, "ask": message.get("ask")}
    try:
        method = message.get("method")
        if answer is None or not isinstance(method, str):
            raise ToolFailed("permission", "nothing may be asked here")
        return {**head, "value": answer(method, message)}
    except InarchError as error:
        return {**head, "error": error_data(error)}
    except _WRONG as error:
        return {**head, "error": error_data(ToolFailed("validation", f"{type(error).__name__}: {error}"))}


async def answer_later(channel: Channel, number: int, message: Message, answer: Any) -> None:
    """Answer what a child asked, after awaiting the answer if it is to be awaited."""
    reply = answered(number, message, answer)
    value = reply.get("value")
    if inspect.isawaitable(value):
        try:
            reply = {**reply, "value": await value}
        except (InarchError, *_WRONG) as error:
            reply = {"op": "back", "id": number, "ask": message.get("ask"), "error": error_data(error)}
    channel.send(reply)


def hand_over(loop: Any, queue: Any, message: Message) -> None:
    """Give a message to whoever awaits the queue on the loop."""
    try:
        loop.call_soon_threadsafe(queue.put_nowait, message)
    except RuntimeError:
        pass  # the loop is closed: nobody waits any more
