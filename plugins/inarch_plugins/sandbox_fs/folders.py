"""A root and the folders added to it, as one workspace.

Each folder is a workspace with its own descriptor, ignore rules and protected names, so no path leads from one into
another. The path of a file in an added folder is `+` and its absolute path. A reader of the record thus knows the file
without knowing which folders were added.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import define, evolve

from inarch import FileBytes, FileChange, FileStat, FileState, SearchHits, Survey, ToolFailed, Walk
from inarch_plugins.sandbox_fs.added_folders import checked
from inarch_plugins.sandbox_fs.globs import compile_glob
from inarch_plugins.sandbox_fs.paths import ADDED, check_writable, is_of_added, normal, not_added
from inarch_plugins.sandbox_fs.settings import Settings
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

if TYPE_CHECKING:
    from inarch import Confinement, Piped, Ran, Rights
    from inarch_plugins.sandbox_fs.processes.background import Running
    from inarch_plugins.sandbox_fs.processes.trial_folder import TrialFolder
    from inarch_plugins.sandbox_fs.trial_changes import TrialChanges


class _Place(NamedTuple):
    """Target of a path: the folder's prefix (empty for the root), its workspace, and the path below it."""

    prefix: str
    workspace: FolderWorkspace
    path: str

    def named(self, path: str) -> str:
        """Return a path below the folder as a path of the whole workspace."""
        return path if not self.prefix else self.prefix if path == "." else f"{self.prefix}/{path}"

    @contextmanager
    def telling(self) -> Iterator[FolderWorkspace]:
        """Yield the folder's workspace; its failures name paths of the whole workspace."""
        try:
            yield self.workspace
        except ToolFailed as error:
            if not self.prefix:
                raise
            remedy = f"{error.remedy} (below {self.prefix}/)" if error.remedy else ""
            raise ToolFailed(error.code, f"in {self.prefix}: {error.message}", remedy) from None


