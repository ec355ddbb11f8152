"""The index of one root: looks at the files, reads what changed, keeps what it found."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from attrs import define, field

from inarch import Workspace
from inarch_brief_tracer.facts.collecting import uncollected
from inarch_brief_tracer.facts.file_facts import NAMES
from inarch_brief_tracer.indexing.reading import Changed, Progress, Reader, Reading, readable
from inarch_brief_tracer.indexing.walking import MAX_FILES, walked
from inarch_brief_tracer.store.database import Busy, Store, transaction
from inarch_brief_tracer.store.kept_files import kept_files, put_state, state

if TYPE_CHECKING:
    from inarch_brief_tracer.indexing.relinking import Links, Version

PATIENT = 60.0
"""Seconds of waiting for the graph from which tests are read whole at once: who waits wants everything."""
NEAR_TESTS = 3
"""New test files up to which only they are linked, at first."""


class Coverage(NamedTuple):
    """How much of the tree is indexed, with what has to be said about it."""

    indexed: int
    files: int
    notes: tuple[str, ...] = ()
    linked: str = ""
    """What has to be said about the graph, "" when everything is linked."""

    @property
    def note(self) -> str | None:
        """One line for a tool's result, None when all is well."""
        parts = list(self.notes)
        if self.indexed < self.files:
            parts.insert(0, f"indexed {self.indexed:,} of {self.files:,} files, the next call goes on")
        return "; ".join(parts) or None

    def noted(self, *notes: str | None) -> str | None:
        """Join what has to be said about an answer, None if that is nothing."""
        own = self.note if self.files else "no Python files here"
        return "; ".join(note for note in (own, *notes) if note) or None


