"""Proxy in the kernel's process for a store of an isolated plugin."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import Any

from inarch import Event, SessionInfo, StoreError, capabilities
from inarch_lib.staging import make_folder
from inarch_plugins.isolation.methods import METHODS, STORE_S, data_of, event_of
from inarch_plugins.isolation.process import PluginProcess
from inarch_plugins.isolation.proxies import checked, wrong
from inarch_plugins.isolation.run_rights import is_granted


def _own_place(process: PluginProcess, path: str) -> str:
    """Return `path`, or a folder of the plugin's own for it: every path has its own sessions."""
    job = process.launch.job
    if is_granted(path, job):
        return path
    name = sha256(os.path.realpath(path).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return os.path.join(job["state_dir"], "store", name)


class FarStore:
    """Context store of an isolated plugin, reopened after a restart of its process.

    If the plugin may not write to the path, it uses its own folder instead.
    """

    def __init__(self, process: PluginProcess, target: str, path: str) -> None:
        self._process, self._target, self._path = process, target, _own_place(process, path)
        self._closed = False
        self._connect()

    def _connect(self) -> None:
        make_folder(os.path.dirname(self._path))
        self._process.channel()
        self._generation = self._process.generation
        opened = self._process.call(self._target, "open", [self._path], door="store", seconds=STORE_S)
        if not (isinstance(opened, dict) and type(opened.get("number")) is int):
            raise wrong(self._process, f"no store: {opened!r}")
        self._number = opened["number"]
        self._offers = frozenset(checked(self._process, list[str], opened.get("offers")))

    def append(self, session_id: str, events: Sequence[Event]) -> None:
        """Store events; all or none of them."""
        self._call("append", session_id, [*events])

    async def sync(self) -> None:
        """Return when everything appended is on disk."""
        await self._process.call_async(self._opened(), "sync", [], door="store", seconds=STORE_S)

    def load(self, session_id: str, after: int = 0) -> Sequence[Event]:
        """Return the events with `seq` greater than `after`, in order."""
        return self._events(self._call("load", session_id, after))

    def sessions(self, root: str | None = None) -> Sequence[SessionInfo]:
        """Return the sessions of a root, or all, newest first."""
        found: tuple[SessionInfo, ...] = self._call("sessions", root)
        return found

    def delete(self, session_id: str) -> None:
        """Remove a session with its events and blobs."""
        self._call("delete", session_id)

    def put_blob(self, session_id: str, data: bytes) -> str:
        """Store bytes and return their reference."""
        return str(self._call("put_blob", session_id, data))

    def get_blob(self, session_id: str, ref: str) -> bytes:
        """Return the bytes of a reference."""
        data: bytes = self._call("get_blob", session_id, ref)
        if sha256(data).hexdigest() != ref:  # an undo would write them into the user's files
            raise self._damaged(f"other bytes than {ref[:12]}")
        return data

    def close(self) -> None:
        """Close files; may be called twice."""
        if not self._closed and self._process.runs:
            self._call("close")
        self._closed = True

    def __getattr__(self, name: str) -> Any:
        if name not in capabilities.optional("stores") or name not in self._offers:
            raise AttributeError(name)
        if name in ("fork", "put_snapshot"):
            return partial(self._call, name)
        return self._call(name) if name in ("damage", "set_aside") else getattr(self, f"_{name}")

    def _scan(self, session_id: str, after: int = 0) -> Iterator[Event]:
        return self._pages("scan", [session_id], after)

    def _scan_kinds(self, session_id: str, kinds: Collection[str], after: int = 0) -> Iterator[Event]:
        return self._pages("scan_kinds", [session_id, [*kinds]], after)

    def _pages(self, method: str, arguments: Sequence[Any], after: int) -> Iterator[Event]:
        more = True
        while more:
            page = self._call(method, *arguments, after)
            events, more = self._events(page.get("lines")), page.get("more") is True
            if more and not events:
                raise wrong(self._process, "no events")
            for event in events:
                if event.seq <= after:
                    raise self._damaged("events out of order")
                after = event.seq
                yield event

    def _get_snapshot(self, session_id: str, name: str) -> tuple[int, bytes] | None:
        kept = self._call("get_snapshot", session_id, name)
        if kept is None:
            return None
        if not isinstance(kept, list) or len(kept) != 2:
            raise wrong(self._process, "no snapshot")
        return checked(self._process, int, kept[0]), checked(self._process, bytes, kept[1])

    def _opened(self) -> str:
        self._process.channel()
        if self._generation != self._process.generation:
            self._connect()
        return f"opened/{self._number}"

    def _call(self, method: str, *arguments: Any) -> Any:
        given = [data_of(value) for value in arguments]
        data = self._process.call(self._opened(), method, given, door="store", seconds=STORE_S)
        return checked(self._process, METHODS["opened"][method].gives, data)

    def _events(self, lines: Any) -> list[Event]:
        try:
            return [*map(event_of, lines)]
        except (TypeError, ValueError):
            raise self._damaged("something that is not an event") from None

    def _damaged(self, what: str) -> StoreError:
        return StoreError("damaged", f"the store of plugin {self._process.plugin!r} sent {what}")
