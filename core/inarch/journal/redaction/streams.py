"""Text that comes in pieces: what may be the beginning of a secret waits for the piece that tells."""

from __future__ import annotations

from attrs import define, field

from inarch.journal.redaction.redactor import LONGEST_PLACEHOLDER, Redactor

_LONG = 256
"""Characters that are held; so many are looked at again only when an eighth more has come: in all, in linear time."""


@define(eq=False, repr=False)
class RedactedStream:
    """Gives out a stream's text with placeholders, the same as if it had come in one piece."""

    redactor: Redactor
    _held: str = field(init=False, default="")
    _before: str = field(init=False, default="")
    _pieces: list[str] = field(init=False, factory=list)  # not looked at yet
    _coming: int = field(init=False, default=0)  # characters of these

    def feed(self, text: str) -> str:
        """Take a piece and return what can be shown now."""
        self._pieces.append(text)
        self._coming += len(text)
        if len(self._held) > _LONG and self._coming * 8 < len(self._held):
            return ""
        whole, start = self._whole()
        clean, end = self.redactor.shown(whole, start)
        self._held = whole[end:]
        # What stands before a word decides whether it is one, and a placeholder does as a whole.
        before = LONGEST_PLACEHOLDER if whole.endswith("›", 0, end) else 1
        self._before = whole[max(end - before, 0) : end]
        return clean

    def rest(self) -> str:
        """Return what was held back: the stream is over."""
        whole, start = self._whole()
        self._held = self._before = ""
        return self.redactor.after(whole, start)

    def _whole(self) -> tuple[str, int]:
        """Return what came, with what stands before it, and where it begins."""
        whole = "".join([self._before, self._held, *self._pieces])
        self._pieces, self._coming = [], 0
        return whole, len(self._before)
