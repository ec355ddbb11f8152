"""Paths for `@` completion: files that git tracks or would track, cached until they change."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from attrs import define, field

from inarch import InarchError
from inarch_brief.search.typed_paths import ranked, with_folders

if TYPE_CHECKING:
    from inarch import Workspace


@define(eq=False, repr=False)
class PathIndex:
    """Files and folders of a workspace; an outdated list is used once more while a new one is made."""

    workspace: Workspace
    _paths: tuple[str, ...] | None = field(init=False, default=None)
    _is_old: bool = field(init=False, default=False)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)

    def changed(self) -> None:
        """Record that files may have been added or removed."""
        self._is_old = True

    def matching(self, typed: str) -> list[str]:
        """Return the paths that match the typed text, best first; do not call it in the event loop's thread."""
        return ranked(typed, self._known())

    def below(self, typed: str) -> list[str]:
        """Return the paths with this prefix, down to the next folder; do not call it in the event loop's thread."""
        start = len(typed)
        return sorted(
            path for path in self._known() if path.startswith(typed) and "/" not in path[start:-1] and path[start:]
        )

    def _known(self) -> tuple[str, ...]:
        with self._lock:
            if self._paths is None:
                self._look()
        if self._is_old:
            self._is_old = False
            threading.Thread(target=self._look, daemon=True).start()
        return self._paths or ()

    def _look(self) -> None:
        try:
            self._paths = tuple(with_folders(self.workspace.walk().paths))
        except InarchError:
            self._paths = self._paths or ()
