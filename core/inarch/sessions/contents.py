"""Contents of a long session: the event range of each prompt with its turns, and the session's usage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, field

from inarch.contract.errors import UsageError
from inarch.contract.events import Event
from inarch.contract.stores import ContextStore
from inarch.contract.transcripts import Data, Exchange, Spent
from inarch.turns.ledger import Ledger
from inarch_sdk.context_breaks import Breaks
from inarch_sdk.figures import repair_kind
from inarch_sdk.snapshots import folded, scan

if TYPE_CHECKING:
    from inarch.contract.records import SessionInfo
    from inarch.journal.redactor import Redactor


LATEST = 64
"""Number of recent turns, of the user and the agent, that may still get events; older ones have ended."""


@define(eq=False, repr=False)
class Chapter:
    """Prompt and its answer: the numbers of its first and last event, and how many turns are the agent's."""

    first: int
    last: int
    agents: int = 0


@define(eq=False, repr=False)
class Contents:
    """Chapters of a session in order, its usage, and which events are missing.

    `breaks` lists the points where the context began anew, `repairs` counts each kind of repaired reply.
    """

    NAME: ClassVar[str] = "contents"
    VERSION: ClassVar[int] = 3
    chapters: list[Chapter] = field(factory=list)
    ledger: Ledger = field(factory=Ledger)
    gaps: list[tuple[int, int]] = field(factory=list)
    breaks: Breaks = field(factory=Breaks)
    repairs: Counter[str] = field(factory=Counter)
    seq: int = 0
    _chapter_of: dict[str, int] = field(factory=dict)

    def take(self, event: Event) -> None:
        """Process an event."""
        if event.seq > self.seq + 1:
            self.gaps.append((self.seq + 1, event.seq - 1))
        self.seq = event.seq
        if event.kind == "note" and event.data.get("source") == "repair":
            self.repairs[repair_kind(str(event.data.get("text")))] += 1
        self.breaks.take(event)
        try:
            self.ledger.saw(event)
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
            pass  # written by another version
        if event.turn_id:
            chapter = self.chapters[self._place(event, event.turn_id)]
            chapter.last = event.seq

    def _place(self, event: Event, turn_id: str) -> int:
        known = self._chapter_of.get(turn_id)
        if known is not None:
            return known
        turn = event.data.get("turn") if event.kind == "turn.started" else None
        asks = is_prompt(event)
        answers = self._chapter_of.get(str(turn.get("parent_id"))) if isinstance(turn, dict) else None
        if asks or answers is None:
            answers = len(self.chapters)
            self.chapters.append(Chapter(event.seq, event.seq))
        self.chapters[answers].agents += not asks
        self._chapter_of[turn_id] = answers
        if len(self._chapter_of) > LATEST:
            del self._chapter_of[next(iter(self._chapter_of))]
        return answers

    @property
    def turns(self) -> int:
        """Number of the agent's turns."""
        return sum(chapter.agents for chapter in self.chapters)

    @property
    def before_last(self) -> int:
        """Number of the event before the session's last prompt."""
        return self.chapters[-1].first - 1 if self.chapters else 0

    def parts(self, first_turn: int = 1, last_turn: int | None = None) -> Iterator[tuple[int, int]]:
        """Yield first and last number of the events of each chapter with such turns of the agent.

        Events between two prompts belong to the earlier one. Overlapping chapters are merged.
        """
        begun, number = (0, 0), 0
        for place, chapter in enumerate(self.chapters):
            before, number = number, number + chapter.agents
            if before + max(chapter.agents, 1) < first_turn or (last_turn is not None and before >= last_turn):
                continue
            following = self.chapters[place + 1].first - 1 if place + 1 < len(self.chapters) else self.seq
            last = max(chapter.last, following)
            if begun[1] >= chapter.first:
                begun = begun[0], max(begun[1], last)
                continue
            if begun[1]:
                yield begun
            begun = chapter.first, last
        if begun[1]:
            yield begun

    def to_data(self) -> Any:
        """Return all of it as plain JSON data."""
        chapters = [(one.first, one.last, one.agents) for one in self.chapters]
        told = [self.breaks.to_data(), dict(self.repairs)]
        return [chapters, self.ledger.to_data(), self.gaps, self.seq, self._chapter_of, *told]

    def go_on_from(self, data: Any) -> None:
        """Restore it from the data of `to_data`."""
        chapters, ledger, gaps, self.seq, self._chapter_of, breaks, repairs = data
        self.breaks.go_on_from(breaks)
        self.repairs = Counter(repairs)
        self.chapters = [Chapter(*one) for one in chapters]
        self.ledger.go_on_from(ledger)
        self.gaps = [(first, last) for first, last in gaps]


def contents_of(store: ContextStore, session_id: str) -> Contents:
    """Return the contents of a stored session.

    Raises:
        StoreError: Its events cannot be read.
    """
    return folded(store, session_id, Contents)


def is_prompt(event: Event) -> bool:
    """Return whether a turn that begins with this event is the user's; one with a lost beginning is an agent's."""
    turn = event.data.get("turn") if event.kind == "turn.started" else None
    return isinstance(turn, Mapping) and turn.get("type") == "user"


def too_few_turns(count: int, wanted: int) -> UsageError:
    """Return the error for a turn that a session does not have."""
    many = "1 turn" if count == 1 else f"{count} turns"
    return UsageError(f"the session has {many}, not {wanted}", "inarch sessions show ID shows them")


@define(eq=False, slots=False)
class KeptTranscript:
    """Session of a store; secrets that became known after its recording are redacted, too."""

    store: ContextStore
    info: SessionInfo
    redactor: Redactor | None = None

    @cached_property
    def begun(self) -> Data:
        """Data recorded at its beginning."""
        return next((event.data for event in self.events() if event.kind == "session.started"), {})

    def exchanges(self) -> Iterator[Exchange]:
        """Yield each agent's turn with its prompt."""
        from inarch_sdk.exchanges import exchanges

        return exchanges(self.events())

    def events(self, kinds: Collection[str] = (), after: int = 0) -> Iterator[Event]:
        """Yield the events after a number, all or those of some kinds, with secrets redacted."""
        for event in scan(self.store, self.info.id, after, kinds):
            if event.seq > self.info.events:
                return
            yield event if self.redactor is None else _clean(event, self.redactor)

    def spent(self) -> tuple[Spent, ...]:
        """Return the usage of its requests."""
        return contents_of(self.store, self.info.id).ledger.rows()


def _clean(event: Event, redactor: Redactor) -> Event:
    if not redactor.touches(event.line):
        return event
    from attrs import evolve

    return evolve(event, data=redactor.redact(event.data), line="")
