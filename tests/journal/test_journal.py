from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest

from inarch import Event, StoreError
from inarch.contract.call_events import CallOutput, CallResult, FileChanged
from inarch.contract.events import EventData, ModelDelta, Note, SessionStarted
from inarch.contract.records import ToolResult
from inarch.journal.journal import Journal
from inarch.journal.redactor import Redactor
from inarch_sdk.memory_store import MemoryStore
from inarch_testing.event_samples import full_turn, spare_turn

SECRET = "s3cr3t-value-of-a-key"
REDACTOR = Redactor.from_environ({"GEMINI_API_KEY": SECRET})


class Moody(MemoryStore):
    """A store that takes nothing while `mood` names a kind of trouble."""

    def __init__(self) -> None:
        super().__init__()
        self.mood: str = ""
        self.patience = 1_000_000
        self.asked = 0

    def append(self, session_id: str, events: Sequence[Event]) -> None:
        self.asked += 1
        if self.mood and self.asked <= self.patience:
            raise StoreError(self.mood, "no room", "or --no-journal")  # type: ignore[arg-type]
        self.mood = ""
        super().append(session_id, events)

    async def sync(self) -> None:
        if self.mood:
            raise StoreError(self.mood, "no room", "or --no-journal")  # type: ignore[arg-type]


def texts(store: MemoryStore, session: str = "s") -> list[str]:
    return [item.data.get("text", item.data.get("message", "")) for item in store.load(session)]


def test_events_are_numbered_and_kept_at_flush() -> None:
    store = MemoryStore()
    journal = Journal(store, "s", redactor=Redactor())
    first = journal.record(SessionStarted("/root", "1"))
    second = journal.record(Note("hello"))
    assert store.load("s") == []
    journal.flush()
    journal.flush()
    assert store.load("s") == [first, second]
    assert [(item.seq, item.kind, item.turn_id) for item in store.load("s")] == [
        (1, "session.started", None),
        (2, "note", None),
    ]


def test_deltas_are_shown_and_neither_numbered_nor_kept() -> None:
    store, shown = MemoryStore(), []
    journal = Journal(store, "s", redactor=REDACTOR, listeners=[shown.append])
    journal.record(Note("before"))
    delta = journal.record(ModelDelta(text=f"it is {SECRET}!"))
    journal.record(Note("after"))
    journal.flush()
    assert [item.kind for item in shown] == ["note", "model.delta", "note"]
    assert delta.data["text"] == "it is ‹secret:GEMINI_API_KEY›!"
    assert [item.seq for item in store.load("s")] == [1, 2]


def test_secrets_are_gone_before_anybody_sees_the_event() -> None:
    store, shown = MemoryStore(), []
    journal = Journal(store, "s", redactor=REDACTOR, listeners=[shown.append])
    event = journal.record(Note(f"key={SECRET}"))
    journal.flush()
    assert SECRET not in event.line + shown[0].line + store.load("s")[0].line
    assert event.data["text"] == "key=‹secret:GEMINI_API_KEY›"


@pytest.mark.parametrize("cut", range(1, len(SECRET)))
def test_a_secret_split_over_two_outputs_of_a_call_is_found(cut: int) -> None:
    journal = Journal(MemoryStore(), "s", redactor=REDACTOR)
    said = [
        journal.record(CallOutput("c", f"one {SECRET[:cut]}"), "t").data["text"],
        journal.record(CallOutput("other", "between"), "t").data["text"],
        journal.record(CallOutput("c", f"{SECRET[cut:]} two"), "t").data["text"],
    ]
    assert said == ["one ", "between", "‹secret:GEMINI_API_KEY› two"]


def test_a_listener_that_records_does_not_change_the_order_others_see() -> None:
    shown: list[Event] = []

    def answers(event: Event) -> None:
        if event.data["text"] == "question":
            journal.record(Note("answer"))

    journal = Journal(MemoryStore(), "s", redactor=Redactor(), listeners=[answers, shown.append])
    journal.record(Note("question"))
    journal.record(Note("end"))
    assert [(item.seq, item.data["text"]) for item in shown] == [(1, "question"), (2, "answer"), (3, "end")]


