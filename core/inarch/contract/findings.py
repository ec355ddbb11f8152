"""A plugin's self-checks for `inarch doctor`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from inarch.contract.frozen import frozen

State = Literal["fine", "note", "wrong"]


@frozen
class Finding:
    """Result of one check.

    Args:
        topic: Its subject, in a word or two: `model`, `programs`.
        state: `fine`, worth a `note`, or `wrong`, which makes `inarch doctor` exit with 1.
        text: The finding.
        remedy: Advice to the user.
        lines: Lines to copy, such as those of a configuration.
    """

    topic: str
    state: State
    text: str
    remedy: str = ""
    lines: tuple[str, ...] = ()


@frozen
class SelfCheck:
    """Check of a plugin whether it can work here.

    Args:
        name: Subject of the check, for the case that the check itself fails.
        run: Checks concurrently with others, within seconds, and changes nothing.
    """

    name: str
    run: Callable[[], Iterable[Finding]]
