"""Which session is meant: the beginning of its id is enough, without one it is the latest of a directory."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from inarch.contract.errors import UsageError

if TYPE_CHECKING:
    from inarch.contract.ports import ContextStore
    from inarch.contract.records import SessionInfo


def find_session(store: ContextStore, beginning: str, names: Mapping[str, str] = MappingProxyType({})) -> SessionInfo:
    """Return the one session whose id begins so, or that has the name; `names` gives ids by name.

    Raises:
        UsageError: None does, or several do.
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
    """Return the session of a directory in which something happened last, None where there is none."""
    return max(store.sessions(root), key=lambda info: (max(info.started, info.updated), info.id), default=None)
