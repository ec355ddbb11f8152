"""Pages of a session: some of its turns, read a prompt at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from attrs import define, field

from inarch import UsageError, escape
from inarch_commands.sessions.branches import branch_of
from inarch_commands.sessions.story import heading, is_told, told
from inarch_sdk.context_breaks import break_lines
from inarch_sdk.exchanges import Recoveries

if TYPE_CHECKING:
    from inarch import ContextStore, Event, SessionInfo, Turn
    from inarch.host import Contents, History
    from inarch_commands.sessions.where_tokens_went import TokensWent

PAGE = 30
"""Turns of the agent that are shown unless others, or all, are asked for."""


def chosen(turns: str | None, everything: bool, there_are: int) -> tuple[int, int | None]:
    """Return the first and the last turn to show, None for all to the end."""
    if not turns:
        return (1 if everything else max(1, there_are - PAGE + 1)), None
    begin, dash, end = turns.partition("-")
    if not (begin or end) or not all(word.isascii() and word.isdecimal() for word in (begin, end) if word):
        raise UsageError(f"--turns {turns}: no turns are named so", "such as --turns 7, 7-9, 7- or -9")
    first = int(begin or 1)
    last = int(end) if end else None if dash else first
    if not 1 <= first <= there_are or (last is not None and last < first):
        raise UsageError(f"--turns {turns}: the session has {there_are:,} turns", "turns are counted from 1")
    return first, last


@define(eq=False, repr=False)
class Shown:
    """Some turns of a kept session, read a prompt at a time: what is held doesn't grow with the session."""

    store: ContextStore
    info: SessionInfo
    contents: Contents
    first: int
    last: int | None
    full: bool = False
    _left_out: list[Any] = field(init=False, factory=list)
    _unknown: list[str] = field(init=False, factory=list)
    _events: list[Event] = field(init=False, factory=list)
    _tokens: TokensWent = field(init=False)
    _recoveries: Recoveries = field(init=False, factory=Recoveries)

    @_tokens.default
    def _no_tokens(self) -> TokensWent:
        from inarch_commands.sessions.where_tokens_went import TokensWent

        return TokensWent()

    def histories(self) -> Iterator[History]:
        """Yield what each prompt came to, and add up on the way what comes after all of them."""
        from inarch.host import fold
        from inarch_sdk.snapshots import between

        for first, last in self.contents.parts(self.first, self.last):
            events = list(between(self.store, self.info.id, first, last))
            history = fold(events)
            self._tokens.add(history.messages, events)
            for event in events:
                self._recoveries.take(event)
            self._left_out += history.left_out
            self._unknown += history.unknown
            self._events += (event for event in events if is_told(event))
            yield history

    def lines(self, glyphs: dict[str, str]) -> Iterator[str]:
        """Yield the lines for people, made harmless."""
        from inarch import to_data
        from inarch.figures import table
        from inarch_commands.sessions.where_tokens_went import where_lines

        yield from heading(self.info, self.contents.turns)
        if branch := branch_of(self.store, self.info.id):
            yield escape(f"{branch['child']} of session {branch['parent']}")
        if self.first > 1:
            before = f"{self.first - 1:,} earlier turn{'s' if self.first > 2 else ''}"
            yield f"… {before}: --turns {max(1, self.first - PAGE)}-{self.first - 1}, or --all"
        for history in self.histories():
            events, self._events = self._events, []
            yield from told(history, glyphs, full=self.full, events=events, recovered=self._recoveries.of)
        spent = to_data(self.contents.ledger.rows())
        if spent:
            yield ""
            yield from map(escape, table(spent))
        whole = self.first == 1 and self.last is None
        where = list(where_lines(self._tokens.rows(), self._left_out, "" if whole else " in the turns above"))
        if where:
            yield ""
        yield from (escape(line, keep_newlines=False) for line in (*where, *break_lines(self.contents.breaks.found)))

    def as_json(self) -> Iterator[tuple[str, Any]]:
        """Yield the members of a JSON object, each when all that it needs was read."""
        from inarch import to_data

        yield "session", {**to_data(self.info), **branch_of(self.store, self.info.id)}
        yield "turns", (self._turn_data(turn) for history in self.histories() for turn in history.turns)
        yield "tokens", [{"what": name, "count": many, "tokens": tokens} for name, many, tokens in self._tokens.rows()]
        yield "left_out", to_data(self._left_out)
        yield "began_anew", to_data(self.contents.breaks.found)
        yield "unknown", to_data(self._unknown)
        yield "events", [json.loads(event.line) for event in self._events]
        yield "missing", to_data(self.contents.gaps)
        yield "spent", to_data(self.contents.ledger.rows())
        yield "damage", [*getattr(self.store, "damage", ())]

    def _turn_data(self, turn: Turn) -> dict[str, Any]:
        """Return a turn as data; a failed call says which later one did what it could not."""
        from inarch import to_data

        data: dict[str, Any] = to_data(turn)
        for call in data["calls"]:
            if (later := self._recoveries.of.get(call["id"])) is not None:
                call["recovered_by"] = later
        return data
