"""The paths that an `@` may be completed to: those git knows or would, kept while nothing changes."""

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
    """The files and folders of a workspace; a list that grew old is shown once more while the next one is made."""

    workspace: Workspace
    _paths: tuple[str, ...] | None = field(init=False, default=None)
    _is_old: bool = field(init=False, default=False)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)

    def changed(self) -> None:
        """Note that files may have come or gone."""
        self._is_old = True

    def matching(self, typed: str) -> list[str]:
        """Return the paths that fit what was typed, the likeliest first; not for the event loop's thread."""
        return ranked(typed, self._known())

    def below(self, typed: str) -> list[str]:
        """Return the paths that begin with what was typed, down to the next folder; not for the event loop's thread."""
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
