"""Trusted projects: trust is bound to the project's path and to the content of every file that needs trust.

Trust is stored in `trust.json` in the state folder, mode 0600, written atomically under a lock.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Literal, NamedTuple

from inarch.config.files import LOCAL_SETTINGS, READ, TRUST_FILE, Unreadable, why
from inarch.config.private_files import changing_kept, read_kept, write_kept
from inarch.config.project_files import (
    ProjectFiles,
    bound_files,
    digest,
    imported_files,
    is_nested_guide,
    needs_trust_itself,
    nested_guides,
    project_files,
    read_project_file,
)
from inarch.contract.errors import ToolFailed
from inarch_lib.staging import write_whole


class Standing(NamedTuple):
    """State of a project: the files `found` there now, and the paths `changed` since trust was given."""

    state: Literal["nothing", "trusted", "untrusted", "changed"]
    found: ProjectFiles
    changed: tuple[str, ...] = ()
    bound: Mapping[str, str] = {}

    @property
    def files(self) -> Mapping[str, str]:
        """The hashes by path: of the present files, and of those that commands may run (`bound`)."""
        return {**self.found.hashes, **self.bound}


class Trust(NamedTuple):
    """The user's trust in the project at `root`, stored in `trust.json` in the state folder."""

    root: str
    state_dir: Path

    def standing(self, whole: bool = False, config_dir: Path | None = None) -> Standing:
        """Return the project's state.

        Files that commands name and instructions import are bound, too. A changed one does not end trust, but it is
        neither run nor read.

        Args:
            whole: Whether to search all folders for guide files. Otherwise only those count that existed when trust was
                given; a later one is not trusted, and does not end trust. The same holds for files that commands name.
            config_dir: With `whole`, the user's configuration folder, whose commands may name files of the project;
                by default the usual one.
        """
        root = self.root
        # a damaged file trusts no project
        known = read_kept(self.state_dir / TRUST_FILE, dict).get(os.path.realpath(root))
        found = project_files(root, nested_guides(root) if whole else _nested(known or {}))
        bound = _bound(known or {})
        changed = _changed(known or {}, found.hashes)
        if whole:
            from inarch.config.directories import config_dir as usual
            from inarch.config.user_commands import files_to_bind

            named = files_to_bind(root, found.hashes, config_dir or usual())
            before, bound = bound, bound_files(root, [LOCAL_SETTINGS, *named, *imported_files(root, found.hashes)])
            others = (path for path in {**before, **bound} if bound.get(path) != before.get(path))
            changed = tuple(sorted({*changed, *others}))
        if known is None:
            return Standing("untrusted" if found.hashes or bound else "nothing", found, bound=bound)
        return Standing("changed" if changed else "trusted", found, changed, bound)

    def grant(self, files: Mapping[str, str]) -> None:
        """Trust the project as it was shown: `files` are the hashes of the files that the user saw.

        Raises:
            StoreError: It cannot be stored.
        """
        with self._kept() as projects:
            projects[os.path.realpath(self.root)] = dict(files)

    def revoke(self) -> bool:
        """Revoke the trust; return whether the project was trusted.

        Raises:
            StoreError: It cannot be stored.
        """
        with self._kept() as projects:
            return projects.pop(os.path.realpath(self.root), None) is not None

    def change(self, path: str, edit: Callable[[bytes | None, bool], bytes | None]) -> bool:
        """Edit a file under a lock and renew the trust; return whether the project is trusted.

        If no file of the project needs trust, it is trusted with its first file.

        Args:
            path: The file.
            edit: Returns the new bytes for the present ones; None means no file. Its second argument is whether the
                project is trusted in its present state. It raises to cancel the change.

        Raises:
            ToolFailed: A link or another type of file is in the way.
            StoreError: Trust cannot be stored.
        """
        place = os.path.realpath(self.root)
        with self._kept() as projects:
            known = projects.get(place, {})
            files = dict(project_files(self.root, _nested(known)).hashes)
            is_trusted = not files or not _changed(known, files)
            try:
                before = read_project_file(self.root, path)
                after = edit(before, is_trusted and files.get(path, "") == digest(before))
                if after != before:
                    if is_trusted:  # both the old and the new state: a kill in between costs nothing
                        both = f"{files.get(path, '')}|{digest(after)}"
                        changing = {**projects, place: {**_bound(known), **files, path: both}}
                        write_kept(self.state_dir / TRUST_FILE, changing)
                    write_project_file(self.root, path, after)
            except Unreadable as error:
                raise ToolFailed("permission", f"{path} {error}") from error
            if is_trusted:
                files[path] = digest(after)
                projects[place] = {name: value for name, value in {**_bound(known), **files}.items() if value}
                if not projects[place]:
                    del projects[place]
            return is_trusted

    def _kept(self) -> AbstractContextManager[dict[str, dict[str, str]]]:
        """Yield the trusted projects for changes, and write them back; one process at a time."""
        return changing_kept(self.state_dir / TRUST_FILE, dict, "trust")


def _nested(known: Mapping[str, str]) -> list[str]:
    return sorted(filter(is_nested_guide, known))


def _bound(known: Mapping[str, str]) -> dict[str, str]:
    """Return the trusted files that are only bound for the commands that run them."""
    return {path: value for path, value in known.items() if not needs_trust_itself(path)}


def _changed(known: Mapping[str, str], files: Mapping[str, str]) -> tuple[str, ...]:
    """Return the changed paths: while a file is written, two hashes are valid; "" means no file."""
    paths = {*files, *filter(needs_trust_itself, known)}
    return tuple(sorted(path for path in paths if files.get(path, "") not in known.get(path, "").split("|")))


def write_project_file(root: str, path: str, data: bytes | None) -> None:
    """Write a file, or remove it if `data` is None.

    Raises:
        Unreadable: A link or another type of file is in the way.
    """
    *folders, name = path.split("/")
    try:
        folder = _folder(root, folders)
        try:
            if data is None:
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=folder)
            else:
                write_whole(name, data, folder=folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise Unreadable(why(error).replace("read", "written")) from error


def _folder(root: str, names: list[str]) -> int:
    """Open a folder below the root, creating missing ones; no component may be a link."""
    folder = os.open(root, READ | os.O_DIRECTORY)
    for name in names:
        try:
            with suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=folder)
            inner = os.open(name, READ | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
        finally:
            os.close(folder)
        folder = inner
    return folder
