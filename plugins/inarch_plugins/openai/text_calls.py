"""Calls that small models write as text, recognized if a setting enables it and the whole reply is one call.

A text that is already in a file or a prompt is a quotation and never becomes a call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from attrs import define, field

from inarch import CallDelta, Delta, Finish, ModelRequest, ResultPart, Text, TextDelta, TextWasReasoning, result_text
from inarch_lib.schemas.validation import BrokenSchema, Schema

LONGEST = 65_536
"""Maximum characters of a call; a longer reply is text."""
_OPEN, _CLOSE, _FENCE = "<tool_call>", "</tool_call>", "```"
_FENCED = re.compile(r"```(?:json|tool_call)?[ \t]*\n(.*)\n[ \t]*```", re.S)
_INFO = re.compile(r"```(json|tool_call)?[ \t]*(\n|$)")
_OBJECT = re.compile(r'\{\s*"(?:name|arguments|parameters)"\s*:')
_FORMS = ({"name", "arguments"}, {"name", "parameters"})


@define(eq=False, repr=False)
class WrittenCalls:
    """Buffer that holds back a reply while it may be one call; `request` is what it answers."""

    request: ModelRequest
    _held: str = field(init=False, default="")
    _is_open: bool = field(init=False, default=True)

    def take(self, delta: Delta) -> Iterator[Delta]:
        """Yield the deltas that a piece of the reply releases."""
        if not self._is_open and not isinstance(delta, TextWasReasoning):
            yield delta
        elif isinstance(delta, TextDelta):
            self._held += delta.text
            if not _may_be_one(self._held):
                yield from self.rest()
        elif isinstance(delta, TextWasReasoning):
            yield from self.rest()
            yield delta
            self._is_open = True
        elif isinstance(delta, CallDelta):
            yield from self.rest()
            yield delta
        elif isinstance(delta, Finish):
            call = self._call() if delta.reason == "stop" else None
            if call is None:
                yield from self.rest()
                yield delta
            else:
                self._held = ""
                yield CallDelta(0, "", call[0], json.dumps(call[1]))
                yield Finish("calls")
        else:
            yield delta

    def rest(self) -> Iterator[Delta]:
        """Yield the text that was held back; all that follows is text, too."""
        held, self._held, self._is_open = self._held, "", False
        if held:
            yield TextDelta(held)

    def _call(self) -> tuple[str, dict[str, Any]] | None:
        """Return the tool's name and its arguments, if the reply is a call of a tool that is offered."""
        found = _read(_inner(self._held.strip()))
        if found is None:
            return None
        name, arguments = found
        spec = next((spec for spec in self.request.tools if spec.name == name), None)
        try:
            is_valid = spec is not None and not Schema(spec.input_schema).faults(arguments)
        except BrokenSchema:
            return None
        return found if is_valid and not self._is_quoted(found) else None

    def _is_quoted(self, call: tuple[str, dict[str, Any]]) -> bool:
        """Return whether the same call appears in the text that the model was given."""
        for message in self.request.messages:
            if message.role == "assistant":
                continue
            for part in message.parts:
                text = part.text if isinstance(part, Text) else ""
                text = result_text(part.result) if isinstance(part, ResultPart) else text
                if any(call == one for form in (text, text.replace("\\n", "\n").replace('\\"', '"'))
                       for one in _calls_in(form)):  # fmt: skip
                    return True
        return False


def _may_be_one(text: str) -> bool:
    """Return whether a reply that begins so can still become one call."""
    text = text.lstrip()
    if len(text) > LONGEST:
        return False
    if text.startswith(_FENCE):
        return bool(_INFO.match(text)) or ("\n" not in text and len(text) <= len("```tool_call "))
    return text.startswith(_OPEN) or _OPEN.startswith(text) or _FENCE.startswith(text)


def _inner(text: str) -> str:
    """Return the text between the marks of a call, "" if they do not enclose the whole."""
    if text.startswith(_OPEN) and text.endswith(_CLOSE):
        return text[len(_OPEN) : -len(_CLOSE)]
    fenced = _FENCED.fullmatch(text)
    return fenced[1] if fenced is not None else ""


def _read(text: str) -> tuple[str, dict[str, Any]] | None:
    try:
        return _named(json.loads(text, parse_constant=_no_number))
    except (ValueError, RecursionError):
        return None


def _named(value: Any) -> tuple[str, dict[str, Any]] | None:
    """Return name and arguments of an object with exactly these two keys."""
    if not isinstance(value, dict) or set(value) not in _FORMS:
        return None
    arguments = value.get("arguments", value.get("parameters"))
    name = value["name"]
    return (name, arguments) if isinstance(name, str) and isinstance(arguments, dict) else None


def _calls_in(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    decoder = json.JSONDecoder()
    for match in _OBJECT.finditer(text) if "name" in text else ():
        try:
            found = _named(decoder.raw_decode(text, match.start())[0])
        except (ValueError, RecursionError):
            continue
        if found is not None:
            yield found


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)
