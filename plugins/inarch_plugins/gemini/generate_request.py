"""From a `ModelRequest` to the body of a request.

The API wants turns in strict order: a person first, the two sides in alternation, and every call answered in the very
next content. A conversation that was shortened, resumed or led with another provider may have none of that, so it is
put in order here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import Any, Literal

from attrs import define, field

from inarch import Image, Message, MessageCache, ModelRequest, Part, Text, ToolSpec, to_data
from inarch_lib.schemas.openapi import openapi_parameters, reply_schema
from inarch_plugins.gemini.exchanges import Reader, encode_exchange, encoded, signatures_of
from inarch_plugins.gemini.versions import is_before_3, thinking_of, thinks_by_name

OPENING = "(The beginning of this conversation is left out.)"
MODES = {"none": "NONE", "required": "ANY"}

Leaving = Literal["level", "thinking"]
"""What of the members on thinking a model refused: the level or budget alone, or all of them."""


@define(eq=False, repr=False)
class Encoder:
    """Encodes requests.

    Args:
        thinking: Whether to ask for the model's thoughts where it has any.
        base_url: The service's address: signatures go back only to the one that gave them.
    """

    thinking: bool = True
    base_url: str = ""
    _kept: MessageCache = field(init=False, factory=MessageCache)
    _refused: frozenset[str] = field(init=False, default=frozenset())

    def body(self, request: ModelRequest, thinks: bool | None = None, leave_out: Leaving | None = None) -> bytes:
        """Return the body of a request.

        Args:
            request: What is asked.
            thinks: Whether the model is known to think; None where nothing is known but its name.
            leave_out: What it is known to refuse.
        """
        members = [b'"contents":[' + self._contents(request) + b"]"]
        system = [request.system] if request.system else []
        system += [message.text for message in request.messages if message.role == "system" and message.text]
        if system:
            members.append(b'"systemInstruction":' + encoded({"parts": [{"text": text} for text in system]}))
        if request.tools and request.response_schema is None:
            members.append(b'"tools":' + self._kept.once(request.tools, _declarations))
            if request.tool_choice in MODES:
                config = {"functionCallingConfig": {"mode": MODES[request.tool_choice]}}
                members.append(b'"toolConfig":' + encoded(config))
        options = self._options(request, thinks, leave_out)
        if options:
            members.append(b'"generationConfig":' + encoded(options))
        return b"{" + b",".join(members) + b"}"

    def leave_out_signatures(self, request: ModelRequest) -> bool:
        """Leave out, from now on, the signatures of earlier turns; those of this turn if there are no others.

        Returns whether there were any: calls without one get the placeholder.
        """
        messages = request.messages
        last = max((at for at, one in enumerate(messages) if one.role == "user"), default=0)
        for part in (messages[:last], messages[last:]):
            found = frozenset().union(*map(signatures_of, part)) - self._refused
            if found:
                self._refused |= found
                return True
        return False

    def _contents(self, request: ModelRequest) -> bytes:
        """Return the contents: what one side says is one content until the other side speaks."""
        reader = Reader(request.model, self.base_url, not is_before_3(request.model), self._refused)
        self._kept.asked(request)
        opening = [] if _begins_with_user(request.messages) else [("user", encoded({"text": OPENING}))]
        sides = chain(opening, *(self._exchange(*both, reader) for both in _exchanges(request.messages)))
        return b",".join(
            _content(role, (part for _, part in parts)) for role, parts in groupby(sides, key=lambda side: side[0])
        )

    def _exchange(self, first: Message, second: Message | None, reader: Reader) -> tuple[tuple[str, bytes], ...]:
        """Encode an assistant message with the results that answer it, or any other message alone."""

        def encode(first: Message) -> tuple[Message | None, tuple[tuple[str, bytes], ...]]:
            return second, tuple(encode_exchange(first, second, reader))

        # The answer is kept with its encoding, so that its id stays its own.
        return self._kept.once(first, encode, (id(second), reader))[1]

    def _options(self, request: ModelRequest, thinks: bool | None, leave_out: Leaving | None) -> dict[str, Any]:
        options: dict[str, Any] = {}
        # Newer models ignore a temperature or answer worse with one (ai.google.dev, changes of 21 July 2026).
        if request.temperature is not None and is_before_3(request.model):
            options["temperature"] = request.temperature
        if request.max_output_tokens is not None:
            options["maxOutputTokens"] = request.max_output_tokens
        if request.response_schema is not None:
            options["responseMimeType"] = "application/json"
            options["responseJsonSchema"] = reply_schema(to_data(request.response_schema))
        elif request.purpose == "turn" and (thinks_by_name(request.model) if thinks is None else thinks):
            config: dict[str, Any] = {"includeThoughts": True} if self.thinking else {}
            if request.effort is not None and leave_out != "level":
                config |= thinking_of(request.model, request.effort)
            if config and leave_out != "thinking":
                options["thinkingConfig"] = config
        return options


def _begins_with_user(messages: Sequence[Message]) -> bool:
    first = next((message for message in messages if message.role != "system"), None)
    return first is not None and first.role == "user" and any(_visible(part) for part in first.parts)


def _visible(part: Part) -> bool:
    return isinstance(part, Image) or (isinstance(part, Text) and bool(part.text))


def _exchanges(messages: Sequence[Message]) -> Iterator[tuple[Message, Message | None]]:
    """Yield each message with the tool message that answers it, if one does."""
    said = [message for message in messages if message.role != "system"]
    for place, message in enumerate(said):
        before, after = said[place - 1 : place], said[place + 1 : place + 2]
        if message.role == "assistant":
            yield message, after[0] if after and after[0].role == "tool" else None
        elif not (message.role == "tool" and before and before[0].role == "assistant"):
            yield message, None


def _declarations(tools: tuple[ToolSpec, ...]) -> bytes:
    return encoded([{"functionDeclarations": [_declaration(spec) for spec in tools]}])


def _declaration(spec: ToolSpec) -> dict[str, Any]:
    declaration: dict[str, Any] = {"name": spec.name, "description": spec.description or spec.name}
    taken = openapi_parameters(to_data(spec.input_schema))
    if taken is not None:
        declaration["parameters"] = taken
    return declaration


def _content(role: str, parts: Iterable[bytes]) -> bytes:
    return b'{"role":"' + role.encode("ascii") + b'","parts":[' + b",".join(parts) + b"]}"
