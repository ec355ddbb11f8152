"""What a person ran with `!` since the last answer: the model sees it with the next prompt, within bounds."""

from __future__ import annotations

from inarch import Contribution, Event, Situation

MOST_OF_ONE = 8_000
"""Characters of one command's output; of a longer one the beginning and the end are seen."""
MOST = 24_000
"""Characters of all of them; the oldest are left out first."""
TITLE = "Since the last answer the user ran these commands in the workspace:"


def gather(situation: Situation) -> Contribution | None:
    """Return the commands with what they wrote."""
    ran = [_told(one) for one in situation.happened if one.kind == "command.ran" and one.data.get("name") == "!"]
    if not ran:
        return None
    kept: list[str] = []
    room = MOST
    for text in reversed(ran):
        room -= len(text)
        if room < 0 and kept:
            kept.insert(0, f"({len(ran) - len(kept)} earlier ones are left out)")
            break
        kept.insert(0, text)
    return Contribution("\n\n".join([TITLE, *kept]))


def _told(event: Event) -> str:
    output = _bounded(str(event.data.get("result", "")).strip())
    return f"$ {event.data.get('arguments', '')}\n{output or '(no output)'}"


def _bounded(text: str) -> str:
    left = len(text) - MOST_OF_ONE
    if left <= 0:
        return text
    half = MOST_OF_ONE // 2
    return f"{text[:half]}\n… ({left:,} characters left out) …\n{text[-half:]}"
