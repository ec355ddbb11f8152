"""Text that comes in pieces: what may be the beginning of a secret waits for the piece that tells."""

from __future__ import annotations

from attrs import define, field

from inarch.journal.redaction import LONGEST_PLACEHOLDER, Redactor


@define(eq=False, repr=False)
class RedactedStream:
    """Gives out a stream's text with placeholders, the same as if it had come in one piece."""

    redactor: Redactor
    _held: str = field(init=False, default="")
    _before: str = field(init=False, default="")

    def feed(self, text: str) -> str:
        """Take a piece and return what can be shown now."""
        whole = self._before + self._held + text
        start = len(self._before)
        clean, end = self.redactor.shown(whole, start)
        self._held = whole[end:]
        # What stands before a word decides whether it is one, and a placeholder does as a whole.
        before = LONGEST_PLACEHOLDER if whole.endswith("›", 0, end) else 1
        self._before = whole[max(end - before, 0) : end]
        return clean

    def rest(self) -> str:
        """Return what was held back: the stream is over."""
        whole, start = self._before + self._held, len(self._before)
        self._held = self._before = ""
        return self.redactor.after(whole, start)
