"""Database in use: opened, followed when another process replaces it, and replaced if its file is broken."""

from __future__ import annotations

import os
import sqlite3
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

import inarch
from inarch_lib.staging import write_whole
from inarch_plugins.sqlite_store import database
from inarch_plugins.sqlite_store.blobs import Blobs
from inarch_plugins.sqlite_store.durability import WriteAheadLog
from inarch_plugins.sqlite_store.faults import SQLITE_FAULTS, is_damage, store_error

_HEADER, _FRAME = 32, 24
_MAGIC = (0x377F0682, 0x377F0683)


def lost_writes(connection: sqlite3.Connection, database: Path) -> int:
    """Return the number of writes in a just opened database's log that come after an unreadable page.

    Other processes may write meanwhile. The unfinished write of a killed process does not count: its last frame, which
    completes a write, was never written.
    """
    wal = Path(f"{database}-wal")
    (page,) = connection.execute("PRAGMA page_size").fetchone()
    salts, commits = _commits(wal, page)
    if not commits:
        return 0
    _, read, _ = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    if read < 0 or _commits(wal, page)[0] != salts:  # another process has restarted the log after reading all of it
        return 0
    return sum(frame > read for frame in commits)


def keep_log(database: Path) -> Path | None:
    """Copy the log beside the database, for recovery; return None if that fails."""
    number = 1
    while (aside := Path(f"{database}-wal.damaged-{number}")).exists():
        number += 1
    try:
        with open(f"{database}-wal", "rb") as log:  # noqa: PTH123
            write_whole(aside, iter(partial(log.read, 1 << 20), b""), sync=False)
    except OSError:
        return None
    return aside


def _commits(wal: Path, page: int) -> tuple[bytes, list[int]]:
    """Return the mark of this log's frames, and the numbers of the frames that end a write, counted from 1."""
    try:
        descriptor = os.open(wal, os.O_RDONLY)  # SQLite holds no locks on this file
    except OSError:
        return b"", []
    try:
        header = os.read(descriptor, _HEADER)
        if len(header) < _HEADER:
            return b"", []
        first = os.pread(descriptor, _FRAME, _HEADER)
        salts = header[16:24] if _is_whole(header) else first[8:16]  # a broken header hides the whole log
        end = os.fstat(descriptor).st_size - _FRAME - page
        found = []
        for number, place in enumerate(range(_HEADER, end + 1, _FRAME + page), 1):
            frame = os.pread(descriptor, _FRAME, place)
            if frame[8:16] == salts and frame[4:8] != b"\0\0\0\0":
                found.append(number)
        return salts, found
    finally:
        os.close(descriptor)


def _is_whole(header: bytes) -> bool:
    magic = int.from_bytes(header[:4])
    if magic not in _MAGIC:
        return False
    one = two = 0
    words = struct.unpack(f"{'>' if magic & 1 else '<'}6I", header[:24])
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return (one, two) == struct.unpack(">2I", header[24:])


T = TypeVar("T")


