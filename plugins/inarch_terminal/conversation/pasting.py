"""Long pastes: one sign in the line stands for the whole text, which is what is sent."""

from __future__ import annotations

import re

from attrs import define, field

MOST_LINES = 10
"""A paste of more lines is folded."""
MOST_CHARACTERS = 1_000

_SIGN = re.compile(r"\[paste (\d+): [\d,]+ (?:lines|characters)\]")


@define(eq=False, repr=False)
class Pastes:
    """The long texts that were pasted in this conversation."""

    _texts: dict[str, str] = field(init=False, factory=dict)

    def fold(self, text: str) -> str:
        """Return what stands in the line for a pasted text: itself, or a sign for it."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        lines = text.rstrip("\n").count("\n") + 1
        if lines <= MOST_LINES and len(text) <= MOST_CHARACTERS:
            return text
        size = f"{lines:,} lines" if lines > MOST_LINES else f"{len(text):,} characters"
        sign = f"[paste {len(self._texts) + 1}: {size}]"
        self._texts[sign] = text
        return sign

    def unfold(self, line: str) -> str:
        """Return the line with every sign replaced by its text."""
        if not self._texts:
            return line
        return _SIGN.sub(lambda match: self._texts.get(match[0], match[0]), line)

    def sign_before(self, text: str) -> int:
        """Return the length of the sign that `text` ends with, 0 where it ends with none."""
        start = text.rfind("[paste ")
        return len(text) - start if start >= 0 and text[start:] in self._texts else 0
