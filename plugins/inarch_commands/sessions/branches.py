"""Whose child a kept session is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inarch import ContextStore


def branch_of(store: ContextStore, session_id: str) -> dict[str, str]:
    """Return the parent of a child session, and the child's name; nothing for any other session."""
    first = next(iter(getattr(store, "scan", store.load)(session_id)), None)
    found = first.data.get("branch") if first is not None and first.kind == "session.started" else None
    return {"parent": str(found["parent"]), "child": str(found["name"])} if isinstance(found, dict) else {}
