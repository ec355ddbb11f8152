"""From the chunks of a streamed chat completion, or from a whole one, to deltas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import define, field

from inarch import (
    AnsweredBy,
    CallDelta,
    Delta,
    HttpService,
    ProviderError,
    ProviderNote,
    TextDelta,
    TextWasReasoning,
    ThoughtTags,
    UsageDelta,
    finish_for,
)
from inarch_plugins.openai.call_numbers import Numbering
from inarch_plugins.openai.thoughts import Thoughts
from inarch_plugins.openai.usage import usage_of

_PLAIN = frozenset({"role", "content"})


@define(eq=False, repr=False)
class Chunks:
    """Reads the chunks of one reply.

    Args:
        service: Whose reply it is: it knows what an error means, and what must not be shown.
        model: The model that was asked; what it alone can read goes back only to it.
        tells_cost: Whether `usage.cost` is in US dollars.
    """

    service: HttpService
    model: str
    tells_cost: bool = False
    _numbering: Numbering = field(init=False, factory=Numbering)
    _thoughts: Thoughts = field(init=False)
    _tags: ThoughtTags = field(init=False)
    _reason: str = field(init=False, default="")
    _has_text: bool = field(init=False, default=False)
    _is_named: bool = field(init=False, default=False)

    def __attrs_post_init__(self) -> None:
        owner = {"model": self.model, "base_url": self.service.address}
        self._thoughts, self._tags = Thoughts(owner), ThoughtTags(owner)

    def read(self, chunk: Any) -> list[Delta]:
        """Return what one chunk carries.

        Raises:
            ProviderError: It carries an error, or is no chunk.
        """
        if not isinstance(chunk, dict):
            kind = type(chunk).__name__
            raise ProviderError("malformed", f"{self.service.name} sent a {kind}, no chunk of a reply", retryable=True)
        if chunk.get("error"):
            raise self.service.error(chunk)
        found: list[Delta] = []
        if not self._is_named:
            self._named(chunk, found)
        usage = chunk.get("usage")
        if isinstance(usage, dict) and (reported := usage_of(usage, self.tells_cost)) is not None:
            found.append(UsageDelta(reported))
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if isinstance(choice, dict):
            self._chosen(choice, found)
        elif not isinstance(choices, list) and not found and _is_failure(chunk):
            raise self.service.error(chunk)
        return found

    def end(self) -> Iterator[Delta]:
        """Yield what only the end of the stream tells; without a `Finish` it was cut."""
        for delta in self._tags.end():
            self._has_text = self._has_text or isinstance(delta, TextDelta)
            yield delta
        yield from self._thoughts.end()
        has_calls = self._numbering.count > 0
        if self._reason:
            yield finish_for(self.service.hide(self._reason), has_calls=has_calls)
        elif self._numbering.are_whole if has_calls else self._has_text:
            yield ProviderNote(f"{self.service.name} ended a reply without saying so", repair=True)
            yield finish_for("stop", has_calls=has_calls)

    def _named(self, chunk: dict[str, Any], found: list[Delta]) -> None:
        """Note who answers, once."""
        model, company = chunk.get("model"), chunk.get("provider")
        if model and isinstance(model, str):
            self._is_named = True
            found.append(AnsweredBy(model, company if isinstance(company, str) else ""))

    def _chosen(self, choice: dict[str, Any], found: list[Delta]) -> None:
        if choice.get("error"):
            raise self.service.error(choice)
        message = choice.get("message")
        said = choice.get("delta") if message is None else message
        if isinstance(said, dict):
            self._said(said, found)
        reason = choice.get("finish_reason")
        if reason and isinstance(reason, str):
            self._reason = reason
        elif not self._reason and isinstance(message, dict):
            self._reason = "stop"

    def _said(self, said: dict[str, Any], found: list[Delta]) -> None:
        content = said.get("content")
        if not said.keys() <= _PLAIN:  # by far the most chunks have text and nothing else
            found += self._thoughts.read(said)
            if self._thoughts.has_any:
                self._tags.watches = False
        if content and isinstance(content, str):
            found += self._thoughts.closed()
            self._text(content, found)
        elif content and isinstance(content, list):  # parts instead of a text
            for delta in self._thoughts.content(content):
                if isinstance(delta, TextDelta):
                    self._text(delta.text, found)
                else:
                    found.append(delta)
        refusal = said.get("refusal")
        if refusal and isinstance(refusal, str):
            found.append(TextDelta(refusal))
            self._has_text = True
        found += self._calls(said)

    def _text(self, text: str, found: list[Delta]) -> None:
        if self._tags.passes(text):
            found.append(TextDelta(text))
            return
        for delta in self._tags.take(text):
            if isinstance(delta, (TextDelta, TextWasReasoning)):
                self._has_text = isinstance(delta, TextDelta)
            found.append(delta)

    def _calls(self, said: dict[str, Any]) -> Iterator[CallDelta]:
        calls = said.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                yield self._numbering.delta(call)
        old = said.get("function_call")
        if isinstance(old, dict):  # as calls were before there could be several
            yield self._numbering.delta({"index": "function_call", "function": old})


def _is_failure(chunk: dict[str, Any]) -> bool:
    """Whether a chunk without choices says that something went wrong, in one of the shapes without `error`."""
    return any(isinstance(chunk.get(key), str) for key in ("message", "detail")) and "id" not in chunk
