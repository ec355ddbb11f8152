"""Folders of Inarch's own that a person may look at, edit and share: what a plugin may keep there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol


class KeptFolder(Protocol):
    """Files that a plugin keeps in the user's configuration folder or in a trusted project's `.inarch`.

    A name is relative to the folder, such as `memory.md` or `paths/login.md`; the configuration itself is out of
    bounds. Everything fails with `ToolFailed`: `permission` where the project is not trusted as it stands now.
    """

    def place(self, name: str) -> str:
        """Return a file's path as messages show it."""

    def names(self, folder: str = "") -> Sequence[str]:
        """Return the names of the files there are below `folder`, sorted."""

    def read(self, name: str) -> bytes | None:
        """Return a file's bytes, None if it is not there."""

    def change(self, name: str, edit: Callable[[bytes | None], bytes | None]) -> None:
        """Give `edit` the present bytes and put what it returns in their place, whole or not at all.

        Other processes wait meanwhile, so nothing of theirs is lost. Equal bytes are not written; None removes the
        file. A project stays trusted over such a change.
        """
