"""Search of files for a regular expression in another process: ripgrep, grep or a Python worker.

The process only reports where lines match. This module reads the lines through the workspace's own safe opening, so
that a link swapped in meanwhile shows nothing from outside the root.
"""

from __future__ import annotations

import os
import stat
import tempfile
import threading
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import IO, TYPE_CHECKING

from attrs import define, field

from inarch import SearchHit, SearchHits, ToolFailed, Walk
from inarch_lib.secrets.secret_names import end_from
from inarch_plugins.sandbox_fs.engines import Engine, EngineFailed, Engines, environment
from inarch_plugins.sandbox_fs.safe_open import Open
from inarch_plugins.sandbox_fs.settings import Settings

if TYPE_CHECKING:
    import subprocess


_MOST_TEXT = 300  # characters of a line that are shown
_MOST_OF_A_WORD = 200  # and of the last word in them: half of a secret would not be recognized as one
_MOST_RECORD = 1 << 16
_PROBE = 8_000  # a NUL in this many bytes at the start makes a file binary, as in git

Found = tuple[str, int, int]
"""Path, line counted from 1, and the offset of the line's first byte."""


def parse(lines: Iterable[bytes], names: set[str]) -> Iterator[Found]:
    """Yield the part before the second colon of each record; long records come in several pieces."""
    before, is_rest = b"", False
    for line in lines:
        if not is_rest:
            record = before + line
            if (found := _record(record, names)) is not None:
                yield found
            # Without a NUL it was a message, or the first half of a name with a newline in it.
            before = b"" if b"\0" in line or len(record) > _MOST_RECORD else record
        is_rest = not line.endswith(b"\n")


def _record(record: bytes, names: set[str]) -> Found | None:
    name, separator, rest = record.partition(b"\0")
    number, colon, rest = rest.partition(b":")
    offset, second_colon, _ = rest.partition(b":")
    if not (separator and colon and second_colon):
        return None
    path = name.decode("utf-8", "surrogateescape").removeprefix("./")
    while path not in names and "\n" in path:  # a message came before the name
        path = path.partition("\n")[2].removeprefix("./")
    return (path, int(number), int(offset)) if path in names and number.isdigit() and offset.isdigit() else None


