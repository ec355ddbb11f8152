"""CPU and memory of going on with a session of 100,000 events, beside reading its rows with bare `sqlite3` and `json`.

`python benchmarks/resume.py [EVENTS]` makes a session of turns with ten requests and a call each (results of about
1,000 characters), then opens it in a process of its own. CPU is what that process took above one that only composes
the application, the memory its greatest resident set; reach: 2 s and 150 MB.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from statistics import median

from inarch.contract.events import (
    CallResult,
    CallState,
    ContextAdded,
    ContextDropped,
    DecisionMade,
    Event,
    ModelReplied,
    ModelRequested,
    SessionStarted,
    TurnEnded,
    TurnStarted,
    event_data,
)
from inarch.contract.ids import new_id, utc_now
from inarch.contract.records import CallPart, Effects, Message, Text, ToolCall, ToolResult, Turn, Usage
from inarch_sqlite_store.store import SqliteStore

EVENTS = 100_000
CALLS = 10
WHOLE = 10
RESULT = {"content": "def weigh(basket):\n    return sum(apple.grams for apple in basket)\n" * 14, "hash": "0" * 64}
MODEL = "offline/extractive"
RUNS = 3

_COMPOSE = """
import sys, inarch
app = inarch.compose(root=sys.argv[1], config={"profiles": {"default": {"model": "offline/extractive"}}})
app.store
"""
_RESUME = _COMPOSE + "app.session(sys.argv[2]).conversation.earlier_messages()\n"
_BARE = """
import json, sqlite3, sys
rows = sqlite3.connect(sys.argv[3]).execute("SELECT line FROM events ORDER BY id")
for (line,) in rows:
    json.loads(line)
"""


def turn_events(session_id: str, number: int) -> list[tuple[str, object]]:
    """Return the payloads of one turn with their turn ids."""
    asked, agent, now = new_id(), new_id(), utc_now()
    user = Turn(asked, "user", None, session_id, now, now, f"Do the thing number {number}, please.", status="done")
    turn = Turn(agent, "agent", asked, session_id, now, model=MODEL)
    usage = Usage(9000, 120, 8000, 0, Decimal(0))
    said: list[tuple[str, object]] = [
        (asked, TurnStarted(user)), (agent, TurnStarted(turn)), (agent, ContextAdded("mentions", "some context " * 20)),
        (agent, DecisionMade("native", "ask_model")),
    ]  # fmt: skip
    for step in range(CALLS):
        path = f"shop/module_{step}.py"
        call = ToolCall(new_id(), f"call_{step}", agent, "read_file", {"file_path": path})
        part = CallPart(call.id, call.provider_id, call.name, call.arguments)
        result = ToolResult(True, RESULT, metadata={"files": {path: f"{number:064x}"}, "duration_s": 0.001})
        said += [
            (agent, ModelRequested(MODEL, "turn", 12, 20)),
            (agent, ModelReplied(MODEL, Message("assistant", (Text("Let me look."), part)), usage, "calls", 0.5)),
            (agent, CallState(call.id, call.name, "validating", call)),
            (agent, CallState(call.id, call.name, "scheduled", effects=Effects(frozenset({path})))),
            (agent, CallState(call.id, call.name, "executing")),
            (agent, CallResult(call.id, call.name, "success", result, now, now)),
        ]
    done = Turn(agent, "agent", asked, session_id, now, now, "It is done.", MODEL, usage=usage, status="done")
    said += [
        (agent, ModelRequested(MODEL, "turn", 12, 20)),
        (agent, ModelReplied(MODEL, Message("assistant", (Text("It is done."),)), usage, "stop", 0.5)),
        (agent, TurnEnded(done)),
    ]
    return said


def aged(agents: list[str]) -> ContextDropped:
    """Return what the kernel records before a turn: which earlier ones are shortened and dropped."""
    short, gone = agents[-WHOLE - 1 : -WHOLE], agents[-5 * WHOLE - 1 : -5 * WHOLE]
    return ContextDropped("turns", 3000, tuple(short), tuple(gone))


def fill(store: SqliteStore, session_id: str, root: str, count: int) -> None:
    """Append `count` events."""
    events = [Event(1, utc_now(), session_id, None, "session.started", event_data(SessionStarted(root, "1")))]
    number = seq = 1
    agents: list[str] = []
    while seq < count:
        said = [("", aged(agents)), *turn_events(session_id, number)]
        agents.append(said[2][0])
        for turn_id, payload in said[: count - seq]:
            seq += 1
            events.append(Event(seq, utc_now(), session_id, turn_id, payload.kind, event_data(payload)))  # type: ignore[attr-defined,arg-type]
        store.append(session_id, events)
        events, number = [], number + 1


def measured(code: str, *words: str) -> tuple[float, float]:
    """Return CPU seconds and megabytes of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    program = f"{code}\nimport resource\nprint(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    said = subprocess.run([sys.executable, "-P", "-c", program, *words], check=True, stdout=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    unit = 1 if sys.platform == "darwin" else 1024
    return cpu, int(said.stdout.split()[-1]) * unit / 1e6


def _median(measures: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return median(cpu for cpu, _ in measures), median(memory for _, memory in measures)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS
    with tempfile.TemporaryDirectory() as folder:
        root = str(Path(folder, "project"))
        Path(root).mkdir()
        os.environ |= {f"XDG_{name}_HOME": f"{folder}/{name.lower()}" for name in ("STATE", "CONFIG", "CACHE")}
        state = Path(folder, "state", "inarch")
        store = SqliteStore(str(state))
        session_id = new_id()
        begun = time.monotonic()
        fill(store, session_id, root, count)
        store.close()
        size = (state / "sessions.db").stat().st_size
        print(f"{count:,} events, {size / 1e6:.0f} MB, made in {time.monotonic() - begun:.0f} s")
        words = (root, session_id, str(state / "sessions.db"))
        measured(_RESUME, *words)
        rows = [[measured(code, *words) for code in (_BARE, _COMPOSE, _RESUME)] for _ in range(RUNS)]
        bare, compose, resume = (_median(column) for column in zip(*rows, strict=True))
        print(f"{'':<28}{'CPU s':>8}{'MB':>8}")
        for name, (cpu, memory) in (("bare rows and json", bare), ("compose only", compose), ("resume", resume)):
            print(f"{name:<28}{cpu:>8.2f}{memory:>8.0f}")
        ratio = (resume[0] - compose[0]) / bare[0]
        print(f"resume above compose: {resume[0] - compose[0]:.2f} s CPU, {ratio:.2f} × bare")


if __name__ == "__main__":
    main()
