"""What stands in the kernel's process for a store that an isolated plugin keeps."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from attrs import define, field

from inarch import Event, SessionInfo, StoreError, to_data
from inarch.host import OPTIONAL
from inarch_isolation.process import PluginProcess
from inarch_isolation.proxies import are_texts, checked, wrong
from inarch_staging import make_folder

_SECONDS = 60.0  # a store may have much to read
_TYPES = {"seq": int, "time": str, "session_id": str, "kind": str, "data": dict}


def store_opener(process: PluginProcess, target: str) -> Callable[[str], FarStore]:
    """Return the `open` of a store: where the plugin may not write, it keeps things in its own folder instead."""

    def open_it(path: str) -> FarStore:
        store = FarStore(process, target, _own_place(process, path))
        store.connect()
        return store

    return open_it


def _own_place(process: PluginProcess, path: str) -> str:
    """Return `path`, or a folder of the plugin's own for it: every path keeps its own sessions."""
    job = process.launch.job
    real = os.path.realpath(path)
    if job["anywhere"] or any(real == top or real.startswith(top.rstrip("/") + "/") for top in job["writable"]):
        return path
    return os.path.join(job["state_dir"], "store", sha256(real.encode("utf-8", "surrogateescape")).hexdigest()[:16])


@define(eq=False, repr=False)
class FarStore:
    """A context store of an isolated plugin; opened again where its process was started again."""

    _process: PluginProcess
    _target: str
    _path: str
    _number: int = -1
    _generation: int = 0
    _closed: bool = field(init=False, default=False)
    _offers: frozenset[str] = field(init=False, default=frozenset())

    def connect(self) -> None:
        """Open it in the child."""
        make_folder(os.path.dirname(self._path))
        self._process.channel()
        self._generation = self._process.generation
        opened = self._process.call(self._target, "open", self._path, door="store", seconds=_SECONDS)
        if not (isinstance(opened, dict) and type(opened.get("number")) is int and are_texts(opened.get("offers"))):
            raise wrong(self._process, f"no store: {opened!r}")
        self._number, self._offers = opened["number"], frozenset(opened["offers"])

    def append(self, session_id: str, events: Sequence[Event]) -> None:
        """Keep events; all or none of them."""
        self._call("append", {"session_id": session_id, "lines": [event.line for event in events]})

    async def sync(self) -> None:
        """Return when everything appended is on disk."""
        await self._process.call_async(self._opened(), "sync", door="store", seconds=_SECONDS)

    def load(self, session_id: str, after: int = 0) -> Sequence[Event]:
        """Return the events with `seq` greater than `after`, in order."""
        lines = self._call("load", {"session_id": session_id, "after": after})
        if not isinstance(lines, list):
            raise wrong(self._process, f"no events: {lines!r}")
        return [self._event(line) for line in lines]

    def sessions(self, root: str | None = None) -> Sequence[SessionInfo]:
        """Return the sessions of a root, or all, newest first."""
        return tuple(checked(self._process, list[SessionInfo], self._call("sessions", root)))

    def delete(self, session_id: str) -> None:
        """Remove a session with its events and blobs."""
        self._call("delete", session_id)

    def put_blob(self, session_id: str, data: bytes) -> str:
        """Keep bytes and return their reference."""
        ref = self._call("put_blob", {"session_id": session_id, "data": to_data(data)})
        if not isinstance(ref, str):
            raise wrong(self._process, f"no reference: {ref!r}")
        return ref

    def get_blob(self, session_id: str, ref: str) -> bytes:
        """Return the bytes of a reference."""
        answer = self._call("get_blob", [session_id, ref])
        try:
            data = base64.b64decode(answer, validate=True)
        except (TypeError, ValueError):
            raise wrong(self._process, "no bytes") from None
        if sha256(data).hexdigest() != ref:  # an undo would write them into the person's files
            raise StoreError(
                "damaged", f"the store of plugin {self._process.plugin!r} sent other bytes than {ref[:12]}"
            )
        return data

    def close(self) -> None:
        """Let go of files; may be called twice."""
        if not self._closed and self._process.runs:
            self._call("close", None)
        self._closed = True

    def __getattr__(self, name: str) -> Any:
        if name not in OPTIONAL["stores"] or name not in self._offers:
            raise AttributeError(name)
        if name in ("damage", "set_aside"):
            found = self._call(name, None)
            if not are_texts(found):
                raise wrong(self._process, f"no texts: {found!r}")
            return found
        return getattr(self, f"_{name}")

    def _scan(self, session_id: str, after: int = 0) -> Iterator[Event]:
        return self._pages("scan", {"session_id": session_id}, after)

    def _scan_kinds(self, session_id: str, kinds: Collection[str], after: int = 0) -> Iterator[Event]:
        return self._pages("scan_kinds", {"session_id": session_id, "kinds": [*kinds]}, after)

    def _pages(self, method: str, arguments: Mapping[str, Any], after: int) -> Iterator[Event]:
        more = True
        while more:
            page = self._call(method, {**arguments, "after": after})
            lines, more = (page.get("lines"), page.get("more") is True) if isinstance(page, dict) else (None, False)
            if not isinstance(lines, list) or (more and not lines):
                raise wrong(self._process, f"no events: {lines!r}")
            for event in map(self._event, lines):
                if event.seq <= after:
                    raise StoreError(
                        "damaged", f"the store of plugin {self._process.plugin!r} sent events out of order"
                    )
                after = event.seq
                yield event

    def _fork(self, source_id: str, first: Event, last: int) -> None:
        self._call("fork", {"source_id": source_id, "first": first.line, "last": last})

    def _put_snapshot(self, session_id: str, name: str, seq: int, data: bytes) -> None:
        self._call("put_snapshot", {"session_id": session_id, "name": name, "seq": seq, "data": to_data(data)})

    def _get_snapshot(self, session_id: str, name: str) -> tuple[int, bytes] | None:
        kept = self._call("get_snapshot", [session_id, name])
        if kept is None:
            return None
        try:
            seq, data = kept
            return int(seq), base64.b64decode(data, validate=True)
        except (TypeError, ValueError):
            raise wrong(self._process, "no snapshot") from None

    def _opened(self) -> str:
        self._process.channel()
        if self._generation != self._process.generation:
            self.connect()
        return f"opened/{self._number}"

    def _call(self, method: str, arguments: Any) -> Any:
        return self._process.call(self._opened(), method, arguments, door="store", seconds=_SECONDS)

    def _event(self, line: Any) -> Event:
        try:
            envelope = json.loads(line)
            if all(type(envelope[name]) is kind for name, kind in _TYPES.items()):
                return Event(**envelope)
        except (TypeError, ValueError, KeyError, RecursionError):
            pass
        raise self._damaged("what is no event")

    def _damaged(self, what: str) -> StoreError:
        return StoreError("damaged", f"the store of plugin {self._process.plugin!r} sent {what}")
