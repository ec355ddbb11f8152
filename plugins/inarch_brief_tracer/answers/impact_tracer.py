"""The tracer that says which entry paths and tests a turn's edits are on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import Factory, define

if TYPE_CHECKING:
    from inarch import Event
    from inarch_brief_tracer.answers.tools import Desk


@define(eq=False, repr=False)
class ImpactTracer:
    """Takes note of what a turn changed; looks into the graph only at its end, and only then.

    Args:
        desk: Where the index is found.
        tells: Whether it says anything; else it only sees that the index is finished.
    """

    desk: Desk
    tells: bool = True
    name: str = "brief-tracer"
    _texts: dict[str, str] = Factory(dict)
    """What each call of the turn puts into a file."""
    _changed: dict[str, list[str]] = Factory(dict)
    """For each changed file the texts that were put into it; an empty one is the whole file."""

    def saw(self, event: Event) -> None:
        """Take note of calls and of changed files."""
        data = event.data
        if event.kind == "turn.started":
            self._texts.clear()
            self._changed.clear()
        elif event.kind == "call.state" and data.get("call"):
            text = (data["call"].get("arguments") or {}).get("replace")
            self._texts[data["call_id"]] = text if isinstance(text, str) else ""
        elif event.kind == "file.changed":
            path = data.get("new_path") or data["path"]
            if _is_code(path) and data.get("after") is not None:
                self._changed.setdefault(path, []).append(self._texts.get(data["call_id"], ""))

    def summary(self, turn_id: str) -> str | None:
        """Say what the changed functions are reached by; nothing if no code changed or nothing is known."""
        if not self.tells or not self._changed or self.desk.workspace is None:
            return None
        from inarch_brief_tracer.answers.impact import impact_of

        return impact_of(self.desk, dict(self._changed))

    def close(self) -> None:
        """Have the index finished if the settings allow that."""
        self.desk.close()


def _is_code(path: str) -> bool:
    from inarch_brief_tracer.facts.file_names import is_other

    return path.endswith(".py") or is_other(path)
