"""What a plugin may keep where people look: the user's configuration folder and a trusted project's `.inarch`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inarch.config import directories
from inarch.config.files import MAX_BYTES, Unreadable, needs_trust, read_user_file
from inarch.config.project_files import digest, is_left, read_project_file, read_trusted
from inarch.config.trust import Trust
from inarch.contract.errors import StoreError, ToolFailed
from inarch.contract.frozen import frozen
from inarch_lib.staging import make_folder, write_whole

if TYPE_CHECKING:
    from inarch.config.config import Config

Folders = Mapping[str, Any]
"""What plugins are given of the folders of the configuration: fields of their `PluginContext`."""
Edit = Callable[[bytes | None], bytes | None]
_REMEDY = "look at its files, then: inarch config trust"


def folders_of(config: Config) -> Folders:
    """Return what plugins are given of the configuration's folders; looks at the project once for all of them."""
    return {
        "user": UserFolder(directories.config_dir(config.environ)),  # which may not exist yet
        "project": _project_folder(config),
        "brought": BroughtFiles(config.root, config.trusted_files) if config.trusted else None,
    }


def _project_folder(config: Config) -> ProjectFolder | None:
    """Return the project's `.inarch`; None where the project is not trusted and has something that needs trust.

    In a copy it is that of the project itself: what is kept there outlives the copy.
    """
    root = config.copy_of or config.root
    # An empty `.inarch` is what is left where the last file was removed: nothing in it needs trust.
    found, trust = ProjectFolder(root, config.state_dir), Trust(root, config.state_dir)
    return found if config.trusted or not needs_trust(*trust) or trust.standing().state == "nothing" else None


@frozen
class UserFolder:
    """The user's own files: links are followed, they are the user's."""

    folder: Path

    def place(self, name: str) -> str:
        """Return a file's path."""
        return str(self.folder / _checked(name))

    def names(self, folder: str = "") -> Sequence[str]:
        """Return the names of the files below `folder`."""
        top = self.folder / _checked(folder) if folder else self.folder
        files = (path for path in top.rglob("*") if path.is_file() and not is_left(path.name))
        return sorted(path.relative_to(self.folder).as_posix() for path in files)

    def read(self, name: str) -> bytes | None:
        """Return a file's bytes, None if it is not there."""
        path = self.folder / _checked(name)
        try:
            return read_user_file(path)
        except Unreadable as error:
            raise ToolFailed("permission", f"{path} {error}") from error

    def change(self, name: str, edit: Edit) -> None:
        """Edit a file while no other process does; a folder that is a link's target is locked, not the link."""
        import fcntl

        path = Path(os.path.realpath(self.folder / _checked(name)))
        try:
            make_folder(path.parent)
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
    """A project's `.inarch`: nothing is read or written unless the project is trusted as it stands at that moment.

    A project without anything that needs trust gets its first file here and is then trusted with just that file.
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
        """Return a file's bytes, None if it is not there."""
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
        """Edit a file while no other process does, and keep the trust over it."""
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
        return ToolFailed("permission", f"{self.root} is not trusted as it stands now", _REMEDY)


@frozen
class BroughtFiles:
    """What a trusted project brings along, by its path in the project: read as it was when trust was checked."""

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
        """Return a file's bytes, None where it is none of them or not as it was."""
        return read_trusted(self.root, name, self.trusted_files)

    def change(self, name: str, edit: Edit) -> None:
        """Refuse: a project's own files are changed with tools."""
        raise ToolFailed("permission", f"{name} is the project's own", "change it with a tool that writes")


def _checked(name: str) -> str:
    parts = name.split("/")
    if "\0" in name or any(part in ("", ".", "..") for part in parts) or is_left(parts[-1]):
        raise ToolFailed("validation", f"{name!r} is no name of a file to keep")
    if parts[0].casefold() == "config.toml":
        raise ToolFailed("permission", "the configuration is the user's: no plugin changes it")
    return name


def _sized(path: str | Path, data: bytes | None) -> bytes | None:
    if data is not None and len(data) > MAX_BYTES:
        raise ToolFailed("validation", f"{path} would be larger than {MAX_BYTES:,} bytes", "remove something from it")
    return data
