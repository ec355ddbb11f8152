"""The paths that an `@` may be completed to: those git knows or would, kept while nothing changes."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from typing import TYPE_CHECKING

from attrs import define, field

from inarch.contract.errors import InarchError

if TYPE_CHECKING:
    from inarch.contract.ports import Workspace

MOST_SHOWN = 50


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
            self._paths = tuple(_with_folders(self.workspace.walk().paths))
        except InarchError:
            self._paths = self._paths or ()


def ranked(typed: str, paths: Sequence[str]) -> list[str]:
    """Return the paths that `typed` fits: beginning with it, then with a name that does, then with it anywhere."""
    wanted = typed.lower()
    if not wanted:
        return nsmallest(MOST_SHOWN, paths, key=_shallow_first)
    fitting = [(path, path.lower()) for path in paths if wanted in path.lower()]
    first = nsmallest(MOST_SHOWN, fitting, key=lambda both: (_rank(wanted, both[1]), *_shallow_first(both[0])))
    return [path for path, _ in first]


def _rank(wanted: str, path: str) -> int:
    if path.startswith(wanted):
        return 0
    return 1 if f"/{wanted}" in path else 2


def _shallow_first(path: str) -> tuple[int, str]:
    return path.rstrip("/").count("/"), path


def escaped(path: str) -> str:
    """Return a path as it is written after an `@`."""
    return re.sub(r"([\\\s])", r"\\\1", path)


def unescaped(word: str) -> str:
    """Return the path that a word after an `@` means; what is still typed may end in half an escape."""
    return re.sub(r"\\(.?)", r"\1", word, flags=re.DOTALL)


def _with_folders(paths: Iterable[str]) -> Iterator[str]:
    known: set[str] = set()
    for path in paths:
        place = path.rfind("/")
        while place > 0 and path[: place + 1] not in known:
            known.add(path[: place + 1])
            yield path[: place + 1]
            place = path.rfind("/", 0, place)
        yield path
