"""Which projects the user trusts: bound to the project's path and to the content of every file that needs trust.

Kept in `trust.json` in the state folder, mode 0600, written atomically under a lock.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Literal, NamedTuple

from inarch.config.files import TRUST_FILE
from inarch.config.private_files import changing_kept, read_kept, write_kept
from inarch.config.project_files import (
    ProjectFiles,
    bound_files,
    digest,
    is_nested_guide,
    needs_trust_itself,
    nested_guides,
    project_files,
    read_project_file,
)
from inarch.config.project_write import write_project_file


class Standing(NamedTuple):
    """How a project stands: what is `found` there now, and which paths are `changed` from before."""

    state: Literal["nothing", "trusted", "untrusted", "changed"]
    found: ProjectFiles
    changed: tuple[str, ...] = ()
    bound: Mapping[str, str] = {}

    @property
    def files(self) -> Mapping[str, str]:
        """The hashes by path: of the present files, and of those that commands may run (`bound`)."""
        return {**self.found.hashes, **self.bound}


def trust_of(root: str, state_dir: Path, whole: bool = False, config_dir: Path | None = None) -> Standing:
    """Return how the project at `root` stands.

    Files that commands name are bound, too. A change of one ends no trust, but no command runs it.

    Args:
        root: The project's folder.
        state_dir: Where `trust.json` is.
        whole: Whether guide files of all folders are looked for. Otherwise those count that were there when trust
            was given; one that came since is not trusted, and ends nothing. So do files that commands name.
        config_dir: With `whole`, the user's configuration folder, whose commands may name files of the project.
    """
    known = read_kept(state_dir / TRUST_FILE, dict).get(os.path.realpath(root))  # a damaged file trusts nobody
    found = project_files(root, nested_guides(root) if whole else _nested(known or {}))
    bound = _bound(known or {})
    changed = _changed(known or {}, found.hashes)
    if whole:
        from inarch.config.user_commands import files_to_bind

        before, bound = bound, bound_files(root, files_to_bind(root, found.hashes, config_dir))
        changed = tuple(
            sorted({*changed, *(path for path in {**before, **bound} if bound.get(path) != before.get(path))})
        )
    if known is None:
        return Standing("untrusted" if found.hashes or bound else "nothing", found, bound=bound)
    return Standing("changed" if changed else "trusted", found, changed, bound)


def _nested(known: Mapping[str, str]) -> list[str]:
    return sorted(filter(is_nested_guide, known))


def _bound(known: Mapping[str, str]) -> dict[str, str]:
    """Return the trusted files that are only bound for the commands that run them."""
    return {path: value for path, value in known.items() if not needs_trust_itself(path)}


def _changed(known: Mapping[str, str], files: Mapping[str, str]) -> tuple[str, ...]:
    """Return the paths that are not as they are known: with one of two hashes while one is written, "" for no file."""
    paths = {*files, *filter(needs_trust_itself, known)}
    return tuple(sorted(path for path in paths if files.get(path, "") not in known.get(path, "").split("|")))


def grant(root: str, files: Mapping[str, str], state_dir: Path) -> None:
    """Trust a project as it was shown: `files` are the hashes of what the user saw.

    Raises:
        StoreError: It can't be kept.
    """
    with _kept(state_dir) as projects:
        projects[os.path.realpath(root)] = dict(files)


def revoke(root: str, state_dir: Path) -> bool:
    """Trust a project no longer; return whether it was trusted.

    Raises:
        StoreError: It can't be kept.
    """
    with _kept(state_dir) as projects:
        return projects.pop(os.path.realpath(root), None) is not None


def change_project_file(
    root: str, path: str, state_dir: Path, edit: Callable[[bytes | None, bool], bytes | None]
) -> bool:
    """Edit a project's file while no other process does, and keep the trust over it; return whether it is trusted.

    A project with nothing that needs trust is trusted with its first file.

    Args:
        root: The project's folder.
        path: The file.
        state_dir: Where `trust.json` is.
        edit: Makes the new bytes out of the present ones; None stands for no file. It is told whether the file is one
            of a project that is trusted as it stands, and raises where nothing is to be changed.

    Raises:
        Unreadable: A link or something else stands in the way.
        StoreError: Trust can't be kept.
    """
    place = os.path.realpath(root)
    with _kept(state_dir) as projects:
        known = projects.get(place, {})
        files = dict(project_files(root, _nested(known)).hashes)
        is_trusted = not files or not _changed(known, files)
        before = read_project_file(root, path)
        after = edit(before, is_trusted and files.get(path, "") == digest(before))
        if after != before:
            if is_trusted:  # as it is and as it is about to be: a kill between costs nothing
                both = f"{files.get(path, '')}|{digest(after)}"
                write_kept(state_dir / TRUST_FILE, {**projects, place: {**_bound(known), **files, path: both}})
            write_project_file(root, path, after)
        if is_trusted:
            files[path] = digest(after)
            projects[place] = {name: value for name, value in {**_bound(known), **files}.items() if value}
            if not projects[place]:
                del projects[place]
        return is_trusted


def _kept(state_dir: Path) -> AbstractContextManager[dict[str, dict[str, str]]]:
    """Give the trusted projects to change, and write them back; one process at a time."""
    return changing_kept(state_dir / TRUST_FILE, dict, "trust")
