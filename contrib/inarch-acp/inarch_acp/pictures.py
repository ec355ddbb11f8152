"""Pictures that an editor sends with a prompt: they wait here until the turn gathers its context."""

from __future__ import annotations

from collections.abc import Sequence

import inarch

_waiting: dict[str, tuple[inarch.Image, ...]] = {}


def put_pictures(session_id: str, images: Sequence[inarch.Image]) -> None:
    """Have the next turn of a session see these pictures, and no others."""
    _waiting.pop(session_id, None)
    if images:
        _waiting[session_id] = tuple(images)


def has_pictures(session_id: str) -> bool:
    """Whether pictures wait that no turn has taken."""
    return session_id in _waiting


class Pictures:
    """The context source for pictures that came with the prompt."""

    name = "acp"

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        """Return the pictures of the turn's session."""
        images = _waiting.pop(situation.turn.session_id, ())
        if not images:
            return None
        count = "a picture" if len(images) == 1 else f"{len(images)} pictures"
        return inarch.Contribution(f"The user sent {count} with the prompt.", images=images)
