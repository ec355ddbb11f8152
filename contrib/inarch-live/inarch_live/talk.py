"""The port of where a spoken session's turns are run: a terminal's conversation, or the lines of a pipe."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

import inarch


class Talk(Protocol):
    """Where turns are run: the conversation at a terminal, or the lines of a pipe."""

    @property
    def session(self) -> inarch.Session:
        """The session that the next turn belongs to."""
        ...

    def say(self, text: str, around: Callable[[], AbstractContextManager[object]]) -> object:
        """Run a turn with this prompt, within `around()`, as soon as no other runs."""
        ...

    def cancel(self) -> object:
        """Cancel the turn that runs."""
        ...

    def changed(self) -> object:
        """Draw anew what is shown of the conversation."""
        ...

    def hidden(self, text: str) -> str:
        """Return a text as it may be shown on the screen, without secrets."""
        ...

    def tell(self, text: str) -> object:
        """Tell the person something."""
        ...
