"""What a plugin says of itself to `inarch doctor`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from inarch.contract.frozen import frozen

State = Literal["fine", "note", "wrong"]


@frozen
class Finding:
    """Result of a self-check.

    Args:
        topic: What it is about, in a word or two: `model`, `programs`.
        state: `fine`, worth a `note`, or `wrong`, which makes `inarch doctor` exit with 1.
        text: What was found.
        remedy: What to do about it.
        lines: Lines to copy, such as those of a configuration.
    """

    topic: str
    state: State
    text: str
    remedy: str = ""
    lines: tuple[str, ...] = ()


@frozen
class SelfCheck:
    """Check that `inarch doctor` runs for a plugin.

    Args:
        name: What it looks at, for the case that it fails itself.
        run: Looks, beside the others and within seconds, and changes nothing.
    """

    name: str
    run: Callable[[], Iterable[Finding]]
