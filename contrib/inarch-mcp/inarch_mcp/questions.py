"""Questions of servers to the user (elicitation), which the user answers as those of `ask_user`.

The protocol forbids forms that ask for secrets (modelcontextprotocol.io/specification/2026-07-28/client/elicitation,
read 2026-11): Inarch declines them. A page for secrets opens in the browser after the user's yes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

import inarch
from inarch_lib.schemas.validation import BrokenSchema, Schema

ANSWER = "answer_server"
MOST_FIELDS = 9
YES, NO = "yes", "no"
OPEN = "-"
"""Answer that leaves an optional field open; front ends take no empty ones."""
LONGEST_ANSWER = 4_000
_SECRET = re.compile(
    r"passw|passphrase|secret|token(?!s)|credential|api.?key|private.?key|card.?number|(?<![a-z])(pin|cvv|cvc)(?![a-z])",
    re.IGNORECASE,
)


@frozen
class Field:
    """One field of a form, with the words of its choices and their values."""

    name: str
    schema: Mapping[str, Any]
    choices: Mapping[str, Any]
    is_list: bool

    @classmethod
    def of(cls, name: str, schema: Mapping[str, Any]) -> Field:
        """Make the field of a property.

        Raises:
            ValueError: It asks for a secret.
        """
        if schema.get("format") == "password" or _SECRET.search(f"{name} {schema.get('title', '')}"):
            raise ValueError(f"a form must not ask for a secret, as its field {name!r} does")
        is_list = schema.get("type") == "array"
        within = schema.get("items") or {} if is_list else schema
        titled = [one for key in ("oneOf", "anyOf") for one in within.get(key) or () if "const" in one]
        names = within.get("enumNames") or within.get("enum") or ()
        choices = {str(one.get("title") or one["const"]): one["const"] for one in titled} or {
            str(shown): value for shown, value in zip(names, within.get("enum") or (), strict=False)
        }
        if schema.get("type") == "boolean":
            choices = {YES: True, NO: False}
        return cls(name, schema, choices, is_list)

    def value(self, answers: Sequence[str]) -> Any:
        """Return the value that the user's answers mean.

        Raises:
            ToolFailed: There is no such value.
        """
        known = {words.lower(): value for words, value in self.choices.items()}
        values = [known.get(one.strip().lower(), one) for one in answers]
        given: Any = values if self.is_list else values[0]
        if self.schema.get("type") in ("integer", "number") and not self.choices:
            try:
                given = float(given) if self.schema["type"] == "number" else int(given)
            except ValueError:
                pass  # the schema says so in its own words
        whole = {"type": "object", "properties": {self.name: self.schema}}
        try:
            faults = Schema(whole, "answer").faults({self.name: given})
        except BrokenSchema as error:
            raise inarch.ToolFailed("validation", f"the server's form is broken: {error}") from None
        if faults:
            raise inarch.ToolFailed("validation", "; ".join(faults), "answer it anew")
        return given


@frozen
class Question:
    """A server's question: a form, or an address to open.

    Args:
        server: The server's name.
        message: Its words.
        fields: The fields of a form. Without any, the user only agrees or not.
        required: Those that need an answer.
        url: The address.
    """

    server: str
    message: str
    fields: tuple[Field, ...] = ()
    required: tuple[str, ...] = ()
    url: str = ""

    @classmethod
    def of(cls, server: str, params: Mapping[str, Any]) -> Question:
        """Make the question of a request `elicitation/create`.

        Raises:
            ValueError: Inarch can't ask it, or must not.
        """
        message = inarch.escape(str(params.get("message", ""))[:2_000], keep_newlines=False)
        if params.get("mode") == "url":
            url = str(params.get("url", ""))
            if not url.startswith(("https://", "http://")) or not url.isprintable() or len(url) > 2_000:
                raise ValueError("it wants an address opened that is not one of the web")
            return cls(server, message, url=url)
        schema = params.get("requestedSchema") or {}
        fields = tuple(Field.of(name, one) for name, one in (schema.get("properties") or {}).items())
        if len(fields) > MOST_FIELDS:
            raise ValueError(f"its form has {len(fields)} fields, and {MOST_FIELDS} can be asked about")
        return cls(server, message, fields, tuple(schema.get("required") or ()))

    def offer(self, chosen: inarch.ChosenRights) -> inarch.RightsOffer:
        """Return the question with numbered fields for the user.

        Raises:
            ToolFailed: An answer does not fit.
        """
        asked = f"MCP server {self.server!r} asks: {self.message}"
        if self.fields:
            words = [_words(field, field.name in self.required) for field in self.fields]
            offered = [tuple(field.choices) for field in self.fields]
            words[0] = f"{asked}\n{words[0]}"
        else:
            words = [f"{asked}\nOpen {self.url} in the browser?" if self.url else asked]
            offered = [(YES, NO)]
        for name, values in chosen.items():
            if not name.isdigit() or not 1 <= int(name) <= len(words):
                raise inarch.ToolFailed("validation", f"there is no field {name!r}", f"1 to {len(words)}")
            if not values or any(not one.strip() or len(one) > LONGEST_ANSWER for one in values):
                raise inarch.ToolFailed("validation", f"an answer has 1 to {LONGEST_ANSWER:,} characters")
            if self.fields and not self._leaves_open(self.fields[int(name) - 1], values):
                self.fields[int(name) - 1].value(values)
        rights = tuple(
            inarch.Right(str(number), str(number), text, "ANSWER", choices)
            for number, (text, choices) in enumerate(zip(words, offered, strict=True), 1)
        )
        whole = "\n".join(words)
        return inarch.RightsOffer(rights, dict(chosen), (), whole, lasting=False, asks=True, unasked=True)

    def answer(self, chosen: inarch.ChosenRights | None) -> dict[str, Any]:
        """Return the members of the protocol's answer. Without a user it declines.

        Raises:
            ToolFailed: A field that the server needs has no answer.
        """
        if chosen is None:
            return {"action": "decline"}
        if not self.fields:
            agreed = (chosen.get("1") or (NO,))[0].strip().lower() in (YES, "y")
            return {"action": "accept" if agreed else "decline", **({} if self.url or not agreed else {"content": {}})}
        content = {
            field.name: field.value(given)
            for number, field in enumerate(self.fields, 1)
            if (given := chosen.get(str(number))) and not self._leaves_open(field, given)
        }
        missing = [name for name in self.required if name not in content]
        if missing:
            what = f"the user left {', '.join(missing)} open, which MCP server {self.server!r} needs"
            raise inarch.ToolFailed("validation", what, f"call {ANSWER} again if the user shall be asked again")
        return {"action": "accept", "content": content}

    def _leaves_open(self, field: Field, answers: Sequence[str]) -> bool:
        return field.name not in self.required and [one.strip() for one in answers] == [OPEN]


def _words(field: Field, is_required: bool) -> str:
    about = field.schema.get("title") or field.name
    if said := field.schema.get("description"):
        about += f": {said}"
    more = [
        *([] if is_required else [f"optional: {OPEN} leaves it open"]),
        *(["several are possible"] if field.is_list else []),
    ]
    if "default" in field.schema:
        more.append(f"default {field.schema['default']}")
    return inarch.escape(about[:500] + (f" ({', '.join(more)})" if more else ""), keep_newlines=False)
