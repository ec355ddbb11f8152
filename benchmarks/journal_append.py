"""CPU of recording and keeping one event, from 10 to 100,000 events, and time of `sync()`, each beside a bare baseline.

`python benchmarks/journal_append.py` prints microseconds an event beside a bare SQLite insert of the same line (reach:
60 µs, flat: the last step at most 1.2 × the one of 1,000). Then it prints the wall time of `Journal.sync()`, which
writes an event that waits and brings it to disk, beside a bare loop of `write` and `fdatasync` of as many bytes on the
same disk, in turns (reach: 1.5 ×); and the same with the recording of the event, which is in the rows above, too.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles

from inarch.contract.call_events import CallState
from inarch.contract.records import Effects, ToolCall
from inarch.journal.journal import Journal
from inarch.journal.redactor import Redactor
from inarch_plugins.sqlite_store.store import SqliteStore

STEPS = (10, 100, 1_000, 10_000, 100_000)
SYNCS, ROUNDS = 100, 7
FRAME = 4096 + 24
"""Bytes that SQLite writes to its log for an event that fits on the last page."""
ENVIRON = {"GEMINI_API_KEY": "AIza-not-a-key-0123456789abcdef", "GITHUB_TOKEN": "ghp_notatoken0123456789"}
CALL = ToolCall("0190-call", "call_1", "0190-turn", "read_file", {"file_path": "src/package/module.py"})
PAYLOAD = CallState("0190-call", "read_file", "executing", CALL, Effects(frozenset({"src/package/module.py"})))


def cpu_us(work: Callable[[], None], times: int) -> float:
    """Return microseconds of CPU that one of so many calls takes."""
    begun = time.process_time_ns()
    for _ in range(times):
        work()
    return (time.process_time_ns() - begun) / times / 1000


def appends(journal: Journal, folder: str) -> None:
    """Print the rows of appending."""
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
        print(f"{step:>8} {mine:>9.1f} {other:>9.1f} {mine / other:>6.2f}", flush=True)
        done = step
    bare.close()


async def syncs(journal: Journal, folder: str) -> None:
    """Print how long `sync` takes."""
    descriptor = os.open(Path(folder, "bare.log"), os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    data = b"x" * FRAME
    os.write(descriptor, data * SYNCS * ROUNDS)  # as in SQLite's log, the room is there before
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.close(descriptor)
    descriptor = os.open(Path(folder, "bare.log"), os.O_WRONLY)
    os.fsync(descriptor)
    rounds: list[tuple[float, float, float]] = []
    for _ in range(ROUNDS):
        ours: list[float] = []
        whole: list[float] = []
        bare: list[float] = []
        for _ in range(SYNCS):
            recording = time.perf_counter()
            journal.record(PAYLOAD, "0190-turn")
            begun = time.perf_counter()
            await journal.sync()
            between = time.perf_counter()
            os.write(descriptor, data)
            os.fdatasync(descriptor)
            ours.append(between - begun)
            whole.append(between - recording)
            bare.append(time.perf_counter() - between)
        rounds.append((median(ours), median(bare), median(whole)))
    os.close(descriptor)
    low, middle, high = quantiles([mine / other for mine, other, _ in rounds], n=4)
    mine, other, recorded = (median(times) * 1e6 for times in zip(*rounds, strict=True))
    print(
        f"sync: ours {mine:.0f} µs, bare {other:.0f} µs; ratio {middle:.2f} ({low:.2f} to {high:.2f});"
        f" with recording {recorded:.0f} µs, ratio {recorded / other:.2f}"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(SqliteStore(folder), "bench", redactor=Redactor.from_environ(ENVIRON))
        appends(journal, folder)
        asyncio.run(journal.sync())
        asyncio.run(syncs(journal, folder))
        journal.store.close()


if __name__ == "__main__":
    main()
