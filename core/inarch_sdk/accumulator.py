"""Assembly of a reply from deltas: fragments are joined by call index, and an incomplete reply is an error.

Mistakes in calls are repaired if the meaning is clear: wrong tool names and malformed JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from decimal import Decimal
from io import StringIO
from typing import Any, Literal

from attrs import define, field

from inarch.contract.errors import ProviderError
from inarch.contract.ids import new_id
from inarch.contract.records import (
    REASONING_INDEX,
    TEXT_INDEX,
    AnsweredBy,
    CallDelta,
    CallPart,
    Delta,
    Finish,
    FinishReason,
    Message,
    Part,
    PartData,
    ProviderNote,
    Reasoning,
    ReasoningDelta,
    Reply,
    Text,
    TextDelta,
    TextWasReasoning,
    Usage,
    UsageDelta,
)
from inarch_lib.output.escapes import shown
from inarch_sdk.bounds import MOST_TOKENS, fault_of, read_json, size_of
from inarch_sdk.usage import credible_usage

_PREFIXES = ("functions.", "default_api:", "default_api.", "multi_tool_use.")
"""Namespaces that models put before tool names (OpenAI's format for gpt-oss, Gemini's Python)."""
_MARK = "<|"
"""Start of a mark of the model's own format: `read_file<|channel|>commentary`."""


def offered_name(name: str, offered: Collection[str]) -> str:
    """Return the offered tool that a name means; the name itself if it matches none or several.

    >>> offered_name("functions.Read-File", ["read_file", "list_files"])
    'read_file'
    """
    if name in offered:
        return name
    plain = name.partition(_MARK)[0].strip()
    while (prefix := next((one for one in _PREFIXES if plain.startswith(one)), "")) and plain not in offered:
        plain = plain.removeprefix(prefix)
    if plain in offered:
        return plain
    alike = [one for one in offered if _folded(one) == _folded(plain)]
    return alike[0] if len(alike) == 1 else name


def read_arguments(text: str) -> tuple[Any, str]:
    """Parse a call's arguments, and return what was repaired to read them ("" for nothing).

    Raises:
        ValueError: They cannot be parsed; the message says why.
    """
    text = text.strip() or "{}"
    try:
        value, repaired = read_json(text), ""
    except ValueError as error:
        try:
            value, repaired = read_json(text, strict=False), "line breaks in its texts"
        except ValueError:
            raise error from None
    if isinstance(value, str):
        try:
            inner = read_json(value.strip() or "{}", strict=False)
        except ValueError:
            return value, repaired
        if isinstance(inner, dict):
            return inner, "arguments that were encoded twice"
    return value, repaired


def _folded(name: str) -> str:
    return name.casefold().replace("-", "_")


MAX_CALLS = 1_000
"""Maximum calls in one reply; more are a fault of the model."""
TOO_LONG: Literal["too_long"] = "too_long"
"""Error kind of a reply that exceeds its byte limit."""
LONGEST_WHY = 300
"""Characters of a service's finish reason that an error quotes."""
LONGEST_NAME = 80
"""Characters of a call's name that an error quotes."""


@define(eq=False, repr=False)
class _CallDraft:
    id: str = ""
    name: str = ""
    arguments: StringIO = field(factory=StringIO)


@define(eq=False, repr=False)
class _TextDraft:
    """Part of text or reasoning; the last of its kind is open until its data arrives."""

    index: int
    words: StringIO = field(factory=StringIO)
    data: Mapping[str, Any] | None = None

    @property
    def holds_anything(self) -> bool:
        """Return whether text or data arrived."""
        return self.data is not None or self.words.tell() > 0


