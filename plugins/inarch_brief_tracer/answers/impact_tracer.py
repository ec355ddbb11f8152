"""The tracer that tells which entry paths and tests a turn's edits are on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import Factory, define

from inarch import ToolFailed

if TYPE_CHECKING:
    from inarch import Event
from inarch_brief_tracer.answers.tools import Desk

LARGEST = 1_000_000
"""Bytes of a file that is kept for comparison."""


@define(eq=False, repr=False)
class ImpactTracer:
    """Takes down which files a turn changed, and how; looks into the graph only at its end, and only then.

    Args:
        desk: Where the index is found.
    """

    desk: Desk
    name: str = "brief-tracer"
    _calls: dict[str, Mapping[str, Any]] = Factory(dict)
    """Arguments of the calls of the turn."""
    _changed: dict[str, list[str]] = Factory(dict)
    """For each changed file the texts that were put into it; an empty one stands for the whole file."""
    _before: dict[str, bytes] = Factory(dict)
    """What changed files held before the turn, as far as that is known."""
    _seen: dict[str, bytes] = Factory(dict)
    """What files held that calls name, by hash."""

    def saw(self, event: Event) -> None:
        """Take note of calls and of changed files."""
        data = event.data
        if event.kind == "turn.started":
            self._calls.clear()
            self._changed.clear()
            self._before.clear()
            self._seen.clear()
        elif event.kind == "call.state" and data.get("call"):
            arguments = self._calls[data["call_id"]] = data["call"].get("arguments") or {}
            self._look_at(arguments)
        elif event.kind == "file.changed":
            path = data.get("new_path") or data["path"]
            if _is_code(path) and data.get("after") is not None:
                if path not in self._changed:
                    self._keep(path, data.get("before"))
                self._changed.setdefault(path, []).append(self._text(data["call_id"]))

    def _look_at(self, arguments: Mapping[str, Any]) -> None:
        """Read the files that a call names, before it runs: what it writes is compared with them."""
        if self.desk.workspace is None or isinstance(arguments.get("replace"), str):
            return
        for path in arguments.values():
            if isinstance(path, str) and _is_code(path) and len(path) < 500 and "\n" not in path:
                try:
                    found = self.desk.workspace.read(path, max_bytes=LARGEST)
                except ToolFailed:
                    continue
                if found.hash:
                    self._seen[found.hash] = found.data

    def _keep(self, path: str, before: str | None) -> None:
        """Keep what a file held before its first change."""
        if before is None:
            self._before[path] = b""
        elif before in self._seen:
            self._before[path] = self._seen[before]

    def _text(self, call_id: str) -> str:
        text = self._calls.get(call_id, {}).get("replace", "")
        return text if isinstance(text, str) else ""

    def summary(self, turn_id: str) -> str | None:
        """Say what the changed functions are reached by; nothing where no code changed or nothing is known."""
        if not self._changed or self.desk.workspace is None:
            return None
        from inarch_brief_tracer.answers.impact import impact_of

        return impact_of(self.desk, dict(self._changed), dict(self._before))

    def close(self) -> None:
        """Keep nothing."""


def _is_code(path: str) -> bool:
    from inarch_brief_tracer.facts.file_names import is_other

    return path.endswith(".py") or is_other(path)
