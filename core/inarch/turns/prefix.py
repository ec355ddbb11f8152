"""Requests as one service receives them: without secrets, each a continuation of the last one.

Services bind reasoning to all that came before it, and cache a request by its beginning. So the system text and the
tools are fixed when the conversation begins, and stored with it. A later change is a message at the end. If a request
cannot continue the last one, an event records the reason, and the context begins anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from operator import is_
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define, evolve, field

from inarch.contract.codec import to_data
from inarch.contract.frozen import frozen
from inarch.contract.records import (
    CallPart,
    Image,
    Message,
    ModelRequest,
    Part,
    Reasoning,
    Reply,
    ResultPart,
    Text,
    ToolSpec,
)
from inarch.journal.redactor import Redactor
from inarch_sdk.message_cache import MessageCache
from inarch_sdk.result_text import result_text

if TYPE_CHECKING:
    from inarch.contract.events import Broken


T = TypeVar("T", Message, ToolSpec, tuple[ToolSpec, ...], str)


@define(eq=False, repr=False)
class Hiding:
    """Redaction of one session's requests; it checks each message once unless a new secret becomes known."""

    redactor: Redactor
    _clean: MessageCache = field(init=False, factory=MessageCache)
    _last: tuple[int, tuple[Message, ...], tuple[Message, ...]] = field(init=False, default=(-1, (), ()))

    def request(self, request: ModelRequest) -> ModelRequest:
        """Return the request with placeholders for secrets; the same object if it has none."""
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
        """Return the redacted messages, the same objects if unchanged."""
        version, known, clean = self._last
        # A new secret may be in messages that were clean before.
        if version != self.redactor.version or messages[: len(known)] != known:
            known = clean = ()
        # Only new messages are looked at: each request of a turn has all earlier ones.
        clean += tuple(map(self.message, messages[len(known) :]))
        if all(map(is_, clean, messages)):
            clean = messages
        self._last = (self.redactor.version, messages, clean)
        return clean

    def message(self, message: Message) -> Message:
        """Return a message with placeholders for secrets; the same object if it has none."""
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
        # `provider_data` stays unchanged: it goes back to the provider that made it.
        if isinstance(part, (Text, Reasoning)):
            text = self.redactor.text(part.text)
            return part if text == part.text else evolve(part, text=text)
        if isinstance(part, CallPart):
            arguments = self.redactor.redact(part.arguments)
            return part if arguments is part.arguments else evolve(part, arguments=arguments)
        if isinstance(part, ResultPart):
            from inarch.calls.attempt import hide_secrets

            result = hide_secrets(part.result, self.redactor)
            return part if result is part.result else evolve(part, result=result)
        return part


DIGEST_BYTES = 16


@frozen
class Fixed:
    """Fixed beginning of each request to a service; later messages may update `instructions` and `late`."""

    system: str
    tools: tuple[ToolSpec, ...]
    instructions: str = ""
    late: tuple[str, ...] = ()

    @property
    def known(self) -> set[str]:
        """Names of the tools that the model knows of."""
        return {spec.name for spec in self.tools}.union(self.late)


@frozen
class Sent:
    """Last request to a service: its number of messages, their digest, and the number of known secrets."""

    messages: int
    digest: str
    secrets: int = -1


@define(eq=False, repr=False)
class Digests:
    """Digests of the beginnings of a conversation; a continued beginning is not read again."""

    _last: tuple[tuple[Message, ...], list[bytes]] = field(init=False, default=((), []))

    def of(self, messages: tuple[Message, ...]) -> list[bytes]:
        """Return the digest of the first message, of the first two, and so on."""
        before, digests = self._last
        same = len(before) if messages[: len(before)] == before else 0
        digests = digests[:same]
        for message in messages[same:]:
            digest = hashlib.blake2b(digests[-1] if digests else b"", digest_size=DIGEST_BYTES)
            digest.update(_seen_of(message))
            digests.append(digest.digest())
        self._last = messages, digests
        return digests


@define(eq=False, repr=False)
class Prefix:
    """Prefixes sent to the services of one session, by the names of their providers.

    Args:
        fixed: The fixed beginning of each request.
        sent: The last request.
        pending: Why the next request cannot continue the last one, if already known.
    """

    fixed: dict[str, Fixed] = field(factory=dict)
    sent: dict[str, Sent] = field(factory=dict)
    pending: Broken | None = None
    _digests: Digests = field(init=False, factory=Digests)

    def broken(self, service: str, request: ModelRequest, secrets: int) -> Broken | None:
        """Return why a request does not continue the last one; None if it does, or is the first."""
        # The code that changed the conversation has given the reason; a digest could only detect the change.
        why, self.pending = self.pending, None
        if why is not None and (self.sent or why != "compaction"):
            return why
        if not self.sent:
            return None
        sent = self.sent.get(service)
        if sent is None:
            return "service"
        digests = self._digests.of(request.messages)
        if len(digests) >= sent.messages and (not sent.messages or digests[sent.messages - 1].hex() == sent.digest):
            return None
        return "secret" if sent.secrets not in (-1, secrets) else "resumed"

    def note(self, service: str, request: ModelRequest, secrets: int) -> str:
        """Remember the request that is sent, and return the digest of its messages."""
        digests = self._digests.of(request.messages)
        digest = digests[-1].hex() if digests else ""
        self.sent[service] = Sent(len(digests), digest, secrets)
        return digest

    def begin_anew(self) -> None:
        """Forget sent and fixed parts: the next request starts from the present ones."""
        self.fixed.clear()
        self.sent.clear()

    def pass_on(self, old: str, new: str) -> None:
        """Copy one service's prefix to another that takes over in the middle of a turn."""
        if old in self.fixed:
            self.fixed.setdefault(new, self.fixed[old])


def digest_of(text: str) -> str:
    """Return the digest of a text, "" for none."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).hexdigest() if text else ""


def _seen_of(message: Message) -> bytes:
    """Return a service's view of a message, in one form for all services."""
    return json.dumps([message.role, [_part(part) for part in message.parts]], sort_keys=True).encode()


def _part(part: Part) -> list[Any]:
    if isinstance(part, ResultPart):
        pictures = [_part(image) for image in part.result.images]
        text, own = result_text(part.result), to_data(part.provider_data)
        return [part.call_id, part.provider_id, part.name, text, own, *pictures]
    if isinstance(part, Image):
        return [part.media_type, hashlib.sha256(part.data).hexdigest()]
    if isinstance(part, CallPart):
        return [part.id, part.provider_id, part.name, to_data(part.arguments), to_data(part.provider_data)]
    return [type(part).__name__, part.text, to_data(part.provider_data)]
