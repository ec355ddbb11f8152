"""Survey of a workspace for undo: the files that it covers, those that it does not, and caches."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager

from attrs import define, evolve, field

from inarch import FileStat, Survey
from inarch_lib.staging import is_leftover
from inarch_plugins.sandbox_fs.file_read import file_stat
from inarch_plugins.sandbox_fs.ignore import Ignore
from inarch_plugins.sandbox_fs.paths import above
from inarch_plugins.sandbox_fs.safe_open import LIST, held
from inarch_plugins.sandbox_fs.walk import Walker, is_text

CACHES = frozenset((
    "node_modules", "bower_components", "target", "__pycache__", ".venv", ".tox", ".nox", ".eggs", ".mypy_cache",
    ".ruff_cache", ".pytest_cache", ".hypothesis", ".gradle", ".terraform", ".next", ".nuxt", ".svelte-kit", ".turbo",
    ".parcel-cache", ".cache",
))  # fmt: skip
"""Names of folders that tools make again. They count only if Git ignores them. `dist` may hold files of a person."""
MOST_FILES = 25_000
"""Covered paths that Git does not ignore, as in the kernel."""
MOST_IGNORED = 2_000
"""Ignored files and folders, outside caches, that undo covers."""
MOST_BYTES = 256 << 20
"""Bytes of all covered files that Git ignores, and of all others."""
MOST_FILE = 64 << 20
"""Bytes of the biggest covered file, as in the kernel."""
_MOST_NAMED = 100  # each is a mount while a command runs


@define(eq=False, repr=False)
class Surveyor:
    """One survey; at most about `limit` paths that Git does not ignore."""

    walker: Walker
    limit: int
    _entries: list[FileStat] = field(init=False, factory=list)
    _passed: list[str] = field(init=False, factory=list)
    _uncovered: set[str] = field(init=False, factory=set)
    _ignored: list[FileStat] = field(init=False, factory=list)
    _listed: int = field(init=False, default=0)
    _bytes: int = field(init=False, default=0)
    _truncated: bool = field(init=False, default=False)

    def survey(self) -> Survey:
        """Return the entries below the root; links are not followed."""
        pending = self._visit(None, self.walker.ignore())
        while pending:
            folder, ignore = pending.pop()
            if self._listed > 2 * self.limit:
                self._pass(folder)
            else:
                pending += self._visit(folder, ignore)
        self._bytes, room = 0, MOST_IGNORED
        most_listed = self._listed + 10 * MOST_IGNORED
        for entry in sorted(self._ignored, key=lambda one: (one.kind == "directory", one.path.count("/"), one.path)):
            found = self._below(entry, room) if self._listed < most_listed else None
            size = sum(one.size for one in found or () if one.kind == "file" and one.path not in self._uncovered)
            if found is None or len(found) > room or self._bytes + size > MOST_BYTES:
                self._pass(entry)
            else:
                room, self._bytes = room - len(found), self._bytes + size
                self._entries += [evolve(one, ignored=True) for one in found]
        uncovered = _few(self._uncovered)
        passed = tuple(sorted(self._passed))
        return Survey(tuple(self._entries), passed, self._truncated, self.walker.passed.unnameable, uncovered)

    def _visit(self, folder: FileStat | None, ignore: Ignore) -> list[tuple[FileStat, Ignore]]:
        """Take a folder that Git does not ignore; return the folders in it."""
        prefix = f"{folder.path}/" if folder else ""
        try:
            with self._opened(prefix) as descriptor:
                here = self._here(descriptor, prefix)
                ignore = self.walker.rules_here(descriptor, prefix, here, ignore)
        except OSError:
            if folder is None:
                raise
            self._pass(folder)
            return []
        files = [name for name, found in here.items() if found.kind != "directory"]
        inner = [name for name, found in here.items() if found.kind == "directory"]
        kept, folders = self.walker.kept(prefix, files, inner, ignore)
        # Virtual environments and the caches of some tools ignore themselves.
        is_ignored = not ignore.in_repository or (".gitignore" in here and not kept and not folders)
        if folder is not None and is_ignored and _is_cache(folder, here):
            self._pass_cache(folder)
            return []
        if len(self._entries) + len(kept) + len(folders) > self.limit:
            self._truncated = self._truncated or folder is None
            self._pass(folder)
            return []
        self._entries += [*([folder] if folder else []), *(here[name] for name in kept)]
        for name in kept:
            if here[name].kind == "file":
                self._bytes += here[name].size
                if self._bytes > MOST_BYTES:
                    self._uncovered.add(prefix + name)
        self._ignored += [here[name] for name in {*files, *inner}.difference(kept, folders) if name != ".git"]
        return [(here[name], ignore) for name in folders]

    def _below(self, top: FileStat, room: int) -> list[FileStat] | None:
        """Return an ignored entry with all below it but caches; None if that is too much or cannot be listed."""
        found, pending = [] if top.kind == "directory" else [top], [top] if top.kind == "directory" else []
        while pending:
            folder = pending.pop()
            if _is_cache(folder, ()):
                self._pass_cache(folder)
                continue
            try:
                with self._opened(f"{folder.path}/") as descriptor:
                    here = self._here(descriptor, f"{folder.path}/")
            except OSError:
                return None
            if _is_cache(folder, here):
                self._pass_cache(folder)
                continue
            here.pop(".git", None)  # always protected
            found += [folder, *(one for one in here.values() if one.kind != "directory")]
            pending += [one for one in here.values() if one.kind == "directory"]
            if len(found) > room:
                return None
        return found

    def _opened(self, prefix: str) -> AbstractContextManager[int]:
        return held(self.walker.open_it(self.walker.root, prefix.rstrip("/") or ".", LIST, False))

    def _here(self, descriptor: int, prefix: str) -> dict[str, FileStat]:
        """Return the files, links and folders in a folder by name."""
        here: dict[str, FileStat] = {}
        with os.scandir(descriptor) as listed:
            for entry in listed:
                self._listed += 1
                if not is_text(entry.name):
                    self.walker.passed.unnameable += 1
                    self._uncovered.add(prefix[:-1] or ".")
                elif (status := _status(entry)) and (found := file_stat(prefix + entry.name, status)).kind != "other":
                    here[entry.name] = found
                    if found.kind == "file" and (found.size > MOST_FILE or not _is_readable(descriptor, found)):
                        self._uncovered.add(found.path)
        return here

    def _pass(self, entry: FileStat | None) -> None:
        path = entry.path if entry else "."
        self._uncovered.add(path)
        if entry is None or entry.kind == "directory":
            self._passed.append(f"{path}/")

    def _pass_cache(self, folder: FileStat) -> None:
        self._passed.append(f"{folder.path}/")
        self._entries.append(evolve(folder, kind="other", ignored=True))


def _is_cache(folder: FileStat, names: Iterable[str]) -> bool:
    return folder.path.rpartition("/")[2] in CACHES or "pyvenv.cfg" in names


def _is_readable(folder: int, entry: FileStat) -> bool:
    name = entry.path.rpartition("/")[2]
    return entry.mode & 0o444 == 0o444 or os.access(name, os.R_OK, dir_fd=folder, effective_ids=True)


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    if is_leftover(entry.name):
        return None
    try:
        return entry.stat(follow_symlinks=False)
    except OSError:
        return None  # gone meanwhile


def _few(paths: Iterable[str]) -> Sequence[str]:
    """Return the outermost of some paths; too many are named by the folders in the root that they lie in."""
    found = set(paths)
    outermost = {path for path in found if found.isdisjoint(above(path))}
    if len(outermost) > _MOST_NAMED:
        outermost = {path.partition("/")[0] for path in outermost}
    return (".",) if "." in found or len(outermost) > _MOST_NAMED else tuple(sorted(outermost))
