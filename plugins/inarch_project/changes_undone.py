"""The model hears in its next turn what a person undid."""

from __future__ import annotations

from inarch import Contribution, Event, Situation

MOST_NAMED = 10


def gather(situation: Situation) -> Contribution | None:
    """Return one line about the files that were undone or done again."""
    undone, paths = set[object](), dict[str, None]()
    for one in situation.happened:
        if one.kind == "changes.undone":
            undone.add(one.data.get("id"))
        elif one.kind == "file.changed" and one.data.get("call_id") in undone and _has_bytes(one):
            paths[str(one.data.get("path"))] = None
    if not paths:
        return None
    named, more = [*paths][:MOST_NAMED], len(paths) - MOST_NAMED
    listed = ", ".join(named) + (f" and {more} more files" if more > 0 else "")
    return Contribution(
        f"(The user has undone or redone earlier changes of yours since. Not as you left them: {listed}."
        " Read again what you need of them.)"
    )


def _has_bytes(changed: Event) -> bool:
    """Whether a file's bytes changed: a folder has none."""
    return changed.data.get("before") is not None or changed.data.get("after") is not None
