"""Reading of changed files: from bytes to facts for the store and the linker, within a time limit."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from attrs import Factory, define, field

from inarch import Cancelled, FileStat, ToolFailed, Workspace
from inarch_brief.tracer.facts.modules import CODE, EXAMPLE, NOTEBOOK, TEST, TEXT, VENDORED, is_other, role_of
from inarch_brief.tracer.facts.source import uncollected
from inarch_brief.tracer.store.kept_files import Kept, Stamp

if TYPE_CHECKING:
    from inarch_brief.tracer.facts.file_facts import Facts
    from inarch_brief.tracer.indexing.other_files import OtherReader
    from inarch_brief.tracer.store.file_rows import FileRow


PATIENCE = 3.0
"""Wall-clock seconds allowed for one second of processor time, since the machine may be busy."""


class Limit:
    """A limit on processor time of this thread, and on the wall clock."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._spent = time.thread_time()
        self._start = time.monotonic()

    @property
    def left(self) -> float:
        """Remaining seconds of processor time; 0 after the wall-clock limit."""
        used = max(time.thread_time() - self._spent, (time.monotonic() - self._start) / PATIENCE)
        return max(0.0, self._seconds - used)

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        return self.left <= 0.0


BATCH_BYTES = 2_000_000
"""The size of a batch of file text. A batch is in memory until it is stored."""
AT_LEAST = 4
"""The fewest files read by any call, so that each call makes progress."""
MANY = 1_000
"""With more files than this, the cache of words is cleared afterwards to save memory."""
MAX_BYTES = 2_000_000
"""Larger Python files are generated data: up to this size their names are scanned, not parsed."""
LONGEST_LINES = 2_000
"""A large file with longer lines on average (in bytes) counts as generated data, too."""
_ORDER = {CODE: 0, TEXT: 1, TEST: 2, EXAMPLE: 3, VENDORED: 4}

Progress = Callable[[str, int, int], None]
"""Called with the current step, the number done and the total."""


def _is_minified(data: bytes) -> bool:
    """Return whether a file is data or generated: large, with very long lines."""
    return len(data) > 200_000 and data.count(b"\n") * LONGEST_LINES < len(data)


class Changed(NamedTuple):
    """A file to read."""

    path: str
    stat: FileStat
    module: str
    is_made: bool = False
    """Whether it is compiled from a file in `src`."""


def readable(workspace: Workspace, path: str) -> bytes | None:
    """Return the bytes of a file, or None if it is missing or not allowed."""
    try:
        return workspace.read(path).data
    except ToolFailed:
        return None


@define(eq=False, repr=False)
class Reading:
    """The results of one refresh. A large tree comes in batches, each stored before the next is read."""

    entries: list[FileRow] = Factory(list)
    touched: list[tuple[str, Stamp]] = Factory(list)
    skipped: int = 0
    size: int = 0
    """Characters of the entries' texts."""
    kept: int = 0
    """Entries in the stored batches."""
    goes_on: bool = True
    """Whether another batch follows."""
    is_refused: bool = False
    """Whether a batch could not be stored."""
    rest: list[Changed] = Factory(list)
    """The files left over when time ran out, in order."""

    @property
    def seen(self) -> int:
        """The number of new files, readable or not."""
        return self.kept + len(self.entries) + self.skipped

    def next(self) -> None:
        """Clear the batch for the next one."""
        self.kept += len(self.entries)
        self.entries, self.touched, self.size = [], [], 0


@define(eq=False, repr=False)
class Reader:
    """Reader of files within a time limit."""

    workspace: Workspace
    kept: Mapping[str, Kept]
    limit: Limit
    stop: Callable[[], bool] = lambda: False
    progress: Progress | None = None
    keep: Callable[[Reading], bool] = lambda _: True
    found: Reading = Factory(Reading)
    _others: OtherReader | None = field(default=None, init=False)

    def read(self, changed: Sequence[Changed], scores: Mapping[str, float] = MappingProxyType({})) -> Reading:
        """Read and store files: those with a score first, then product code."""
        ordered = sorted(
            changed,
            key=lambda item: (
                -scores.get(item.path, 0.0), _ORDER[VENDORED if item.is_made else role_of(item.path)],
                item.path.count("/"), item.path,
            ),
        )  # fmt: skip
        with uncollected(), ExitStack() as ending:
            ending.callback(self._end_others)
            for number, item in enumerate(ordered):
                if self.stop() or (self.found.seen >= AT_LEAST and self.limit.is_over):
                    self.found.rest = ordered[number:]
                    break
                if self.found.size >= BATCH_BYTES and not self._kept():
                    return self.found
                if self.progress is not None and number % 50 == 0:
                    self.progress("reading", number, len(ordered))
                try:
                    self._read_one(item)
                except Cancelled:
                    self.found.rest = ordered[number:]
                    break  # store the files read so far
            self.found.goes_on = False
            self._kept()
        if len(ordered) > MANY:
            from inarch_brief.search.tokens import terms_of_word

            terms_of_word.cache_clear()
        return self.found

    def _end_others(self) -> None:
        if self._others is not None:
            self._others.close()

    def _kept(self) -> bool:
        self.found.is_refused = not self.keep(self.found)
        if not self.found.is_refused:
            self.found.next()
        return not self.found.is_refused

    def _read_one(self, item: Changed) -> None:
        path, stat, module, is_made = item
        known = self.kept.get(path)
        now = time.time_ns()
        try:
            whole = self.workspace.read(path, max_bytes=MAX_BYTES)
        except ToolFailed:
            self.found.skipped += 1
            return
        stamp = Stamp(stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode, now)
        content = whole.hash or hashlib.sha256(whole.data).hexdigest()
        if known and known.hash == content and known.module == module:
            self.found.touched.append((path, stamp))
            return
        from inarch_brief.tracer.facts.parser import as_text, examined
        from inarch_brief.tracer.facts.source import is_bundled
        from inarch_brief.tracer.store.file_rows import FileRow

        role, data = role_of(path), whole.data
        if path.endswith(NOTEBOOK):
            from inarch_brief.languages.notebooks import code_of

            data = code_of(data)
        if is_other(path):
            facts, text = self._other(path, data)
            if role == CODE and (is_made or is_bundled(path, text)):
                role = VENDORED
            self._put(FileRow(path, module, role, stamp, content, facts, text))
            return
        if role == TEXT:
            self._put(FileRow(path, module, role, stamp, content, None, as_text(data)))
            return
        from inarch_brief.tracer.facts.link_facts import encode_links

        facts, text, links = examined(data, light=stat.size > MAX_BYTES or _is_minified(whole.data))
        self._put(FileRow(path, module, role, stamp, content, facts, text, encode_links(links)))

    def _put(self, row: FileRow) -> None:
        self.found.size += len(row.text)
        self.found.entries.append(row)

    def _other(self, path: str, data: bytes) -> tuple[Facts, str]:
        """Read a file in another language than Python."""
        if self._others is None:
            from inarch_brief.tracer.indexing.other_files import OtherReader

            self._others = OtherReader()
        return self._others.read(path, data)
