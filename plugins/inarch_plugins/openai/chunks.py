"""Conversion of a streamed or whole chat completion to deltas."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
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
    Usage,
    UsageDelta,
    finish_for,
    reported_usage,
)
from inarch_plugins.openai.thoughts import Thoughts


def usage_of(usage: Mapping[str, Any], tells_cost: bool = False) -> Usage | None:
    """Return the usage that a service reports, None if the report cannot be true."""
    details = _mapping(usage.get("prompt_tokens_details"))
    return reported_usage(
        [usage.get("prompt_tokens")],
        [usage.get("completion_tokens")],
        cached=details.get("cached_tokens"),
        thoughts=_mapping(usage.get("completion_tokens_details")).get("reasoning_tokens"),
        written=details.get("cache_write_tokens"),
        costs=_costs(usage) if tells_cost else (),
    )


def _costs(usage: Mapping[str, Any]) -> list[Any]:
    """Return the payments to the service, and to the company behind it if the user's own key pays that."""
    behind = _mapping(usage.get("cost_details")).get("upstream_inference_cost")
    return [usage.get("cost"), *([behind] if usage.get("is_byok") is True and behind is not None else [])]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


@define(eq=False, repr=False)
class _Call:
    position: int
    id: str
    arguments: list[str] = field(factory=list)

    @property
    def is_whole(self) -> bool:
        """Return whether its arguments are complete."""
        if not self.arguments or not self.arguments[-1].rstrip().endswith("}"):
            return False
        try:
            json.loads("".join(self.arguments), strict=False)
        except (ValueError, RecursionError):
            return False
        return True


@define(eq=False, repr=False)
class Numbering:
    """Numbering of the calls of one reply.

    Known servers number every call 0, give no index, give no id or the same id to all, send id and arguments under
    different indexes, or send the arguments as an object instead of text. A duplicate id is dropped: the kernel gives
    the call one of its own.
    """

    _by_index: dict[object, _Call] = field(init=False, factory=dict)
    _by_id: dict[str, _Call] = field(init=False, factory=dict)
    _last: _Call | None = field(init=False, default=None)
    _calls: list[_Call] = field(init=False, factory=list)

    @property
    def count(self) -> int:
        """Return the number of calls."""
        return len(self._calls)

    @property
    def are_whole(self) -> bool:
        """Return whether there are calls, each with complete arguments."""
        return bool(self._calls) and all(call.is_whole for call in self._calls)

    def delta(self, fragment: Mapping[str, Any]) -> CallDelta:
        """Return a fragment as a delta of its call."""
        function = fragment.get("function")
        function = function if isinstance(function, Mapping) else {}
        call_id, name, arguments = _text(fragment.get("id")), _text(function.get("name")), function.get("arguments")
        if not isinstance(arguments, str):
            arguments = _encoded(arguments) if isinstance(arguments, (Mapping, list)) else ""
        index = fragment.get("index")
        index = index if isinstance(index, (int, str)) else None
        call = self._found(index, call_id, name, arguments)
        if call is None:
            call = self._new(index, call_id)
        self._last = call
        call.arguments.append(arguments)
        return CallDelta(call.position, call.id, name, arguments)

    def _found(self, index: object, call_id: str, name: str, arguments: str) -> _Call | None:
        """Return the call that a fragment continues, None if it begins one."""
        known = self._by_id.get(call_id) if call_id else None
        call = (known if call_id else self._last) if index is None else self._by_index.get(index)
        if known is not None and not name:
            call = known  # its id is more reliable than its index
        elif call is None and index is not None:
            call = self._at_another_index(index, known, call_id or name)
        if call is None or not name:
            return call
        if call_id and call_id == call.id:
            return None if arguments and call.is_whole else call
        return None if (call_id and call.id) or call.is_whole else call

    def _at_another_index(self, index: object, known: _Call | None, begins: str) -> _Call | None:
        """Return the call whose rest comes under another index (danny-avila/LibreChat#13987)."""
        call = self._last if not begins else known if known is not None and not any(known.arguments) else None
        if call is None or call.is_whole:
            return None
        self._by_index[index] = call
        return call

    def _new(self, index: object, call_id: str) -> _Call:
        if call_id in self._by_id:
            call_id = ""
        call = _Call(self.count, call_id)
        self._calls.append(call)
        if index is not None:
            self._by_index[index] = call
        if call_id:
            self._by_id[call_id] = call
        return call


def _encoded(arguments: Any) -> str:
    """Return the text of arguments that came as an object."""
    try:
        return json.dumps(arguments)
    except RecursionError:
        raise ProviderError("malformed", "the arguments of a call are nested too deeply", retryable=True) from None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


_PLAIN = frozenset({"role", "content"})


@define(eq=False, repr=False)
class Chunks:
    """Reader of the chunks of one reply."""

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
        """Return the deltas of one chunk.

        Raises:
            ProviderError: It carries an error, or is not a chunk.
        """
        if not isinstance(chunk, dict):
            kind = type(chunk).__name__
            raise ProviderError("malformed", f"{self.service.name} sent a {kind}instead of a chunk", retryable=True)
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
        """Yield the deltas known only at the end of the stream; a cut stream has no `Finish`."""
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
        """Record once who answers."""
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
        if not said.keys() <= _PLAIN:  # most chunks have text and nothing else
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
        if isinstance(old, dict):  # the form of calls before there could be several
            yield self._numbering.delta({"index": "function_call", "function": old})


def _is_failure(chunk: dict[str, Any]) -> bool:
    """Return whether a chunk without choices reports an error, in one of the shapes without `error`."""
    return any(isinstance(chunk.get(key), str) for key in ("message", "detail")) and "id" not in chunk
