"""Search files for a regular expression in another process: ripgrep, grep or a Python worker.

The process only says where lines match. The lines themselves are read here, through the workspace's own safe opening,
so that a link swapped in while it runs shows nothing from outside the root.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import IO, TYPE_CHECKING

from attrs import define, field

from inarch import SearchHit, SearchHits, ToolFailed, Walk
from inarch_sandbox_fs.engines import Engine, EngineFailed, Engines, environment
from inarch_sandbox_fs.matches import Found, Lines, parse
from inarch_sandbox_fs.opening import Open
from inarch_sandbox_fs.settings import Settings

if TYPE_CHECKING:
    import subprocess

_MOST_PATTERN = 1_000
_BATCH_BYTES = 1_000_000  # of paths on one command line; systems allow about 2 MB
_PIECE = 1 << 16
_MOST_MEMORY = 1 << 30


@define(eq=False, repr=False)
class Searcher:
    """Runs searches for one workspace and can stop them all."""

    root: str
    settings: Settings
    _engines: Engines = field(init=False)
    _running: set[subprocess.Popen[bytes]] = field(factory=set)
    _lock: threading.Lock = field(factory=threading.Lock)

    def __attrs_post_init__(self) -> None:
        self._engines = Engines(self.root, self.settings.search_engine)

    def search(self, root: int, open_it: Open, pattern: str, walk: Walk, ignore_case: bool, limit: int) -> SearchHits:
        """Return the lines of the walked files that match.

        Raises:
            ToolFailed: The pattern is wrong, or the time is up.
        """
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
                yield from parse(iter(partial(os.read, process.stdout.fileno(), _PIECE), b""), set(batch))
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
            "validation", f"the pattern is no regular expression: {complaint}",
            "escape characters that are meant literally, such as \\( and \\[",
        )  # fmt: skip
    if code not in engine.good and complaint:
        raise EngineFailed(complaint)


def _limit_memory(pid: int) -> None:
    """Keep a line without end from filling the memory; what reads it fails or passes over it."""
    import resource

    limit = getattr(resource, "prlimit", None)
    if limit is not None:
        try:
            limit(pid, resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY))
        except OSError:
            pass  # it has ended already, or this system won't have it limited


def _batches(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    """Cut the paths into runs that fit on a command line."""
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
