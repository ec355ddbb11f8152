"""State for resuming a session, read in one pass through its events without holding them all.

Of turns that the model no longer sees, it stores only that they existed. A session of 100,000 events takes no more
memory than its last turns, and with a snapshot no more time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from attrs import define, evolve, field

from inarch.contract.events import Event
from inarch.contract.records import SessionInfo
from inarch.contract.stores import ContextStore
from inarch.journal.fold import History, fold, is_readable_drop
from inarch.journal.interrupted_calls import OpenCalls, Settle, nobody_knows
from inarch_sdk.snapshots import between, folded


class Hearing(Protocol):
    """Port of an observer of every event of a resumed session, whose state can be stored."""

    def take(self, event: Event) -> object:
        """Process an event."""
        ...

    def to_data(self) -> Any:
        """Return the observer's state, as plain JSON data."""
        ...

    def go_on_from(self, data: Any) -> object:
        """Restore it from the data of `to_data`."""
        ...


H = TypeVar("H", bound=Hearing)


@define(eq=False, repr=False)
class _Held:
    """Events of the turns that may still be visible, by turn; a model does not need events outside of turns.

    `first` has the number of each turn's first event. For turns that began before a snapshot, events up to `start` are
    read again when they are known to be visible.
    """

    turns: dict[str, list[Event]] = field(factory=dict)
    asked: dict[str, str] = field(factory=dict)
    dropped: dict[str, None] = field(factory=dict)
    left_out: list[Any] = field(factory=list)
    seen: dict[str, str] = field(factory=dict)
    first: dict[str, int] = field(factory=dict)
    root: str = ""
    title: str = ""
    seq: int = 0
    start: int = 0
    fixed: dict[str, Any] = field(factory=dict)
    last_request: tuple[str, int, str] = ("", 0, "")
    compacted: bool = False
    open: OpenCalls = field(factory=OpenCalls)

    def take(self, event: Event) -> None:
        """Process an event; skip shapes that are not understood."""
        self.seq = max(self.seq, event.seq)
        self.open.take(event)
        turn_id = event.turn_id
        with suppress(KeyError, TypeError, ValueError, AttributeError):
            self._note(event.kind, event.data, event)
        if turn_id and turn_id not in self.dropped:
            self.turns.setdefault(turn_id, []).append(event)
            self.first.setdefault(turn_id, event.seq)

    def _note(self, kind: str, data: Mapping[str, Any], event: Event) -> None:
        if kind == "session.started":
            self.root = self.root or str(data.get("root", ""))
        elif kind == "context.dropped" and is_readable_drop(data):
            self.left_out.append(data)
            self._drop(data.get("turns") or ())
            self.compacted |= data.get("reason") != "turns"
        elif kind == "context.fixed":
            self.fixed[str(data["service"])] = data
        elif kind == "context.broken" and data.get("reason") != "service":
            self.fixed, self.last_request, self.compacted = {}, ("", 0, ""), False
        elif kind == "model.requested" and data["purpose"] == "turn" and not data.get("plugin"):
            self.last_request = str(data["model"]), int(data["messages"]), str(data.get("digest", ""))
        elif kind == "turn.started":
            self.title = self.title or SessionInfo.title_of((event,))
            if data["turn"]["type"] == "agent":
                self.asked[str(data["turn"]["id"])] = str(data["turn"].get("parent_id") or "")
        elif kind == "call.result":
            self._note_hashes((data["result"].get("metadata") or {}).get("files") or {})
        elif kind == "file.changed" and not event.turn_id:  # the model has not seen an undo, or a user's own command
            for key in ("path", "new_path"):
                self.seen.pop(str(data.get(key)), None)

    def _drop(self, turn_ids: Iterable[str]) -> None:
        """Release turns and the prompts they answer; the turn that records this is never one of them."""
        for turn_id in turn_ids:
            self.dropped[turn_id] = None
            for gone in (turn_id, self.asked.pop(turn_id, "")):
                self.turns.pop(gone, None)
                self.first.pop(gone, None)

    def _note_hashes(self, files: Mapping[str, str | None]) -> None:
        """Note the hashes of files that a call knew."""
        for path, digest in files.items():
            if digest is None:
                self.seen.pop(path, None)
            else:
                self.seen[path] = digest

    def to_data(self) -> Any:
        """Return the state needed to continue; of released turns it has only the fact that there were some."""
        left_out = [data for data in self.left_out if data.get("results")]
        shortened = [one for data in self.left_out for one in data.get("shortened") or () if one not in self.dropped]
        results = {call_id: ref for data in left_out for call_id, ref in data["results"].items()}
        return {
            "first": self.first, "asked": self.asked, "dropped": [*self.dropped], "shortened": shortened,
            "results": results, "seen": self.seen, "root": self.root, "title": self.title, "seq": self.seq,
            "open": self.open.to_data(), "fixed": self.fixed, "last_request": self.last_request,
            "compacted": self.compacted,
        }  # fmt: skip

    def go_on_from(self, data: Any) -> None:
        """Restore it from the data of `to_data`."""
        self.first, self.asked, self.seen = data["first"], data["asked"], data["seen"]
        self.root, self.title, self.seq = data["root"], data["title"], data["seq"]
        self.dropped = dict.fromkeys(data["dropped"])
        self.open.go_on_from(data["open"])
        self.fixed, self.last_request = data["fixed"], tuple(data["last_request"])
        self.compacted = data["compacted"]
        left_out = {"shortened": data["shortened"], "turns": data["dropped"], "results": data["results"]}
        self.left_out = [left_out] if any(left_out.values()) else []
        self.start = self.seq

    def events(self, earlier: Callable[[int, int], Iterable[Event]]) -> Iterator[Event]:
        """Yield the events of turns that may still be visible, in order; `earlier` reads those between two numbers."""
        # A snapshot has no events, so those before it are read again.
        before = {turn_id for turn_id, first in self.first.items() if first <= self.start}
        if before:
            first = min(self.first[turn_id] for turn_id in before)
            yield from (event for event in earlier(first, self.start) if event.turn_id in before)
        for turn in self.turns.values():
            yield from turn

    def history(self, events: Iterable[Event], blob: Callable[[str], bytes], settle: Settle) -> History:
        """Return the part of the session that a model may still see."""
        settled = [(call, settle(call)) for call in self.open.calls.values()]
        for _, found in settled:
            self._note_hashes((found.result.metadata.get("files") if found.result is not None else None) or {})
        kept = fold(events, blob, {call.id: found for call, found in settled})
        gone = tuple((turn_id, ()) for turn_id in self.dropped)
        return evolve(
            kept,
            said=(*gone, *kept.said),
            seen=self.seen,
            root=self.root,
            title=self.title,
            seq=self.seq,
            left_out=tuple(self.left_out),
            settled=tuple(settled),
            fixed=self.fixed,
            last_request=self.last_request,
            compacted=self.compacted,
        )


