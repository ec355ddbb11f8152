"""Before-images of the files that calls change, stored for undo.

Before a call changes a file, Inarch stores the old bytes, the new bytes and the intended change. A process may end at
any moment. So the store has the intent before the file changes, and the result before listeners hear of it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
from itertools import chain
from stat import S_IFMT
from typing import TYPE_CHECKING

from attrs import define, field

from inarch.calls.call_order import PROTECTED
from inarch.contract.call_events import FileChanged, FileChanging
from inarch.contract.errors import InarchError, PluginError, StoreError, ToolFailed
from inarch.contract.events import Note
from inarch.contract.files import FileChange, whole_mode
from inarch.contract.workspaces import Restorable

if TYPE_CHECKING:
    from inarch.calls.workspace_diff import Side, Tree
    from inarch.contract.workspaces import Workspace
    from inarch.journal.journal import Journal

FILE_LIMIT = 64 << 20
"""Bytes of the biggest file whose images are stored."""


@define(eq=False, repr=False)
class Keeper:
    """Store of file images beside a session's events; each image is stored once.

    `folder` is for images of files that a running command may change. `going_on` lists the calls whose programs still
    run, with the paths they may write. `edited` has the states of files after edits by other calls, since the last
    comparison.
    """

    journal: Journal
    workspace: Workspace
    folder: str = ""
    _tree: Tree | None = field(init=False, default=None)
    _refs: set[str | None] = field(init=False, factory=set)
    _told: set[str] = field(init=False, factory=set)
    going_on: list[tuple[Keeping, Sequence[str]]] = field(init=False, factory=list)
    edited: dict[str, tuple[str | None, int]] = field(init=False, factory=dict)
    catching_up: threading.Lock = field(init=False, factory=threading.Lock)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)

    @property
    def tree(self) -> Tree:
        """Workspace files as commands found and left them."""
        from inarch.calls.workspace_diff import Tree  # most sessions run no commands that write

        with self._lock:
            if self._tree is None:
                self._tree = Tree(self.workspace, self.folder, FILE_LIMIT)
            return self._tree

    def has(self, ref: str | None) -> bool:
        """Return whether these bytes were stored."""
        return ref in self._refs

    def put(self, data: bytes) -> str:
        """Store bytes and return their reference, their SHA-256.

        Raises:
            StoreError: The store did not take them.
        """
        ref = self.journal.store.put_blob(self.journal.session_id, data)
        with self._lock:
            self._refs.add(ref)
        return ref

    def is_first(self, what: str) -> bool:
        """Return whether this note has not been shown yet."""
        with self._lock:
            first = what not in self._told
            self._told.add(what)
            return first


@define(eq=False, repr=False)
class Images:
    """Known facts about a path before it changes: its whole mode and whether all of it is stored.

    `after` is the hash it will have, or empty if unknown. `is_folder` says that it will be a folder, which has none.
    """

    mode: int = 0
    kept: bool = False
    after: str = ""
    is_folder: bool = False
    folders: tuple[str, ...] = ()


@define(eq=False, repr=False)
class Keeping:
    """Recorder of one call's changes to files, with their images; without a keeper it stores none.

    `record` takes events from any thread and passes all of them to the store; without `at_once`, later.
    """

    keeper: Keeper | None
    call_id: str
    record: Callable[..., None]

    def before(self, path: str, expected: str | None, new_path: str = "") -> Images:
        """Store the present state of a file before it changes or moves, if it is as expected.

        Raises:
            ToolFailed: It cannot be stored and the journal is required.
        """
        keeper = self.keeper
        if keeper is None:
            return Images()
        entry = keeper.workspace.stat(path)
        images = Images(whole_mode(entry), True)
        if entry is None or new_path:
            images.folders = tuple(_missing_above(keeper.workspace, new_path or path))
        if entry is None:
            return images
        # Bytes that this session has stored need no second reading: they are known by their hash.
        if entry.kind == "file" and not keeper.has(expected):
            images.kept = self._kept_file(keeper, path, entry.size, expected)
        elif entry.kind == "link" and isinstance(keeper.workspace, Restorable):
            images.kept = bool(self._kept(keeper, path, keeper.workspace.link_target(path)))
        return images

    def taking(self, path: str, images: Images, chunks: Iterable[bytes]) -> Iterable[bytes]:
        """Store the bytes that are about to be written and return them; too many bytes are only passed on.

        Raises:
            ToolFailed: They cannot be stored and the journal is required.
        """
        if self.keeper is None:
            return chunks
        taken, size, rest = [], 0, iter(chunks)
        for chunk in rest:
            taken.append(chunk)
            size += len(chunk)
            # The chunks taken so far precede the rest: the file is written anyway.
            if size > FILE_LIMIT:
                if images.kept:
                    self._too_big(path)
                images.kept = False
                return chain(taken, rest)
        whole = bytes(taken[0] if len(taken) == 1 else b"".join(taken))
        ref = self._kept(self.keeper, path, whole) if images.kept else ""
        images.kept, images.after = bool(ref), ref or sha256(whole).hexdigest()
        return (whole,)

    def announce(self, change: FileChange, images: Images) -> None:
        """Record the intended change of a file, so that it is known even if this process dies.

        Raises:
            ToolFailed: It cannot be stored and the journal is required.
        """
        if self.keeper is not None:
            self._announce(
                self.keeper,
                FileChanging(
                    self.call_id, change.path, change.before, change.after, change.new_path,
                    images.mode, images.kept, images.folders,
                ),
            )  # fmt: skip

    def _announce(self, keeper: Keeper, *payloads: FileChanging) -> None:
        try:
            self.record(*payloads)
        except (StoreError, PluginError) as error:
            if keeper.journal.required:
                raise ToolFailed(
                    "execution", f"{payloads[0].path} can't be changed, for nothing is recorded: {error.message}; "
                    "nothing was written", error.remedy,
                ) from error  # fmt: skip

    def changed(self, change: FileChange, images: Images, at_once: bool = False) -> None:
        """Record a change that has happened. It was announced, so it may be stored with the call's result."""
        keeper = self.keeper
        if keeper is None:
            self._record_happened(FileChanged(self.call_id, change.path, change.before, change.after, change.new_path))
            return
        there = change.after is not None or images.is_folder
        after = _mode(keeper, change.new_path or change.path) if there else 0
        # Otherwise the next comparison would attribute this edit to a running program.
        if keeper.going_on:
            if change.new_path is not None:
                keeper.edited[change.path] = None, 0
            keeper.edited[change.new_path or change.path] = change.after, after
        self._record_happened(
            *(FileChanged(self.call_id, one, None, None, None, 0, _mode(keeper, one), True) for one in images.folders),
            FileChanged(
                self.call_id, change.path, change.before, change.after, change.new_path, images.mode, after, images.kept
            ),
            at_once=at_once,
        )

    def _record_happened(self, *payloads: FileChanged | Note, at_once: bool = True) -> None:
        with suppress(StoreError, PluginError):  # they wait: the next flush of the journal reports the failure
            self.record(*payloads, at_once=at_once)

    @contextmanager
    def comparing(self, writes: Sequence[str]) -> Iterator[None]:
        """Record what changes below the paths that a program may write while the block runs, however it ends."""
        keeper = self.keeper
        writes = [path for path in writes if path.partition("/")[0] not in PROTECTED]
        if keeper is None or not writes:
            yield
            return
        self._catch_up(keeper)
        known = self._try_look(keeper, lambda: keeper.tree.look(writes))
        self._announce(keeper, *(FileChanging(self.call_id, path or ".", None, "") for path in writes))
        try:
            yield
        finally:
            if known:
                self._try_look(keeper, lambda: self._record_sides(keeper, keeper.tree.differences(writes)))

    def begin_going_on(self, writes: Sequence[str]) -> Callable[[], None]:
        """Record changes below these paths until the returned function is called, from any thread.

        Edits by other calls are recorded as theirs. A command that runs at the same time counts as the author of all
        changes while it runs.

        Raises:
            ToolFailed: The intent cannot be stored and the journal is required.
        """
        keeper = self.keeper
        writes = [path for path in writes if path.partition("/")[0] not in PROTECTED]
        if keeper is None or not writes:
            return lambda: None
        self._catch_up(keeper)
        if not self._try_look(keeper, lambda: keeper.tree.look(writes, holds=False)):
            return lambda: None
        keeper.going_on.append((self, writes))

        def end() -> None:
            self._catch_up(keeper)
            keeper.going_on.remove((self, writes))

        return end

    def _catch_up(self, keeper: Keeper) -> None:
        """Record what still-running programs have changed so far, each for its own call."""
        if not keeper.going_on:
            return
        with keeper.catching_up:
            for other, writes in tuple(keeper.going_on):
                self._try_look(keeper, partial(other.record_so_far, keeper, writes))
            keeper.edited.clear()

    def record_so_far(self, keeper: Keeper, writes: Sequence[str]) -> Sequence[str]:
        """Record changes since the last comparison; the state that an edit left is not a change."""
        from inarch.calls.workspace_diff import Side  # most sessions run no commands that write

        found = []
        for path, before, after in keeper.tree.differences(writes, held=False):
            if path in keeper.edited:
                ref, mode = keeper.edited[path]
                before = Side(ref, mode, partial(keeper.journal.store.get_blob, keeper.journal.session_id, ref or ""))
            if before[:2] != after[:2]:
                found.append((path, before, after))
        return self._record_sides(keeper, found)

    def _try_look(self, keeper: Keeper, look: Callable[[], Sequence[str]]) -> bool:
        try:
            notes = look()
        except (InarchError, OSError) as error:
            notes, known = (f"what commands change can't be undone: {error}",), False
        else:
            known = True
        for note in notes:
            self._tell(keeper, note)
        return known

    def _record_sides(self, keeper: Keeper, found: Iterable[tuple[str, Side, Side]]) -> Sequence[str]:
        notes, changes = [], []
        for path, before, after in found:
            kept = True
            for side in (before, after):
                if side.hash == "":
                    kept = False
                    if S_IFMT(side.mode):  # not a cache
                        notes.append(f"{path} is too big to be stored: this change of it can't be undone")
                elif side.hash is not None and not keeper.has(side.hash):
                    kept = bool(self._kept(keeper, path, side.data(), happened=True)) and kept
            sides = before.hash, after.hash, None, before.mode, after.mode
            changes.append(FileChanged(self.call_id, path, *sides, kept, before.ignored or after.ignored))
        if changes:
            self._record_happened(*changes)
        return [*notes, *keeper.tree.blind_spots]

    def _kept_file(self, keeper: Keeper, path: str, size: int, expected: str | None) -> bool:
        if size > FILE_LIMIT:
            self._too_big(path)
            return False
        try:
            found = keeper.workspace.read(path, 0, FILE_LIMIT)
        except ToolFailed:
            return False  # the change itself will fail and say why
        return found.hash == expected and bool(self._kept(keeper, path, found.data))

    def _kept(self, keeper: Keeper, path: str, data: bytes, happened: bool = False) -> str:
        """Store bytes and return their hash; return "" if they cannot be stored and need not be."""
        try:
            return keeper.put(data)
        except StoreError as error:
            if keeper.journal.required and not happened:
                raise ToolFailed(
                    "execution",
                    f"{path} can't be stored for an undo: {error.message}; nothing was written",
                    error.remedy,
                ) from error
            self._tell(keeper, f"changes can't be undone because files can't be stored: {error.message}")
            return ""

    def _too_big(self, path: str) -> None:
        text = f"{path} is bigger than {FILE_LIMIT >> 20} MB: this change of it can't be undone"
        self._record_happened(Note(text, "undo"))

    def _tell(self, keeper: Keeper, text: str) -> None:
        if keeper.is_first(text):
            self._record_happened(Note(text, "undo"))


def _mode(keeper: Keeper, path: str) -> int:
    try:
        return whole_mode(keeper.workspace.stat(path))
    except ToolFailed:
        return 0  # gone or replaced meanwhile: the change happened anyway


def _missing_above(workspace: Workspace, path: str) -> Iterator[str]:
    """Yield the folders that must be created for a path, the outermost first."""
    missing: list[str] = []
    parent = path.strip("/").rpartition("/")[0]
    while parent and workspace.stat(parent) is None:
        missing.append(parent)
        parent = parent.rpartition("/")[0]
    yield from reversed(missing)
