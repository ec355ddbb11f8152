"""Thoughts in chat completions, and how they go back to the model that wrote them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import define, field

from inarch import REASONING_INDEX, Delta, PartData, Reasoning, ReasoningDelta, ReasoningDetails, TextDelta, to_data

MEMBERS = ("reasoning_content", "reasoning")
"""Fields of a message that hold a thought; vLLM has the second since 0.11."""
DETAILS = "reasoning_details"


@define(eq=False, repr=False)
class Thoughts:
    """Reader of the thoughts of one reply, which remembers the fields that they came in."""

    owner: Mapping[str, Any]
    _details: ReasoningDetails = field(init=False, factory=ReasoningDetails)
    _member: str = field(init=False, default="")
    _has_words: bool = field(init=False, default=False)
    _chunk: dict[str, Any] | None = field(init=False, default=None)

    @property
    def has_any(self) -> bool:
        """Return whether thoughts came in a field of their own."""
        return self._has_words or bool(self._details.items)

    def read(self, said: Mapping[str, Any]) -> Iterator[Delta]:
        """Yield the thoughts of one delta, even an empty text: DeepSeek wants it back."""
        given = {name: said[name] for name in MEMBERS if isinstance(said.get(name), str)}
        if given:
            if self._member not in given and not self._has_words:
                self._member = next((name for name, text in given.items() if text), next(iter(given)))
            text = given.get(self._member) or next(iter(given.values()))
            if text:
                self._has_words = True
                yield ReasoningDelta(text)
        self._details.add(said.get(DETAILS))

    def content(self, parts: list[Any]) -> Iterator[Delta]:
        """Yield content that came as a list; Mistral's has thoughts between the texts."""
        for part in parts:
            if isinstance(part, Mapping) and part.get("type") == "thinking":
                yield from self._of_mistral(part)
            elif text := _text_of(part):
                yield from self.closed()
                yield TextDelta(text)

    def closed(self) -> Iterator[Delta]:
        """End a thought of Mistral's, which is in its position between the texts."""
        if self._chunk is not None:
            yield PartData(REASONING_INDEX, {**self.owner, "chunk": self._chunk})
            self._chunk = None

    def end(self) -> Iterator[Delta]:
        """Yield the data that has to go back with the thoughts."""
        yield from self.closed()
        if self._details.items:
            yield PartData(REASONING_INDEX, {**self.owner, DETAILS: self._details.items})
        elif self._member:
            yield PartData(REASONING_INDEX, {**self.owner, "member": self._member})

    def _of_mistral(self, part: Mapping[str, Any]) -> Iterator[Delta]:
        if self._chunk is None:
            self._chunk = {"type": "thinking", "thinking": []}
        pieces, thinking = self._chunk["thinking"], part.get("thinking")
        for piece in [{"type": "text", "text": thinking}] if isinstance(thinking, str) else thinking or ():
            text = _text_of(piece)
            if text and pieces and pieces[-1].keys() == {"type", "text"} == piece.keys():
                pieces[-1] = {**piece, "text": pieces[-1]["text"] + text}
            elif isinstance(piece, Mapping):
                pieces.append(dict(piece))
            if text:
                self._has_words = True
                yield ReasoningDelta(text)
        self._chunk |= {name: value for name, value in part.items() if name != "thinking"}


def give_back(part: Reasoning, own: Mapping[str, Any], item: dict[str, Any]) -> str | dict[str, Any]:
    """Put a thought into an assistant message as it came; return the part of it for the content."""
    if DETAILS in own:
        item[DETAILS] = [*item.get(DETAILS, ()), *to_data(own[DETAILS])]
    elif own.get("member") in MEMBERS:
        item[own["member"]] = item.get(own["member"], "") + part.text
    elif "chunk" in own:
        chunk: dict[str, Any] = to_data(own["chunk"])
        return chunk
    elif "before" in own:
        return f"{own['before']}{part.text}{own['after']}"
    return ""


def _text_of(part: Any) -> str:
    text = part.get("text") if isinstance(part, Mapping) else part
    return text if isinstance(text, str) else ""
