"""Store of the default profile: one SQLite file for all sessions, made to survive kill -9 and power loss."""

from __future__ import annotations

from collections.abc import Iterable

import inarch


@inarch.hookimpl
def inarch_stores(context: inarch.PluginContext) -> Iterable[inarch.StoreSpec]:
    """Return the store `sqlite-store`."""
    return [inarch.StoreSpec("sqlite-store", _open)]


def _open(path: str) -> inarch.ContextStore:
    from inarch_plugins.sqlite_store.store import SqliteStore  # sqlite3 costs 5 ms: only a stored session pays

    return SqliteStore(path)