@define(eq=False, repr=False)
class Accumulator:
    """Collector of one streamed reply.

    Args:
        provider: The name under which opaque part data is stored.
        most: Maximum bytes of a reply; the rest is rejected.
        make_id: Creates ids for its calls.
        offered: The names of the callable tools; a similar name in a call is corrected to one of them.
    """

    provider: str
    most: int = 8 << 20
    make_id: Callable[[], str] = new_id
    offered: Collection[str] = ()
    characters: int = 0
    answered_by: AnsweredBy | None = None
    notes: list[ProviderNote] = field(factory=list)
    _size: int = 0
    _drafts: list[_TextDraft | int] = field(factory=list)
    _open: dict[int, _TextDraft] = field(factory=dict)
    _calls: dict[int, _CallDraft] = field(factory=dict)
    _call_data: dict[int, Mapping[str, Any]] = field(factory=dict)
    _usage: Usage | None = None
    _finish: FinishReason | None = None
    _said: str = ""

    def add(self, delta: Delta) -> None:
        """Add the next piece of the stream.

        Raises:
            TypeError: It is not a delta, or has a field of the wrong type.
        """
        match delta:
            case TextDelta(str(text)):
                self._take(text, self._opened(TEXT_INDEX).words)
            case ReasoningDelta(str(text)):
                self._take(text, self._opened(REASONING_INDEX).words)
            case TextWasReasoning():
                for one in self._drafts:
                    if isinstance(one, _TextDraft):
                        one.index = REASONING_INDEX
                if (draft_open := self._open.pop(TEXT_INDEX, None)) is not None:
                    self._open[REASONING_INDEX] = draft_open
            case CallDelta(int(), str(), str(), str()):
                if delta.index not in self._calls:
                    self._calls[delta.index] = _CallDraft()
                    self._drafts.append(delta.index)
                draft = self._calls[delta.index]
                draft.id = draft.id or delta.id
                draft.name = draft.name or delta.name
                self._take(delta.arguments, draft.arguments, len(delta.id) + len(delta.name))
            case PartData(int() as index, Mapping() as data):
                self._take("", StringIO(), size_of(data, self.most))
                if index in (TEXT_INDEX, REASONING_INDEX):
                    self._opened(index).data = data
                    del self._open[index]
                else:
                    self._call_data[index] = data
            case UsageDelta(Usage() as usage):
                self._usage = usage if _is_credible(usage) else self._usage
            case Finish(str() as reason, str() as said):
                self._finish, self._said = reason, said
            case AnsweredBy(str(), str()):
                self.answered_by = delta
            case ProviderNote(str(text), bool()):
                self._take("", StringIO(), len(text))
                self.notes.append(delta)
            case _:
                raise TypeError(f"answer yielded {delta!r:.80}, which is not an inarch.Delta or has a wrong field")

    @property
    def usage(self) -> Usage | None:
        """The usage so far, None without a credible report."""
        return credible_usage(self._usage, has_output=bool(self.characters or self._calls))

    @property
    def has_begun(self) -> bool:
        """Return whether any part of a reply arrived."""
        return bool(self._size or self._calls or self._usage)

    def so_far(self) -> Message:
        """Return the text and reasoning of an incomplete reply, without its calls, which never ran."""
        thought, text = self._words(REASONING_INDEX), self._words(TEXT_INDEX)
        parts: list[Part] = [Reasoning(thought)] if thought else []
        if text:
            parts.append(Text(text))
        return Message("assistant", tuple(parts))

    def reply(self) -> Reply:
        """Return the complete reply.

        Raises:
            ProviderError: It was cut, empty, filtered or malformed; all but filtered ones are retryable.
        """
        if self._finish is None:
            raise ProviderError("malformed", "the reply was cut before its end", retryable=True)
        if (failure := self._failure()) is not None:
            raise failure
        if len(self._calls) > MAX_CALLS:
            raise _unusable(f"{len(self._calls)} calls in one reply (at most {MAX_CALLS})", "make fewer calls at once")
        indexes = iter(sorted(self._calls))  # calls take the positions reserved for them, in the order of their indexes
        drafts = (next(indexes) if isinstance(one, int) else one for one in self._drafts)
        parts = tuple(self._part(one) for one in drafts if isinstance(one, int) or one.holds_anything)
        calls = tuple(part for part in parts if isinstance(part, CallPart))
        if not calls and not self._words(TEXT_INDEX).strip():
            raise self._nothing()
        for part in parts:
            if fault := fault_of(part.provider_data):
                raise ProviderError("malformed", f"the reply's data is {fault}", retryable=True)
        return Reply(Message("assistant", parts), calls, self.usage or Usage(), self._finish, self.answered_by)

    def _opened(self, index: int) -> _TextDraft:
        """Return the open part of text or reasoning, creating one if there is none."""
        draft = self._open.get(index)
        if draft is None:
            draft = self._open[index] = _TextDraft(index)
            self._drafts.append(draft)
        return draft

    def _words(self, index: int) -> str:
        """Return all text, or all reasoning."""
        drafts = (one for one in self._drafts if isinstance(one, _TextDraft) and one.index == index)
        return "".join(draft.words.getvalue() for draft in drafts)

    def _part(self, draft: _TextDraft | int) -> Text | Reasoning | CallPart:
        if isinstance(draft, int):
            return self._call(draft, self._calls[draft])
        words, data = draft.words.getvalue(), self._opaque(draft.data)
        return Text(words, data) if draft.index == TEXT_INDEX else Reasoning(words, data)

    def _take(self, text: str, into: StringIO, more: int = 0) -> None:
        """Count the text and store as much of it as the limit allows."""
        room = self.most - self._size - more
        size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        if size > room:
            text = text.encode("utf-8", "surrogatepass")[: max(room, 0)].decode("utf-8", "ignore")
        into.write(text)
        self.characters += len(text)
        self._size += more + size
        if size > room:
            more_room = "raise it in the profile or with INARCH_MAX_REPLY_BYTES"
            raise ProviderError(TOO_LONG, f"the reply is longer than max_reply_bytes = {self.most}", remedy=more_room)

    def _call(self, index: int, draft: _CallDraft) -> CallPart:
        try:
            arguments, repaired = read_arguments(draft.arguments.getvalue())
        except ValueError as error:
            call = f"the arguments of call {shown(repr(draft.name or index))[:LONGEST_NAME]}"
            told = f"{call} are not JSON: {error}"
            raise _unusable(told, "make the call again, its arguments as one whole JSON object") from None
        if not isinstance(arguments, dict):
            arguments = {"arguments": arguments}
        name = offered_name(draft.name, self.offered)
        called = "" if name == draft.name else draft.name
        if repaired:
            self.notes.append(ProviderNote(f"a call of {name} came with {repaired}", repair=True))
        if called:
            self.notes.append(ProviderNote(f"a call of {shown(called)[:LONGEST_NAME]} is one of {name}", repair=True))
        data = self._opaque(self._call_data.get(index))
        return CallPart(self.make_id(), draft.id, name, arguments, data, called)

    def _opaque(self, data: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        return None if data is None else {self.provider: data}

    def _failure(self) -> ProviderError | None:
        """Return the error if the finish reason means that the reply is not an answer."""
        why = f" ({shown(self._said)[:LONGEST_WHY]})" if self._said else ""
        match self._finish:
            case "error":
                return ProviderError("server", f"the model ended its reply with an error{why}", retryable=True)
            case "malformed":
                return _unusable(f"a call of it can't be read{why}", "make the call again")
            case "filtered":
                part = "rest of the" if self._words(TEXT_INDEX).strip() else "whole"
                message = f"the service filtered the {part} reply{why}"
                return ProviderError("filtered", message, remedy="ask it in other words")
            case "length" if self._calls:  # even complete JSON may be half of the intended call
                why = "its calls are cut at the limit of output"
                return _unusable(why, "make them again with less in each, in several replies if need be")
            case "cut":
                remedy = "ask again, or use another model"
                return ProviderError("filtered", f"the service ended its reply early{why}", remedy=remedy)
        return None

    def _nothing(self) -> ProviderError:
        if self._finish == "length":
            return ProviderError(
                "empty",
                "the output limit was reached before any text",
                remedy="raise max_tokens or max_cost_usd if they are set, ask for less at once, or use another model",
            )
        return _unusable("the reply has neither text nor calls", "answer, or make a call", "empty")


def _unusable(message: str, remedy: str, kind: Literal["malformed", "empty"] = "malformed") -> ProviderError:
    """Return the error for a fault of the model, which sees it when it is asked again."""
    told = f"Your last reply could not be used: {message}. Nothing of it was run; {remedy}."
    return ProviderError(kind, message, retryable=True, told=told)


def _is_credible(usage: Usage) -> bool:
    """Return whether a usage report is plausible; others are ignored."""
    counts = (
        usage.input_tokens,
        usage.output_tokens,
        usage.cached_tokens,
        usage.reasoning_tokens,
        usage.written_tokens,
    )
    cost = usage.cost_usd
    return all(isinstance(count, int) and 0 <= count <= MOST_TOKENS for count in counts) and (
        cost is None or (isinstance(cost, Decimal) and cost.is_finite() and 0 <= cost <= MOST_TOKENS)
    )


def join_deltas(deltas: Iterable[Delta]) -> Iterator[Delta]:
    """Yield the deltas in order, with adjacent pieces of text or reasoning joined.

    Raises:
        ProviderError: Reading them raised it; earlier deltas were yielded.
    """
    kind: type[TextDelta] | type[ReasoningDelta] | None = None
    texts: list[str] = []
    failure: ProviderError | None = None
    try:
        for delta in deltas:
            if isinstance(delta, (TextDelta, ReasoningDelta)) and delta.__class__ is kind:
                texts.append(delta.text)
                continue
            if kind is not None:
                yield kind("".join(texts))
                kind = None
            if isinstance(delta, (TextDelta, ReasoningDelta)):
                kind, texts = delta.__class__, [delta.text]
            else:
                yield delta
    except ProviderError as error:
        failure = error
    if kind is not None:
        yield kind("".join(texts))
    if failure is not None:
        raise failure
