"""Tools that come while sessions run, the port."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from inarch.contract.ports import Tool


class LateTools(Protocol):
    """Knows of tools that come while sessions run, such as those that a server lists by and by."""

    @property
    def name(self) -> str:
        """Name for messages."""

    def new_tools(self) -> Sequence[Tool]:
        """Return the tools that came since it was last asked; asked at each prompt and after each batch of calls."""