def test_threads_may_record_at_once() -> None:
    store, shown = MemoryStore(), []
    journal = Journal(store, "s", redactor=Redactor(), listeners=[shown.append])

    def work() -> None:
        for number in range(200):
            journal.record(Note(str(number)))
            journal.flush()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [item.seq for item in shown] == list(range(1, 801))
    assert [item.seq for item in store.load("s")] == list(range(1, 801))


def test_a_required_journal_raises_and_loses_nothing() -> None:
    store = Moody()
    journal = Journal(store, "s", redactor=Redactor())
    journal.record(Note("one"))
    store.mood = "full"
    for _ in range(2):
        with pytest.raises(StoreError, match="--no-journal"):
            asyncio.run(journal.sync())
    assert journal.degraded is not None
    journal.record(Note("two"))
    store.mood = ""
    journal.flush()
    assert journal.degraded is None
    assert texts(store) == ["one", "two"]


def test_a_best_effort_journal_says_so_once_and_goes_on() -> None:
    store, shown = Moody(), []
    journal = Journal(store, "s", redactor=Redactor(), listeners=[shown.append], required=False)
    journal.record(Note("one"))
    store.mood = "full"
    for text in ("two", "three"):
        asyncio.run(journal.sync())
        journal.record(Note(text))
    assert [item.data["message"] for item in shown if item.kind == "error"] == ["not recorded: no room"]
    store.mood = ""
    asyncio.run(journal.sync())
    asyncio.run(journal.sync())
    assert texts(store) == ["one", "not recorded: no room", "two", "three", "recording goes on"]
    assert [item.seq for item in store.load("s")] == [1, 2, 3, 4, 5]


def test_a_locked_store_is_asked_again() -> None:
    store = Moody()
    journal = Journal(store, "s", redactor=Redactor())
    journal.record(Note("one"))
    store.mood = "busy"
    store.patience = 3
    asyncio.run(journal.sync())
    assert store.asked == 4
    assert texts(store) == ["one"]


def test_a_session_that_another_process_writes_is_reported() -> None:
    store = MemoryStore()
    store.append("s", [Event(1, "2026-01-01T00:00:00.000000Z", "s", None, "note", {"text": "theirs"})])
    journal = Journal(store, "s", redactor=Redactor())
    journal.record(Note("mine"))
    with pytest.raises(StoreError, match="another process"):
        asyncio.run(journal.sync())


@pytest.mark.parametrize("payload", [*full_turn(), *spare_turn()], ids=lambda payload: payload.kind)
def test_nothing_of_a_turn_is_shown_before_the_store_has_it(payload: EventData) -> None:
    store, seen = MemoryStore(), []

    def saw(event: Event) -> None:
        seen.append((event.kind, event in store.load("s") or event.kind in ("model.delta", "call.output")))

    journal = Journal(store, "s", redactor=Redactor(), listeners=[saw])
    journal.record(payload, "t")
    journal.flush()
    assert all(was_kept for _, was_kept in seen)
    assert seen or payload.kind == "model.delta"


def test_what_happened_is_shown_though_the_store_takes_nothing() -> None:
    store, seen = Moody(), []
    store.mood = "full"
    journal = Journal(store, "s", redactor=Redactor(), listeners=[lambda event: seen.append(event.kind)])
    journal.record(FileChanged("c", "a", None, "1"))
    journal.record(Note("go on"), "t")
    assert seen == ["file.changed", "note"]
    with pytest.raises(StoreError):
        journal.flush()


def test_an_opened_session_is_kept_with_its_first_event_only() -> None:
    store, seen = MemoryStore(), []
    journal = Journal(store, "s", redactor=Redactor(), opening=True, listeners=[lambda e: seen.append(e.kind)])
    journal.record(SessionStarted("/root", "1"))
    journal.record(CallResult("c", "x", "cancelled", ToolResult(False)), "t")
    assert seen == ["session.started", "call.result"]
    assert store.load("s") == []
    journal.opening = False
    journal.record(Note("go"), "t")
    assert [event.kind for event in store.load("s")] == ["session.started", "call.result", "note"]