@define(eq=False, repr=False)
class Going(Generic[H]):
    """State to continue a session: the visible events, and the observer's state."""

    NAME: ClassVar[str] = "resume"
    VERSION: ClassVar[int] = 6
    hearing: H
    held: _Held = field(factory=_Held)

    def take(self, event: Event) -> None:
        """Process an event."""
        self.held.take(event)
        self.hearing.take(event)

    def to_data(self) -> Any:
        """Return both."""
        return [self.held.to_data(), self.hearing.to_data()]

    def go_on_from(self, data: Any) -> None:
        """Restore both."""
        held, hearing = data
        self.held.go_on_from(held)
        self.hearing.go_on_from(hearing)


def resume_kept(
    store: ContextStore, session_id: str, make: Callable[[], H], settle: Settle = nobody_knows
) -> tuple[History, H]:
    """Return the part of a stored session that a model may still see, and the observer of its events.

    The result equals that of `fold`, except that a dropped turn has only an empty entry in `said`. `settle` returns the
    outcome of a call without a result. `make` returns a new observer.

    Raises:
        StoreError: The events cannot be read.
    """
    going = folded(store, session_id, lambda: Going(make()))
    events = going.held.events(lambda first, last: between(store, session_id, first, last))
    return going.held.history(events, lambda ref: store.get_blob(session_id, ref), settle), going.hearing
