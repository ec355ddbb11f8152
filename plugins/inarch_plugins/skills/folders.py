"""Folders with skills or prompt files, of the trusted project and of the user."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

import inarch
from inarch_lib.bundles import enabled

MOST_BYTES = 1_000_000
MOST_FILES = 1_000


@frozen
class Folder:
    """A folder with files of one kind.

    Args:
        brought: The files of the trusted project; None for the user's own folder.
        prefix: Its path in the project.
        lead: The beginning of the names of what is in it, for a bundle.
    """

    shown: str
    base: Path
    brought: inarch.KeptFolder | None = None
    prefix: str = ""
    lead: str = ""

    @property
    def whose(self) -> str:
        """Its owner, in a word."""
        return "bundle" if self.lead else "project" if self.brought is not None else "user"

    @property
    def places(self) -> dict[str, str]:
        """The values of placeholders for it."""
        return {"CLAUDE_PLUGIN_ROOT": str(self.base.parent)} if self.lead else {}

    def files(self, below: str = "") -> list[str]:
        """Return the paths of its files, or of those in one of its folders."""
        if self.brought is not None:
            top = f"{self.prefix}/{below}".rstrip("/")
            return [path.removeprefix(f"{self.prefix}/") for path in self.brought.names(top)]
        return sorted(self._walked(below))

    def _walked(self, below: str) -> Iterator[str]:
        # The user's folder may be a link. Links inside it are not followed.
        seen = 0
        tops = [below] if below else [one.name for one in _entries(self.base)]
        for top in tops:
            place = self.base / top
            if place.is_file():
                yield top
            for folder, folders, names in os.walk(place):
                folders[:] = sorted(name for name in folders if name[0] != ".")
                for name in sorted(names):
                    seen += 1
                    if seen > MOST_FILES:
                        return
                    yield (Path(top) / Path(folder, name).relative_to(place)).as_posix()

    def read(self, path: str, within: str = "") -> str:
        """Return the text of a file, after checking that its resolved path is inside `within`.

        Raises:
            ToolFailed: It is missing, outside, too large, not text, or changed since it was trusted.
        """
        if "\0" in path:
            raise inarch.ToolFailed("validation", f"{path!r} is not a path")
        top = os.path.realpath(self.base / within)
        real = os.path.realpath(self.base / path)
        shown = f"{self.shown}/{path}"
        if not real.startswith(f"{top}{os.sep}"):
            raise inarch.ToolFailed("permission", f"{shown} leads out of {self.shown}/{within}".rstrip("/"))
        data = self.brought.read(f"{self.prefix}/{path}") if self.brought is not None else _bytes(Path(real), shown)
        if data is None and self.brought is not None and os.path.lexists(real):
            why = f"{shown} has changed since it was trusted, or is too large"
            raise inarch.ToolFailed("permission", why, "look at it, then: inarch config trust")
        if data is None:
            raise inarch.ToolFailed("not_found", f"{shown} does not exist")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise inarch.ToolFailed("validation", f"{shown} is not UTF-8 text") from None


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted((one for one in found if one.name[0] != "."), key=lambda one: one.name)
    except OSError:
        return []


def _bytes(path: Path, shown: str) -> bytes | None:
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            if not path.is_file():
                raise inarch.ToolFailed("validation", f"{shown} is not a regular file")
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise inarch.ToolFailed("permission", f"{shown} can't be read: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise inarch.ToolFailed("validation", f"{shown} is larger than {MOST_BYTES:,} bytes")
    return data


def folders(context: inarch.PluginContext, kind: str) -> list[Folder]:
    """Return the folders of a kind, `skills` or `commands`. Names in earlier ones hide those in later ones."""
    found = [
        Folder(prefix, Path(context.root, prefix), context.brought, prefix)
        for prefix in (f".agents/{kind}", f".claude/{kind}")
        if context.brought is not None
    ]
    if home := context.environ.get("HOME"):
        found.append(Folder(f"~/.agents/{kind}", Path(home, ".agents", kind)))
    if context.user is not None:
        place = context.user.place(kind)
        found.append(Folder(place, Path(place)))
    bundles = enabled(context.state_dir, context.brought)
    return [*found, *(Folder(one.place(kind), one.top / kind, one, kind, f"{one.name}:") for one in bundles)]
