"""Database in the output folder, through which a batch's workers share its money and rate limits.

Before a worker sends a request, it holds the request's highest possible cost. Afterwards it gives back the unused part.
Holds and spending together never exceed the ceiling, whatever the number of workers. If a worker dies, its holds count
as spent, because the service may bill them. Each task has a lease, by which other workers see whether its worker lives.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from decimal import ROUND_CEILING, Decimal
from pathlib import Path

from attrs import frozen


@contextmanager
def leased(folder: Path) -> Iterator[None]:
    """Take a task's lease, and wait while another worker holds it, which may only have seemed dead."""
    file = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


@contextmanager
def leased_if_free(folder: Path) -> Iterator[bool]:
    """Take a task's lease if it is free, and yield whether it was."""
    try:
        file = os.open(folder / "lock", os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        yield True  # the folder is gone because its task has ended
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(file)


_NANO = Decimal(1_000_000_000)
_BUSY_S = 60.0
_MINUTE_S = 60.0
_USABLE = 0.9
"""Share of a service's limit that is used, the same as Inarch's for one process."""
_TABLES = (
    "CREATE TABLE IF NOT EXISTS total (one INTEGER PRIMARY KEY CHECK (one = 1), spent INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS holds (id INTEGER PRIMARY KEY AUTOINCREMENT, attempt TEXT NOT NULL, cost INTEGER)",
    "CREATE TABLE IF NOT EXISTS waits (model TEXT PRIMARY KEY, until REAL NOT NULL)",
    "CREATE TABLE IF NOT EXISTS sent (id INTEGER PRIMARY KEY AUTOINCREMENT, model TEXT, at REAL, tokens INTEGER)",
    "CREATE INDEX IF NOT EXISTS sent_at ON sent (model, at)",
    "INSERT OR IGNORE INTO total VALUES (1, 0)",
)


@frozen
class Room:
    """The money that is left: `free` now, or `held` by running requests."""

    free: Decimal
    held: Decimal


@frozen
class Ledger:
    """The shared database, which any process may open. Each method is one transaction."""

    path: Path
    ceiling: Decimal | None = None

    def make(self) -> None:
        """Create the tables if they do not exist."""
        with self._changing() as database:
            for statement in _TABLES:
                database.execute(statement)

    def hold(self, folder: str, cost: Decimal) -> tuple[int | None, Room]:
        """Set money aside for a task, by its folder.

        Returns:
            The number of the hold, or None if the money is short, and the money there was.
        """
        with self._changing() as database:
            room = self._room(database)
            if self.ceiling is not None and cost > room.free:
                return None, room
            made = database.execute("INSERT INTO holds (attempt, cost) VALUES (?, ?)", (folder, _units(cost)))
            return made.lastrowid, room

    def settle(self, hold: int, cost: Decimal | None) -> None:
        """Spend a request's cost and release the rest of its hold. An unknown cost (None) spends the whole hold."""
        with self._changing() as database:
            row = database.execute("DELETE FROM holds WHERE id = ? RETURNING cost", (hold,)).fetchone()
            if row is not None:  # otherwise it was counted as a dead worker's
                database.execute("UPDATE total SET spent = spent + ?", (row[0] if cost is None else _units(cost),))

    def give_up_dead(self) -> bool:
        """Count the holds of dead workers as spent, and return whether there were any."""
        with closing(self._open()) as database:
            folders = [folder for (folder,) in database.execute("SELECT DISTINCT attempt FROM holds")]
        found = False
        for folder in folders:
            with leased_if_free(Path(folder)) as is_dead:
                if is_dead:
                    self.give_up(folder)
                    found = True
        return found

    def give_up(self, folder: str | None = None) -> None:
        """Count a task's holds, or all holds, as spent."""
        which, values = ("", ()) if folder is None else (" WHERE attempt = ?", (folder,))
        with self._changing() as database:
            (lost,) = database.execute(f"SELECT COALESCE(SUM(cost), 0) FROM holds{which}", values).fetchone()
            database.execute(f"DELETE FROM holds{which}", values)
            database.execute("UPDATE total SET spent = spent + ?", (lost,))

    @property
    def spent(self) -> Decimal:
        """Return the money spent so far."""
        with closing(self._open()) as database:
            return Decimal(database.execute("SELECT spent FROM total").fetchone()[0]) / _NANO

    def refused(self, model: str, seconds: float) -> None:
        """Make all workers wait before they use a model again, as its service asked."""
        until = time.time() + seconds
        with self._changing() as database:
            database.execute(
                "INSERT INTO waits VALUES (?, ?) ON CONFLICT (model) DO UPDATE SET until = MAX(until, excluded.until)",
                (model, until),
            )

    def turn(self, model: str, tokens: int, requests: int | None, limit: int | None) -> tuple[float, int]:
        """Reserve a place among the requests of a minute.

        Args:
            model: The model's full name.
            tokens: Estimated tokens of the request.
            requests: Requests per minute that the service allows, or None.
            limit: Tokens per minute that the service allows, or None.

        Returns:
            The seconds to wait and 0, or 0.0 and the number of the place.
        """
        with self._changing() as database:
            now = time.time()
            row = database.execute("SELECT until FROM waits WHERE model = ?", (model,)).fetchone()
            if row is not None and row[0] > now:
                return row[0] - now, 0
            if requests is None and limit is None:
                return 0.0, 0
            database.execute("DELETE FROM sent WHERE at <= ?", (now - _MINUTE_S,))
            rows = database.execute("SELECT at, tokens FROM sent WHERE model = ? ORDER BY at", (model,)).fetchall()
            if seconds := _until_room(rows, tokens, requests, limit, now):
                return seconds, 0
            made = database.execute("INSERT INTO sent (model, at, tokens) VALUES (?, ?, ?)", (model, now, tokens))
            return 0.0, made.lastrowid or 0

    def corrected(self, place: int, tokens: int) -> None:
        """Replace the estimate of a request's tokens by the number that the service reported."""
        with self._changing() as database:
            database.execute("UPDATE sent SET tokens = ? WHERE id = ?", (tokens, place))

    def _room(self, database: sqlite3.Connection) -> Room:
        (spent,) = database.execute("SELECT spent FROM total").fetchone()
        (held,) = database.execute("SELECT COALESCE(SUM(cost), 0) FROM holds").fetchone()
        free = Decimal("Infinity") if self.ceiling is None else self.ceiling - Decimal(spent + held) / _NANO
        return Room(free, Decimal(held) / _NANO)

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        with closing(self._open()) as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")

    def _open(self) -> sqlite3.Connection:
        with suppress(FileExistsError):  # never open an existing file: closing it would drop SQLite's locks
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        database = sqlite3.connect(self.path, timeout=_BUSY_S, isolation_level=None)
        database.execute("PRAGMA synchronous = NORMAL")
        return database


def _units(cost: Decimal) -> int:
    return int((cost * _NANO).to_integral_value(ROUND_CEILING))


def _until_room(
    rows: list[tuple[float, int]], tokens: int, requests: int | None, limit: int | None, now: float
) -> float:
    """Return the seconds until one more request fits, as the oldest ones of the last minute expire."""
    most = max(1, int(requests * _USABLE)) if requests else None
    most_tokens = int(limit * _USABLE) if limit else None
    used = sum(one for _, one in rows)
    for at, (sent, took) in enumerate(rows):
        fits = most is None or len(rows) - at < most
        if fits and (most_tokens is None or used + tokens <= most_tokens):
            return 0.0 if at == 0 else max(0.01, rows[at - 1][0] + _MINUTE_S - now)
        used -= took
        last = sent
    return max(0.01, last + _MINUTE_S - now) if rows else 0.0
