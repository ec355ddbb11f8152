"""Goal of a session: folded from the session's events, while they happen or when they are read."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any

from attrs import define, field

import inarch
from inarch.capabilities import ScansKinds, able

SET, JUDGED, ENDED = "goal.set", "goal.judged", "goal.ended"
TURNS = 20
"""Rounds of a goal without `--turns`."""
BUDGET = Decimal(2)
"""US dollars of a goal without a user to ask for a budget."""
MOST_TURNS = 200
"""Most rounds of a goal."""
TESTS = re.compile(r"(^|/)(tests?|specs?|__tests__)/|(^|/)(test_|conftest)[^/]*$|[._-](test|spec)s?\.[^/]+$", re.I)
_MADE = re.compile(r"(^|/)(__pycache__|\.pytest_cache|\.mypy_cache|node_modules)/|\.pyc$")
_GOES_ON = " has been running for "
_FOUND = " wrote what was waited for"


@define
class Tries:
    """What the judgements of one turn found; `same` is equal failures in a row."""

    judged_calls: int = -1
    impossible: int = 0
    same: tuple[str, int] = ("", 0)


@define(eq=False, repr=False)
class Goal:
    """Goal of a session. `status` is empty, `active`, `paused`, or how the goal ended."""

    text: str = ""
    check: str = ""
    max_cost_usd: Decimal = BUDGET
    max_turns: int = TURNS
    status: str = ""
    reason: str = ""
    turns: int = 0
    cost_usd: Decimal = Decimal(0)
    turn_id: str = ""
    changed: dict[str, None] = field(factory=dict)
    pending: Mapping[str, Any] | None = None
    recorder: Callable[[str, Mapping[str, Any]], None] | None = None
    is_checking: bool = False
    failed: bool = False
    tries: Tries = field(factory=Tries)
    running: set[str] = field(factory=set)
    _waiting: set[str] = field(factory=set)
    _turn_ids: set[str] = field(factory=set)
    _wake: Callable[[], object] | None = None

    @classmethod
    def read(cls, events: Iterable[inarch.Event]) -> Goal:
        """Return the goal of stored events. One that was interrupted is paused."""
        goal = cls()
        for event in events:
            goal.take(event)
        goal.running.clear()  # a process ends with the program that started it
        if goal.status == "active":
            goal.status = "paused"
        return goal

    def is_active_in(self, turn_id: str) -> bool:
        """Return whether a turn works for the goal."""
        return self.status == "active" and self.turn_id == turn_id

    @property
    def is_open(self) -> bool:
        """Whether the goal can go on."""
        return self.status in ("active", "paused")

    def told(self) -> str:
        """Return the state of the goal, in a line."""
        why = f": {self.reason}" if self.reason else ""
        spent = f"{self.turns} of {self.max_turns} rounds, ${self.cost_usd:.2f} of ${self.max_cost_usd:.2f}"
        return f"{self.status} ({spent}){why}"

    def end(self, status: str, reason: str) -> None:
        """Record the end in the running turn."""
        assert self.recorder is not None
        told = f"{reason}; changed by the agent: {', '.join(self.changed)}" if self.changed else reason
        spent = {"turns": self.turns, "cost_usd": str(self.cost_usd)}
        self.recorder("ended", {"status": status, **spent, "text": told})
        self.status, self.reason = status, told  # tracers may see the event later

    async def heard(self, seconds: float) -> bool:
        """Wait for a message while a process runs; return whether there is one."""
        if not self._waiting and self.running:
            loop, news = asyncio.get_running_loop(), asyncio.Event()
            self._wake = lambda: loop.call_soon_threadsafe(news.set)
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    while self.running and not self._waiting:
                        await news.wait()
                        news.clear()
            self._wake = None
        return bool(self._waiting)

    def take(self, event: inarch.Event) -> None:
        """Follow an event of the session."""
        handler = _HANDLERS.get(event.kind)
        if handler is not None:
            handler(self, event)

    def _set(self, event: inarch.Event) -> None:
        data = event.data
        if data["is_new"]:
            self.turns, self.cost_usd, self.changed, self._turn_ids = 0, Decimal(0), {}, set()
        self.text, self.check = data["text"], data["check"]
        self.max_cost_usd, self.max_turns = Decimal(data["max_cost_usd"]), data["max_turns"]
        if event.turn_id:
            self.status, self.turn_id, self.reason, self.failed = "active", event.turn_id, "", False
            self.tries = Tries()
            self._turn_ids.add(event.turn_id)

    def _judged(self, event: inarch.Event) -> None:
        self.turns, self.reason = event.data["turn"], event.data["next"]

    def _ended(self, event: inarch.Event) -> None:
        self.status, self.reason = event.data["status"], event.data["text"]

    def _turn_ended(self, event: inarch.Event) -> None:
        if self.is_active_in(event.turn_id or ""):
            self.status = "paused"

    def _spent(self, event: inarch.Event) -> None:
        if event.turn_id in self._turn_ids:
            rows = event.data["spent"] if event.kind == "child.ended" else [event.data["usage"]]
            self.cost_usd += sum((Decimal(str(row["cost_usd"] or 0)) for row in rows), Decimal(0))

    def _file_changed(self, event: inarch.Event) -> None:
        if self.is_checking or not self.is_active_in(event.turn_id or ""):
            return
        for path in filter(None, (event.data["path"], event.data.get("new_path"))):
            is_named = path in self.text or path in self.check
            if (TESTS.search(path) and not _MADE.search(path)) or is_named:
                self.changed[path] = None

    def _error(self, event: inarch.Event) -> None:
        self.failed = self.failed or event.data.get("door") in ("", "provider")

    def _call_ended(self, event: inarch.Event) -> None:
        data = (event.data.get("result") or {}).get("data")
        if event.data["name"].endswith("_process") and isinstance(data, Mapping) and "state" in data:
            state = str(data["state"])
            process = str(data.get("process") or state.partition(" ")[0])
            (self.running.add if _GOES_ON in state else self.running.discard)(process)

    def _said(self, event: inarch.Event) -> None:
        self._waiting.add(event.data["id"])
        words = event.data["text"].split(" ", 2)
        if event.data.get("by") == "processes" and words[0] == "Process" and _FOUND not in event.data["text"]:
            self.running.discard(words[1])
        if self._wake is not None:
            self._wake()

    def _heard(self, event: inarch.Event) -> None:
        self._waiting.discard(event.data["id"])


_HANDLERS: Mapping[str, Callable[[Goal, inarch.Event], None]] = {
    SET: Goal._set,
    JUDGED: Goal._judged,
    ENDED: Goal._ended,
    "turn.ended": Goal._turn_ended,
    "model.replied": Goal._spent,
    "child.ended": Goal._spent,
    "file.changed": Goal._file_changed,
    "error": Goal._error,
    "call.result": Goal._call_ended,
    "input.waiting": Goal._said,
    "input.ended": Goal._heard,
}


def read_goal(access: inarch.SessionAccess) -> Goal:
    """Return a session's goal from its stored events."""
    store = access.store
    by_kind = able(store, ScansKinds)
    found = store.load(access.session_id) if by_kind is None else by_kind.scan_kinds(access.session_id, _HANDLERS)
    return Goal.read(found)
