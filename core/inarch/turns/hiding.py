"""What must not be seen by a model is taken out of a request here, whoever put it there."""

from __future__ import annotations

from attrs import evolve

from inarch.calls.results import hide_secrets
from inarch.contract.records import CallPart, Message, ModelRequest, Part, Reasoning, ResultPart, Text
from inarch.journal import Redactor


def without_secrets(request: ModelRequest, redactor: Redactor) -> ModelRequest:
    """Return the request with placeholders for secrets; the same one where it has none."""
    if not redactor.shapes:
        return request
    system = redactor.text(request.system)
    messages = tuple(_clean_message(message, redactor) for message in request.messages)
    if system == request.system and all(new is old for new, old in zip(messages, request.messages, strict=True)):
        return request
    return evolve(request, system=system, messages=messages)


def _clean_message(message: Message, redactor: Redactor) -> Message:
    parts = tuple(_clean_part(part, redactor) for part in message.parts)
    if all(new is old for new, old in zip(parts, message.parts, strict=True)):
        return message
    return evolve(message, parts=parts)


def _clean_part(part: Part, redactor: Redactor) -> Part:
    # `provider_data` is left alone: it goes back to the provider that made it, unchanged.
    if isinstance(part, (Text, Reasoning)):
        text = redactor.text(part.text)
        return part if text == part.text else evolve(part, text=text)
    if isinstance(part, CallPart):
        arguments = redactor.redact(part.arguments)
        return part if arguments == part.arguments else evolve(part, arguments=arguments)
    if isinstance(part, ResultPart):
        result = hide_secrets(part.result, redactor)
        return part if result is part.result else evolve(part, result=result)
    return part
