"""A root and the folders added to it, as one workspace.

Each folder is a workspace with its own descriptor, ignore rules and protected names, so no path leads from one into
another. The path of a file in an added folder is `+` and its absolute path. A reader of the record thus knows the file
without knowing which folders were added.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from attrs import define, evolve, field

from inarch import FileBytes, FileChange, FileStat, FileState, SearchHits, ToolFailed, Walk
from inarch_plugins.sandbox_fs.added_folders import checked
from inarch_plugins.sandbox_fs.globs import compile_glob
from inarch_plugins.sandbox_fs.paths import ADDED, check_writable, is_of_added, normal, not_added
from inarch_plugins.sandbox_fs.settings import Settings
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

if TYPE_CHECKING:
    from inarch import Piped, Ran, Rights
    from inarch_plugins.sandbox_fs.processes.background import Running

T = TypeVar("T")
_One = FolderWorkspace


class _Place(NamedTuple):
    """Target of a path: the folder's prefix (empty for the root), its workspace, and the path below it."""

    prefix: str
    workspace: FolderWorkspace
    path: str

    def named(self, path: str) -> str:
        """Return a path below the folder as a path of the whole workspace."""
        return path if not self.prefix else self.prefix if path == "." else f"{self.prefix}/{path}"

    def call(self, act: Callable[..., T], *arguments: Any) -> T:
        """Return the result of a method of one folder; its failures name paths of the whole workspace."""
        try:
            return act(self.workspace, *arguments)
        except ToolFailed as error:
            if not self.prefix:
                raise
            remedy = f"{error.remedy} (below {self.prefix}/)" if error.remedy else ""
            raise ToolFailed(error.code, f"in {self.prefix}: {error.message}", remedy) from None


