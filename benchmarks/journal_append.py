"""CPU of recording and keeping one event, beside a bare SQLite insert of the same line, at 10 to 10,000 events.

`python benchmarks/journal_append.py` prints microseconds an event and their ratio; reach: 60 µs, flat.
"""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from inarch.contract.events import CallState
from inarch.contract.records import Effects, ToolCall
from inarch.journal import Journal, Redactor
from inarch_sqlite_store.store import SqliteStore

STEPS = (10, 100, 1_000, 10_000)
ENVIRON = {"GEMINI_API_KEY": "AIza-not-a-key-0123456789abcdef", "GITHUB_TOKEN": "ghp_notatoken0123456789"}
CALL = ToolCall("0190-call", "call_1", "0190-turn", "read_file", {"file_path": "src/package/module.py"})
PAYLOAD = CallState("0190-call", "read_file", "executing", CALL, Effects(frozenset({"src/package/module.py"})))


def cpu_us(work: Callable[[], None], times: int) -> float:
    begun = time.process_time_ns()
    for _ in range(times):
        work()
    return (time.process_time_ns() - begun) / times / 1000


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(SqliteStore(folder), "bench", redactor=Redactor.from_environ(ENVIRON))
        line = journal.record(PAYLOAD, "0190-turn").line
        bare = sqlite3.connect(Path(folder, "bare.db"), isolation_level=None)
        bare.executescript(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; CREATE TABLE t (id INTEGER PRIMARY KEY, line TEXT)"
        )

        def ours() -> None:
            journal.record(PAYLOAD, "0190-turn")
            journal.flush()

        def theirs() -> None:
            bare.execute("INSERT INTO t (line) VALUES (?)", (line,))

        ours()
        theirs()
        print(f"{'events':>8} {'ours µs':>9} {'bare µs':>9} {'ratio':>6}   (a line of {len(line)} characters)")
        done = 0
        for step in STEPS:
            mine, other = cpu_us(ours, step - done), cpu_us(theirs, step - done)
            print(f"{step:>8} {mine:>9.1f} {other:>9.1f} {mine / other:>6.2f}")
            done = step
        journal.store.close()
        bare.close()


if __name__ == "__main__":
    main()
