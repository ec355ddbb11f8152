"""Conversion of a streamed reply's events to deltas: each block is one part, with the data that goes back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import define, field

from inarch import (
    REASONING_INDEX,
    TEXT_INDEX,
    AnsweredBy,
    CallDelta,
    Delta,
    HttpService,
    PartData,
    ProviderError,
    ProviderNote,
    ReasoningDelta,
    TextDelta,
    Usage,
    UsageDelta,
    finish_for,
    reported_usage,
)
from inarch_plugins.anthropic.blocks import NAME, Block, fingerprint

MOST_PAUSES = 8
"""Maximum times that the service may pause a reply and be asked to continue."""
LONGEST_WORD = 300
_CUT = """\
Your last reply could not be used: the call of {name} was cut at the limit of output. Nothing of it was run; make it \
again with less in it, in several calls if need be."""


@define(eq=False, repr=False)
class _Draft:
    """Block that comes in pieces: `number` is a call's, `words` are its text, or the JSON of its input."""

    block: Block
    kind: str
    number: int = -1
    words: list[str] = field(factory=list)


@define(eq=False, repr=False)
class Events:
    """Reader of one reply's events; `service` explains its errors and redacts secrets.

    `content` are the blocks that came, as they would go back.
    """

    service: HttpService
    content: list[Block] = field(init=False, factory=list)
    has_begun: bool = field(init=False, default=False)
    has_ended: bool = field(init=False, default=False)
    _drafts: dict[object, _Draft] = field(init=False, factory=dict)
    _calls: int = field(init=False, default=0)
    _pauses: int = field(init=False, default=0)
    _reason: str = field(init=False, default="")
    _details: Any = field(init=False, default=None)
    _counts: dict[str, Any] = field(init=False, factory=dict)
    _before: Usage | None = field(init=False, default=None)

    def read(self, event: Any) -> Iterator[Delta]:
        """Yield the deltas of one event; events of unknown kinds have none.

        Raises:
            ProviderError: It carries an error, or is not an event.
        """
        if not isinstance(event, Mapping):
            raise ProviderError("malformed", f"{NAME} sent something that is not an event of a reply", retryable=True)
        kind, index = event.get("type"), event.get("index")
        index = index if isinstance(index, int) else 0
        match kind:
            case "content_block_delta":
                yield from self._delta(index, _mapping(event.get("delta")))
            case "content_block_start":
                yield from self._start(index, _mapping(event.get("content_block")))
            case "content_block_stop":
                yield from self._stop(index)
            case "message_start":
                yield from self._opened(_mapping(event.get("message")))
            case "message_delta":
                self._count(event.get("usage"))
                delta = _mapping(event.get("delta"))
                self._reason = _text(delta.get("stop_reason")) or self._reason
                self._details = delta.get("stop_details") or self._details
                yield from _dropped(event.get("input_transformations"))
            case "message_stop":
                self.has_ended = True
            case _ if kind == "error" or event.get("error"):
                raise self.service.error(event)

    def goes_on(self) -> bool:
        """Return whether the service has paused and must be asked to continue the same reply."""
        if self._reason != "pause_turn" or not self.content or self._pauses == MOST_PAUSES:
            return False
        self._pauses += 1
        self._before, self._counts = self._usage(), {}
        self._reason, self.has_ended = "", False
        return True

    def end(self) -> Iterator[Delta]:
        """Yield the deltas known only at the end of the stream; none if it was cut.

        Raises:
            ProviderError: The reply ended for a reason that makes it worthless.
        """
        for index in [*self._drafts]:
            yield from self._stop(index)
        if not self._reason:
            return
        if (usage := self._usage()) is not None:
            yield UsageDelta(usage)
        if self._reason == "model_context_window_exceeded":
            message = f"{NAME} cut its reply at the end of the model's context ({self._reason})"
            raise ProviderError("context_length", message, remedy="begin a new session, or ask about less")
        last = self.content[-1] if self.content else {}
        if self._reason == "max_tokens" and last.get("type") == "tool_use":  # whether it is complete cannot be known
            name = _line(last["name"])
            message = f"the call of {name} was cut at the limit of output"
            raise ProviderError("malformed", message, retryable=True, told=_CUT.format(name=name))
        yield finish_for(_line(self._reason), has_calls=self._calls > 0, said=self._why())

    def _opened(self, message: Mapping[str, Any]) -> Iterator[Delta]:
        self._count(message.get("usage"))
        if not self.has_begun and (model := _text(message.get("model"))):
            yield AnsweredBy(model)
        self.has_begun = True
        yield from _dropped(message.get("input_transformations"))

    def _start(self, index: object, block: Mapping[str, Any]) -> Iterator[Delta]:
        yield from self._stop(index)
        self.has_begun = True
        draft = self._drafts[index] = _Draft(dict(block), _text(block.get("type")))
        if draft.kind == "tool_use":
            name = _text(block.get("name"))
            if not name:
                raise ProviderError("malformed", f"{NAME} sent a call without a name", retryable=True)
            draft.number, self._calls = self._calls, self._calls + 1
            yield CallDelta(draft.number, _text(block.get("id")), name)
        elif draft.kind in ("text", "thinking"):
            yield from _said(draft, _text(block.get(draft.kind)))

    def _delta(self, index: object, delta: Mapping[str, Any]) -> Iterator[Delta]:
        draft = self._drafts.get(index)
        if draft is None:
            raise ProviderError("malformed", f"{NAME} sent a piece of a block that never began", retryable=True)
        match (draft.kind, delta.get("type")):
            case ("text", "text_delta") | ("thinking", "thinking_delta"):
                yield from _said(draft, _text(delta.get(draft.kind)))
            case (kind, "input_json_delta"):
                piece = _text(delta.get("partial_json"))
                draft.words.append(piece)
                if kind == "tool_use" and piece:
                    yield CallDelta(draft.number, arguments=piece)
            case (_, "citations_delta"):
                draft.block["citations"] = [*(draft.block.get("citations") or ()), delta.get("citation")]
            case _:
                _merge(draft.block, delta)

    def _stop(self, index: object) -> Iterator[Delta]:
        """Yield the deltas of a block that has ended."""
        draft = self._drafts.pop(index, None)
        if draft is None:
            return
        words, block = "".join(draft.words), draft.block
        if draft.kind in ("text", "thinking"):
            rest = {key: value for key, value in block.items() if key != draft.kind}
            if words or rest.keys() - {"type"}:
                at = TEXT_INDEX if draft.kind == "text" else REASONING_INDEX
                yield PartData(at, {"block": rest, "hash": fingerprint(words)})
            block = {**rest, draft.kind: words}
        elif draft.kind == "tool_use":
            if not words and block.get("input"):  # some gateways send it whole
                yield CallDelta(draft.number, arguments=_written(block["input"]))
            rest = {key: value for key, value in block.items() if key not in ("type", "id", "name", "input")}
            yield PartData(draft.number, {"block": rest})
            block = {**block, "input": _input(words, block)}
        elif draft.kind:
            block = {**block, "input": _input(words, block)} if words else block
            yield PartData(REASONING_INDEX, {"block": block})
        self.content.append(block)

    def _count(self, usage: Any) -> None:
        self._counts |= {key: value for key, value in _mapping(usage).items() if value is not None}

    def _usage(self) -> Usage | None:
        usage = usage_of(self._counts) if self._counts else None
        return usage.plus(self._before) if usage is not None and self._before is not None else usage

    def _why(self) -> str:
        """Return the service's explanation of an end, after a colon."""
        details = _mapping(self._details)
        said = [_line(self.service.hide(_text(details.get(key)))) for key in ("category", "explanation")]
        return "".join(f": {one}" for one in said if one)


