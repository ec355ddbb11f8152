"""Restoration of many paths at once: all of them, or none.

New bytes are first written beside their targets. Then existing entries are moved aside, folders are removed and made,
and the new files get their names. If a step fails, renames undo the earlier ones. Renames need no disk space.
"""

from __future__ import annotations

import os
import signal
import stat
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import Any

from attrs import define, field

from inarch import FileState, ToolFailed
from inarch_lib.staging import give, rename_new
from inarch_plugins.sandbox_fs.failures import changed
from inarch_plugins.sandbox_fs.file_read import digest_of
from inarch_plugins.sandbox_fs.leftovers import alone, name_beside, remove_leftovers
from inarch_plugins.sandbox_fs.paths import above, split
from inarch_plugins.sandbox_fs.safe_open import FOLDER, LIST, SAFE, Open, held

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PERMISSIONS = 0o7777
_FEW, _AT_ONCE = 2, 16


@define(eq=False, repr=False)
class Restoration:
    """One attempt to leave paths as their states say.

    `stayed` are folders to remove that are not empty, `at` is the path being processed.
    """

    root: int
    open_it: Open
    stayed: list[str] = field(factory=list)
    at: str = "."
    _staged: dict[str, tuple[str, str]] = field(init=False, factory=dict)
    _aside: list[tuple[str, str]] = field(init=False, factory=list)
    _emptied: list[tuple[str, str]] = field(init=False, factory=list)
    _back: list[Callable[[], object]] = field(init=False, factory=list)
    _folders: dict[str, int] = field(init=False, factory=dict)

    def run(self, states: Sequence[FileState], near: Sequence[str] = ()) -> None:
        """Restore all paths; first remove what a killed attempt left beside these paths or those in `near`."""
        with alone(self.root, self.open_it) as certainly:
            if certainly:
                remove_leftovers(self.root, self.open_it, (*near, *(state.path for state in states)))
            self._run(states)

    def _run(self, states: Sequence[FileState]) -> None:
        try:
            for state in states:
                self._require(state)
            wanted = [state for state in states if state.mode and not stat.S_ISDIR(state.mode)]
            for state in wanted:
                self._stage(state)
            self._sync()
        except BaseException:
            with _undisturbed():
                self._clean()
            raise
        with _undisturbed():
            try:
                self._swap(states)
            except BaseException:
                for step in reversed(self._back):
                    with suppress(OSError):  # gone meanwhile; the other steps are still undone
                        step()
                raise
            finally:
                self._clean()

    def _swap(self, states: Sequence[FileState]) -> None:
        """Move everything to its final path."""
        deepest_first = sorted(states, key=lambda state: state.path, reverse=True)
        free = _free_to_come(deepest_first)
        self._bring(free)  # first: a moved file always has a name if this process is killed
        deepest_first = [state for state in deepest_first if state not in free]
        for state in deepest_first:
            if _is_leaf(state.expected_mode) and not _is_leaf(state.mode):
                self._require(state)
                self._move_aside(state.path)
        for state in deepest_first:
            if stat.S_ISDIR(state.expected_mode) and not stat.S_ISDIR(state.mode):
                self._remove_folder(state)
        self._bring(deepest_first)

    def _bring(self, deepest_first: Sequence[FileState]) -> None:
        for state in reversed(deepest_first):
            if stat.S_ISDIR(state.mode):
                self._make_folder(state)
        for state in reversed(deepest_first):
            if state.path in self._staged:
                self._place(state)
        for state in deepest_first:
            if stat.S_ISDIR(state.mode):
                self._change_mode(state)

    def _require(self, state: FileState) -> None:
        """Raise if a path differs from its expected state."""
        self.at = state.path
        found = self._present(state.path, state.expected is not None and _is_leaf(state.expected_mode))
        if found != (state.expected, state.expected_mode):
            raise changed(state.path)

    def _present(self, path: str, hashed: bool) -> tuple[str | None, int]:
        parent, name = split(path)
        try:
            folder = self._folder(parent)
            mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
            if stat.S_ISLNK(mode):
                return sha256(os.fsencode(os.readlink(name, dir_fd=folder))).hexdigest(), stat.S_IFLNK | 0o777
            if not stat.S_ISREG(mode) or not hashed:
                return None, mode
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | SAFE, dir_fd=folder)
        except (FileNotFoundError, NotADirectoryError):
            return None, 0
        with held(descriptor):
            return digest_of(descriptor), mode

    def _stage(self, state: FileState) -> None:
        """Write the new content of a path under another name, in the nearest existing folder."""
        self.at = state.path
        parent, _ = split(state.path)
        while True:
            try:
                folder = self._folder(parent)
                break
            except (FileNotFoundError, NotADirectoryError):
                parent, _ = split(parent)
        name = name_beside(self.root)
        data = state.data() if callable(state.data) else state.data
        self._staged[state.path] = parent, name
        if stat.S_ISLNK(state.mode):
            os.symlink(os.fsdecode(data), name, dir_fd=folder)
            return
        with open(os.open(name, _CREATE, 0o600, dir_fd=folder), "wb", buffering=0) as file:
            descriptor, view = file.fileno(), memoryview(data)
            while view:
                view = view[file.write(view) :]
            if (like := self._owner_of(state)) is not None:
                give(descriptor, (like.st_uid, like.st_gid))
            os.fchmod(descriptor, state.mode & _PERMISSIONS)

    def _owner_of(self, state: FileState) -> os.stat_result | None:
        if not stat.S_ISREG(state.expected_mode):
            return None
        parent, name = split(state.path)
        return os.stat(name, dir_fd=self._folder(parent), follow_symlinks=False)

    def _sync(self) -> None:
        """Flush new files to disk before any name points to them; doing many at once shares the drive's work."""

        def sync(place: tuple[str, str]) -> None:
            try:
                descriptor = os.open(place[1], os.O_RDONLY | os.O_NOFOLLOW | SAFE, dir_fd=self._folders[place[0]])
            except OSError:
                return  # a link, which has no bytes of its own, or a mode that forbids reading
            with held(descriptor):
                os.fsync(descriptor)

        _for_each(sync, list(self._staged.values()))

    def _move_aside(self, path: str) -> None:
        parent, name = split(path)
        folder, aside = self._folder(parent), name_beside(self.root)
        os.rename(name, aside, src_dir_fd=folder, dst_dir_fd=folder)
        self._aside.append((parent, aside))
        self._back.append(lambda: rename_new(folder, aside, folder, name))

    def _remove_folder(self, state: FileState) -> None:
        self.at = state.path
        parent, name = split(state.path)
        folder = self._folder(parent)
        if self._is_used(state.path):
            if state.mode:
                raise ToolFailed("conflict", f"{state.path} is a folder with other files in it", "move them away first")
            self.stayed.append(state.path)
            return
        aside = name_beside(self.root)
        os.rename(name, aside, src_dir_fd=folder, dst_dir_fd=folder)
        self._emptied.append((parent, aside))
        self._back.append(lambda: os.rename(aside, name, src_dir_fd=folder, dst_dir_fd=folder))

    def _is_used(self, path: str) -> bool:
        """Return whether a folder holds anything except what was moved aside in it."""
        ours = {name for parent, name in (*self._aside, *self._emptied, *self._staged.values()) if parent == path}
        return bool(set(os.listdir(self._readable(path))) - ours)

    def _make_folder(self, state: FileState) -> None:
        self.at = state.path
        if stat.S_ISDIR(state.expected_mode):
            return
        self._make_parents(state.path)
        self._make(state.path)

    def _make_parents(self, path: str) -> None:
        parent, _ = split(path)
        try:
            self._folder(parent)
        except FileNotFoundError:
            self._make_parents(parent)
            self._make(parent)

    def _make(self, path: str) -> None:
        parent, name = split(path)
        folder = self._folder(parent)
        os.mkdir(name, 0o777, dir_fd=folder)
        self._back.append(lambda: os.rmdir(name, dir_fd=folder))

    def _place(self, state: FileState) -> None:
        self.at = state.path
        parent, name = split(state.path)
        self._make_parents(state.path)
        folder, (staging, staged) = self._folder(parent), self._staged[state.path]
        if _is_leaf(state.expected_mode):
            self._require(state)  # compared as late as possible
            self._put_by(parent, name)
            os.rename(staged, name, src_dir_fd=self._folder(staging), dst_dir_fd=folder)
        else:
            rename_new(self._folder(staging), staged, folder, name)
            self._back.append(lambda: os.unlink(name, dir_fd=folder))
        del self._staged[state.path]

    def _put_by(self, parent: str, name: str) -> None:
        """Give an existing entry a second name, so that the path is never empty; if that fails, move it."""
        folder, aside = self._folder(parent), name_beside(self.root)
        try:
            os.link(name, aside, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except OSError:
            os.rename(name, aside, src_dir_fd=folder, dst_dir_fd=folder)
        self._aside.append((parent, aside))
        self._back.append(lambda: os.rename(aside, name, src_dir_fd=folder, dst_dir_fd=folder))

    def _change_mode(self, state: FileState) -> None:
        mode, before = state.mode & _PERMISSIONS, state.expected_mode & _PERMISSIONS
        descriptor = self._readable(state.path)
        os.fchmod(descriptor, mode)
        if stat.S_ISDIR(state.expected_mode):
            self._back.append(lambda: os.fchmod(descriptor, before))

    def _folder(self, path: str) -> int:
        """Return a descriptor of a folder, reached without following links."""
        held = self._folders.get(path)
        if held is None:
            held = self._folders[path] = self.open_it(self.root, path, FOLDER, False)
        return held

    def _readable(self, path: str) -> int:
        key = f"{path}/"
        if key not in self._folders:
            self._folders[key] = self.open_it(self.root, path, LIST, False)
        return self._folders[key]

    def _clean(self) -> None:
        """Remove unused new files and what was moved aside, then close the folders."""
        left = [*self._staged.values(), *self._aside]
        for parent, _ in left:
            with suppress(OSError):
                self._folder(parent)
        _for_each(lambda place: self._discard(os.unlink, *place), left)
        for place in self._emptied:
            self._discard(os.rmdir, *place)
        for descriptor in self._folders.values():
            os.close(descriptor)

    def _discard(self, remove: Callable[..., None], parent: str, name: str) -> None:
        with suppress(OSError):
            remove(name, dir_fd=self._folder(parent))


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Delay signals that would end the process until the block is done: half of the names would be changed."""
    # Signals are not blocked, because another thread would receive them. One with a handler ends nothing.
    came: list[int] = []
    before: dict[int, Any] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                if (handler := signal.getsignal(number)) in (signal.SIG_DFL, signal.default_int_handler):
                    before[number] = handler
                    signal.signal(number, lambda number, _: came.append(number))
        yield
    finally:
        for held, handler in before.items():
            signal.signal(held, handler)
        if came:
            signal.raise_signal(came[0])


def _for_each(work: Callable[[tuple[str, str]], object], places: Sequence[tuple[str, str]]) -> None:
    """Apply work to all places; if they are many, several at once, because each waits for the drive."""
    if len(places) <= _FEW:
        for place in places:
            work(place)
        return
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(work, places))


def _free_to_come(deepest_first: Sequence[FileState]) -> list[FileState]:
    """Return the states whose paths are free and wait for no other path."""
    leaving = {state.path for state in deepest_first if _is_leaf(state.expected_mode)}
    return [
        state
        for state in deepest_first
        if state.mode and not state.expected_mode and leaving.isdisjoint(above(state.path))
    ]


def _is_leaf(mode: int) -> bool:
    return bool(mode) and not stat.S_ISDIR(mode)
