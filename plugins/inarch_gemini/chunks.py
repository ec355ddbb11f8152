"""From the chunks of a streamed reply to deltas."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import define, field

from inarch import (
    REASONING_INDEX,
    TEXT_INDEX,
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


@define(eq=False, repr=False)
class _Said:
    """How long a text is so far, and which of its pieces were signed."""

    length: int = 0
    signed: list[tuple[int, int, str]] = field(factory=list)

    def add(self, text: str, signature: str) -> None:
        if signature:
            self.signed.append((self.length, self.length + len(text), signature))
        self.length += len(text)

    def data(self, index: int) -> Iterator[PartData]:
        if self.signed:
            yield PartData(index, {"length": self.length, "signed": [list(piece) for piece in self.signed]})


@define(eq=False, repr=False)
class Chunks:
    """Reads the chunks of one reply; `service` knows what its errors mean and which words are secret."""

    service: HttpService
    ended: bool = field(init=False, default=False)
    _text: _Said = field(init=False, factory=_Said)
    _reasoning: _Said = field(init=False, factory=_Said)
    _calls: list[dict[str, Any]] = field(init=False, factory=list)
    _reason: str = field(init=False, default="")
    _message: str = field(init=False, default="")
    _usage: Any = field(init=False, default=None)

    def read(self, chunk: Any) -> Iterator[Delta]:
        """Yield what one chunk carries.

        Raises:
            ProviderError: It carries an error or a refusal, or is no chunk.
        """
        if isinstance(chunk, list):  # a server that does not stream events sends all chunks in one list
            for item in chunk:
                yield from self.read(item)
            return
        if not isinstance(chunk, Mapping):
            raise ProviderError("malformed", f"{NAME} sent what is no chunk of a reply", retryable=True)
        if chunk.get("error"):
            raise self.service.error(chunk)
        self._usage = chunk.get("usageMetadata") or self._usage  # comes with every chunk; the last one counts
        if "promptFeedback" in chunk:
            self._check_prompt(chunk["promptFeedback"])
        candidates = chunk.get("candidates")
        for candidate in candidates[:1] if isinstance(candidates, list) else ():
            if isinstance(candidate, Mapping):
                yield from self._candidate(candidate)

    def end(self) -> Iterator[Delta]:
        """Yield what only the end of the stream tells; nothing where it was cut.

        Raises:
            ProviderError: The reply ended for a reason that makes it worthless.
        """
        if not self.ended:
            return
        finish = self._finish()
        if not self._text.length and self._calls and self._text.signed:
            # Nothing was said, so there is no text to keep the signatures with: they go before the first call.
            self._calls[0]["before"] = [signature for _, _, signature in self._text.signed]
        yield from self._text.data(TEXT_INDEX)
        yield from self._reasoning.data(REASONING_INDEX)
        for index, data in enumerate(self._calls):
            if data:
                yield PartData(index, data)
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
        signature = _text(part.get("thoughtSignature"))
        call = part.get("functionCall")
        if isinstance(call, Mapping):
            yield self._call(call, signature)
            return
        text = _text(part.get("text"))
        if part.get("thought") is True and text:
            self._reasoning.add(text, signature)
            yield ReasoningDelta(text)
        elif not text and self._calls:
            if signature:
                self._calls[-1].setdefault("after", []).append(signature)
        else:
            self._text.add(text, signature)
            if text:
                yield TextDelta(text)

    def _call(self, call: Mapping[str, Any], signature: str) -> CallDelta:
        name, call_id = _text(call.get("name")), _text(call.get("id"))
        if not name:
            raise ProviderError("malformed", f"{NAME} sent a function call without a name", retryable=True)
        arguments = call.get("args")
        data = {"thoughtSignature": signature, "id": call_id}
        self._calls.append({key: value for key, value in data.items() if value})
        try:
            text = json.dumps({} if arguments is None else arguments, ensure_ascii=False)
        except RecursionError:
            what = f"{NAME} sent a function call whose arguments are nested too deeply"
            raise ProviderError("malformed", what, retryable=True) from None
        return CallDelta(len(self._calls) - 1, call_id, name, text)

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
        return finish_for(why, has_calls=bool(self._calls), said=said)

    def _after_colon(self, said: Any) -> str:
        text = _word(self.service.hide(_text(said)))
        return f": {text}" if text else ""


def usage_of(usage: Mapping[str, Any]) -> Usage | None:
    """Return the usage in Inarch's terms: input with what was cached, output with what was thought."""
    thoughts = usage.get("thoughtsTokenCount")
    return reported_usage(
        [usage.get("promptTokenCount"), usage.get("toolUsePromptTokenCount")],
        [usage.get("candidatesTokenCount"), thoughts],
        cached=usage.get("cachedContentTokenCount"),
        thoughts=thoughts,
    )


def _word(text: str) -> str:
    """Return a service's words in one line without control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text[:LONGEST_MESSAGE]).split())


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
