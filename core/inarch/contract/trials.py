"""Record of a dry run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import Factory

from inarch.contract.frozen import frozen


@frozen
class Trial:
    """Dry run of a call: what it would change, seen in a copy of the workspace.

    Args:
        lines: Lines for the user; not escaped.
        drop: Discards what the dry run holds. May be called twice.
        applies: Whether an approval of the call applies exactly this. Otherwise the call runs again.
        data: The same as plain data.
    """

    lines: tuple[str, ...]
    drop: Callable[[], object]
    applies: bool = False
    data: Mapping[str, Any] = Factory(dict)
