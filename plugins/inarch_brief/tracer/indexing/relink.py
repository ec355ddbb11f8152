"""Linking of one root: changed files within a budget, the rest in the background."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import define, field

from inarch_brief.tracer.facts.source import uncollected
from inarch_brief.tracer.indexing.file_reader import Limit, Progress
from inarch_brief.tracer.store.database import Busy, Store, give_back, transaction
from inarch_brief.tracer.store.kept_files import Shelf, put_state, state

if TYPE_CHECKING:
    from inarch_brief.tracer.graph.arcs import Adjacency, Costs
    from inarch_brief.tracer.graph.call_graph import Graph
    from inarch_brief.tracer.linking.edges import Linked
    from inarch_brief.tracer.linking.link import Files

QUICK = 0.1
"""Up to this many CPU seconds, every change links everything again. Otherwise only the changed files come first."""
MAX_NEAR = 3
"""With at most this many changed files, only they are linked at first."""
A_FEW = 6
"""Files linked together if there is no time for all."""
A_FEW_BYTES = 30_000
"""The most bytes of their facts. A generated file is linked by itself, and last."""
SECONDS_A_BYTE = 1.2e-6
"""Approximate linking time for a byte of packed facts."""
LARGEST = 8_000_000
"""The most bytes of packed facts that are linked at once, in some 400 MB of memory."""
TOGETHER = 400
"""Files of a larger tree that are linked together."""
_SETTLED = 5.0
"""Seconds without a question before a large tree is linked again as a whole."""


class Stale(NamedTuple):
    """Files whose stored arcs do not reflect the whole tree."""

    missing: list[tuple[int, str]]
    near: int
    files: int

    @property
    def note(self) -> str:
        """A note on how much of the tree is linked; a few changed files are not worth one."""
        if self.missing:
            return f"{self.files - len(self.missing):,} of {self.files:,} files are linked, the rest follows"
        if self.near > MAX_NEAR:
            return f"{self.near:,} of {self.files:,} files are linked only with their imports, the rest follows"
        return ""


class Version(NamedTuple):
    """The version of a store's content: its creation, and the number of writes since."""

    path: str
    born: Any
    generation: Any
    linked: Any


class _Read(NamedTuple):
    """Facts by path, and the hashes of the files' bytes: files that change during linking are linked again."""

    files: Files
    hashes: Mapping[str, str]


class _Whole(NamedTuple):
    """The result of linking all files."""

    linked: Linked
    hashes: Mapping[str, str]
    seconds: float


def _whole(given: _Read) -> _Whole:
    """Link all files."""
    from inarch_brief.tracer.linking.link import link

    start = time.thread_time()
    try:
        return _Whole(link(given.files), given.hashes, time.thread_time() - start)
    except ValueError as error:
        raise sqlite3.DatabaseError(f"damaged link facts: {error}") from error


def _read(connection: sqlite3.Connection) -> _Read:
    rows = connection.execute(
        "SELECT f.path, f.module, f.hash, l.facts FROM files f JOIN link_facts l ON l.file = f.id"
    ).fetchall()
    return _Read({row[0]: (row[1], row[3]) for row in rows}, {row[0]: row[2] for row in rows})


