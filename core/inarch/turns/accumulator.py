"""Deltas in, one whole reply out: fragments are joined by call index, and a reply that is not whole is an error."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal

from attrs import define, field

from inarch.contract.bounds import MOST_TOKENS, fault_of, read_json
from inarch.contract.errors import ProviderError
from inarch.contract.http_errors import shown
from inarch.contract.ids import new_id
from inarch.contract.records import (
    REASONING_INDEX,
    TEXT_INDEX,
    CallDelta,
    CallPart,
    Delta,
    Finish,
    FinishReason,
    Message,
    Part,
    PartData,
    Reasoning,
    ReasoningDelta,
    Reply,
    Text,
    TextDelta,
    Usage,
    UsageDelta,
)

MAX_CALLS = 1_000
"""More calls than this in one reply are a fault of the model, not work to do."""
LONGEST_NAME = 80
"""Characters of a call's name that an error quotes."""


@define(eq=False, repr=False)
class _CallDraft:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(factory=list)


@define(eq=False, repr=False)
class Accumulator:
    """Collects one streamed reply. `provider` is the name under which opaque part data is kept."""

    provider: str
    _text: list[str] = field(factory=list)
    _reasoning: list[str] = field(factory=list)
    _calls: dict[int, _CallDraft] = field(factory=dict)
    _part_data: dict[int, Mapping[str, Any]] = field(factory=dict)
    _usage: Usage | None = None
    _finish: FinishReason | None = None

    def add(self, delta: Delta) -> None:
        """Take the next piece of the stream.

        Raises:
            TypeError: It is no delta, or one that carries something else than its class says.
        """
        match delta:
            case TextDelta(str(text)):
                self._text.append(text)
            case ReasoningDelta(str(text)):
                self._reasoning.append(text)
            case CallDelta(int(), str(), str(), str()):
                draft = self._calls.setdefault(delta.index, _CallDraft())
                draft.id = draft.id or delta.id
                draft.name = draft.name or delta.name
                draft.arguments.append(delta.arguments)
            case PartData(int() as index, Mapping() as data):
                self._part_data[index] = data
            case UsageDelta(Usage() as usage):
                self._usage = usage if _is_credible(usage) else self._usage
            case Finish(str() as reason):
                self._finish = reason
            case _:
                raise TypeError(f"answer yielded {delta!r:.80}: no inarch.Delta, or one with a wrong field")

    @property
    def characters(self) -> int:
        """How much came so far: text, reasoning and arguments of calls."""
        pieces = (self._text, self._reasoning, *(draft.arguments for draft in self._calls.values()))
        return sum(len(piece) for texts in pieces for piece in texts)

    @property
    def usage(self) -> Usage | None:
        """The usage reported so far, None if there was no word about it."""
        return self._usage

    @property
    def has_begun(self) -> bool:
        """Whether anything of a reply came."""
        return bool(self._text or self._reasoning or self._calls or self._part_data or self._usage)

    def so_far(self) -> Message:
        """Return the text and reasoning that came of a reply that was never whole; calls in it were never made."""
        parts: list[Part] = [Reasoning("".join(self._reasoning))] if self._reasoning else []
        if self._text:
            parts.append(Text("".join(self._text)))
        return Message("assistant", tuple(parts))

    def reply(self) -> Reply:
        """Return the whole reply.

        Raises:
            ProviderError: It was cut, empty, filtered or malformed; retryable unless it was filtered.
        """
        if self._finish is None:
            raise ProviderError("malformed", "the reply was cut before its end", retryable=True)
        if self._finish == "error":
            raise ProviderError("server", "the model ended its reply with an error", retryable=True)
        calls = tuple(self._call(index, draft) for index, draft in sorted(self._calls.items()))
        if len(calls) > MAX_CALLS:
            raise _unusable(f"{len(calls)} calls in one reply (at most {MAX_CALLS})", "make fewer calls at once")
        text = "".join(self._text)
        if not text.strip() and not calls:
            raise self._nothing()
        for data in self._part_data.values():
            if fault := fault_of(data):
                raise ProviderError("malformed", f"what came beside the reply is {fault}", retryable=True)
        parts: list[Part] = []
        if self._reasoning or REASONING_INDEX in self._part_data:
            parts.append(Reasoning("".join(self._reasoning), self._opaque(REASONING_INDEX)))
        if text:
            parts.append(Text(text, self._opaque(TEXT_INDEX)))
        parts.extend(calls)
        return Reply(Message("assistant", tuple(parts)), calls, self._usage or Usage(), self._finish)

    def _call(self, index: int, draft: _CallDraft) -> CallPart:
        text = "".join(draft.arguments).strip() or "{}"
        try:
            arguments = read_json(text)
        except ValueError as error:
            raise self._unreadable(repr(draft.name or index), str(error)) from None
        if not isinstance(arguments, dict):
            arguments = {"arguments": arguments}
        return CallPart(new_id(), draft.id, draft.name, arguments, self._opaque(index))

    def _unreadable(self, name: str, why: str) -> ProviderError:
        """Return the error of a call whose arguments can't be read; the model learns whether to say less or better."""
        call = f"the arguments of call {shown(name)[:LONGEST_NAME]}"
        if self._finish == "length":
            return _unusable(f"{call} are cut: {why}", "make it again with less in it, in several calls if need be")
        return _unusable(f"{call} are not JSON: {why}", "make the call again, its arguments as one whole JSON object")

    def _opaque(self, index: int) -> Mapping[str, Any] | None:
        data = self._part_data.get(index)
        return None if data is None else {self.provider: data}

    def _nothing(self) -> ProviderError:
        if self._finish == "filtered":
            return ProviderError("filtered", "the service filtered the whole reply", remedy="ask it in other words")
        if self._finish == "length":
            return ProviderError(
                "empty",
                "the output limit was reached before any text",
                remedy="raise max_tokens or max_cost_usd if they are set, ask for less at once, or use another model",
            )
        return _unusable("the reply has neither text nor calls", "answer, or make a call", "empty")


def _unusable(message: str, remedy: str, kind: Literal["malformed", "empty"] = "malformed") -> ProviderError:
    """Return the error of a reply whose fault lies with the model, which is told of it where it is asked again."""
    told = f"Your last reply could not be used: {message}. Nothing of it was run; {remedy}."
    return ProviderError(kind, message, retryable=True, told=told)


def _is_credible(usage: Usage) -> bool:
    """Whether a report can be one: what can't be counted with is taken as not told."""
    counts = (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.reasoning_tokens)
    cost = usage.cost_usd
    return all(isinstance(count, int) and 0 <= count <= MOST_TOKENS for count in counts) and (
        cost is None or (isinstance(cost, Decimal) and cost.is_finite() and 0 <= cost <= MOST_TOKENS)
    )