@define(eq=False, repr=False)
class Folders(FolderWorkspace):
    """Implementation of the `Workspace` port over several folders.

    Programs run in the root and cannot change the other folders. Programs that may start others can read them.
    """

    _added: dict[str, FolderWorkspace] = field(init=False, factory=dict)

    @classmethod
    def beside(cls, root: str, added: Sequence[str], settings: Settings) -> Folders:
        """Open a root and the folders added to it."""
        opened = cls.open(root, settings)
        try:
            for folder in checked(root, added):
                opened._added[f"{ADDED}{folder}"] = FolderWorkspace.open(folder, settings)
        except BaseException:
            opened.close()
            raise
        return opened

    @property
    def added(self) -> tuple[str, ...]:
        """Return the absolute paths of the added folders."""
        return tuple(prefix.removeprefix(ADDED) for prefix in self._added)

    def stat(self, path: str) -> FileStat | None:
        """Return the status of a path without following a link at its end, or None if nothing exists there."""
        at = self._at(path)
        found = at.call(_One.stat, at.path)
        return None if found is None else evolve(found, path=at.named(found.path))

    def read(self, path: str, offset: int = 0, max_bytes: int | None = None) -> FileBytes:
        """Return bytes of a regular file; links are followed if they stay in the folder."""
        at = self._at(path)
        found = at.call(_One.read, at.path, offset, max_bytes)
        return evolve(found, path=at.named(found.path))

    def digest(self, path: str) -> str:
        """Return the hash of a whole regular file, in bounded memory."""
        at = self._at(path)
        return at.call(_One.digest, at.path)

    def entries(self, path: str = ".") -> tuple[FileStat, ...]:
        """Return the entries of a directory by name, including ignored files and links."""
        at = self._at(path)
        return tuple(evolve(entry, path=at.named(entry.path)) for entry in at.call(_One.entries, at.path))

    def link_target(self, path: str) -> bytes:
        """Return the target of a symbolic link, as stored in it."""
        at = self._at(path)
        return at.call(_One.link_target, at.path)

    def replace(self, path: str, chunks: Iterable[bytes], expected_hash: str | None) -> FileChange:
        """Write a file atomically if its present hash is the expected one (None: it must not exist)."""
        at = self._to_write(path)
        return _changed(at, at.call(_One.replace, at.path, chunks, expected_hash))

    def remove(self, path: str, expected_hash: str) -> FileChange:
        """Remove a file if its present hash is the expected one."""
        at = self._to_write(path)
        return _changed(at, at.call(_One.remove, at.path, expected_hash))

    def move(self, path: str, new_path: str, expected_hash: str) -> FileChange:
        """Move a file to a path of the same folder that is not in use."""
        at, to = self._to_write(path), self._to_write(new_path)
        if at.workspace is not to.workspace:
            raise ToolFailed(
                "validation", f"{path} and {new_path} are in different folders; files can't be moved between them",
                "create the file there, then delete this one",
            )  # fmt: skip
        return _changed(at, at.call(_One.move, at.path, to.path, expected_hash))

    def restore(self, path: str, entry: FileStat, blob: bytes) -> FileChange:
        """Restore a file's bytes and mode."""
        at = self._to_write(path)
        return _changed(at, at.call(_One.restore, at.path, entry, blob))

    def restore_all(self, states: Sequence[FileState], near: Sequence[str] = ()) -> tuple[str, ...]:
        """Leave every path as its state says, or change nothing; return the folders that are not empty.

        The folders are restored one after the other. If one fails, the earlier ones are put back.
        """
        parts: dict[str, list[FileState]] = {}
        for state in states:
            at = self._to_write(state.path)
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
                at = _Place(prefix, self._added.get(prefix, self), ".")
                before = at.call(_before, part) if len(parts) > 1 else []
                left = at.call(_One.restore_all, part, others.get(prefix, ()))
                back.append((at, [state for state in before if state.path not in left]))
                stayed += map(at.named, left)
        except BaseException:
            for at, before in reversed(back):
                at.call(_One.restore_all, before)
            raise
        return tuple(stayed)

    def walk(self, pattern: str = "**/*", limit: int | None = None) -> Walk:
        """Return the sorted files of one folder that match a glob; the root unless the glob names an added folder."""
        at = self._at(pattern)
        found = at.call(_One.walk, "**/*" if at.prefix and at.path == "." else at.path, limit)
        if at.prefix:
            return evolve(found, paths=tuple(map(at.named, found.paths)))
        begins_at_root = compile_glob(at.path).start == "."
        return evolve(found, notes=(*found.notes, self._elsewhere())) if begins_at_root else found

    def search(
        self, pattern: str, path: str = ".", glob: str | None = None, ignore_case: bool = False, limit: int = 100
    ) -> SearchHits:
        """Return the lines of one folder that match a regular expression, within a time limit."""
        at = self._at(path)
        found = at.call(_One.search, pattern, at.path, glob, ignore_case, limit)
        if at.prefix:
            return evolve(found, hits=tuple(evolve(hit, path=at.named(hit.path)) for hit in found.hits))
        return evolve(found, notes=(*found.notes, self._elsewhere())) if at.path == "." else found

    def run(self, argv: Sequence[str], rights: Rights, **options: Any) -> Ran:
        """Run a program in the root, as the root's own workspace does."""
        self._require_root(argv)
        return super().run(argv, self._in_root(rights), **options)

    def run_piped(self, parts: Sequence[Piped], **options: Any) -> Ran:
        """Run the programs of a pipeline in the root."""
        return super().run_piped(self._all_in_root(parts), **options)

    def try_piped(self, parts: Sequence[Piped], **options: Any) -> Ran:
        """Run the programs of a pipeline in a copy of the root."""
        return super().try_piped(self._all_in_root(parts), **options)

    def start(self, parts: Sequence[Piped], *, cwd: str, words: str, on_end: Callable[[], object]) -> Running:
        """Start programs in the root and leave them running."""
        return super().start(self._all_in_root(parts), cwd=cwd, words=words, on_end=on_end)

    def close(self) -> None:
        """Stop what still runs and close descriptors; may be called twice."""
        super().close()
        for workspace in self._added.values():
            workspace.close()

    def _at(self, path: str) -> _Place:
        """Return the target of a path."""
        for prefix in self._added:
            if isinstance(path, str) and f"{ADDED}{path}/".startswith(f"{prefix}/"):
                raise ToolFailed("permission", f"the path {path!r} is absolute", f"use {f'{ADDED}{path}'!r}")
        plain = normal(path, self.root)
        if not is_of_added(plain):
            return _Place("", self, plain)
        for prefix, workspace in self._added.items():
            if plain == prefix or plain.startswith(f"{prefix}/"):
                return _Place(prefix, workspace, plain[len(prefix) + 1 :] or ".")
        raise not_added(plain)

    def _to_write(self, path: str) -> _Place:
        """Return the target of a path that may be written; the whole path is checked for protected names as well."""
        at = self._at(path)
        if at.prefix and at.path != ".":
            check_writable(at.named(at.path))
        return at

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

    def _all_in_root(self, parts: Sequence[Piped]) -> list[Piped]:
        self._require_root(word for part in parts for word in part.argv)
        return [evolve(part, rights=self._in_root(part.rights)) for part in parts]

    def _in_root(self, rights: Rights) -> Rights:
        """Return rights to read the added folders and not change them."""
        # The arguments of programs that run alone and unasked are judged as paths of the root.
        writes = tuple(path for path in rights.writes if not is_of_added(path))
        return evolve(rights, writes=writes, reads=(*rights.reads, *(self.added if rights.executes else ())))


def _changed(at: _Place, change: FileChange) -> FileChange:
    new_path = None if change.new_path is None else at.named(change.new_path)
    return evolve(change, path=at.named(change.path), new_path=new_path)


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
