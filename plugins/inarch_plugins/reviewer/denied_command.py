"""`/denied`: lists the calls that the reviewer denied, and asks the user about one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import inarch
from inarch.figures import short_arguments

if TYPE_CHECKING:
    from inarch_plugins.reviewer.session_reviews import Reviews


async def denied_command(words: str, context: inarch.SlashContext, reviews: Reviews) -> str:
    """Run `/denied` and return what to show."""
    denials = list(reversed(reviews.denials))
    if not denials:
        return "The reviewer has denied nothing in this session."
    if not words:
        lines = []
        for number, (call, reason) in enumerate(denials, 1):
            lines.append(f"{number}  {call.name} {short_arguments(call.arguments)}\n   {reason}")
        return "\n".join([*lines, "/denied NUMBER asks you about a call and runs it if you approve."])
    if not words.isdecimal() or not 1 <= int(words) <= len(denials):
        return f"No denied call has the number {words!r}. Use a number from 1 to {len(denials)}."
    chosen, _ = denials[int(words) - 1]
    try:
        result = await context.call(chosen.name, chosen.arguments)
    except RuntimeError:
        return "A turn is running. Use /denied when it has ended."
    if result.error is not None and result.error.code == "denied":
        return inarch.result_text(result)
    # Without its arguments: the agent wrote them, and a prompt is the user's own words to the reviewer.
    context.submit(f"I allowed the call of {chosen.name} that the reviewer had denied, and it ran. Go on from there.")
    return inarch.result_text(result)
