"""Conversion of a streamed or whole response to deltas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import define, field

from inarch import (
    REASONING_INDEX,
    TEXT_INDEX,
    AnsweredBy,
    CallDelta,
    Delta,
    Finish,
    HttpService,
    PartData,
    ProviderError,
    ProviderNote,
    ReasoningDelta,
    TextDelta,
    UsageDelta,
    finish_for,
    reported_usage,
)
from inarch_plugins.openai.responses.items import GAP, Origin, opaque_of, words_of

_ENDS = ("response.completed", "response.incomplete", "response.failed")


@define(eq=False, repr=False)
class _Words:
    """Text or reasoning of a reply, as it comes."""

    index: int
    count: int = 0
    section: Any = None
    lead: int = 0
    are_there: bool = False

    def piece(self, text: str, section: Any = None) -> str:
        """Return a piece for the reader, separated from the item or section before it."""
        gap = ""
        if not self.count and self.are_there:
            gap, self.lead = GAP, len(GAP)
        elif self.count and section != self.section:
            gap = GAP
            self.count += len(gap)
        self.section = section
        self.count += len(text)
        return gap + text

    def close(self) -> int:
        """End the item; return the number of characters in its text that were added for the reader."""
        lead, self.are_there = self.lead, self.are_there or self.count > 0
        self.count, self.section, self.lead = 0, None, 0
        return lead


@define(eq=False, repr=False)
class Events:
    """Reader of the events of one reply."""

    service: HttpService
    origin: Origin
    _text: _Words = field(init=False, factory=lambda: _Words(TEXT_INDEX))
    _thought: _Words = field(init=False, factory=lambda: _Words(REASONING_INDEX))
    _calls: dict[Any, list[int]] = field(init=False, factory=dict)
    _is_told: bool = field(init=False, default=False)
    _has_refused: bool = field(init=False, default=False)

    def read(self, event: Any) -> list[Delta]:
        """Return the deltas of one event; one of an unknown type has none.

        Raises:
            ProviderError: It is an error, or not an event.
        """
        if not isinstance(event, Mapping):
            message = f"{self.service.name} sent a {type(event).__name__} instead of an event of a reply"
            raise ProviderError("malformed", message, retryable=True)
        kind, delta = event.get("type"), event.get("delta")
        match kind:
            case "response.output_text.delta" if isinstance(delta, str):
                return [TextDelta(self._text.piece(delta))] if delta else []
            case "response.refusal.delta" if isinstance(delta, str):
                self._has_refused = True
                return [TextDelta(self._text.piece(delta))] if delta else []
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" if isinstance(delta, str):
                section = event.get("summary_index", event.get("content_index"))
                return [ReasoningDelta(self._thought.piece(delta, section))] if delta else []
            case "response.function_call_arguments.delta" if isinstance(delta, str):
                return [self._arguments(event.get("output_index", event.get("item_id")), delta)]
            case "response.output_item.added":
                return list(self._began(_mapping(event.get("item")), event.get("output_index")))
            case "response.output_item.done":
                return list(self._done(_mapping(event.get("item")), event.get("output_index")))
            case "response.created":
                return list(self._answers(_mapping(event.get("response"))))
            case _ if kind in _ENDS:
                return list(self._ended(_mapping(event.get("response"))))
            case None if event.get("object") == "response":
                return list(self._whole(event))
        if kind == "error" or event.get("error"):
            raise self._failure(event)
        return []

    def _answers(self, response: Mapping[str, Any]) -> Iterator[Delta]:
        model = response.get("model")
        if not self._is_told and isinstance(model, str) and model:
            self._is_told = True
            yield AnsweredBy(model)

    def _began(self, item: Mapping[str, Any], index: Any) -> Iterator[Delta]:
        if item.get("type") == "function_call":
            yield self._call(item, index)

    def _call(self, item: Mapping[str, Any], index: Any) -> CallDelta:
        """Begin a call, identified by its index, or by its id if a server leaves indexes out."""
        state = [len({id(one) for one in self._calls.values()}), 0]
        for key in (index, item.get("id")):
            if key is not None:
                self._calls[key] = state
        return CallDelta(state[0], str(item.get("call_id") or item.get("id") or ""), str(item.get("name") or ""))

    def _arguments(self, key: Any, text: str) -> CallDelta:
        state = self._calls.get(key)
        if state is None:
            message = f"{self.service.name} sent arguments of a call that it did not begin"
            raise ProviderError("malformed", message, retryable=True)
        state[1] += len(text)
        return CallDelta(state[0], arguments=text)

    def _done(self, item: Mapping[str, Any], index: Any) -> Iterator[Delta]:
        """Yield the data of a whole item and the parts that did not come before."""
        kind = item.get("type")
        if kind == "function_call":
            key = index if index is not None else item.get("id")
            if key not in self._calls:
                yield self._call(item, key)
            place, size = self._calls[key]
            arguments = item.get("arguments")
            if not size and isinstance(arguments, str) and arguments:
                yield CallDelta(place, arguments=arguments)
            yield PartData(place, opaque_of(item, self.origin))
        elif kind == "message":
            words, text = words_of(item), self._text
            self._has_refused |= any(_mapping(one).get("type") == "refusal" for one in item.get("content") or ())
            if not text.count and words:
                yield TextDelta(text.piece(words))
            yield PartData(TEXT_INDEX, opaque_of(item, self.origin, text.close()))
        elif kind is not None:  # reasoning; an item of another type is stored whole, as reasoning without text
            words, thought = words_of(item) if kind == "reasoning" else "", self._thought
            if not thought.count and words:
                yield ReasoningDelta(thought.piece(words))
            yield PartData(REASONING_INDEX, opaque_of(item, self.origin, thought.close()))

    def _whole(self, response: Mapping[str, Any]) -> Iterator[Delta]:
        """Read a response that was not streamed."""
        yield from self._answers(response)
        for index, item in enumerate(response.get("output") or ()):
            yield from self._done(_mapping(item), index)
        yield from self._ended(response)

    def _ended(self, response: Mapping[str, Any]) -> Iterator[Delta]:
        """Yield the deltas known only at the end."""
        yield from self._answers(response)
        if (usage := _usage(_mapping(response.get("usage")))) is not None:
            yield usage
        changes = Counter(map(_change, response.get("input_transformations") or ()))
        yield from (ProviderNote(f"{self.service.name} {what}: {count} times") for what, count in changes.items())
        status = response.get("status")
        if status == "failed" or response.get("error"):
            raise self._failure(response)
        reason = _mapping(response.get("incomplete_details")).get("reason") if status == "incomplete" else "completed"
        if status != "incomplete" and self._has_refused and not self._calls:
            yield Finish("declined")
        else:
            yield finish_for(self.service.hide(str(reason or status)), has_calls=bool(self._calls))

    def _failure(self, data: Mapping[str, Any]) -> ProviderError:
        """Return the error of a failed response, or of a bare event `error`."""
        error = _mapping(data.get("error")) or data
        code = str(error.get("code") or "")
        if "policy" in code or code == "invalid_prompt":
            said = self.service.hide(str(error.get("message") or code))
            return ProviderError("filtered", f"{self.service.name} refused: {said}", remedy="ask it in other words")
        if code.startswith(("invalid_", "image_", "unsupported_", "empty_", "failed_to_", "data_")):
            error = {**error, "code": 400}
        return self.service.error({"error": dict(error)})


def _change(change: Any) -> str:
    """Describe what a service did with an input item, and why."""
    one = _mapping(change)
    what = f"{one.get('action', 'changed')} the {one.get('type', 'item')} of an earlier reply"
    return f"{what} ({one.get('reason', 'no reason given')})"


def _usage(usage: Mapping[str, Any]) -> UsageDelta | None:
    details = _mapping(usage.get("input_tokens_details"))
    found = reported_usage(
        [usage.get("input_tokens")],
        [usage.get("output_tokens")],
        cached=details.get("cached_tokens"),
        thoughts=_mapping(usage.get("output_tokens_details")).get("reasoning_tokens"),
        written=details.get("cache_write_tokens"),
    )
    return None if found is None else UsageDelta(found)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
