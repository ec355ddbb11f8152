"""A tracer that counts the calls of each turn by tool."""

from collections import Counter, defaultdict

import inarch


class KeptTracer:
    """Sums up a turn such as: list_files 1, read_file 3."""

    name = "kept-tracer"

    def __init__(self) -> None:
        self._turns: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def saw(self, event: inarch.Event) -> None:
        """Take note of an event; quick, because a turn waits for it."""
        if event.kind == "call.result" and event.turn_id is not None:
            self._turns[event.turn_id][str(event.data.get("name"))] += 1

    def summary(self, turn_id: str) -> str | None:
        """Return a line about the turn that ends; None if there is nothing to say."""
        calls = self._turns.pop(turn_id, None)
        return ", ".join(f"{name} {count}" for name, count in sorted(calls.items())) if calls else None

    def close(self) -> None:
        """Let go of what is kept; may be called twice."""
        self._turns.clear()


@inarch.hookimpl
def inarch_tracers(context: inarch.PluginContext) -> list[inarch.Tracer]:
    """Register the tracer."""
    return [KeptTracer()]
