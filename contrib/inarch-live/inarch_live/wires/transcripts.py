"""What is said while it is said: a service sends pieces of an utterance, the port tells it whole as well."""

from __future__ import annotations

from attrs import define, field

from inarch_live.port import InputTranscript, OutputTranscript

LONGEST = 100_000
"""Characters of an utterance; one that goes on is told as another."""


@define
class Utterance:
    """One side's present utterance."""

    kind: type[InputTranscript] | type[OutputTranscript]
    _whole: str = field(init=False, default="")

    def add(self, text: str, is_final: bool = False) -> list[InputTranscript | OutputTranscript]:
        """Return the event for more of it, none where nothing is new."""
        if not text and not (is_final and self._whole):
            return []
        self._whole += text
        is_final = is_final or len(self._whole) > LONGEST
        event = self.kind(text, self._whole, is_final)
        if is_final:
            self._whole = ""
        return [event]

    def end(self) -> list[InputTranscript | OutputTranscript]:
        """Return the event that it is complete, none where nothing was said."""
        return self.add("", is_final=True)

    def settle(self, whole: str) -> list[InputTranscript | OutputTranscript]:
        """Return the event for what it was in the end, which may differ from the pieces that came."""
        new = whole.removeprefix(self._whole) if whole.startswith(self._whole) else whole
        self._whole = ""
        return [self.kind(new, whole, True)] if whole else []
