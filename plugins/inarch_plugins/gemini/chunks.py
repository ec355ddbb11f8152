"""Conversion of a streamed reply's chunks to deltas."""

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
    Finish,
    HttpService,
    PartData,
    ProviderError,
    ReasoningDelta,
    TextDelta,
    Usage,
    UsageDelta,
    finish_for,
    reported_usage,
)

NAME = "gemini"
LONGEST_MESSAGE = 300
CALL = -3
"""Index of a call when indexes of text and reasoning are compared."""


@define(eq=False, repr=False)
class Chunks:
    """Reader of one reply's chunks: each part that the service signed stays a part of its own, in its position."""

    service: HttpService
    model: str
    ended: bool = field(init=False, default=False)
    begun: bool = field(init=False, default=False)
    _open: set[int] = field(init=False, factory=set)
    _last: int = field(init=False, default=CALL)
    _calls: int = field(init=False, default=0)
    _version: str = field(init=False, default="")
    _reason: str = field(init=False, default="")
    _message: str = field(init=False, default="")
    _usage: Any = field(init=False, default=None)

    def read(self, chunk: Any) -> Iterator[Delta]:
        """Yield the deltas of one chunk.

        Raises:
            ProviderError: It carries an error or a refusal, or is not a chunk.
        """
        if isinstance(chunk, list):  # a server that does not stream events sends all chunks in one list
            for item in chunk:
                yield from self.read(item)
            return
        if not isinstance(chunk, Mapping):
            raise ProviderError("malformed", f"{NAME} sent something that is not a chunk of a reply", retryable=True)
        if chunk.get("error"):
            raise self.service.error(chunk)
        self._usage = chunk.get("usageMetadata") or self._usage  # comes with every chunk; the last one counts
        if "promptFeedback" in chunk:
            self._check_prompt(chunk["promptFeedback"])
        version = _text(chunk.get("modelVersion"))
        if version and not self._version:
            self._version = version
            yield AnsweredBy(version.removeprefix("models/"))
        candidates = chunk.get("candidates")
        for candidate in candidates[:1] if isinstance(candidates, list) else ():
            if isinstance(candidate, Mapping):
                yield from self._candidate(candidate)

    def end(self) -> Iterator[Delta]:
        """Yield the deltas known only at the end of the stream; none if it was cut.

        Raises:
            ProviderError: The reply ended for a reason that makes it worthless.
        """
        if not self.ended:
            return
        finish = self._finish()
        usage = usage_of(self._usage) if isinstance(self._usage, Mapping) else None
        if usage is not None:
            yield UsageDelta(usage)
        yield finish

    def _candidate(self, candidate: Mapping[str, Any]) -> Iterator[Delta]:
        content = candidate.get("content")
        parts = content.get("parts") if isinstance(content, Mapping) else None
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, Mapping):
                yield from self._part(part)
        reason = candidate.get("finishReason")
        if isinstance(reason, str) and reason:
            self.ended, self._reason = True, reason
            self._message = _text(candidate.get("finishMessage"))

    def _part(self, part: Mapping[str, Any]) -> Iterator[Delta]:
        self.begun = True
        call = part.get("functionCall")
        if isinstance(call, Mapping):
            yield from self._call(call, self._signed(part))
        elif "text" in part:
            kind = REASONING_INDEX if part.get("thought") is True else TEXT_INDEX
            yield from self._said(kind, _text(part["text"]), self._signed(part))
        elif part:  # of an unknown kind: it goes back as it came
            raw = {name: value for name, value in part.items() if name != "thoughtSignature"}
            yield from self._said(REASONING_INDEX, "", {"raw": raw, **self._origin(), **self._signed(part)})

    def _said(self, kind: int, text: str, own: Mapping[str, Any]) -> Iterator[Delta]:
        """Yield text or reasoning: pieces of one part join, and a signed piece is a part of its own."""
        if not text and not own:
            return
        if kind in self._open and (own or self._last != kind):
            self._open.remove(kind)
            yield PartData(kind, {})
        self._last = kind
        if text:
            self._open.add(kind)
            yield ReasoningDelta(text) if kind == REASONING_INDEX else TextDelta(text)
        if own:
            self._open.discard(kind)
            yield PartData(kind, own)

    def _call(self, call: Mapping[str, Any], own: dict[str, Any]) -> Iterator[Delta]:
        name, call_id = _text(call.get("name")), _text(call.get("id"))
        if not name:
            raise ProviderError("malformed", f"{NAME} sent a function call without a name", retryable=True)
        arguments = call.get("args")
        try:
            text = json.dumps({} if arguments is None else arguments, ensure_ascii=False)
        except RecursionError:
            what = f"{NAME} sent a function call whose arguments are nested too deeply"
            raise ProviderError("malformed", what, retryable=True) from None
        index, self._calls, self._last = self._calls, self._calls + 1, CALL
        yield CallDelta(index, call_id, name, text)
        if call_id or own:
            yield PartData(index, {"id": call_id, **own} if call_id else own)

    def _signed(self, part: Mapping[str, Any]) -> dict[str, Any]:
        """Return a part's signature, with the key of those who may get it back."""
        signature = _text(part.get("thoughtSignature"))
        return {"signature": signature, **self._origin()} if signature else {}

    def _origin(self) -> dict[str, str]:
        return {"model": self.model, "base_url": self.service.base_url}

    def _check_prompt(self, feedback: Any) -> None:
        reason = feedback.get("blockReason") if isinstance(feedback, Mapping) else None
        if isinstance(reason, str) and reason and reason != "BLOCK_REASON_UNSPECIFIED":
            said = self._after_colon(feedback.get("blockReasonMessage"))
            raise ProviderError(
                "filtered", f"{NAME} refused the prompt ({_word(reason)}){said}", remedy="ask in other words"
            )

    def _finish(self) -> Finish:
        """Return how the reply ended."""
        said, why = self._after_colon(self._message), _word(self._reason)
        if self._reason == "MISSING_THOUGHT_SIGNATURE":
            raise ProviderError("request", f"{NAME} misses a signature ({why}){said}", remedy="begin a new session")
        if self._reason == "CONTINUATION":  # more than 65,536 tokens of output (Gemini 4, Google, Oct 2026)
            return Finish("cut", why + said)
        return finish_for(why, has_calls=bool(self._calls), said=said)

    def _after_colon(self, said: Any) -> str:
        text = _word(self.service.hide(_text(said)))
        return f": {text}" if text else ""


def usage_of(usage: Mapping[str, Any]) -> Usage | None:
    """Return the usage in Inarch's terms: input includes cached tokens, output includes thoughts."""
    thoughts = usage.get("thoughtsTokenCount")
    return reported_usage(
        [usage.get("promptTokenCount"), usage.get("toolUsePromptTokenCount")],
        [usage.get("candidatesTokenCount"), thoughts],
        cached=usage.get("cachedContentTokenCount"),
        thoughts=thoughts,
    )


def _word(text: str) -> str:
    """Return a service's text on one line without control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text[:LONGEST_MESSAGE]).split())


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