def usage_of(usage: Mapping[str, Any]) -> Usage | None:
    """Return the usage in Inarch's terms: input includes cache reads and writes, which the service counts apart."""
    written, read = usage.get("cache_creation_input_tokens"), usage.get("cache_read_input_tokens")
    thoughts = _mapping(usage.get("output_tokens_details")).get("thinking_tokens")
    inputs = [usage.get("input_tokens"), written, read]
    return reported_usage(inputs, [usage.get("output_tokens")], cached=read, thoughts=thoughts, written=written)


def _said(draft: _Draft, words: str) -> Iterator[Delta]:
    if words:
        draft.words.append(words)
        yield TextDelta(words) if draft.kind == "text" else ReasoningDelta(words)


def _merge(block: Block, delta: Mapping[str, Any]) -> None:
    """Merge a piece of an unknown kind into its block: texts grow, anything else is replaced."""
    for key, value in delta.items():
        if key != "type":
            had = block.get(key)
            block[key] = had + value if isinstance(had, str) and isinstance(value, str) else value


def _written(arguments: Any) -> str:
    try:
        return json.dumps(arguments, ensure_ascii=False)
    except RecursionError:
        raise ProviderError("malformed", f"{NAME} sent a call nested too deeply", retryable=True) from None


def _input(words: str, block: Block) -> Any:
    try:
        return json.loads(words) if words else block.get("input") or {}
    except (ValueError, RecursionError):
        return {}


def _dropped(transformations: Any) -> Iterator[ProviderNote]:
    """Yield notes on earlier thoughts that the service dropped, except those of other models, as intended."""
    for one in transformations if isinstance(transformations, list) else ():
        what, reason = _text(_mapping(one).get("type")), _text(_mapping(one).get("reason"))
        if what in ("thinking_dropped", "thinking_mismatch_allowed"):
            did = "left out" if what == "thinking_dropped" else "used all the same"
            text = f"{NAME}: an earlier thought was {did} ({_line(_text(one.get('path')))}: {_line(reason)})"
            yield ProviderNote(text, repair=reason == "model_binding_mismatch")


def _line(text: str) -> str:
    """Return a service's text on one line without control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text[:LONGEST_WORD]).split())


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
