"""Before a call changes a file its bytes and the new ones are kept, and what it is about to do: all that an undo needs.

A process may end at any moment. What was announced is in the store before the file is touched, and what happened is
there before anybody is told.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
from itertools import chain
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
"""Bytes of the biggest file of which images are kept."""
MOST_REFS = 1024
"""Images of which it is known that they are kept; another one is handed to the store again, which has it."""


@define(eq=False, repr=False)
class Keeper:
    """Keeps images of files beside a session's events, each once.

    Args:
        journal: The session's; its store takes the images as blobs, and listens to what has to be told.
        workspace: Where the files are.
        folder: Where the images of what a command might change wait while it runs; they are gone with the process.
        going_on: Calls whose programs still run, with where those may write.
        edited: How edits of other calls left files since it was last looked what these programs change.
        catching_up: Held while that is done.
    """

    journal: Journal
    workspace: Workspace
    folder: str = ""
    _tree: Tree | None = field(init=False, default=None)
    _refs: dict[str, None] = field(init=False, factory=dict)
    _told: set[str] = field(init=False, factory=set)
    going_on: list[tuple[Keeping, Sequence[str]]] = field(init=False, factory=list)
    edited: dict[str, tuple[str | None, int]] = field(init=False, factory=dict)
    catching_up: threading.Lock = field(init=False, factory=threading.Lock)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)

    @property
    def tree(self) -> Tree:
        """The workspace's files as commands found and left them."""
        from inarch.calls.workspace_diff import Tree  # most sessions run nothing that writes

        with self._lock:
            if self._tree is None:
                self._tree = Tree(self.workspace, self.folder, FILE_LIMIT)
            return self._tree

    def has(self, ref: str | None) -> bool:
        """Whether these bytes are among the last that were kept."""
        return ref in self._refs

    def put(self, data: bytes) -> str:
        """Keep bytes and return what the store calls them: their SHA-256.

        Raises:
            StoreError: The store took nothing.
        """
        ref = self.journal.store.put_blob(self.journal.session_id, data)
        with self._lock:
            self._refs[ref] = None
            if len(self._refs) > MOST_REFS:
                del self._refs[next(iter(self._refs))]
        return ref

    def is_first(self, what: str) -> bool:
        """Whether this is to be told for the first time."""
        with self._lock:
            first = what not in self._told
            self._told.add(what)
            return first


@define(eq=False, repr=False)
class Images:
    """What is known of a path before it changes: its whole mode, and whether everything about it is kept so far.

    `after` is the hash that it will have, empty where that isn't known.
    """

    mode: int = 0
    kept: bool = False
    after: str = ""
    folders: tuple[str, ...] = ()