@define(eq=False, repr=False)
class Index:
    """Symbols of one root, kept up to date with its files.

    Args:
        store: Where the index is kept.
        seconds: Time that one call may spend on reading and parsing; the next call goes on.
        link_seconds: Time that one call may wait for linking, which goes on in the background.
    """

    store: Store
    seconds: float = 4.0
    link_seconds: float = 2.0
    notebooks: int = field(default=0, init=False)
    """How many there were at the last look at the tree: nothing in them is indexed."""
    _lock: threading.RLock = field(factory=threading.RLock, init=False)
    _links: Links | None = field(default=None, init=False)
    _whole: Version | None = field(default=None, init=False)
    """What the store held when everything was last seen to be read and linked."""
    _fresh: tuple[object, float, Coverage] | None = field(default=None, init=False)

    @property
    def links(self) -> Links:
        """What keeps the graph up to date."""
        if self._links is None:
            from inarch_brief_tracer.indexing.relinking import Links  # here: facts are answered without a graph

            self._links = Links(self.store, self._lock)
        return self._links

    @contextmanager
    def opened(
        self,
        workspace: Workspace,
        moment: object = None,
        stop: Callable[[], bool] = lambda: False,
        linked: bool = False,
        progress: Progress | None = None,
    ) -> Iterator[tuple[sqlite3.Connection, Coverage]]:
        """Bring the index up to date and lend a connection to it.

        Args:
            workspace: Where the files are read.
            moment: Calls with an equal moment share one look at the tree within five seconds; None looks always.
            stop: Asked between files; what was read until then is kept.
            linked: Whether the graph is wanted, too: `coverage.linked` says what is missing of it.
            progress: Told what is being done, and how much of how much is.
        """
        with self._lock, self.store.connection() as connection:
            try:
                deep = linked and self.link_seconds >= PATIENT
                coverage = self._current(connection, workspace, moment, stop, progress, deep)
                if linked:
                    coverage = self._linked(connection, workspace, coverage, stop, progress)
                # What another process writes meanwhile is not seen: rows found stay there until they are read.
                connection.execute("BEGIN")
                try:
                    yield connection, coverage
                finally:
                    connection.execute("ROLLBACK")
            except sqlite3.DatabaseError as error:
                raise Damaged(str(error)) from error

    def recover(self, reason: str, in_memory: bool) -> None:
        """Throw the kept index away, so that the next use builds it again: where it was, or in memory."""
        with self._lock:
            self._fresh = None
            self.store.discard()
            if in_memory:
                self.store.keep_in_memory(reason)

    def _current(
        self,
        connection: sqlite3.Connection,
        workspace: Workspace,
        moment: object,
        stop: Callable[[], bool],
        progress: Progress | None = None,
        deep: bool = False,
    ) -> Coverage:
        now = time.monotonic()
        if self._fresh and moment is not None and self._fresh[0] == moment and now - self._fresh[1] < 5:
            return self._fresh[2]
        coverage = self.refresh(connection, workspace, stop, progress, deep)
        complete = coverage.indexed == coverage.files
        self._fresh = (moment, time.monotonic(), coverage) if complete else None
        return coverage

    def refresh(
        self,
        connection: sqlite3.Connection,
        workspace: Workspace,
        stop: Callable[[], bool] = lambda: False,
        progress: Progress | None = None,
        deep: bool = False,
    ) -> Coverage:
        """Read what changed since the last time, as far as time allows, and say how far that was."""
        # Before the walk: what another process adds meanwhile is not gone.
        kept = kept_files(connection)
        found = walked(workspace, kept)
        self.notebooks, gone, changed = found.notebooks, found.gone, found.changed

        def keep(reading: Reading) -> bool:
            known = self._keep(connection, gone, reading)
            gone.clear()
            return known

        reading = Reader(workspace, kept, time.monotonic() + self.seconds, stop, progress, deep, keep).read(changed)
        notes = [f"only the first {MAX_FILES:,} Python files are looked at"] if found.truncated else []
        if reading.is_refused:
            notes.append("another process is writing the index: the answer is from before its changes")
        indexed = connection.execute("SELECT count(*) FROM files").fetchone()[0] + reading.skipped
        notes += _unparsable(connection)
        if reading.skipped:
            files = "1 Python file" if reading.skipped == 1 else f"{reading.skipped:,} Python files"
            notes.append(f"{files} can't be read")
        if self.store.note:
            notes.append(self.store.note)
        return Coverage(min(indexed, found.files), found.files, tuple(notes))

    def _linked(
        self,
        connection: sqlite3.Connection,
        workspace: Workspace,
        coverage: Coverage,
        stop: Callable[[], bool],
        progress: Progress | None,
    ) -> Coverage:
        """Link what is not, tests after the code that they call."""
        deadline = time.monotonic() + self.link_seconds
        if coverage.indexed < coverage.files:
            return coverage._replace(linked="the graph is made once all files are indexed")
        if self._whole is not None and self._whole == self.links.version(connection):
            return coverage._replace(linked=self.links.standing_note(connection))
        note = self.links.bring(connection, partial(readable, workspace), deadline, progress)
        if note == self.links.standing_note(connection):
            left = self._deepened(connection, workspace, deadline, stop, progress)
            note = left or self.links.bring(
                connection, partial(readable, workspace), deadline, progress, near=NEAR_TESTS
            )
            self._whole = None if left else self.links.whole
        return coverage._replace(linked=note)

    def _deepened(
        self,
        connection: sqlite3.Connection,
        workspace: Workspace,
        deadline: float,
        stop: Callable[[], bool],
        progress: Progress | None,
    ) -> str:
        """Read tests whole, which were read for their names only; say how many are left."""
        if not connection.execute("SELECT 1 FROM files WHERE level = ? LIMIT 1", (NAMES,)).fetchone():
            return ""
        kept = {path: known for path, known in kept_files(connection).items() if known.level == NAMES}
        changed = [
            Changed(path, stat, known.module)
            for path, known in kept.items()
            if (stat := workspace.stat(path)) is not None
        ]

        def keep(reading: Reading) -> bool:
            return self._keep(connection, [], reading)

        reading = Reader(workspace, kept, deadline, stop, progress, True, keep).read(changed)
        if reading.is_refused:
            return "another process is writing the index: tests are not linked yet"
        left = len(changed) - reading.kept - reading.skipped
        return f"{left:,} of {len(changed):,} test files are not linked yet" if left > 0 else ""

    def _keep(self, connection: sqlite3.Connection, gone: list[str], reading: Reading) -> bool:
        """Write what a refresh found out; False where another process writes."""
        if not (gone or reading.entries or reading.touched):
            return True
        # Here: where nothing changed, nothing that reads or writes files is loaded.
        from inarch_brief_tracer.store.file_rows import add, remove, touch, unless_newer

        try:
            with uncollected(), transaction(connection):
                reading.entries = unless_newer(connection, reading.entries)
                former = remove(connection, [*gone, *(entry.path for entry in reading.entries)])
                touch(connection, reading.touched)
                add(connection, reading.entries, former)
                # Counted here since counting takes as long as a question.
                put_state(connection, "words", connection.execute("SELECT count(*) FROM words").fetchone()[0])
                put_state(connection, "gone", (state(connection, "gone") or 0) + len(gone))
                put_state(connection, "generation", (state(connection, "generation") or 0) + 1)
        except Busy:
            return False
        if reading.links:
            self.links.fresh.update(reading.links)
        return True


def _unparsable(connection: sqlite3.Connection) -> list[str]:
    """Say which product code has names only, because it can't be parsed."""
    rows = connection.execute(
        "SELECT path, unparsable FROM files WHERE unparsable != '' AND role = 'code' ORDER BY path"
    ).fetchall()
    if not rows:
        return []
    more = f" and {len(rows) - 1:,} more" if len(rows) > 1 else ""
    return [f"can't parse {rows[0][0]} ({rows[0][1]}){more}"]


class Damaged(Exception):
    """The kept index can't be read; it is to be discarded."""