@define(eq=False, repr=False)
class Folders:
    """Implementation of the `Workspace` port over several folders.

    Programs run in the root and cannot change the other folders. Programs that may start others can read them.
    """

    _main: FolderWorkspace
    _added: Mapping[str, FolderWorkspace]

    @classmethod
    def open(cls, main: FolderWorkspace, added: Sequence[str], settings: Settings) -> Folders:
        """Open added folders beside an open root; close the root if that fails.

        Raises:
            UsageError: A folder cannot be added.
        """
        opened: dict[str, FolderWorkspace] = {}
        try:
            for folder in checked(main.root, added):
                opened[f"{ADDED}{folder}"] = FolderWorkspace.open(folder, settings)
        except BaseException:
            for workspace in (main, *opened.values()):
                workspace.close()
            raise
        return cls(main, opened)

    @property
    def root(self) -> str:
        """Return the root's absolute path."""
        return self._main.root

    @property
    def added(self) -> tuple[str, ...]:
        """Return the absolute paths of the added folders."""
        return tuple(prefix.removeprefix(ADDED) for prefix in self._added)

    def stat(self, path: str) -> FileStat | None:
        """Return the status of a path without following a link at its end, or None if nothing exists there."""
        at = self._at(path)
        with at.telling() as workspace:
            found = workspace.stat(at.path)
        return None if found is None else evolve(found, path=at.named(found.path))

    def read(self, path: str, offset: int = 0, max_bytes: int | None = None) -> FileBytes:
        """Return bytes of a regular file; links are followed if they stay in the folder."""
        at = self._at(path)
        with at.telling() as workspace:
            found = workspace.read(at.path, offset, max_bytes)
        return evolve(found, path=at.named(found.path))

    def digest(self, path: str) -> str:
        """Return the hash of a whole regular file, in bounded memory."""
        at = self._at(path)
        with at.telling() as workspace:
            return workspace.digest(at.path)

    def entries(self, path: str = ".") -> tuple[FileStat, ...]:
        """Return the entries of a directory by name, including ignored files and links."""
        at = self._at(path)
        with at.telling() as workspace:
            found = workspace.entries(at.path)
        return tuple(evolve(entry, path=at.named(entry.path)) for entry in found)

    def link_target(self, path: str) -> bytes:
        """Return the target of a symbolic link, as stored in it."""
        at = self._at(path)
        with at.telling() as workspace:
            return workspace.link_target(at.path)

    def replace(self, path: str, chunks: Iterable[bytes], expected_hash: str | None) -> FileChange:
        """Write a file atomically if its present hash is the expected one (None: it must not exist)."""
        at = self._writable(path)
        with at.telling() as workspace:
            return self._changed(at, workspace.replace(at.path, chunks, expected_hash))

    def remove(self, path: str, expected_hash: str) -> FileChange:
        """Remove a file if its present hash is the expected one."""
        at = self._writable(path)
        with at.telling() as workspace:
            return self._changed(at, workspace.remove(at.path, expected_hash))

    def move(self, path: str, new_path: str, expected_hash: str) -> FileChange:
        """Move a file to a path of the same folder that is not in use.

        Raises:
            ToolFailed: Also if the new path is in another folder.
        """
        at, to = self._writable(path), self._writable(new_path)
        if at.workspace is not to.workspace:
            raise ToolFailed(
                "validation", f"{path} and {new_path} are in different folders; files can't be moved between them",
                "create the file there, then delete this one",
            )  # fmt: skip
        with at.telling() as workspace:
            return self._changed(at, workspace.move(at.path, to.path, expected_hash))

    def restore(self, path: str, entry: FileStat, blob: bytes) -> FileChange:
        """Restore a file's bytes and mode."""
        at = self._writable(path)
        with at.telling() as workspace:
            return self._changed(at, workspace.restore(at.path, entry, blob))

    def restore_all(self, states: Sequence[FileState], near: Sequence[str] = ()) -> tuple[str, ...]:
        """Leave every path as its state says, or change nothing; return the folders that are not empty.

        The folders are restored one after the other. If one fails, the earlier ones are put back.

        Raises:
            ToolFailed: `conflict` if a path differs from its expected state; nothing has changed.
        """
        parts: dict[str, list[FileState]] = {}
        for state in states:
            at = self._writable(state.path)
            parts.setdefault(at.prefix, []).append(evolve(state, path=at.path))
        others: dict[str, list[str]] = {}
        for path in near:
            with suppress(ToolFailed):  # in a folder that was not added: nothing to clean up
                at = self._at(path)
                others.setdefault(at.prefix, []).append(at.path)
        back: list[tuple[_Place, list[FileState]]] = []
        stayed: list[str] = []
        try:
            for prefix, part in parts.items():
                at = _Place(prefix, self._added.get(prefix, self._main), ".")
                with at.telling() as workspace:
                    before = _before(workspace, part) if len(parts) > 1 else []
                    left = workspace.restore_all(part, others.get(prefix, ()))
                back.append((at, [state for state in before if state.path not in left]))
                stayed += map(at.named, left)
        except BaseException:
            for at, before in reversed(back):
                at.workspace.restore_all(before)
            raise
        return tuple(stayed)

    def survey(self, limit: int) -> Survey:
        """Return what is below the root, the only folder that commands can change."""
        return self._main.survey(limit)

    def uncovered(self) -> tuple[str, ...]:
        """Return the paths below the root that commands could change beyond undo."""
        return self._main.uncovered()

    def walk(self, pattern: str = "**/*", limit: int | None = None) -> Walk:
        """Return the sorted files of one folder that match a glob; the root unless the glob names an added folder."""
        at = self._at(pattern)
        with at.telling() as workspace:
            found = workspace.walk("**/*" if at.prefix and at.path == "." else at.path, limit)
        if at.prefix:
            return evolve(found, paths=tuple(map(at.named, found.paths)))
        begins_at_root = compile_glob(at.path).start == "."
        return evolve(found, notes=(*found.notes, self._elsewhere())) if begins_at_root else found

    def search(
        self, pattern: str, path: str = ".", glob: str | None = None, ignore_case: bool = False, limit: int = 100
    ) -> SearchHits:
        """Return the lines of one folder that match a regular expression, within a time limit."""
        at = self._at(path)
        with at.telling() as workspace:
            found = workspace.search(pattern, at.path, glob, ignore_case, limit)
        if at.prefix:
            return evolve(found, hits=tuple(evolve(hit, path=at.named(hit.path)) for hit in found.hits))
        return evolve(found, notes=(*found.notes, self._elsewhere())) if at.path == "." else found

    def run(self, argv: Sequence[str], rights: Rights, **options: Any) -> Ran:
        """Run a program in the root, as the root's own workspace does."""
        self._require_root(argv)
        return self._main.run(argv, self._in_root(rights), **options)

    def run_piped(self, parts: Sequence[Piped], **options: Any) -> Ran:
        """Run the programs of a pipeline in the root."""
        self._require_root(word for part in parts for word in part.argv)
        return self._main.run_piped([evolve(part, rights=self._in_root(part.rights)) for part in parts], **options)

    def trial_problem(self) -> str:
        """Return why commands can't be tried in a copy of the root, empty if they can."""
        return self._main.trial_problem()

    def try_piped(self, parts: Sequence[Piped], **options: Any) -> Ran:
        """Run the programs of a pipeline in a copy of the root."""
        self._require_root(word for part in parts for word in part.argv)
        return self._main.try_piped([evolve(part, rights=self._in_root(part.rights)) for part in parts], **options)

    def trial_changes(self, folder: TrialFolder) -> TrialChanges:
        """Return the changes of a dry run."""
        return self._main.trial_changes(folder)

    def start(self, parts: Sequence[Piped], *, cwd: str, words: str, on_end: Callable[[], object]) -> Running:
        """Start programs in the root and leave them running."""
        self._require_root(word for part in parts for word in part.argv)
        kept = [evolve(part, rights=self._in_root(part.rights)) for part in parts]
        return self._main.start(kept, cwd=cwd, words=words, on_end=on_end)

    def confinement(self) -> Confinement:
        """Return how well programs are confined here."""
        return self._main.confinement()

    def find_program(self, name: str) -> str:
        """Return the path of the program with a name, as seen by programs that may start others."""
        return self._main.find_program(name)

    def close(self) -> None:
        """Stop what still runs and close descriptors; may be called twice."""
        for workspace in (self._main, *self._added.values()):
            workspace.close()

    def _at(self, path: str) -> _Place:
        """Return the target of a path."""
        for prefix in self._added:
            if isinstance(path, str) and f"{ADDED}{path}/".startswith(f"{prefix}/"):
                raise ToolFailed("permission", f"the path {path!r} is absolute", f"use {f'{ADDED}{path}'!r}")
        plain = normal(path, self.root)
        if not is_of_added(plain):
            return _Place("", self._main, plain)
        for prefix, workspace in self._added.items():
            if plain == prefix or plain.startswith(f"{prefix}/"):
                return _Place(prefix, workspace, plain[len(prefix) + 1 :] or ".")
        raise not_added(plain)

    def _writable(self, path: str) -> _Place:
        """Return the target of a path that may be written; the whole path is checked for protected names as well."""
        at = self._at(path)
        if at.prefix and at.path != ".":
            check_writable(at.named(at.path))
        return at

    def _changed(self, at: _Place, change: FileChange) -> FileChange:
        new_path = None if change.new_path is None else at.named(change.new_path)
        return evolve(change, path=at.named(change.path), new_path=new_path)

    def _elsewhere(self) -> str:
        return f"added folders have paths of their own: {', '.join(self._added)}"

    def _require_root(self, words: Iterable[str]) -> None:
        """Refuse arguments that name a file of an added folder: a program would look for it in the root."""
        for word in words:
            if any(prefix in word for prefix in self._added):
                raise ToolFailed(
                    "permission", f"{word} is in an added folder, where programs cannot change files; nothing was run",
                    f"use list_files, search_files and read_file; builds and tests know it by the path without {ADDED}",
                )  # fmt: skip

    def _in_root(self, rights: Rights) -> Rights:
        """Return rights to read the added folders and not change them.

        Programs that run alone and unasked read the root only: their arguments are judged as paths of the root.
        """
        writes = tuple(path for path in rights.writes if not is_of_added(path))
        return evolve(rights, writes=writes, reads=(*rights.reads, *(self.added if rights.executes else ())))


def _before(workspace: FolderWorkspace, states: Sequence[FileState]) -> list[FileState]:
    """Return the states that restore the present content of paths after the given states were applied."""
    found = []
    for state in states:
        wanted = state.data() if callable(state.data) else state.data
        is_leaf = bool(state.mode) and not stat.S_ISDIR(state.mode)
        data = b""
        if stat.S_ISLNK(state.expected_mode):
            data = workspace.link_target(state.path)
        elif stat.S_ISREG(state.expected_mode):
            data = workspace.read(state.path).data
        digest = hashlib.sha256(wanted).hexdigest() if is_leaf else None
        found.append(FileState(state.path, state.expected_mode, data, digest, state.mode))
    return found
