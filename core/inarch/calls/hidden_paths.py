"""A workspace without the files that rules keep from a call: listings and searches pass over them and say so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import evolve, frozen

from inarch.calls.ordering import normalised
from inarch.calls.rules import path_matches
from inarch.contract.errors import ToolFailed
from inarch.contract.ports import Workspace
from inarch.contract.records import FileBytes, FileStat, SearchHits, Walk

LEFT_OUT = "files that a rule is about are left out"
MANY_HITS = 10_000


def veiled(workspace: Workspace, hidden: Sequence[str]) -> Workspace:
    """Return a workspace that does not give what the globs are about; the same one where there are none."""
    return _Veiled(workspace, tuple(hidden)) if hidden else workspace


@frozen(eq=False, repr=False)
class _Veiled:
    _workspace: Workspace
    hidden: tuple[str, ...]

    def read(self, path: str, offset: int = 0, max_bytes: int | None = None) -> FileBytes:
        if self._is_hidden(path):
            raise ToolFailed(
                "permission", f"a rule keeps {path} from calls that read whole folders", "name the file in a call"
            )
        return self._workspace.read(path, offset, max_bytes)

    def entries(self, path: str = ".") -> tuple[FileStat, ...]:
        return tuple(entry for entry in self._workspace.entries(path) if not self._is_hidden(entry.path))

    def walk(self, pattern: str = "**/*", limit: int | None = None) -> Walk:
        found = self._workspace.walk(pattern, limit)
        left = tuple(path for path in found.paths if not self._is_hidden(path))
        return evolve(found, paths=left, notes=(*found.notes, LEFT_OUT))

    def search(
        self, pattern: str, path: str = ".", glob: str | None = None, ignore_case: bool = False, limit: int = 100
    ) -> SearchHits:
        # Whether hidden files match must not show: neither in a count nor in places of the limit that they take.
        found = self._workspace.search(pattern, path, glob, ignore_case, max(limit, MANY_HITS))
        left = tuple(hit for hit in found.hits if not self._is_hidden(hit.path))
        truncated = found.truncated or len(left) > limit
        return evolve(found, hits=left[:limit], truncated=truncated, notes=(*found.notes, LEFT_OUT))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._workspace, name)

    def _is_hidden(self, path: str) -> bool:
        return any(path_matches(normalised(path), glob) for glob in self.hidden)
