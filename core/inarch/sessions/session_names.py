"""Lookup of sessions by the beginning of their id, by a name from the user, or as the latest of a directory.

Names are stored in `names.json` in the state folder; the name of a deleted session is free.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from inarch.config.private_files import changing_kept, read_kept
from inarch.contract.errors import UsageError
from inarch_sdk.snapshots import scan

if TYPE_CHECKING:
    from inarch.contract.records import SessionInfo
    from inarch.contract.stores import ContextStore

NAMES_FILE = "names.json"
LONGEST = 60
"""Characters of a name."""


def names_of(state_dir: Path) -> Mapping[str, str]:
    """Return the ids of sessions by their names, including those of deleted sessions.

    Raises:
        StoreError: A newer Inarch wrote the names.
    """
    return read_kept(state_dir / NAMES_FILE, str)


def give_name(
    state_dir: Path, store: ContextStore, session_id: str, name: str, keep: Callable[[], object] = lambda: None
) -> None:
    """Name a session, replacing its earlier name.

    Args:
        state_dir: The folder of the names.
        store: The store of the session.
        session_id: The session.
        name: Its name from now on.
        keep: Puts a new session into the store once the name is known to be free.

    Raises:
        UsageError: The name is invalid or taken, or the session is not stored.
        StoreError: It cannot be stored.
    """
    from inarch.journal.redactor import hide_in_message
    from inarch_sdk.memory_store import MemoryStore

    if hide_in_message(name) != name:
        raise UsageError("the name holds a secret, and names are stored and shown unredacted", "take another")
    if not name.isprintable() or name != name.strip() or not 0 < len(name) <= LONGEST or name.startswith("-"):
        raise UsageError(
            f"{name!r} is not a valid session name", f"write 1 to {LONGEST} characters, without line breaks"
        )
    with changing_kept(state_dir / NAMES_FILE, str, "names of sessions") as names:
        others = {info.id for info in store.sessions()} - {session_id}
        if names.get(name) in others or any(other.startswith(name) for other in others):
            raise UsageError(f"{name!r} is a session's already", f"take another, or resume it: --session {name!r}")
        keep()
        if isinstance(store, MemoryStore) or all(info.id != session_id for info in store.sessions()):
            raise UsageError(f"session {session_id} is not stored, so it can't have a name", "name one that has a turn")
        _forget(names, session_id)
        names[name] = session_id


def forget_name(state_dir: Path, session_id: str) -> None:
    """Free the name of a session, if it has one.

    Raises:
        StoreError: The change cannot be stored.
    """
    if session_id in names_of(state_dir).values():
        with changing_kept(state_dir / NAMES_FILE, str, "names of sessions") as names:
            _forget(names, session_id)


def _forget(names: dict[str, str], session_id: str) -> None:
    for name in [name for name, of in names.items() if of == session_id]:
        del names[name]


def find_session(store: ContextStore, beginning: str, names: Mapping[str, str] = MappingProxyType({})) -> SessionInfo:
    """Return the one session with this name or this beginning of its id; `names` maps names to ids.

    Raises:
        UsageError: None matches, or several do.
    """
    named = names.get(beginning, beginning)
    fitting = [info for info in store.sessions() if info.id.startswith((named, beginning))]
    exact = [info for info in fitting if info.id == named]
    if len(exact or fitting) == 1:
        return (exact or fitting)[0]
    if not fitting:
        raise UsageError(f"there is no session {beginning!r}", "inarch sessions list --all shows those there are")
    raise UsageError(f"{len(fitting)} sessions begin with {beginning!r}", "write more of the id")


def latest_session(store: ContextStore, root: str) -> SessionInfo | None:
    """Return a directory's session with the latest event, None for none.

    For a child it returns the parent.
    """
    known = {info.id: info for info in store.sessions(root)}
    latest = max(known.values(), key=lambda info: (max(info.started, info.updated), info.id), default=None)
    while latest is not None and (parent := known.get(_parent(store, latest.id))) is not None:
        latest = parent
    return latest


def _parent(store: ContextStore, session_id: str) -> str:
    """Return the session whose call began this one; empty for none."""
    first = next(scan(store, session_id), None)
    branch = first.data.get("branch") if first is not None and first.kind == "session.started" else None
    return str(branch["parent"]) if isinstance(branch, dict) else ""
