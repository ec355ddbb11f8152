"""The user's actions since the last answer: commands that ran, changes that were undone."""

from __future__ import annotations

from inarch import Contribution, Event, Situation

MOST_OF_ONE = 8_000
"""Maximum characters of one command's output; of a longer one, the beginning and the end are shown."""
MOST = 24_000
"""Maximum characters of all outputs; the oldest are left out first."""
TITLE = "Since the last answer the user ran these commands in the workspace:"


async def commands_ran(situation: Situation) -> Contribution | None:
    """Return the commands with their output."""
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


MOST_NAMED = 10


async def changes_undone(situation: Situation) -> Contribution | None:
    """Return one line about the files that were undone or redone."""
    undone, paths = set[object](), dict[str, None]()
    for one in situation.happened:
        if one.kind == "changes.undone":
            undone.add(one.data.get("id"))
        elif one.kind == "file.changed" and one.data.get("call_id") in undone:
            has_bytes = one.data.get("before") is not None or one.data.get("after") is not None  # a folder has none
            paths |= {str(one.data.get("path")): None} if has_bytes else {}
    if not paths:
        return None
    named, more = [*paths][:MOST_NAMED], len(paths) - MOST_NAMED
    listed = ", ".join(named) + (f" and {more} more files" if more > 0 else "")
    return Contribution(
        f"(The user has undone or redone earlier changes of yours since. Not as you left them: {listed}."
        " Read again what you need of them.)"
    )