@define(eq=False, repr=False)
class Links:
    """Updater of the arcs of a root."""

    store: Store
    lock: threading.RLock
    at_once: float = QUICK
    whole: Version | None = field(default=None, init=False)
    """The version of the store when every file was last known to be linked. It is valid until the next write."""
    _later: threading.Timer | None = field(default=None, init=False)
    _known: tuple[Version, Adjacency, Costs] | None = field(default=None, init=False)

    def bring(
        self,
        connection: sqlite3.Connection,
        read: Callable[[str], bytes | None],
        limit: Limit,
        progress: Progress | None = None,
        wanted: Mapping[str, float] = MappingProxyType({}),
    ) -> str:
        """Link unlinked files while there is time, and return a note on the rest."""
        version = self.version(connection)
        stale = _stale(connection) if version != self.whole else None
        if stale is None or not (stale.missing or stale.near):
            self.whole = version
            return self.standing_note(connection)
        if progress is not None and stale.missing:
            progress("linking", stale.files - len(stale.missing), stale.files)
        left = max(limit.left, self.at_once)
        cost = state(connection, "link_seconds")
        is_small = len(stale.missing) <= MAX_NEAR and stale.near <= MAX_NEAR and cost is not None and cost > QUICK
        try:
            if not is_small and (_estimated(connection) if cost is None else cost) <= left:
                return self._all(connection, read)
            if stale.missing:
                self.bring_some(connection, read, limit, wanted)
            self._link_later(read)
            return _stale(connection).note
        except Busy:
            return "another process is writing the index: the graph is from before its changes"

    def bring_some(
        self,
        connection: sqlite3.Connection,
        read: Callable[[str], bytes | None],
        limit: Limit,
        wanted: Mapping[str, float],
    ) -> None:
        """Link some unlinked files, each with its imports: wanted ones first, and a few even without time."""
        sizes = dict(connection.execute("SELECT file, length(facts) FROM link_facts"))
        missing = sorted(_stale(connection).missing, key=lambda item: (-wanted.get(item[1], 0.0), sizes[item[0]]))
        while missing:
            few = missing[:1]
            while len(few) < min(A_FEW, len(missing)) and sum(sizes[file] for file, _ in few) < A_FEW_BYTES:
                few.append(missing[len(few)])
            missing = missing[len(few) :]
            try:
                self._link_near(connection, read, [file for file, _ in few])
            except Busy:
                break  # the other process's result will do
            if limit.is_over:
                break

    def version(self, connection: sqlite3.Connection) -> Version:
        """Return the version of the store's content. Results for one version stay valid until it changes."""
        rows = connection.execute("SELECT name, value FROM state WHERE name IN ('born', 'generation', 'linked')")
        found = dict(rows.fetchall())
        return Version(self.store.path, *(found.get(name) for name in Version._fields[1:]))

    def standing_note(self, connection: sqlite3.Connection) -> str:
        """Return the note on a complete graph: how coarsely it was linked, or ""."""
        return state(connection, "link_note") or ""

    def graph(self, shelf: Shelf, note: str = "") -> Graph:
        """Return the stored graph; `note` names what is missing."""
        from inarch_brief.tracer.graph.arcs import Costs, adjacency
        from inarch_brief.tracer.graph.call_graph import Graph

        version = self.version(shelf.connection)
        if self._known is None or self._known[0] != version:
            self._known = None  # freed before the next one is built: that of a large tree takes much memory
            known = adjacency(shelf.connection)
            self._known = (version, known, Costs(known))
        return Graph(shelf, self._known[1], self._known[2], note)

    def close(self) -> None:
        """Cancel background work that has not begun. Finished work stays."""
        if self._later is not None:
            self._later.cancel()

    def _link_later(self, read: Callable[[str], bytes | None]) -> None:
        """Link everything again after a while: a change may affect unchanged files."""
        from inarch_brief.tracer.facts.manifests import MANIFESTS

        if self._later is None or not self._later.is_alive():
            # By then the workspace of this call may be closed.
            manifests = {name: read(name) for name in MANIFESTS}
            self._later = threading.Timer(_SETTLED, self._late, (manifests.get,))
            self._later.daemon = True  # ends with the process
            self._later.start()

    def _late(self, read: Callable[[str], bytes | None]) -> None:
        try:
            with self.lock, self.store.connection() as connection:
                if _bytes(connection) > LARGEST:
                    self._all(connection, read)
                    return
                given = _read(connection)
            found = _whole(given)
            with self.lock, self.store.connection() as connection:
                self._keep(connection, read, found)
        except (Busy, sqlite3.Error):
            pass  # the next call starts again

    def _all(self, connection: sqlite3.Connection, read: Callable[[str], bytes | None]) -> str:
        """Link all files: at once, or to save memory some at a time, each with its imports."""
        if _bytes(connection) <= LARGEST:
            return self._keep(connection, read, _whole(_read(connection)))
        from inarch_brief.tracer.indexing.partial_link import link_near

        start = time.thread_time()
        rows = connection.execute("SELECT f.id FROM files f JOIN link_facts l ON l.file = f.id ORDER BY f.path")
        files = [number for (number,) in rows.fetchall()]
        for first in range(0, len(files), TOGETHER):
            with uncollected(), transaction(connection):
                link_near(Shelf(connection, read), files[first : first + TOGETHER], "whole")
        note = "the tree is large: callbacks and calls through many classes may be missing"
        with transaction(connection):
            self._finish(connection, read, time.thread_time() - start, note)
        return note

    def _keep(self, connection: sqlite3.Connection, read: Callable[[str], bytes | None], found: _Whole) -> str:
        """Store the calls of files that did not change meanwhile, and return a note."""
        from inarch_brief.tracer.indexing import arc_rows

        note = "; ".join(found.linked.notes)
        with uncollected(), transaction(connection):
            rows = connection.execute("SELECT id, path, hash FROM files").fetchall()
            files = {number for number, path, content in rows if found.hashes.get(path) == content}
            arc_rows.put_linked(connection, found.linked, files, "whole")
            self._finish(connection, read, found.seconds, note)
        return note

    def _finish(
        self, connection: sqlite3.Connection, read: Callable[[str], bytes | None], seconds: float, note: str
    ) -> None:
        from inarch_brief.tracer.indexing import arc_rows
        from inarch_brief.tracer.indexing.entry_nodes import gates_of

        arc_rows.mark_exports(connection)
        arc_rows.put_gates(connection, gates_of(Shelf(connection, read)))
        put_state(connection, "linked", (state(connection, "linked") or 0) + 1)
        put_state(connection, "link_seconds", seconds)
        put_state(connection, "link_note", note)
        put_state(connection, "gone", 0)
        give_back(connection)

    def _link_near(
        self, connection: sqlite3.Connection, read: Callable[[str], bytes | None], files: Sequence[int]
    ) -> None:
        from inarch_brief.tracer.indexing.partial_link import link_near

        with uncollected(), transaction(connection):
            link_near(Shelf(connection, read), files)
            put_state(connection, "linked", (state(connection, "linked") or 0) + 1)


def _estimated(connection: sqlite3.Connection) -> float:
    """Estimate the time to link everything from the size of the facts."""
    return SECONDS_A_BYTE * _bytes(connection)


def _bytes(connection: sqlite3.Connection) -> float:
    return float(connection.execute("SELECT total(length(facts)) FROM link_facts").fetchone()[0])


def _stale(connection: sqlite3.Connection) -> Stale:
    rows = connection.execute(
        "SELECT f.id, f.path, a.mode FROM link_facts l JOIN files f ON f.id = l.file"
        " LEFT JOIN linked a ON a.file = f.id WHERE a.mode IS NOT 'whole'"
    ).fetchall()
    files = connection.execute("SELECT count(*) FROM link_facts").fetchone()[0]
    return Stale(
        [(file, path) for file, path, mode in rows if mode in (None, "former")],
        sum(mode == "near" for *_, mode in rows) + (state(connection, "gone") or 0),
        files,
    )
