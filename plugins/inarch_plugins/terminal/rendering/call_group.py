"""Display of the calls of a reply: running ones, finished ones in order, and many plain ones folded into one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from inarch import width
from inarch.figures import call_title, duration, seconds_between
from inarch_plugins.terminal.rendering.calls import TODOS, ShownCall, below, tree_line
from inarch_plugins.terminal.rendering.colors import Ink
from inarch_plugins.terminal.rendering.remarks import Page

FOLDED_FROM = 8
"""Up to this many plain calls in a row have a line each."""


def draw_folded(calls: Sequence[ShownCall], opened_by: str, columns: int, ink: Ink) -> Iterator[str]:
    """Yield the line that replaces folded calls; the unfold hint goes below if it does not fit."""
    times = [(data.get("started"), data.get("ended")) for call in calls if (data := call.result)]
    began = min((start for start, _ in times if start), default=None)
    took = seconds_between(began, max((end for _, end in times if end), default=None))
    dot = ink.sign("dot")
    said = ink.plain(f"{len(calls)} calls: {tally(calls)}") + (f"{dot}{duration(took)}" if took is not None else "")
    whole = f"{said}{dot}{opened_by}" if opened_by else said
    fits = width(f"{ink.sign('item')} {ink.sign('folded')} {whole}") <= columns
    yield tree_line("folded", "dim", whole if fits else said, columns, ink)
    if opened_by and not fits:
        yield below(opened_by, columns, ink, "dim")


def tally(calls: Sequence[ShownCall]) -> str:
    """Return the number of calls per tool, the most frequent first."""
    counted = Counter(call.title.partition(" ")[0] for call in calls).most_common()
    return ", ".join(f"{name} {number}" if number > 1 else name for name, number in counted)


Data = Mapping[str, Any]


class Running:
    """Moves finished calls to the page in the order of the reply, and folds many plain ones into one line."""

    def __init__(self, page: Page, opened_by: str = "") -> None:
        self._page, self._opened_by = page, opened_by
        self._calls: dict[str, ShownCall] = {}
        self._asked = 0  # calls of this reply
        self._held: list[ShownCall] = []  # finished plain calls, until the number in a row is known
        self._folded: list[ShownCall] = []  # calls of this turn that the page shows as one line
        self.unfolded = False
        self.titled: Callable[[str, Data], str] = call_title
        self.shown: set[str] = set()  # calls whose diff a question showed

    @property
    def is_executing(self) -> bool:
        """Return whether a call is running."""
        return any(call.status == "executing" and not call.is_over for call in self._calls.values())

    def state(self, data: Data, now: float) -> None:
        """Apply a state event; the first one of a call has its name."""
        record = data.get("call") or {}
        self._asked += data["call_id"] not in self._calls
        call = self._call(data)
        if record:  # a later record has the arguments as edited by the user
            call.arguments, call.origin = record["arguments"], record["origin"]
            call.title = self.titled(call.name, call.arguments)
        if data["status"] == "executing" and call.status != "executing":
            call.began = now
        call.status = data["status"]

    def _call(self, data: Data) -> ShownCall:
        return self._calls.setdefault(data["call_id"], ShownCall(data["call_id"], data["name"], {}, data["name"]))

    def rewritten(self, data: Data) -> None:
        """Apply the arguments that a plugin changed."""
        call = self._calls.get(data["call_id"])
        if call is not None and data.get("arguments") is not None:
            call.arguments = data["arguments"]
            call.title = self.titled(call.name, call.arguments)

    def named(self, data: Data) -> Data:
        """Return an event's data with the title of its call as its name."""
        call = self._calls.get(data["call_id"])
        return {**data, "name": call.title} if call is not None else data

    def output(self, data: Data) -> None:
        """Add live output."""
        call = self._calls.get(data["call_id"])
        if call is not None:
            call.said(data["text"])

    def changed(self, data: Data) -> None:
        """Record a file that a call changed."""
        call = self._calls.get(data["call_id"])
        if call is not None:
            call.files.add(data["path"])

    def result(self, data: Data) -> None:
        """Apply a result, and print the calls that no longer wait for an earlier one."""
        call = self._call(data)
        call.result, call.status = data, data["status"]
        call.was_shown = call.id in self.shown
        while self._calls:
            first = next(iter(self._calls.values()))
            if not first.is_over:
                return
            self._show(first)

    def close(self) -> None:
        """Print all remaining calls; no more results will arrive."""
        for call in list(self._calls.values()):
            if not call.is_over:
                call.result = {"status": "cancelled", "result": {}}
            self._show(call)
        self._release()
        self._asked = 0

    def open(self) -> int:
        """Print the folded calls of the turn, each once, and return how many."""
        calls, self._folded = self._folded, []
        for call in calls:
            self._page.item(call.ended)
        if calls:
            self._page.close_tree()
        return len(calls)

    def forget(self) -> None:
        """Start a turn: calls folded earlier can no longer be shown."""
        self._folded.clear()

    def lines(self, columns: int, rows: int, ink: Ink, now: float) -> list[str]:
        """Return the lines of calls that are not printed yet, with the end of their output if there is room."""
        calls, over = list(self._calls.values()), list[str]()
        if self._is_folding:
            calls, over = self._moving(columns, ink)
        heads = over + [
            next(call.ended(columns, ink)) if call.is_over else call.moving(columns, ink, now) for call in calls
        ]
        spare = rows - len(heads)
        if spare < 0:
            kept = heads[: rows - 1]
            return [*kept, below(f"+{len(heads) - len(kept)} more calls", columns, ink, "dim")]
        tails = [call.tail(columns, ink) for call in calls]
        lines = over
        for place, (head, tail) in enumerate(zip(heads[len(over) :], tails, strict=True)):
            share = -(-spare // max(1, sum(map(bool, tails[place:]))))
            shown = tail[-share:] if share else []
            spare -= len(shown)
            lines += [head, *shown]
        return lines

    @property
    def _is_folding(self) -> bool:
        return self._asked > FOLDED_FROM and not self.unfolded

    def _moving(self, columns: int, ink: Ink) -> tuple[list[ShownCall], list[str]]:
        """Return the unfinished calls, running ones first, and a line about the finished ones."""
        over = [*self._held, *(call for call in self._calls.values() if call.is_over)]
        left = [call for call in self._calls.values() if not call.is_over]
        left.sort(key=lambda call: call.status not in ("executing", "awaiting_approval"))
        said = ink.plain(f"{len(over)} finished: {tally(over)}")
        return left, [tree_line("folded", "dim", said, columns, ink)] if over else []

    def _show(self, call: ShownCall) -> None:
        del self._calls[call.id]
        if call.origin == "user":  # the user's own command belongs to no turn, and its caller prints the output
            self._page.remark(call.ended)
        elif call.is_plain and TODOS in call.arguments:
            pass  # its event has shown the list
        elif self._is_folding and call.is_plain:
            self._held.append(call)
        else:
            if call.changes or not self._is_folding:  # a failed call goes above the held ones
                self._release()
            self._page.item(call.ended)

    def _release(self) -> None:
        """Print the held calls: one by one if there are few, else as one line."""
        calls, self._held = self._held, []
        if len(calls) > FOLDED_FROM and not self.unfolded:
            self._folded += calls
            opened_by = self._opened_by
            self._page.item(lambda columns, ink: draw_folded(calls, opened_by, columns, ink))
        else:
            for call in calls:
                self._page.item(call.ended)
