"""Where a text in which no secrets were looked for may be cut: at the end of a line or word.

Half of a secret is one that is not recognised any more.
"""

from __future__ import annotations

import re

from inarch_lib.secrets.secret_names import LONGEST

_SPACE = re.compile(r"\s")


def end_from(text: str, place: int, most: int = LONGEST) -> int:
    """Return where the beginning of a text may end: at `place`, or as much as `most` behind it.

    That is the end of the line, or of the word, or of the text; where all of them are farther away it is `place`.
    """
    last = place + most
    line = text.find("\n", place, last)
    if line >= 0:
        return line
    if len(text) <= last:
        return len(text)
    word = _SPACE.search(text, place, last)
    return word.start() if word else place


def start_from(text: str, place: int, most: int = LONGEST) -> int:
    """Return where the end of a text may start: at `place`, or as much as `most` before it."""
    return place - end_from(text[max(place - most - 1, 0) : place][::-1], 0, most)
