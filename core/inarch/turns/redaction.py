"""What must not be seen by a model is taken out of a request here, whoever put it there."""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import TypeVar

from attrs import define, evolve, field

from inarch.contract.records import (
    CallPart,
    Message,
    ModelRequest,
    Part,
    Reasoning,
    Reply,
    ResultPart,
    Text,
    ToolSpec,
)
from inarch.journal.redaction.redactor import Redactor
from inarch_sdk.message_cache import MessageCache

T = TypeVar("T", Message, ToolSpec, tuple[ToolSpec, ...], str)


@define(eq=False, repr=False)
class Hiding:
    """Puts placeholders into the requests of one session; looks at each message once as long as no secret is new."""

    redactor: Redactor
    _clean: MessageCache = field(init=False, factory=MessageCache)
    _last: tuple[int, tuple[Message, ...], tuple[Message, ...]] = field(init=False, default=(-1, (), ()))

    def request(self, request: ModelRequest) -> ModelRequest:
        """Return the request with placeholders for secrets; the same one where it has none."""
        system = self._once(request.system, self.redactor.text)
        schema = self.redactor.redact(request.response_schema)
        messages = self._messages(request.messages)
        tools = self._once(request.tools, self._tools)
        self._clean.asked(request)
        same = messages is request.messages and tools is request.tools
        if same and system == request.system and schema is request.response_schema:
            return request
        return evolve(request, system=system, messages=messages, tools=tools, response_schema=schema)

    def _messages(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """Return the messages clean, the very same ones where they are; those of the last request are known at once."""
        version, known, clean = self._last
        if version != self.redactor.version or messages[: len(known)] != known:
            known = clean = ()
        clean += tuple(map(self.message, messages[len(known) :]))
        if all(map(is_, clean, messages)):
            clean = messages
        self._last = (self.redactor.version, messages, clean)
        return clean

    def message(self, message: Message) -> Message:
        """Return a message with placeholders for secrets; the same one if it has none."""
        return self._once(message, self._message)

    def reply(self, reply: Reply) -> Reply:
        """Return a reply whose text has placeholders; its calls run as the model wrote them."""
        parts = tuple(part if isinstance(part, CallPart) else self._part(part) for part in reply.message.parts)
        if all(new is old for new, old in zip(parts, reply.message.parts, strict=True)):
            return reply
        return evolve(reply, message=evolve(reply.message, parts=parts))

    def _once(self, item: T, clean: Callable[[T], T]) -> T:
        return self._clean.once(item, clean, self.redactor.version)

    def _tools(self, tools: tuple[ToolSpec, ...]) -> tuple[ToolSpec, ...]:
        clean = tuple(self._once(tool, self._tool) for tool in tools)
        return tools if all(map(is_, clean, tools)) else clean

    def _tool(self, tool: ToolSpec) -> ToolSpec:
        description, schema = self.redactor.text(tool.description), self.redactor.redact(tool.input_schema)
        if description == tool.description and schema is tool.input_schema:
            return tool
        return evolve(tool, description=description, input_schema=schema)

    def _message(self, message: Message) -> Message:
        parts = tuple(map(self._part, message.parts))
        if all(new is old for new, old in zip(parts, message.parts, strict=True)):
            return message
        return evolve(message, parts=parts)

    def _part(self, part: Part) -> Part:
        # `provider_data` is left alone: it goes back to the provider that made it, unchanged.
        if isinstance(part, (Text, Reasoning)):
            text = self.redactor.text(part.text)
            return part if text == part.text else evolve(part, text=text)
        if isinstance(part, CallPart):
            arguments = self.redactor.redact(part.arguments)
            return part if arguments is part.arguments else evolve(part, arguments=arguments)
        if isinstance(part, ResultPart):
            from inarch.calls.results import hide_secrets

            result = hide_secrets(part.result, self.redactor)
            return part if result is part.result else evolve(part, result=result)
        return part
