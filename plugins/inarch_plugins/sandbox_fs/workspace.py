"""Workspace with safe access to files under one root descriptor."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define, evolve, field

from inarch import FileBytes, FileChange, FileStat, FileState, SearchHits, Survey, ToolFailed, UsageError, Walk
from inarch_lib.staging import is_leftover, rename_new
from inarch_lib.staging.copies import change_of
from inarch_plugins.sandbox_fs.failures import failure, missing, too_big
from inarch_plugins.sandbox_fs.file_read import digest, digest_of, file_stat, read_all, read_range, require_regular
from inarch_plugins.sandbox_fs.file_write import (
    parent_folder,
    require_hash,
    require_nothing,
    write_back,
    write_new,
    write_over,
)
from inarch_plugins.sandbox_fs.globs import Glob, compile_glob
from inarch_plugins.sandbox_fs.leftovers import sweep_folders
from inarch_plugins.sandbox_fs.paths import check_writable, inside, normal, split
from inarch_plugins.sandbox_fs.safe_open import LIST, PATH_ONLY, SAFE, Open, best_open, held
from inarch_plugins.sandbox_fs.settings import Settings
from inarch_plugins.sandbox_fs.walk import Walker, lies_in_repository

if TYPE_CHECKING:
    from inarch import Confinement, Piped, Ran, Rights
    from inarch_plugins.sandbox_fs.processes.background import Running
    from inarch_plugins.sandbox_fs.processes.runner import Runner
    from inarch_plugins.sandbox_fs.search import Searcher

T = TypeVar("T")


@define(eq=False, repr=False)
class FolderWorkspace:
    """Implementation of the `Workspace` port; threads may call its methods concurrently."""

    root: str
    _descriptor: int
    _open_it: Open
    _settings: Settings
    _searcher: Searcher | None = None
    _surveyed: tuple[str, ...] = ()
    """An empty name, and what the last survey found uncovered; empty before the first one."""
    _runner: Runner | None = None
    _writing: threading.Lock = field(factory=threading.Lock)

    @classmethod
    def open(cls, root: str, settings: Settings | None = None, open_it: Open | None = None) -> Self:
        """Open a folder as a workspace."""
        settings = settings or Settings()
        try:
            descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | SAFE)
        except (OSError, ValueError) as error:
            reason = (getattr(error, "strerror", None) or str(error)).lower()
            message = f"can't use {root} as the workspace: {reason}"
            raise UsageError(message, "name a folder that you can read") from None
        return cls(os.path.abspath(root), descriptor, open_it or best_open(descriptor), settings)

    def stat(self, path: str) -> FileStat | None:
        """Return the status of a path without following a link at its end, or None if nothing exists there."""
        path = inside(path, self.root)
        try:
            with held(self._open_it(self._descriptor, path, PATH_ONLY | os.O_NOFOLLOW, True)) as descriptor:
                return file_stat(path, os.fstat(descriptor))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise self._failure(error, path) from None

    def read(self, path: str, offset: int = 0, max_bytes: int | None = None) -> FileBytes:
        """Return bytes of a regular file; links are followed if they stay below the root."""
        path = inside(path, self.root)
        with self._file(path) as (descriptor, size):
            if offset == 0 and (max_bytes is None or size <= max_bytes):
                data = read_all(descriptor, size)
                return FileBytes(path, data, digest(data), len(data))
            wanted = max(size - offset, 0) if max_bytes is None else max_bytes
            data = read_range(descriptor, offset, wanted)
            return FileBytes(path, data, "", size, offset + len(data) < size)

    def digest(self, path: str) -> str:
        """Return the hash of a whole regular file, in bounded memory."""
        path = inside(path, self.root)
        with self._file(path) as (descriptor, size):
            if size > self._settings.max_streamed_bytes:
                raise too_big(path, size)
            return digest_of(descriptor)

    @contextmanager
    def _file(self, path: str) -> Iterator[tuple[int, int]]:
        """Yield the descriptor and the size of a regular file; links are followed if they stay below the root."""
        try:
            with held(self._open_it(self._descriptor, path, os.O_RDONLY, True)) as descriptor:
                yield descriptor, require_regular(descriptor, path).st_size
        except OSError as error:
            raise self._failure(error, path) from None

    def entries(self, path: str = ".") -> tuple[FileStat, ...]:
        """Return the entries of a directory by name, including ignored files and links.

        A name that is not UTF-8 has replacement characters and cannot be opened.
        """
        path = inside(path, self.root)
        prefix = "" if path == "." else f"{path}/"
        entries = []
        with self._folder(path) as descriptor:
            for name in sorted(one for one in os.listdir(descriptor) if not is_leftover(one)):
                try:
                    status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                except FileNotFoundError:
                    continue  # removed meanwhile
                shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
                entries.append(file_stat(prefix + shown, status))
        return tuple(entries)

    def replace(self, path: str, chunks: Iterable[bytes], expected_hash: str | None) -> FileChange:
        """Write a file atomically if its present hash is the expected one (None: it must not exist)."""
        path = self._writable(path)
        with self._changing(path, make=expected_hash is None) as (folder, name):
            if expected_hash is None:
                after = write_new(folder, name, path, chunks)
            else:
                after = write_over(folder, name, path, chunks, expected_hash)
        return FileChange(path, expected_hash, after)

    def remove(self, path: str, expected_hash: str) -> FileChange:
        """Remove a file if its present hash is the expected one."""
        path = self._writable(path)
        with self._changing(path) as (folder, name):
            require_hash(folder, name, path, expected_hash)
            os.unlink(name, dir_fd=folder)
        return FileChange(path, expected_hash, None)

    def move(self, path: str, new_path: str, expected_hash: str) -> FileChange:
        """Move a file with the expected hash to a path that is not in use."""
        path, new_path = self._writable(path), self._writable(new_path)
        with self._changing(path) as (folder, name):
            require_hash(folder, name, path, expected_hash)
            try:
                with parent_folder(self._descriptor, self._open_it, new_path, make=True) as (new_folder, new_name):
                    require_nothing(new_folder, new_name, new_path)
                    rename_new(folder, name, new_folder, new_name)
            except OSError as error:
                raise self._failure(error, new_path) from None
        return FileChange(path, expected_hash, expected_hash, new_path)

    def restore(self, path: str, entry: FileStat, blob: bytes) -> FileChange:
        """Restore a file's bytes and mode."""
        path = self._writable(path)
        with self._changing(path, make=True) as (folder, name):
            before, after = write_back(folder, name, path, blob, entry.mode)
        return FileChange(path, before, after)

    def restore_all(self, states: Sequence[FileState], near: Sequence[str] = ()) -> tuple[str, ...]:
        """Leave every path as its state says, or change nothing; return the folders that are not empty.

        Also remove what a killed attempt left beside these paths or those in `near`.
        """
        from inarch_plugins.sandbox_fs.restore import Restoration

        for state in states:
            if self._writable(state.path) != state.path:
                raise ToolFailed("validation", f"not a plain path: {state.path!r}")
        with self._writing:
            restoration = Restoration(self._descriptor, self._open_it)
            self._begin(state.path for state in states)
            try:
                restoration.run(states, near)
            except OSError as error:
                raise self._failure(error, restoration.at) from None
        return tuple(restoration.stayed)

    def survey(self, limit: int) -> Survey:
        """Return the entries below the root, and what undo does not cover; links are not followed."""
        from inarch_plugins.sandbox_fs.survey import Surveyor

        walker = Walker(self._descriptor, self._open_it, frozenset(), lies_in_repository(self.root))
        try:
            found = Surveyor(walker, limit).survey()
        except OSError as error:
            raise self._failure(error, ".") from None
        self._surveyed = ("", *found.uncovered)
        return found

    def uncovered(self) -> tuple[str, ...]:
        """Return the paths that commands could change beyond undo."""
        from inarch_plugins.sandbox_fs.survey import MOST_FILES

        try:
            return tuple(self.survey(MOST_FILES).uncovered)
        except ToolFailed:
            return (".",)

    def link_target(self, path: str) -> bytes:
        """Return the target of a symbolic link, as stored in it."""
        path = inside(path, self.root)
        try:
            with parent_folder(self._descriptor, self._open_it, path, make=False) as (folder, name):
                return os.fsencode(os.readlink(name, dir_fd=folder))
        except OSError as error:
            raise self._failure(error, path) from None

    def walk(self, pattern: str = "**/*", limit: int | None = None) -> Walk:
        """Return the sorted files that match a glob, without git-ignored ones and without following links."""
        return self._walk(compile_glob(inside(pattern, self.root)), limit)

    def _walk(self, glob: Glob, limit: int | None) -> Walk:
        try:
            return self._walker(glob.start).walk(glob, limit)
        except (FileNotFoundError, NotADirectoryError):
            return Walk((), notes=(f"there is no folder {glob.start}",))
        except OSError as error:
            raise self._failure(error, glob.start) from None

    def search(
        self, pattern: str, path: str = ".", glob: str | None = None, ignore_case: bool = False, limit: int = 100
    ) -> SearchHits:
        """Return the lines that match a regular expression, within a time limit.

        A `glob` without a slash matches names at any depth.
        """
        path = inside(path, self.root)
        found = self.stat(path)
        if found is None:
            raise missing(path, self._descriptor, self._open_it)
        if found.kind == "directory":
            pattern_below = "**/*" if not glob else glob if "/" in glob else f"**/{glob}"
            walk = self._walk(compile_glob(normal(pattern_below, self.root), path), None)
        else:
            walk = Walk((path,))
            self.read(path, 0, 1)  # raises, and says what is wrong with it
        return self._started().search(self._descriptor, self._open_it, pattern, walk, ignore_case, limit)

    def run(
        self,
        argv: Sequence[str],
        rights: Rights,
        *,
        cwd: str = ".",
        stdin: bytes = b"",
        timeout_s: float = 30.0,
        merged: bool = False,
        on_output: Callable[[bytes], None] | None = None,
        cancelled: threading.Event | None = None,
    ) -> Ran:
        """Run a program without a shell, confined to its rights; none of its processes is left afterwards."""
        from inarch import Piped
        from inarch_plugins.sandbox_fs.processes.confinement_plan import Manner

        manner = Manner(cwd, stdin, timeout_s, merged, on_output, cancelled)
        return self._with_runner().run([Piped(tuple(argv), rights)], manner)

    def run_piped(self, parts: Sequence[Piped], **options: Any) -> Ran:
        """Run the programs of a pipeline, each confined to its own rights; the options are those of `run`."""
        from inarch_plugins.sandbox_fs.processes.confinement_plan import Manner

        return self._with_runner().run(parts, Manner(**options))

    def trial_problem(self) -> str:
        """Return why commands can't be tried in a copy of the workspace, empty if they can."""
        return self._with_runner().trial_problem

    def try_piped(self, parts: Sequence[Piped], **options: Any) -> Ran:
        """Run the programs of a pipeline in a copy whose changes the option `trial` takes."""
        from inarch_plugins.sandbox_fs.processes.confinement_plan import Manner
        from inarch_plugins.sandbox_fs.processes.trial_run import run_tried

        return run_tried(self._with_runner(), parts, Manner(**options))

    def compared(self, compare: Callable[[str, int, Open], T]) -> T:
        """Return what a comparison with the files here finds, given the root, its descriptor and how to open."""
        return compare(self.root, self._descriptor, self._open_it)

    def ignored(self, paths: Iterable[str]) -> set[str]:
        """Return those of some files that Git ignores."""
        return self._walker(".").ignored(paths)

    def start(self, parts: Sequence[Piped], *, cwd: str, words: str, on_end: Callable[[], object]) -> Running:
        """Start the programs of a pipeline with loopback of their own; they run until they end or are stopped."""
        return self._with_runner().background.start(parts, cwd=cwd, words=words, on_end=on_end)

    def confinement(self) -> Confinement:
        """Return how well programs are confined here."""
        found = self._with_runner().confinement()
        if self.is_copy:
            return evolve(found, promises={**found.promises, "undo": "", "copy": ""})
        if not found.promises:
            return found
        if found.level == 3:  # others than the root are read-only
            paths = [path for path in self._surveyed or self.uncovered() if path == "."]
        else:
            from inarch_plugins.sandbox_fs.processes.protected_names import repositories

            nested = repositories(self.root, self._descriptor, self._open_it, self._settings.skip_folders)
            paths = [*self.uncovered(), *nested]
        broken = f"a program can change {', '.join(paths[:3])}, which undo does not cover" if paths else ""
        return evolve(found, promises={**found.promises, "undo": broken})

    @cached_property
    def is_copy(self) -> bool:
        """Whether this is a copy, whose changes wait for a review."""
        return bool(change_of(self.root))

    def find_program(self, name: str) -> str:
        """Return the path of the program with a name, as seen by programs that may start others."""
        return self._with_runner().find_program(name)

    def close(self) -> None:
        """Stop running searches and programs and close the descriptor."""
        if self._searcher is not None:
            self._searcher.close()
        if self._runner is not None:
            self._runner.close()
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _started(self) -> Searcher:
        # Many sessions never search, so only searching imports this.
        from inarch_plugins.sandbox_fs.search import Searcher

        with self._writing:
            if self._searcher is None:
                self._searcher = Searcher(self.root, self._settings)
            return self._searcher

    def _with_runner(self) -> Runner:
        # As with searching: many sessions run no program.
        from inarch_plugins.sandbox_fs.processes.runner import Runner

        with self._writing:
            if self._runner is None:
                self._runner = Runner(self.root, self._descriptor, self._open_it, self._settings)
            return self._runner

    def _walker(self, start: str) -> Walker:
        named = set(start.split("/"))
        skip = frozenset(self._settings.skip_folders) - named
        return Walker(self._descriptor, self._open_it, skip, lies_in_repository(self.root))

    def _writable(self, path: str) -> str:
        path = inside(path, self.root)
        check_writable(path)
        return path

    @contextmanager
    def _changing(self, path: str, make: bool = False) -> Iterator[tuple[int, str]]:
        # One change at a time: between two threads, comparison and rename are one step.
        with self._writing:
            self._begin((path,))
            try:
                with parent_folder(self._descriptor, self._open_it, path, make) as place:
                    yield place
            except OSError as error:
                raise self._failure(error, path) from None

    def _begin(self, paths: Iterable[str]) -> None:
        sweep_folders({split(path)[0] for path in paths}, self._descriptor, self._open_it)

    @contextmanager
    def _folder(self, path: str) -> Iterator[int]:
        try:
            with held(self._open_it(self._descriptor, path, LIST, True)) as descriptor:
                yield descriptor
        except NotADirectoryError:
            raise ToolFailed("validation", f"{path} is not a directory", "use read_file to read a file") from None
        except OSError as error:
            raise self._failure(error, path) from None

    def _failure(self, error: OSError, path: str) -> ToolFailed:
        if self._descriptor < 0:
            return ToolFailed("cancelled", "the workspace is closed")
        return failure(error, path, self._descriptor, self._open_it)
