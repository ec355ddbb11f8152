"""The index of one root: finds and reads changed files, stores their facts, and answers queries."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from attrs import define, field, frozen

from inarch import ToolFailed, Workspace
from inarch_brief.tracer.facts.modules import TEST, role_of
from inarch_brief.tracer.facts.source import uncollected
from inarch_brief.tracer.indexing.file_reader import Changed, Limit, Progress, Reader, Reading, readable
from inarch_brief.tracer.indexing.tree_walk import MAX_FILES, walked
from inarch_brief.tracer.store.database import Busy, Store, transaction
from inarch_brief.tracer.store.kept_files import Shelf, kept_files, put_state, state

if TYPE_CHECKING:
    from inarch_brief.tracer.graph.call_graph import Graph
    from inarch_brief.tracer.indexing.background import Rest
    from inarch_brief.tracer.indexing.relink import Links


FEW = 150
"""With at most this many files the order does not matter: reading them takes half a second."""
UNINDEXED = "its callers may not be indexed yet"
NOTHING = "no Python files here, nor files in another supported language"
GOES_ON = "the next call continues (inarch trace index reads all)"
PATIENT = 60.0
"""From this wait for the graph on, any number of files in other languages is linked: a patient caller wants all."""
SCANNING = 0.3
"""The share of the reading time for finding the files that a question leads to."""
BACKGROUND_SECONDS = 0.2
"""The longest time that a batch of background reading holds the lock."""


_UNLINKED = "SELECT 1 FROM link_facts WHERE file NOT IN (SELECT file FROM linked WHERE mode = 'whole') LIMIT 1"


class Coverage(NamedTuple):
    """The indexed part of the tree, with notes for the reader."""

    indexed: int
    files: int
    notes: tuple[str, ...] = ()
    linked: str = ""
    """A note on the graph, "" when everything is linked."""
    is_without_code: bool = False

    @property
    def note(self) -> str | None:
        """One line for a tool's result, None when all is well."""
        parts = list(self.notes)
        if self.indexed < self.files:
            parts.insert(0, f"indexed {self.indexed:,} of {self.files:,} files, {GOES_ON}")
        return "; ".join(parts) or None

    def noted(self, *notes: str | None) -> str | None:
        """Join all notes on an answer, or return None without any."""
        nothing = NOTHING if self.is_without_code else None
        return "; ".join(note for note in (nothing, self.note, *notes) if note) or None


Answer = TypeVar("Answer")


@frozen(eq=False, repr=False)
class Look:
    """Options of one query."""

    workspace: Workspace
    moment: object = None
    stop: Callable[[], bool] = lambda: False
    progress: Progress | None = None
    about: str = ""

    def read(self, path: str) -> bytes | None:
        """Read a file, or return None if it is missing or not allowed."""
        return readable(self.workspace, path)

    def facts(self, index: Index, answer: Callable[[Shelf, Coverage], Answer]) -> Answer:
        """Answer from the facts of the files."""
        return self._asked(index, answer, linked=False)

    def linked(self, index: Index, answer: Callable[[Shelf, Coverage], Answer]) -> Answer:
        """Answer from the store, linked as far as time allows."""
        return self._asked(index, answer, linked=True)

    def graph(self, index: Index, answer: Callable[[Graph, Coverage], Answer]) -> Answer:
        """Answer from the graph, as far as it exists."""
        return self.linked(index, lambda shelf, found: answer(index.links.graph(shelf, found.linked), found))

    def _asked(self, index: Index, answer: Callable[[Shelf, Coverage], Answer], linked: bool) -> Answer:
        """Answer from an updated index. If the index is damaged, rebuild it."""
        for attempt in range(3):
            try:
                with index.opened(self, linked) as (connection, coverage):
                    return answer(Shelf(connection, self.read), coverage)
            except Damaged as error:
                index.recover(str(error), in_memory=attempt > 0)
        raise ToolFailed("execution", "the symbol index can't be built", "try again")


