"""The calls of a reply: those that run, and those that wait until the ones before them are shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inarch_terminal.rendering.calls import ShownCall, below
from inarch_terminal.rendering.ink import Ink
from inarch_terminal.rendering.page import Page

Data = Mapping[str, Any]


class Running:
    """Finished calls go to the page in the order in which they were asked for."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._calls: dict[str, ShownCall] = {}

    @property
    def is_executing(self) -> bool:
        """Whether a call runs."""
        return any(call.status == "executing" and not call.is_over for call in self._calls.values())

    def state(self, data: Data, now: float) -> None:
        """Take a state; the first one of a call says what it is."""
        record = data.get("call") or {}
        call = self._calls.get(data["call_id"])
        if call is None:
            call = self._calls[data["call_id"]] = ShownCall(data["call_id"], data["name"], {})
        if record:  # another one tells what the user made of it
            call.arguments, call.origin = record["arguments"], record["origin"]
        if data["status"] == "executing" and call.status != "executing":
            call.began = now
        call.status = data["status"]

    def output(self, data: Data) -> None:
        """Take live output."""
        call = self._calls.get(data["call_id"])
        if call is not None:
            call.said(data["text"])

    def changed(self, data: Data) -> None:
        """Note a file that a call changed."""
        call = self._calls.get(data["call_id"])
        if call is not None:
            call.files.add(data["path"])

    def result(self, data: Data) -> None:
        """Take a result, and show what is no longer waited for."""
        call = self._calls.get(data["call_id"])
        if call is None:
            call = self._calls[data["call_id"]] = ShownCall(data["call_id"], data["name"], {})
        call.result, call.status = data, data["status"]
        while self._calls:
            first = next(iter(self._calls.values()))
            if not first.is_over:
                return
            self._show(first)

    def close(self) -> None:
        """Show all that is left: no result will come any more."""
        for call in list(self._calls.values()):
            if not call.is_over:
                call.result = {"status": "cancelled", "result": {}}
            self._show(call)

    def lines(self, columns: int, rows: int, ink: Ink, now: float) -> list[str]:
        """Return the calls that aren't shown for good, with the end of their output where there is room."""
        heads = [list(call.ended(columns, ink))[:1] if call.is_over else [call.moving(columns, ink, now)]
                 for call in self._calls.values()]  # fmt: skip
        tails = [call.tail(columns, ink) for call in self._calls.values()]
        spare = rows - len(heads)
        if spare < 0:
            kept = [head[0] for head in heads[: rows - 1]]
            return [*kept, below(f"+{len(heads) - len(kept)} more calls", columns, ink, "dim")]
        lines: list[str] = []
        for place, (head, tail) in enumerate(zip(heads, tails, strict=True)):
            share = -(-spare // max(1, sum(map(bool, tails[place:]))))
            shown = tail[-share:] if share else []
            spare -= len(shown)
            lines += [*head, *shown]
        return lines

    def _show(self, call: ShownCall) -> None:
        del self._calls[call.id]
        if call.origin == "user":  # a person's own command is of no turn, and whoever ran it shows its output
            self._page.remark(call.ended)
        else:
            self._page.item(call.ended)
