"""Folders in which plugins store files for users: the user's configuration folder and a trusted project's `.inarch`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inarch.config import directories
from inarch.config.files import MAX_BYTES, Unreadable, needs_trust, read_user_file
from inarch.config.project_files import digest, read_project_file, read_trusted
from inarch.config.trust import Trust
from inarch.contract.errors import StoreError, ToolFailed
from inarch.contract.frozen import frozen
from inarch_lib.staging import is_leftover, make_folder, write_whole

if TYPE_CHECKING:
    from inarch.config.config import Config

Folders = Mapping[str, Any]
"""Configuration folders for plugins, as fields of their `PluginContext`."""
Edit = Callable[[bytes | None], bytes | None]
_REMEDY = "look at its files, then: inarch config trust"


def folders_of(config: Config) -> Folders:
    """Return the configuration's folders for plugins; it examines the project once for all of them."""
    return {
        "user": UserFolder(directories.config_dir(config.environ)),  # which may not exist yet
        "project": _project_folder(config),
        "brought": BroughtFiles(config.root, config.trusted_files) if config.trusted else None,
    }


def _project_folder(config: Config) -> ProjectFolder | None:
    """Return the project's `.inarch`; None if the project is not trusted and has files that need trust.

    For a copy, return that of the project itself: files stored there outlive the copy.
    """
    root = config.copy_of or config.root
    # An empty `.inarch` remains after its last file was removed: nothing in it needs trust.
    found, trust = ProjectFolder(root, config.state_dir), Trust(root, config.state_dir)
    return found if config.trusted or not needs_trust(*trust) or trust.standing().state == "nothing" else None


@frozen
class UserFolder:
    """The user's own files; links are followed, they are the user's."""

    folder: Path

    def place(self, name: str) -> str:
        """Return a file's path."""
        return str(self.folder / _checked(name))

    def names(self, folder: str = "") -> Sequence[str]:
        """Return the names of the files below `folder`."""
        top = self.folder / _checked(folder) if folder else self.folder
        files = (path for path in top.rglob("*") if path.is_file() and not is_leftover(path.name))
        return sorted(path.relative_to(self.folder).as_posix() for path in files)

    def read(self, name: str) -> bytes | None:
        """Return a file's bytes, None if it does not exist."""
        path = self.folder / _checked(name)
        try:
            return read_user_file(path)
        except Unreadable as error:
            raise ToolFailed("permission", f"{path} {error}") from error

    def change(self, name: str, edit: Edit) -> None:
        """Edit a file under a lock; if the folder is a link, lock its target, not the link."""
        import fcntl

        path = Path(os.path.realpath(self.folder / _checked(name)))
        try:
            make_folder(path.parent)
            # A write replaces the file, and with it any lock on the file itself.
            lock = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                before = self.read(name)
                after = _sized(path, edit(before))
                if after is None:
                    path.unlink(missing_ok=True)
                elif after != before:
                    write_whole(path, after)
            finally:
                os.close(lock)
        except OSError as error:
            raise ToolFailed("execution", f"{path} can't be written: {error.strerror}") from error


@frozen
class ProjectFolder:
    """A project's `.inarch`, accessible only while the project is trusted in its present state.

    If no file of the project needs trust, its first file can be created here, and the project is then trusted with it.
    """

    root: str
    state_dir: Path

    def place(self, name: str) -> str:
        """Return a file's path in the project."""
        return f".inarch/{_checked(name)}"

    def names(self, folder: str = "") -> Sequence[str]:
        """Return the names of the files below `folder`."""
        top = f"{self.place(folder)}/" if folder else ".inarch/"
        return sorted(path.removeprefix(".inarch/") for path in self._trusted() if path.startswith(top))

    def read(self, name: str) -> bytes | None:
        """Return a file's bytes, None if it does not exist."""
        path = self.place(name)
        known = self._trusted().get(path, "")
        try:
            data = read_project_file(self.root, path)
        except Unreadable as error:
            raise ToolFailed("permission", f"{path} {error}") from error
        if digest(data) != known:
            raise self._untrusted()
        return data

    def change(self, name: str, edit: Edit) -> None:
        """Edit a file under a lock, and renew the trust."""
        path = self.place(name)

        def edited(before: bytes | None, is_trusted: bool) -> bytes | None:
            if not is_trusted:
                raise self._untrusted()
            return _sized(path, edit(before))

        try:
            Trust(self.root, self.state_dir).change(path, edited)
        except StoreError as error:
            raise ToolFailed("execution", error.message, error.remedy) from error

    def _trusted(self) -> dict[str, str]:
        standing = Trust(self.root, self.state_dir).standing()
        if standing.state in ("untrusted", "changed"):
            raise self._untrusted()
        return dict(standing.files)

    def _untrusted(self) -> ToolFailed:
        return ToolFailed("permission", f"{self.root} is not trusted in its present state", _REMEDY)


@frozen
class BroughtFiles:
    """Files of a trusted project, by their paths in it, as they were when trust was checked."""

    root: str
    trusted_files: Mapping[str, str]

    def place(self, name: str) -> str:
        """Return a file's path in the project."""
        return name

    def names(self, folder: str = "") -> Sequence[str]:
        """Return the paths of the files below `folder`."""
        top = f"{folder}/" if folder else ""
        return sorted(path for path in self.trusted_files if path.startswith(top))

    def read(self, name: str) -> bytes | None:
        """Return a file's bytes, None if it is not one of them or has changed."""
        return read_trusted(self.root, name, self.trusted_files)

    def change(self, name: str, edit: Edit) -> None:
        """Refuse: a project's own files are changed with tools."""
        raise ToolFailed("permission", f"{name} is the project's own", "change it with a tool that writes")


def _checked(name: str) -> str:
    parts = name.split("/")
    if "\0" in name or any(part in ("", ".", "..") for part in parts) or is_leftover(parts[-1]):
        raise ToolFailed("validation", f"{name!r} is not a valid file name")
    if parts[0].casefold() == "config.toml":  # macOS ignores case in names
        raise ToolFailed("permission", "the configuration is the user's: no plugin changes it")
    return name


def _sized(path: str | Path, data: bytes | None) -> bytes | None:
    if data is not None and len(data) > MAX_BYTES:
        raise ToolFailed("validation", f"{path} would be larger than {MAX_BYTES:,} bytes", "remove something from it")
    return data
