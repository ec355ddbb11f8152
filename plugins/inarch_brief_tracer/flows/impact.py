"""The tracer that tells which entry paths and tests a turn's edits are on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import Factory, define

if TYPE_CHECKING:
    from inarch import Event
    from inarch_brief_tracer.tools import Desk


@define(eq=False, repr=False)
class ImpactTracer:
    """Takes down which Python files a turn changed, and how; looks into the graph only at its end, and only then.

    Args:
        desk: Where the index is found.
    """

    desk: Desk
    name: str = "brief-tracer"
    _calls: dict[str, Mapping[str, Any]] = Factory(dict)
    """Arguments of the calls of the turn."""
    _changed: dict[str, list[str]] = Factory(dict)
    """For each changed file the texts that were put into it; an empty one stands for the whole file."""

    def saw(self, event: Event) -> None:
        """Take note of calls and of changed Python files."""
        data = event.data
        if event.kind == "turn.started":
            self._calls.clear()
            self._changed.clear()
        elif event.kind == "call.state" and data.get("call"):
            self._calls[data["call_id"]] = data["call"].get("arguments") or {}
        elif event.kind == "file.changed":
            path = data.get("new_path") or data["path"]
            if path.endswith(".py") and data.get("after") is not None:
                self._changed.setdefault(path, []).append(self._text(data["call_id"]))

    def _text(self, call_id: str) -> str:
        text = self._calls.get(call_id, {}).get("replace", "")
        return text if isinstance(text, str) else ""

    def summary(self, turn_id: str) -> str | None:
        """Say what the changed functions are reached by; nothing where no Python changed or nothing is known."""
        if not self._changed or self.desk.workspace is None:
            return None
        from inarch_brief_tracer.flows.touching import impact_of

        return impact_of(self.desk, dict(self._changed))

    def close(self) -> None:
        """Keep nothing."""