@define(eq=False, repr=False)
class Keeping:
    """What one call does to files: its images are kept and the changes recorded.

    Args:
        keeper: The session's; None keeps nothing.
        call_id: The call.
        record: Takes events, from any thread, and hands all that it is given to the store; not `at_once` with what
            follows.
    """

    keeper: Keeper | None
    call_id: str
    record: Callable[..., None]

    def before(self, path: str, expected: str | None) -> Images:
        """Keep a file as it is, if it is as expected; called before it changes.

        Raises:
            ToolFailed: It can't be kept and the journal is required.
        """
        keeper = self.keeper
        if keeper is None:
            return Images()
        entry = keeper.workspace.stat(path)
        images = Images(whole_mode(entry), True)
        if entry is None:
            images.folders = tuple(_missing_above(keeper.workspace, path))
        elif entry.kind == "file" and not keeper.has(expected):
            images.kept = self._kept_file(keeper, path, entry.size, expected)
        elif entry.kind == "link" and isinstance(keeper.workspace, Restorable):
            images.kept = bool(self._kept(keeper, path, keeper.workspace.link_target(path)))
        return images

    def before_move(self, path: str, new_path: str, expected: str) -> Images:
        """Keep a file as it is before it moves.

        Raises:
            ToolFailed: It can't be kept and the journal is required.
        """
        images = self.before(path, expected)
        if self.keeper is not None:
            images.folders = tuple(_missing_above(self.keeper.workspace, new_path))
        return images

    def taking(self, path: str, images: Images, chunks: Iterable[bytes]) -> Iterable[bytes]:
        """Keep the bytes that are about to be written, and return them: as they come where they are too many.

        Raises:
            ToolFailed: They can't be kept and the journal is required.
        """
        if self.keeper is None:
            return chunks
        taken, size, rest = [], 0, iter(chunks)
        for chunk in rest:
            taken.append(chunk)
            size += len(chunk)
            # What was taken so far goes on with the rest: the file is written all the same.
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
        """Say what is about to happen to a file, so that it is known whatever becomes of this process.

        Raises:
            ToolFailed: That can't be kept and the journal is required.
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
        """Record a change that has happened; it was announced, so that the call's result is soon enough."""
        keeper = self.keeper
        if keeper is None:
            self._happened(FileChanged(self.call_id, change.path, change.before, change.after, change.new_path))
            return
        after = _mode(keeper, change.new_path or change.path) if change.after is not None else 0
        # So that the next look at what a running program did does not take this edit for its work.
        if keeper.going_on:
            if change.new_path is not None:
                keeper.edited[change.path] = None, 0
            keeper.edited[change.new_path or change.path] = change.after, after
        self._happened(
            *(FileChanged(self.call_id, one, None, None, None, 0, _mode(keeper, one), True) for one in images.folders),
            FileChanged(
                self.call_id, change.path, change.before, change.after, change.new_path, images.mode, after, images.kept
            ),
            at_once=at_once,
        )

    def _happened(self, *payloads: FileChanged | Note, at_once: bool = True) -> None:
        with suppress(StoreError, PluginError):  # they wait, and whoever flushes the journal next hears of it
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
        known = self._looked(keeper, lambda: keeper.tree.look(writes))
        self._announce(keeper, *(FileChanging(self.call_id, path or ".", None, "") for path in writes))
        try:
            yield
        finally:
            if known:
                self._looked(keeper, lambda: self._record_differences(keeper, writes))

    def begin_going_on(self, writes: Sequence[str]) -> Callable[[], None]:
        """Have what changes below these paths recorded until what is returned is called, from any thread.

        What other calls do meanwhile stays theirs: their edits are told apart, and a command that runs beside counts
        for all that changes while it does.

        Raises:
            ToolFailed: It can't be kept that something is to change and the journal is required.
        """
        keeper = self.keeper
        writes = [path for path in writes if path.partition("/")[0] not in PROTECTED]
        if keeper is None or not writes:
            return lambda: None
        self._catch_up(keeper)
        if not self._looked(keeper, lambda: keeper.tree.look(writes, holds=False)):
            return lambda: None
        keeper.going_on.append((self, writes))

        def end() -> None:
            self._catch_up(keeper)
            keeper.going_on.remove((self, writes))

        return end

    def _catch_up(self, keeper: Keeper) -> None:
        """Record what programs that still run have changed so far, each for its own call."""
        if not keeper.going_on:
            return
        with keeper.catching_up:
            for other, writes in tuple(keeper.going_on):
                self._looked(keeper, partial(other.record_so_far, keeper, writes))
            keeper.edited.clear()

    def record_so_far(self, keeper: Keeper, writes: Sequence[str]) -> Sequence[str]:
        """Record what changed since it was last looked; what an edit left there is no change."""
        from inarch.calls.workspace_diff import Side  # most sessions run nothing that writes

        found = []
        for path, before, after in keeper.tree.differences(writes, held=False):
            if path in keeper.edited:
                ref, mode = keeper.edited[path]
                before = Side(ref, mode, partial(keeper.journal.store.get_blob, keeper.journal.session_id, ref or ""))
            if before[:2] != after[:2]:
                found.append((path, before, after))
        return self._record_sides(keeper, found)

    def _looked(self, keeper: Keeper, look: Callable[[], Sequence[str]]) -> bool:
        try:
            notes = look()
        except (InarchError, OSError) as error:
            notes, known = (f"what commands change can't be undone: {error}",), False
        else:
            known = True
        for note in notes:
            self._tell(keeper, note)
        return known

    def _record_differences(self, keeper: Keeper, writes: Sequence[str]) -> Sequence[str]:
        return self._record_sides(keeper, keeper.tree.differences(writes))

    def _record_sides(self, keeper: Keeper, found: Iterable[tuple[str, Side, Side]]) -> Sequence[str]:
        notes, changes = [], []
        for path, before, after in found:
            kept = True
            for side in (before, after):
                if side.hash == "":
                    kept = False
                    notes.append(f"{path} is too big to be kept: this change of it can't be undone")
                elif side.hash is not None and not keeper.has(side.hash):
                    kept = bool(self._kept(keeper, path, side.data(), happened=True)) and kept
            changes.append(
                FileChanged(self.call_id, path, before.hash, after.hash, None, before.mode, after.mode, kept)
            )
        if changes:
            self._happened(*changes)
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
        """Keep bytes and return their hash; nothing where they can't be kept and need not be."""
        try:
            return keeper.put(data)
        except StoreError as error:
            if keeper.journal.required and not happened:
                raise ToolFailed(
                    "execution", f"{path} can't be kept for an undo: {error.message}; nothing was written", error.remedy
                ) from error
            self._tell(keeper, f"changes can't be undone, for files can't be kept: {error.message}")
            return ""

    def _too_big(self, path: str) -> None:
        text = f"{path} is bigger than {FILE_LIMIT >> 20} MB: this change of it can't be undone"
        self._happened(Note(text, "undo"))

    def _tell(self, keeper: Keeper, text: str) -> None:
        if keeper.is_first(text):
            self._happened(Note(text, "undo"))


def _mode(keeper: Keeper, path: str) -> int:
    try:
        return whole_mode(keeper.workspace.stat(path))
    except ToolFailed:
        return 0  # gone or replaced meanwhile: the change happened all the same


def _missing_above(workspace: Workspace, path: str) -> Iterator[str]:
    """Yield the folders that will have to be made for a path, the outermost first."""
    missing: list[str] = []
    parent = path.strip("/").rpartition("/")[0]
    while parent and workspace.stat(parent) is None:
        missing.append(parent)
        parent = parent.rpartition("/")[0]
    yield from reversed(missing)
