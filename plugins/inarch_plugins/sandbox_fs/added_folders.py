"""Folders added to a root: the check of each, and the text about them for the model."""

from __future__ import annotations

import os
from collections.abc import Sequence

from attrs import frozen

from inarch import Contribution, Situation, UsageError
from inarch_plugins.sandbox_fs.paths import ADDED, own_places


@frozen
class AddedFolders:
    """Context source that names the added folders."""

    folders: Sequence[str]
    name: str = "added-folders"

    async def gather(self, situation: Situation) -> Contribution:
        """Return where the added folders are and how to name their files."""
        named = "\n".join(f"- {ADDED}{folder}/" for folder in self.folders)
        return Contribution(
            "Besides the repository, you may list, search, read and change files in these folders; name them by paths "
            "that begin so. Builds and tests read them by absolute paths and change nothing there, other commands "
            f"don't reach them, and a search of the repository doesn't cover them.\n{named}"
        )


def checked(root: str, folders: Sequence[str]) -> tuple[str, ...]:
    """Return the real paths of the folders to add to a root, each once."""
    if os.path.lexists(os.path.join(root, ADDED)):
        raise UsageError(
            f"no folder can be added: {root} has a {ADDED} of its own, as the paths of added folders begin",
            "rename it, or leave --add-dir out",
        )  # fmt: skip
    found: list[str] = []
    for folder in dict.fromkeys(map(os.path.realpath, folders)):
        overlaps = (_overlap(folder, known) for known in (os.path.realpath(root), *found))
        if why := next(filter(None, overlaps), "") or _refusal(folder):
            raise UsageError(f"can't add {folder}: {why}", "name another folder with --add-dir, or leave it out")
        found.append(folder)
    return tuple(found)


def _refusal(folder: str) -> str:
    """Return why a folder cannot be added to any root; empty if it can."""
    try:
        os.close(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
    except (OSError, ValueError) as error:
        return (getattr(error, "strerror", None) or str(error)).lower()
    if not folder.isprintable():
        return "its path has characters that can't be shown"
    own = next((place for place in own_places() if _overlap(folder, place)), "")
    return f"Inarch's own configuration and state are in {own}" if own else ""


def _overlap(folder: str, known: str) -> str:
    """Return how two folders overlap; empty if they do not."""
    common = os.path.commonpath((folder, known))
    if common == known:
        return f"it lies in {known}" if folder != known else f"it is {known}"
    return f"{known} lies in it" if common == folder else ""
