"""What sessions recorded about a copy: which calls changed a path, and what it was before the first of them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from attrs import define, field

from inarch import ContextStore, Event, StoreError


@define(eq=False, repr=False)
class SessionChanges:
    """Changes that sessions recorded since a time."""

    store: ContextStore | None
    sessions: list[str]
    began: str
    first: dict[str, tuple[str | None, int]] = field(init=False, factory=dict)
    """Hash and whole mode of every changed path before its first change; the hash is empty if it is unknown."""
    calls: dict[str, dict[str, str]] = field(init=False, factory=dict)
    """Words about the calls that changed a path, by their ids."""
    _words: dict[str, str] = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        for session_id in self.sessions:
            with suppress(StoreError):  # deleted meanwhile
                for event in self.store.load(session_id) if self.store is not None else ():
                    self.take(event)

    def bytes_of(self, ref: str) -> bytes:
        """Return stored bytes."""
        for session_id in self.sessions:
            with suppress(StoreError):
                if self.store is not None:
                    return self.store.get_blob(session_id, ref)
        raise StoreError("missing", f"no session has the bytes {ref[:12]}")

    def told(self, path: str) -> list[str]:
        """Return words about the calls that changed a path, such as `execute_command: make (exit 2)`."""
        return [self._words.get(call, call) for call in self.calls.get(path, ())]

    def take(self, event: Event) -> None:
        """Take an event of one of the sessions; earlier ones are ignored."""
        if event.time < self.began:
            return
        if event.kind == "call.state" and event.data.get("call"):
            self._words[event.data["call_id"]] = _words(event.data["call"])
        elif event.kind == "call.result":
            code = (event.data["result"].get("data") or {}).get("exit_code")
            if code:
                self._words[event.data["call_id"]] = f"{self._words.get(event.data['call_id'], '')} (exit {code})"
        elif event.kind == "file.changed":
            self._changed(event.data)

    def _changed(self, data: Mapping[str, Any]) -> None:
        path, new_path = data["path"], data.get("new_path")
        self.first.setdefault(path, (data["before"], data.get("before_mode", 0)))
        if new_path:
            self.first.setdefault(new_path, (None, 0))
        for one in filter(None, (path, new_path)):
            self.calls.setdefault(one, {})[data["call_id"]] = ""


def _words(call: Mapping[str, Any]) -> str:
    command = str((call.get("arguments") or {}).get("command") or "")
    return f"{call.get('name')}: {command[:80]}" if command else str(call.get("name"))