@define(eq=False, repr=False)
class Index:
    """Symbols of one root, kept up to date with its files."""

    store: Store
    seconds: float = 0.8
    link_seconds: float = 0.5
    whole_seconds: float = 0.1
    _lock: threading.RLock = field(factory=threading.RLock, init=False)
    _links: Links | None = field(default=None, init=False)
    _fresh: tuple[object, float, Coverage] | None = field(default=None, init=False)
    _wanted: Mapping[str, float] = field(factory=dict, init=False)
    """The files that the last question leads to."""
    _lacks_code: bool = field(default=False, init=False)
    """Whether files other than tests are still to be read."""
    _rest: Rest | None = field(default=None, init=False)
    _others: int = field(default=0, init=False)
    """Files of other languages than Python in the last walk of the tree."""

    @property
    def links(self) -> Links:
        """The updater of the graph."""
        if self._links is None:
            from inarch_brief.tracer.indexing.relink import Links

            self._links = Links(self.store, self._lock, self.whole_seconds)
        return self._links

    @contextmanager
    def opened(self, look: Look, linked: bool = False) -> Iterator[tuple[sqlite3.Connection, Coverage]]:
        """Update the index and lend a connection to it."""
        with self._lock, self.store.connection() as connection:
            try:
                coverage = self._current(connection, look)
                if linked:
                    coverage = self._with_others(connection, look, self._linked(connection, look, coverage))
                # A transaction hides writes of other processes: the rows found stay until they are read.
                connection.execute("BEGIN")
                try:
                    yield connection, coverage
                finally:
                    connection.execute("ROLLBACK")
            except sqlite3.DatabaseError as error:
                raise Damaged(str(error)) from error

    def close(self) -> None:
        """Stop background work. Finished work stays."""
        if self._rest is not None:
            self._rest.stop()
        if self._links is not None:
            self._links.close()

    def recover(self, reason: str, in_memory: bool) -> None:
        """Discard the stored index. The next use rebuilds it, on disk or in memory."""
        with self._lock:
            self._fresh = None
            self.store.discard()
            if in_memory:
                self.store.keep_in_memory(reason)

    def _current(self, connection: sqlite3.Connection, look: Look) -> Coverage:
        now, moment = time.monotonic(), look.moment
        if self._fresh and moment is not None and self._fresh[0] == moment and now - self._fresh[1] < 5:
            return self._fresh[2]
        coverage = self.refresh(connection, look)
        complete = coverage.indexed == coverage.files
        self._fresh = (moment, time.monotonic(), coverage) if complete else None
        return coverage

    def refresh(self, connection: sqlite3.Connection, look: Look) -> Coverage:
        """Read the changed files as far as time allows and return the coverage."""
        limit = Limit(self.seconds)
        # Before the walk: files that another process adds meanwhile do not count as deleted.
        kept = kept_files(connection)
        found = walked(look.workspace, kept)
        self._others = found.others
        gone, changed = found.gone, found.changed
        self._wanted = {}
        if look.about and len(changed) > FEW:
            from inarch_brief.tracer.indexing.tree_walk import led

            self._wanted = led(look.workspace, changed, look.about, Limit(self.seconds * SCANNING))
        # However long the walk took, at least half of the time remains.
        limit = Limit(max(limit.left, self.seconds / 2))

        def keep(reading: Reading) -> bool:
            known = self._keep(connection, gone, reading)
            gone.clear()
            return known

        reader = Reader(look.workspace, kept, limit, look.stop, look.progress, keep)
        reading = reader.read(changed, self._wanted)
        self._lacks_code = any(role_of(item.path) != TEST for item in reading.rest)
        self._go_on_with(look.workspace, reading.rest)
        notes = [f"only the first {MAX_FILES:,} files are indexed"] if found.truncated else []
        if reading.is_refused:
            notes.append("another process is writing the index: the answer is from before its changes")
        indexed = connection.execute("SELECT count(*) FROM files").fetchone()[0] + reading.skipped
        notes += _unparsable(connection)
        if found.note:
            notes.append(found.note)
        if reading.skipped:
            files = "1 file" if reading.skipped == 1 else f"{reading.skipped:,} files"
            notes.append(f"{files} can't be read")
        if self.store.note:
            notes.append(self.store.note)
        return Coverage(min(indexed, found.files), found.files, tuple(notes), is_without_code=not found.code)

    def _with_others(self, connection: sqlite3.Connection, look: Look, coverage: Coverage) -> Coverage:
        """Link the files of other languages."""
        if not self._others:
            return coverage
        from inarch_brief.tracer.indexing.other_arcs import bring_others

        read = partial(readable, look.workspace)
        note = bring_others(connection, look.workspace, read, self.link_seconds >= PATIENT, self.link_seconds)
        return coverage._replace(linked="; ".join(filter(None, (coverage.linked, note))))

    def _go_on_with(self, workspace: Workspace, files: Sequence[Changed]) -> None:
        """Read the remaining files after a while without questions. The next process continues if this one ends."""
        if self._rest is not None:
            self._rest.stop()
            self._rest = None
        if files:
            from inarch_brief.tracer.indexing.background import Rest

            self._rest = Rest(partial(self._read_on, workspace), files)
            self._rest.start()

    def _read_on(self, workspace: Workspace, files: Sequence[Changed]) -> Sequence[Changed]:
        """Read some more files, and return the rest, or nothing if continuing is useless."""
        with self._lock, self.store.connection() as connection:
            keep = partial(self._keep, connection, [])
            reading = Reader(workspace, {}, Limit(BACKGROUND_SECONDS), keep=keep).read(files)
            if not reading.kept:
                return ()  # the workspace is closed, or another process does the same
            if not reading.rest and not reading.is_refused:
                self.links.bring(connection, partial(readable, workspace), Limit(0.0))
            return reading.rest

    def _linked(self, connection: sqlite3.Connection, look: Look, coverage: Coverage) -> Coverage:
        """Link what is not linked yet, tests after the code."""
        limit, read = Limit(self.link_seconds), partial(readable, look.workspace)
        if not self._wanted and look.about and connection.execute(_UNLINKED).fetchone():
            self._wanted = _calling(connection, look.about)
        if self._lacks_code:
            self.links.bring_some(connection, read, limit, self._wanted)
            return coverage._replace(linked=UNINDEXED)
        return coverage._replace(linked=self.links.bring(connection, read, limit, look.progress, self._wanted))

    def _keep(self, connection: sqlite3.Connection, gone: list[str], reading: Reading) -> bool:
        """Store the results of a refresh. Return False if another process is writing."""
        ends = reading.kept > 0 and not reading.goes_on
        if not (gone or reading.entries or reading.touched or ends):
            return True
        # Imported here, so that an unchanged tree does not load the code that reads or writes files.
        from inarch_brief.tracer.store.file_rows import add, remove, touch, unless_newer

        try:
            with uncollected(), transaction(connection):
                reading.entries = unless_newer(connection, reading.entries)
                former = remove(connection, [*gone, *(entry.path for entry in reading.entries)])
                touch(connection, reading.touched)
                add(connection, reading.entries, former, gone, reading.goes_on)
                put_state(connection, "gone", (state(connection, "gone") or 0) + len(gone))
                put_state(connection, "generation", (state(connection, "generation") or 0) + 1)
        except Busy:
            return False
        return True


def _calling(connection: sqlite3.Connection, about: str) -> dict[str, float]:
    """Return the files that call something named in the question; they are linked first."""
    from inarch_brief.search import Index as Words
    from inarch_brief.search import understood

    words = Words(connection)
    return {path: 1.0 for name in understood(about).identifiers for path in words.calling(name)}


def _unparsable(connection: sqlite3.Connection) -> list[str]:
    """Return a note on the product code that has only names, because it does not parse."""
    rows = connection.execute(
        "SELECT path, unparsable FROM files WHERE unparsable != '' AND role = 'code' AND path LIKE '%.py' ORDER BY path"
    ).fetchall()
    if not rows:
        return []
    more = f" and {len(rows) - 1:,} more" if len(rows) > 1 else ""
    return [f"can't parse {rows[0][0]} ({rows[0][1]}){more}"]


class Damaged(Exception):
    """The stored index is unreadable and must be discarded."""