@define(eq=False, repr=False)
class Lines:
    """Reader of matching lines, which keeps the last file open."""

    root: int
    open_it: Open
    _path: str = ""
    _descriptor: int = -1

    def hit(self, path: str, line: int, offset: int) -> SearchHit | None:
        """Return a hit with its text, or None if the file is binary or cannot be opened safely."""
        if path != self._path:
            self.close()
            self._path, self._descriptor = path, self._opened(path)
        if self._descriptor < 0:
            return None
        data = os.pread(self._descriptor, (_MOST_TEXT + _MOST_OF_A_WORD) * 4 + 2, offset)
        text = data.partition(b"\n")[0].removesuffix(b"\r").decode("utf-8", "replace")
        end = end_from(text, _MOST_TEXT, _MOST_OF_A_WORD)
        return SearchHit(path, line, text if end == len(text) else f"{text[:end]}…")

    def _opened(self, path: str) -> int:
        try:
            descriptor = self.open_it(self.root, path, os.O_RDONLY, True)
        except OSError:
            return -1
        if stat.S_ISREG(os.fstat(descriptor).st_mode) and b"\0" not in os.pread(descriptor, _PROBE, 0):
            return descriptor
        os.close(descriptor)
        return -1

    def close(self) -> None:
        """Close the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1


_MOST_PATTERN = 1_000
_BATCH_BYTES = 1_000_000  # of paths on one command line; systems allow about 2 MB
_PIECE = 1 << 16
_MOST_MEMORY = 1 << 30


@define(eq=False, repr=False)
class Searcher:
    """Searches of one workspace, which can all be stopped."""

    root: str
    settings: Settings
    _engines: Engines = field(init=False)
    _running: set[subprocess.Popen[bytes]] = field(factory=set)
    _lock: threading.Lock = field(factory=threading.Lock)

    def __attrs_post_init__(self) -> None:
        self._engines = Engines(self.root, self.settings.search_engine)

    def search(self, root: int, open_it: Open, pattern: str, walk: Walk, ignore_case: bool, limit: int) -> SearchHits:
        """Return the lines of the walked files that match."""
        if not pattern or len(pattern) > _MOST_PATTERN or not _is_text(pattern):
            raise ToolFailed("validation", f"not a pattern of 1 to {_MOST_PATTERN} characters: {pattern[:60]!r}")
        deadline = time.monotonic() + self.settings.search_seconds
        engines = self._engines.for_pattern(pattern, ignore_case)
        try:
            hits = self._first_that_works(engines, Lines(root, open_it), walk.paths, limit + 1, deadline)
        except TimeoutError:
            raise ToolFailed(
                "timeout", f"the search took longer than {self.settings.search_seconds:g} s",
                "search a smaller folder, or make the pattern simpler: no repeats inside repeats",
            ) from None  # fmt: skip
        return SearchHits(tuple(hits[:limit]), len(hits) > limit, walk.notes)

    def _first_that_works(
        self, engines: Iterable[Engine], lines: Lines, paths: Sequence[str], most: int, deadline: float
    ) -> list[SearchHit]:
        for engine in engines:
            try:
                return self._hits(engine, lines, paths, most, deadline)
            except EngineFailed:
                continue
            finally:
                lines.close()
        raise ToolFailed("execution", "no program to search with could be started", "install ripgrep")

    def _hits(self, engine: Engine, lines: Lines, paths: Sequence[str], most: int, deadline: float) -> list[SearchHit]:
        hits: list[SearchHit] = []
        for batch in _batches(paths):
            with closing(self._found(engine, lines.root, batch, most, deadline)) as places:
                for place in places:
                    hit = lines.hit(*place)
                    if hit is not None:
                        hits.append(hit)
                    if len(hits) >= most:
                        return hits
        return hits

    def _found(
        self, engine: Engine, root: int, batch: Sequence[str], most: int, deadline: float
    ) -> Generator[Found, None, None]:
        with tempfile.TemporaryFile() as complaints:
            process = self._start(engine, root, batch, most, complaints)
            timer = threading.Timer(max(deadline - time.monotonic(), 0), process.kill)
            timer.daemon = True
            timer.start()
            try:
                assert process.stdout is not None
                yield from parse(iter(partial(process.stdout.readline, _MOST_RECORD), b""), set(batch))
                process.wait()
                if time.monotonic() >= deadline:
                    raise TimeoutError
                complaints.seek(0)
                _require_done(engine, process.returncode, complaints.read(_PIECE).decode("utf-8", "replace").strip())
            finally:
                timer.cancel()
                process.kill()
                process.communicate()
                self._running.discard(process)

    def _start(
        self, engine: Engine, root: int, batch: Sequence[str], most: int, complaints: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        import subprocess

        names = [f"./{path}" for path in batch]
        arguments = [*engine.command(most), *([] if engine.names_on_input else names)]
        with self._lock, tempfile.TemporaryFile() as given:
            if engine.names_on_input:
                given.write("".join(f"{name}\0" for name in names).encode())
                given.seek(0)
            try:
                process = subprocess.Popen(
                    arguments,
                    stdin=given,
                    stdout=subprocess.PIPE,
                    stderr=complaints,
                    cwd=f"/proc/self/fd/{root}" if os.path.isdir(f"/proc/self/fd/{root}") else self.root,
                    env=environment(),
                    start_new_session=True,
                )
            except OSError as error:
                raise EngineFailed(str(error)) from None
            self._running.add(process)
        _limit_memory(process.pid)
        return process

    def close(self) -> None:
        """Kill every search that still runs."""
        with self._lock:
            for process in list(self._running):
                process.kill()


def _require_done(engine: Engine, code: int, complaint: str) -> None:
    if code == engine.wrong_pattern:
        raise ToolFailed(
            "validation", f"the pattern is not a regular expression: {complaint}",
            "escape characters that are meant literally, such as \\( and \\[",
        )  # fmt: skip
    if code not in engine.good and complaint:
        raise EngineFailed(complaint)


def _limit_memory(pid: int) -> None:
    """Limit memory, so that an endless line makes the program fail or skip it."""
    import resource

    limit = getattr(resource, "prlimit", None)
    if limit is not None:
        try:
            limit(pid, resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY))
        except OSError:
            pass  # it has ended already, or this system refuses the limit


def _batches(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    """Split the paths into groups that fit on a command line."""
    start, size = 0, 0
    for index, path in enumerate(paths):
        size += len(path) * 2 + 16  # the pointer, `./`, the NUL; two bytes for a character are usually too many
        if size > _BATCH_BYTES:
            yield paths[start:index]
            start, size = index, 0
    if start < len(paths):
        yield paths[start:]


def _is_text(pattern: str) -> bool:
    try:
        pattern.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in pattern
