"""Folded pastes: a sign in the line replaces a long text, or one that looks like a command; the text itself is sent."""

from __future__ import annotations

import re

from attrs import define, field

MOST_LINES = 10
"""Pastes with more lines are folded."""
MOST_CHARACTERS = 1_000

COMMAND_SIGNS = ("/", "!")

_SIGN = re.compile(r"\[paste (\d+): [\d,]+ (?:lines|characters)\]")


@define(eq=False, repr=False)
class Pastes:
    """The pasted texts of this conversation that have a sign."""

    _texts: dict[str, str] = field(init=False, factory=dict)

    def fold(self, text: str, *, begins: bool = False) -> str:
        """Return the text to insert for a paste: itself, or a sign for it."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        lines = text.rstrip("\n").count("\n") + 1
        is_command = begins and text.lstrip().startswith(COMMAND_SIGNS)
        if lines <= MOST_LINES and len(text) <= MOST_CHARACTERS and not is_command:
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
        """Return the length of the sign at the end of `text`, or 0."""
        start = text.rfind("[paste ")
        return len(text) - start if start >= 0 and text[start:] in self._texts else 0
