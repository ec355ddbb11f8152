"""Finding what SQLite passes over: a broken page in a write-ahead log ends the log there, and what follows is ignored.

The format is that of sqlite.org/fileformat2.html#walformat: a header of 32 bytes, then frames of 24 and a page each.
"""

from __future__ import annotations

import os
import sqlite3
import struct
from functools import partial
from pathlib import Path

from inarch_lib.staging import write_whole

_HEADER, _FRAME = 32, 24
_MAGIC = (0x377F0682, 0x377F0683)


def lost_writes(connection: sqlite3.Connection, database: Path) -> int:
    """Return how many writes stand in the log of a database that was just opened, behind a page that can't be read.

    Other processes may write meanwhile. What a process that was killed had not finished writing is not counted: its
    last frame, which says that the write is whole, never came that far.
    """
    wal = Path(f"{database}-wal")
    (page,) = connection.execute("PRAGMA page_size").fetchone()
    salts, commits = _commits(wal, page)
    if not commits:
        return 0
    _, read, _ = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    if read < 0 or _commits(wal, page)[0] != salts:  # another process has begun the log anew: it had read all of it
        return 0
    return sum(frame > read for frame in commits)


def keep_log(database: Path) -> Path | None:
    """Copy the log beside the database, for what may be had from it; None where it can't be kept."""
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
    """Return what marks the frames of this log, and the numbers of those that end a write, counted from 1."""
    try:
        descriptor = os.open(wal, os.O_RDONLY)  # SQLite keeps no locks on this file
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
