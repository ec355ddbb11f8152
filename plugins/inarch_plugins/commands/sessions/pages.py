"""Pages of a session: some of its turns, read one prompt at a time."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from inarch import CallPart, Event, Message, ResultPart, Text, UsageError, escape, escape_json, to_data
from inarch.figures import dropped_words
from inarch_plugins.commands.sessions.session_text import heading, is_told, told
from inarch_plugins.commands.sessions.sessions_command import branch_of
from inarch_sdk.context_breaks import REASONS, break_lines
from inarch_sdk.exchanges import Recoveries
from inarch_sdk.short_data import STRUCTURE_TITLE

if TYPE_CHECKING:
    from inarch import App, SessionInfo, Turn

PAGE = 30
"""Number of last turns shown by default."""


def chosen(turns: str | None, everything: bool, there_are: int) -> tuple[int, int | None]:
    """Return the first and the last turn to show; None as the last one means all to the end."""
    if not turns:
        return (1 if everything else max(1, there_are - PAGE + 1)), None
    begin, dash, end = turns.partition("-")
    if not (begin or end) or not all(word.isascii() and word.isdecimal() for word in (begin, end) if word):
        raise UsageError(f"--turns {turns}: not a turn or range", "use --turns 7, 7-9, 7- or -9")
    first = int(begin or 1)
    last = int(end) if end else None if dash else first
    if not 1 <= first <= there_are or (last is not None and last < first):
        raise UsageError(f"--turns {turns}: the session has {there_are:,} turns", "turns are counted from 1")
    return first, last


class Shown:
    """Some turns of a stored session, read one prompt at a time, so that memory does not grow with the session."""

    def __init__(self, app: App, info: SessionInfo, first: int, last: int | None, full: bool = False) -> None:
        self.info, self.first, self.last, self.full = info, first, last, full
        self.store, self.kept, self.contents = app.store, app.kept, app.kept.contents(info.id)
        self._left_out: list[Any] = []
        self._unknown: list[str] = []
        self._events: list[Event] = []
        self._tokens = TokensWent(app)
        self._recoveries = Recoveries()

    def prompts(self) -> Iterator[Sequence[Turn]]:
        """Yield the turns of each prompt, and collect what comes after all of them."""
        for events, history in self.kept.histories(self.info.id, self.first, self.last):
            self._tokens.add(history.messages, events)
            for event in events:
                self._recoveries.take(event)
            self._left_out += history.left_out
            self._unknown += history.unknown
            self._events += (event for event in events if is_told(event))
            yield history.turns

    def lines(self, glyphs: dict[str, str]) -> Iterator[str]:
        """Yield the lines for people, escaped."""
        from inarch.figures import table

        yield from heading(self.info, self.contents.turns)
        if branch := branch_of(self.store, self.info.id):
            yield escape(f"{branch['child']} of session {branch['parent']}")
        if self.first > 1:
            before = f"{self.first - 1:,} earlier turn{'s' if self.first > 2 else ''}"
            yield f"… {before}: --turns {max(1, self.first - PAGE)}-{self.first - 1}, or --all"
        for turns in self.prompts():
            events, self._events = self._events, []
            yield from told(turns, glyphs, full=self.full, events=events, recovered=self._recoveries.of)
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
        """Yield the members of a JSON object, each as soon as its data was read."""
        yield "session", {**to_data(self.info), **branch_of(self.store, self.info.id)}
        yield "turns", (self._turn_data(turn) for turns in self.prompts() for turn in turns)
        yield "tokens", [{"what": name, "count": many, "tokens": tokens} for name, many, tokens in self._tokens.rows()]
        yield "left_out", to_data(self._left_out)
        yield "began_anew", to_data(self.contents.breaks.found)
        yield "unknown", to_data(self._unknown)
        yield "events", [json.loads(event.line) for event in self._events]
        yield "missing", to_data(self.contents.gaps)
        yield "spent", to_data(self.contents.ledger.rows())
        yield "damage", [*getattr(self.store, "damage", ())]

    def _turn_data(self, turn: Turn) -> dict[str, Any]:
        """Return a turn as data; a failed call names the later call that recovered it."""
        data: dict[str, Any] = to_data(turn)
        for call in data["calls"]:
            if (later := self._recoveries.of.get(call["id"])) is not None:
                call["recovered_by"] = later
        return data


def print_json_object(members: Iterable[tuple[str, Any]]) -> None:
    """Write an object to standard output as `print_json` does; a member that is an iterator becomes a list."""
    for piece in pieces(members):
        sys.stdout.write(escape_json(piece))
    sys.stdout.write("\n")


def pieces(members: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """Yield the text of an object in pieces."""
    before = "{\n  "
    for name, value in members:
        yield f"{before}{json.dumps(name, ensure_ascii=False)}: "
        before = ",\n  "
        if not isinstance(value, Iterator):
            yield _indented(value, 2)
            continue
        between = "[\n    "
        for item in value:
            yield f"{between}{_indented(item, 4)}"
            between = ",\n    "
        yield "[]" if between == "[\n    " else "\n  ]"
    yield "{}" if before == "{\n  " else "\n}"


def _indented(value: Any, columns: int) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2).replace("\n", "\n" + " " * columns)


class TokensWent:
    """Estimated tokens of a stored session, or of some of its turns, by kind of content, each counted once."""

    def __init__(self, app: App) -> None:
        self._app, self._learned = app, app.models.counter()
        self._model = ""
        self._sums: dict[str, list[int]] = {}

    def add(self, messages: Iterable[Message], events: Iterable[Event]) -> None:
        """Add messages, and calibrate with their events."""
        for event in events:
            if event.kind == "model.replied" and event.data.get("purpose") == "turn":
                self._learned.recall((event,))
                self._model = str(event.data.get("model", ""))
        counter = self._app.models.counter()  # a counter caches its measurements
        for message in messages:
            for name, part in _parts(message):
                row = self._sums.setdefault(name, [0, 0])
                row[0] += 1
                row[1] += sum(counter.message(Message(message.role, (part,))))

    def rows(self) -> list[tuple[str, int, int]]:
        """Return name, number and estimated tokens, largest first."""
        ratio = self._learned.calibration(self._model).ratio
        rows = ((name, many, round(tokens * ratio)) for name, (many, tokens) in self._sums.items())
        return sorted(rows, key=lambda row: (-row[2], row[0]))


def _parts(message: Message) -> Iterable[tuple[str, Any]]:
    for place, part in enumerate(message.parts):
        if isinstance(part, ResultPart):
            yield f"results of {part.name}", part
        elif isinstance(part, CallPart):
            yield "calls", part
        elif isinstance(part, Text) and message.role == "user":
            is_structure = part.text.startswith(STRUCTURE_TITLE)
            yield "project structure" if is_structure else "prompts" if place == 0 else "added to prompts", part
        elif isinstance(part, Text):
            yield "answers", part


def where_lines(
    rows: Sequence[tuple[str, int, int]], left_out: Iterable[Mapping[str, Any]], where: str = ""
) -> Iterator[str]:
    """Yield the token summary of `inarch sessions show`; nothing if there are no tokens."""
    if not rows:
        return
    yield f"estimated tokens{where}, each item counted once:"
    wide = max(len(name) for name, _, _ in rows)
    for name, many, tokens in rows:
        yield f"{name:<{wide}}  {tokens:>9,}  × {many}"
    for data in left_out:
        reason = str(data.get("reason", ""))
        yield f"left out ({REASONS.get(reason, reason)}): {dropped_words(data)}"