class OpenDatabase:
    """The file `sessions.db` in a folder, for threads that share it.

    Args:
        folder: The folder.
        forget: Called when a new file replaces the one in use, before anything is read from it.
        rescue: Called with a broken file that was renamed; copies its readable events to the new one and returns their
            number.
    """

    connection: sqlite3.Connection

    def __init__(self, folder: Path, forget: Callable[[], None], rescue: Callable[[Path], int]) -> None:
        self.damage: list[str] = []
        self.only_read: inarch.StoreError | None = None
        self.unsynced = False
        self.last_sync_s = 0.0
        self.file = folder / database.FILE
        self._folder, self._forget, self._rescue = folder, forget, rescue
        self._lock = threading.RLock()
        self._sync_lock = threading.Lock()
        self._log = WriteAheadLog(self.file)
        self._closed = False

    def open(self) -> None:
        """Open the file; make it if it does not exist.

        Raises:
            StoreError: It cannot even be read.
        """
        try:
            self.connection = database.connect(self._folder)
        except SQLITE_FAULTS as error:
            if is_damage(error):
                self._begin_anew(None)
            else:
                self._open_for_reading(store_error(error, str(self.file)))
        except OSError as error:
            self._open_for_reading(store_error(error, str(self.file)))
        else:
            self._look_for_lost_writes()
        self._inode = self.file.stat().st_ino

    def _open_for_reading(self, error: inarch.StoreError) -> None:
        """Open a read-only database, so that sessions can at least be listed, shown and exported."""
        if error.kind not in ("full", "read_only", "permission"):
            raise error
        try:
            self.connection = database.connect_for_reading(self._folder)
        except (*SQLITE_FAULTS, OSError, inarch.StoreError):
            raise error from None
        self.only_read = error
        self.tell(f"sessions can only be read: {error.message}")

    def _look_for_lost_writes(self) -> None:
        try:
            lost = lost_writes(self.connection, self.file)
        except SQLITE_FAULTS:
            return  # busy or full: the next process to open it checks again
        if lost:
            kept = keep_log(self.file)
            self._tell_lost(
                f"the last {lost} writes to {self.file} are behind a broken page of its log and were lost"
                f"{f' (a copy is {kept.name})' if kept else ''}"
            )

    def carefully(self, work: Callable[[], T]) -> T:
        """Use the database; retry once with a new file if this one turns out to be broken.

        Raises:
            StoreError: It failed.
        """
        with self._lock:
            if self._closed:
                raise inarch.StoreError("missing", f"{self.file} is closed")
            self._follow_file()
            try:
                return work()
            except SQLITE_FAULTS as error:
                if self.only_read is not None:
                    raise self.only_read from error
                if not is_damage(error):
                    raise store_error(error, str(self.file)) from error
            self._begin_anew(self._inode)
            try:
                return work()
            except SQLITE_FAULTS as error:
                raise store_error(error, str(self.file)) from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do all of the body, or nothing of it."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.connection.execute("COMMIT")
        finally:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")

    def sync(self, blobs: Blobs) -> None:
        """Flush everything written to disk, including the files of blobs.

        Raises:
            StoreError: It failed.
        """
        with self._sync_lock:
            begun = time.monotonic()
            unsynced, self.unsynced = self.unsynced, False
            try:
                if unsynced:
                    self._log.sync()
                if blobs.waits:
                    blobs.sync()
            except OSError as error:
                self.unsynced = self.unsynced or unsynced  # others may have appended meanwhile
                raise store_error(error, str(self.file)) from error
            self.last_sync_s = time.monotonic() - begun

    def close(self) -> None:
        """Close the files."""
        with self._lock:
            self._closed = True
            self._let_go()

    def tell(self, sentence: str) -> None:
        """Record a loss, once."""
        if sentence not in self.damage:
            self.damage.append(sentence)

    def _tell_lost(self, what: str) -> None:
        self.tell(f"{what}; inarch sessions restore brings back what event logs have")

    def _follow_file(self) -> None:
        """Switch to the file that has the name now, if another process has replaced a broken one.

        Raises:
            StoreError: There is none: writes to the removed file would be lost.
        """
        try:
            is_same = self.file.stat().st_ino == self._inode
        except FileNotFoundError as error:
            why = f"{self.file} was removed while it was in use: nothing more is recorded"
            raise inarch.StoreError("missing", why, "end this run: the next one begins a new file") from error
        except OSError:
            return  # SQLite reports what is wrong
        if not is_same:
            self._begin_anew(self._inode)

    def _begin_anew(self, inode: int | None) -> None:
        """Rename the broken file and make a new one with its readable content."""
        aside: Path | None = None
        try:
            if inode is not None:
                self._let_go()
            self._forget()
            if inode is None or inode == self.file.stat().st_ino:  # otherwise another process has done it
                aside = database.set_aside(self._folder)
            self.connection = database.connect(self._folder)
            self._inode = self.file.stat().st_ino
            saved = self._rescue(aside) if aside is not None else 0
        except (*SQLITE_FAULTS, OSError) as error:
            raise store_error(error, str(self.file)) from error
        if aside is not None:
            self._tell_lost(f"{self.file} was damaged: it is now {aside.name}, {saved} events were saved from it")

    def _let_go(self) -> None:
        with self._sync_lock:
            self._log.close()
        try:
            self.connection.close()
        except SQLITE_FAULTS:
            pass  # a last checkpoint may fail on a full disk or a broken file; the log stays and is read next time
