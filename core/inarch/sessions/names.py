"""Names that a person gave sessions, kept in `names.json` in the state folder; one whose session is gone is free."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from inarch.config.kept import changing_kept, read_kept
from inarch.contract.errors import UsageError

if TYPE_CHECKING:
    from inarch.contract.ports import ContextStore

NAMES_FILE = "names.json"
LONGEST = 60
"""Characters of a name."""


def names_of(state_dir: Path) -> Mapping[str, str]:
    """Return the ids of sessions by their names, also of such as are gone.

    Raises:
        StoreError: A newer Inarch wrote the names.
    """
    return read_kept(state_dir / NAMES_FILE, str)


def give_name(state_dir: Path, store: ContextStore, session_id: str, name: str) -> None:
    """Give a session a name, in the place of what it had.

    Raises:
        UsageError: It is no name, or another session's.
        StoreError: It can't be kept.
    """
    if not name.isprintable() or name != name.strip() or not 0 < len(name) <= LONGEST or name.startswith("-"):
        raise UsageError(f"{name!r} is no name for a session", f"write 1 to {LONGEST} characters, without line breaks")
    with changing_kept(state_dir / NAMES_FILE, str, "names of sessions") as names:
        others = {info.id for info in store.sessions()} - {session_id}
        if names.get(name) in others or any(other.startswith(name) for other in others):
            raise UsageError(f"{name!r} is a session's already", f"take another, or go on with it: --session {name!r}")
        kept = {one: of for one, of in names.items() if of in others}
        names.clear()
        names.update({**kept, name: session_id})
