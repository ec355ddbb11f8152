"""Extraction of reasoning that a model writes into its text between tags, because its server does not separate it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import define, field

from inarch.contract.deltas import REASONING_INDEX, Delta, PartData, ReasoningDelta, TextDelta, TextWasReasoning

_NAMES = ("think", "thinking", "mm:think")  # DeepSeek, Qwen and others; Claude's imitators; MiniMax
_OPENING = {f"<{name}>": f"</{name}>" for name in _NAMES}
_CLOSING = tuple(_OPENING.values())
_CLOSES = re.compile("|".join(map(re.escape, _CLOSING)))
_QUOTES = "`'\""
# Marks of OpenAI's format for gpt-oss that servers should have parsed (earendil-works/pi#4439, seen Nov 2026).
_MARK = r"<\|(?:end|call|return)\|>"
_TRAILING = re.compile(rf"(?:{_MARK}\s*)+\Z")
_UNFINISHED = re.compile(rf"(?:{_MARK}\s*)*(?:<(?:\|(?:[a-z]{{0,6}}\|?)?)?)?\Z")


@define(eq=False, repr=False)
class ThoughtTags:
    """Splitter of a reply's text into text and reasoning.

    Reasoning is the text between `<think>` and `</think>` (or `thinking`, `mm:think`) before the first real text. So is
    everything before an unopened closing tag, unless the tag is in code or quoted. Each such part gets `data` with
    `before` and `after`, the tags with the whitespace around them: the original text is `before + reasoning + after`.
    Marks of the gpt-oss format at the end are removed.

    Args:
        data: The opaque data of the parts, such as their model.
        watches: Whether a closing tag alone counts. Set it to False if reasoning arrives separately.
    """

    data: Mapping[str, Any] = field(factory=dict)
    watches: bool = True
    _state: Callable[[], Iterator[Delta]] = field(init=False)
    _is_text: bool = field(init=False, default=False)
    _held: str = field(init=False, default="")
    _end: str = field(init=False, default="")
    _last: str = field(init=False, default="")
    _tags: list[str] | None = field(init=False, default=None)
    _said: list[str] = field(init=False, factory=list)

    def __attrs_post_init__(self) -> None:
        self._state = self._begin

    def passes(self, text: str) -> bool:
        """Return whether a piece is plain text that needs no parsing; most pieces are."""
        if not self._is_text or self._held or "<" in text:
            return False
        if self.watches:
            self._said.append(text)
        return True

    def take(self, text: str) -> Iterator[Delta]:
        """Yield the deltas of a piece of text."""
        self._held += text
        state = None
        while state != self._state:  # each state parses the held text, and may leave the rest to another state
            state = self._state
            yield from state()

    def end(self) -> Iterator[Delta]:
        """Yield the text that was held back."""
        held, self._held = self._held, ""
        if self._state == self._think:
            if held.strip():
                yield ReasoningDelta(held)
        else:
            held = _TRAILING.sub("", held)
            if self._state == self._begin and not held.strip():
                self._blanks(held)
            elif held:
                yield from self._closed()
                yield TextDelta(held)
        yield from self._closed()

    def _begin(self) -> Iterator[Delta]:
        """Parse the start of the reply, or the text after a thought."""
        text = self._held.lstrip()
        opening = next((tag for tag in _OPENING if text.startswith(tag)), "")
        if opening:
            before = "" if self._blanks() else self._held[: -len(text)]
            yield from self._closed()
            self._tags = [before + opening, ""]
            self._go(self._think, text[len(opening) :], _OPENING[opening])
        elif not any(tag.startswith(text) for tag in _OPENING):
            text = text if self._blanks() else self._held
            yield from self._closed()
            self._go(self._say, text)

    def _think(self) -> Iterator[Delta]:
        """Search a thought for its end."""
        if not self._last and self._tags is not None:
            words = self._held.lstrip()
            if not words:
                return
            self._tags[0] += self._held[: len(self._held) - len(words)]
            self._held = words
        place = self._place(self._end)
        if place < 0:
            kept = self._held[: _start_of_part(self._held, (self._end,))].rstrip()
            yield from self._thought(kept)
            self._held = self._held[len(kept) :]
            return
        words, end = self._held[:place].rstrip(), place + len(self._end)
        yield from self._thought(words)
        if self._tags is not None:
            self._tags[1] = self._held[len(words) : end]
        self.watches = False
        self._go(self._begin, self._held[end:])

    def _say(self) -> Iterator[Delta]:
        """Search text for a closing tag that makes it a thought, and hold back marks at its end."""
        if self.watches and (closing := self._closing()) is not None:
            place, tag = closing
            if place:
                yield TextDelta(self._held[:place])
            yield TextWasReasoning()
            self._tags = ["", tag]
            self.watches = False
            self._said.clear()
            self._go(self._begin, self._held[place + len(tag) :])
            return
        marks = _UNFINISHED.search(self._held)
        end = marks.start() if marks is not None else len(self._held)
        if self.watches:
            end = min(end, _start_of_part(self._held, _CLOSING))
        text, self._held = self._held[:end], self._held[end:]
        if text:
            if self.watches:
                self._said.append(text)
            yield TextDelta(text)

    def _go(self, state: Callable[[], Iterator[Delta]], rest: str, end: str = "") -> None:
        self._state, self._held, self._end, self._last = state, rest, end, ""
        self._is_text = state == self._say

    def _thought(self, words: str) -> Iterator[Delta]:
        if words:
            self._last = words[-1]
            yield ReasoningDelta(words)

    def _blanks(self, blanks: str | None = None) -> bool:
        """Add held whitespace to the thought before it; return whether there is one."""
        if self._tags is None:
            return False
        self._tags[1] += self._held[: len(self._held) - len(self._held.lstrip())] if blanks is None else blanks
        return True

    def _closed(self) -> Iterator[Delta]:
        """Yield the data of the last thought, if that is still missing."""
        if self._tags is not None:
            before, after = self._tags
            self._tags = None
            yield PartData(REASONING_INDEX, {**self.data, "before": before, "after": after})

    def _place(self, tag: str) -> int:
        """Return the position where a tag ends the thought, -1 if it does not, for example because it is quoted."""
        place = self._held.find(tag)
        while place >= 0 and (self._held[place - 1] if place else self._last or " ") in _QUOTES:
            place = self._held.find(tag, place + 1)
        return place

    def _closing(self) -> tuple[int, str] | None:
        """Return the first closing tag that makes everything before it a thought."""
        if "</" not in self._held:
            return None
        said = "".join(self._said)
        for match in _CLOSES.finditer(self._held):
            before = said + self._held[: match.start()]
            line = before[before.rfind("\n") + 1 :]
            is_code = before.count("```") % 2 or line.count("`") % 2 or before[-1:] in tuple(_QUOTES)
            if not is_code and not any(opening in before for opening in _OPENING):
                return match.start(), match[0]
        return None


def _start_of_part(text: str, tags: tuple[str, ...]) -> int:
    """Return the position where a partial tag may begin at the end of the text; its length if there is none."""
    longest = max(map(len, tags), default=0)
    for place in range(max(len(text) - longest, 0), len(text)):
        if text[place] == "<" and any(tag.startswith(text[place:]) for tag in tags):
            return place
    return len(text)
