"""Lookup of programs by name, and the folders that they need besides the system's own.

A name is looked up in a fixed table of folders, never in `PATH`. The exception is a program that may start others: it
gets the user's interpreters, by the `PATH` of Inarch's start. Programs of the workspace count only if their path is
named.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator

from attrs import define, field, frozen

from inarch import ToolFailed
from inarch_plugins.sandbox_fs.paths import normal, split
from inarch_plugins.sandbox_fs.processes.installations import (
    installations_at,
    is_interpreter,
    is_program,
    listed,
    places_of,
)
from inarch_plugins.sandbox_fs.safe_open import PATH_ONLY, Open

TABLE = ("/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin") + (
    ("/opt/homebrew/bin",) if sys.platform == "darwin" else ()
)
"""Folders in which programs are looked for."""

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64")
"""Folders that every program may read and, in the workspace tier, start programs from."""

_TOOLCHAINS = (("RUSTUP_HOME", ".rustup"), ("PYENV_ROOT", ".pyenv"), ("GOMODCACHE", "go/pkg/mod"))
"""Folders below the home folder in which programs look for toolchains: the variable that names one, and its path."""

_VENVS = (".venv", "venv", "env")
_MOST_LINKS = 300


@frozen
class Program:
    """A program that can be started."""

    path: str
    folders: tuple[str, ...] = ()
    search_path: tuple[str, ...] = TABLE
    env: tuple[tuple[str, str], ...] = ()


@define(eq=False, repr=False)
class Programs:
    """Finder of programs for one workspace."""

    root: str
    """The workspace's real path."""
    _descriptor: int
    _open_it: Open
    _path: tuple[str, ...] = field(factory=lambda: tuple(os.environ.get("PATH", "").split(os.pathsep)))
    _home: str = field(factory=lambda: os.path.realpath(os.path.expanduser("~")))
    _users: tuple[str, ...] | None = None
    _prefixes: tuple[str, ...] | None = None

    def find(self, name: str, folder: str, executes: bool) -> Program:
        """Return the program that a name or path means."""
        if not executes:
            return Program(self._fixed(name))
        path = self._users_own(name, folder)
        own = places_of(path)
        if self._is_inside(path):  # its links, its `#!` and its pyvenv.cfg may name anything
            real = ((place, os.path.realpath(place)) for place in own)
            own = [place for place, leads_to in real if self._is_inside(leads_to) or is_interpreter(leads_to)]
        folders = _outermost([*self._interpreters(), *self._shown(own)])
        search_path = (os.path.dirname(path), *self.users_folders(), *TABLE)
        return Program(path, folders, tuple(dict.fromkeys(search_path)), tuple(self._toolchains()))

    def users_folders(self) -> tuple[str, ...]:
        """Return the folders of the user's `PATH` that are absolute, exist and lie outside the workspace."""
        if self._users is None:
            folders = [os.path.normpath(folder) for folder in self._path if os.path.isabs(folder)]
            self._users = tuple(
                folder
                for folder in dict.fromkeys(folders)
                if os.path.isdir(folder) and not self._is_inside(os.path.realpath(folder))
            )
        return self._users

    def _fixed(self, name: str) -> str:
        if os.path.isabs(name):
            path = os.path.normpath(name)
            if self._is_inside(os.path.realpath(path)) or self._is_inside(os.path.realpath(os.path.dirname(path))):
                raise ToolFailed(
                    "permission", f"{name} lies in the workspace, and what only reads starts nothing from there",
                    "add a [commands.NAME] table to the configuration",
                )  # fmt: skip
            return _startable(path, name)
        if "/" in name:
            raise ToolFailed("permission", f"{name}: a program is named by its name or its absolute path here")
        return self._in(TABLE, name)

    def _users_own(self, name: str, folder: str) -> str:
        if os.path.isabs(name):
            inside = os.path.normpath(name)
            return (
                self._in_workspace(inside[len(self.root) + 1 :], name)
                if self._is_inside(inside)
                else (_startable(inside, name))
            )
        if "/" in name:
            return self._in_workspace(name if folder == "." else f"{folder}/{name}", name)
        return self._in((*self.users_folders(), *TABLE), name)

    def _in_workspace(self, path: str, name: str) -> str:
        """Return the path of a program of the workspace; only its last component may be a link that leads out."""
        path = normal(path, self.root)
        parent, last = split(path)
        try:
            os.close(self._open_it(self._descriptor, parent, PATH_ONLY | os.O_DIRECTORY, True))
        except OSError:
            raise self._not_found(name, ()) from None
        return _startable(os.path.join(os.path.realpath(os.path.join(self.root, parent)), last), name)

    def _in(self, folders: tuple[str, ...], name: str) -> str:
        found = ""
        for folder in folders:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                if os.access(path, os.X_OK):
                    return path
                found = found or path
        if found:
            raise ToolFailed("permission", f"{found} is not executable")
        raise self._not_found(name, folders)

    def _not_found(self, name: str, folders: tuple[str, ...]) -> ToolFailed:
        import difflib

        own = [
            f"{venv}/bin/{name}" for venv in _VENVS if os.access(os.path.join(self.root, venv, "bin", name), os.X_OK)
        ]
        if own and folders:
            return ToolFailed("not_found", f"there is no program {name}", f"the workspace has one: name it {own[0]}")
        names = {entry for folder in folders for entry in listed(folder)}
        close = difflib.get_close_matches(name, names, n=1, cutoff=0.81)  # `test` must not suggest pytest
        hint = f"did you mean {close[0]!r}?" if close else "name a program that is installed, or install it"
        return ToolFailed("not_found", f"there is no program {name}", hint)

    def _interpreters(self) -> tuple[str, ...]:
        """Return what the programs in the user's own folders need, found once."""
        if self._prefixes is None:
            found: list[str] = []
            for folder in self.users_folders():
                found += [folder, *installations_at(os.path.dirname(os.path.realpath(folder)))]
                for link in _links(folder):
                    found += places_of(link)
            self._prefixes = _outermost(self._shown(found))
        return self._prefixes

    def _shown(self, places: list[str]) -> list[str]:
        """Return the paths that are not the system's own and may be shown."""
        outside = (place for place in places if not any(_holds(part, place) for part in SYSTEM))
        return [place for place in outside if self._may_be_shown(place)]

    def _toolchains(self) -> Iterator[tuple[str, str]]:
        for variable, place in _TOOLCHAINS:
            path = os.environ.get(variable) or os.path.join(self._home, place)
            if os.path.isabs(path) and os.path.isdir(path) and self._may_be_shown(os.path.realpath(path)):
                yield variable, path

    def _may_be_shown(self, folder: str) -> bool:
        """Return whether a folder holds neither the whole home nor the workspace."""
        real = os.path.realpath(folder)
        return not any(_holds(real, path) for path in (self._home, self.root))

    def _is_inside(self, path: str) -> bool:
        return _holds(self.root, path)


def _holds(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _startable(path: str, name: str) -> str:
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        raise ToolFailed("not_found", f"there is no program {name}") from None
    except OSError as error:
        raise ToolFailed("permission", f"{name}: {(error.strerror or str(error)).lower()}") from None
    if not stat.S_ISREG(mode) or not os.access(path, os.X_OK):
        raise ToolFailed("permission", f"{name} is not an executable file")
    return path


def _outermost(places: list[str]) -> tuple[str, ...]:
    """Return the paths without those that lie in another of them."""
    kept: list[str] = []
    for place in sorted(dict.fromkeys(places), key=len):
        if not any(_holds(above, place) for above in kept):
            kept.append(place)
    return tuple(kept)


def _links(folder: str) -> list[str]:
    """Return the links in one of the user's folders: programs installed elsewhere."""
    if any(_holds(part, folder) for part in SYSTEM):
        return []
    paths = [os.path.join(folder, name) for name in sorted(listed(folder))[:_MOST_LINKS]]
    return [path for path in paths if os.path.islink(path) and is_program(path)]
