"""Pictures that were pasted into a conversation, by their signs in prompts."""

from __future__ import annotations

from inarch import Contribution, Image, Situation
from inarch_lib.pictures import picture_fault, picture_type

SIGN = "[picture "
"""Beginning of the sign of a picture in a line."""

_held: dict[str, Image] = {}


def hold(data: bytes, name: str = "") -> str:
    """Return the sign of a picture, for a prompt that shows it."""
    if fault := picture_fault(data):
        raise ValueError(fault)
    kind = picture_type(data)
    sign = f"{SIGN}{len(_held) + 1}: {name or kind}, {len(data):,} bytes]"
    _held[sign] = Image(kind, data)
    return sign


class PastedPictures:
    """Context source for the pictures whose signs are in the prompt."""

    name = "pasted"

    async def gather(self, situation: Situation) -> Contribution | None:
        """Return these pictures."""
        signs = [sign for sign in _held if sign in situation.turn.content]
        return (
            Contribution(f"Below: {', '.join(signs)}", images=tuple(map(_held.__getitem__, signs))) if signs else None
        )
