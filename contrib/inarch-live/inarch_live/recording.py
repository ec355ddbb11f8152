"""What was said, as text: with it a conversation begins anew where a service can't continue it. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterable

from attrs import define, field

from inarch_live.outbox import Kept, Results, Typed
from inarch_live.port import (
    AudioDelta,
    CallsRequested,
    History,
    InputTranscript,
    Interrupted,
    LiveCall,
    LiveEvent,
    LiveResult,
    OutputTranscript,
    Said,
    SpeechEnded,
    TextDelta,
    TurnEnded,
)

LONGEST = 400_000
"""Characters that are kept; the oldest go first."""


@define(eq=False)
class Piece:
    """A piece of history; `kept` is the message that told it to the service, where one did."""

    piece: History
    kept: Kept | None = None

    @property
    def size(self) -> int:
        """Return about how many characters it takes."""
        match self.piece:
            case Said(_, text) | LiveResult(_, _, _, text):
                return len(text)
            case LiveCall(_, name, arguments):
                return len(name) + len(str(arguments))


@define(eq=False)
class Record:
    """What was said so far.

    Args:
        before: What went before the first connection.
    """

    before: Iterable[History] = field(repr=False)
    is_answering: bool = field(init=False, default=False)
    """Whether something of an answer came, and its end did not."""
    _pieces: list[Piece] = field(init=False)
    _turn_at: int = field(init=False)
    """Where the person's next words belong: before what the model has said since."""
    _idle_at: int = field(init=False)
    """How many pieces there were when the model had last finished."""
    _ended: int = field(init=False, default=0)
    _transcribed: int = field(init=False, default=0)
    _answered: int = field(init=False, default=0)
    _prompts: int = field(init=False, default=0)
    _prompts_at_answer: int = field(init=False, default=0)
    """How many there were when the present answer began: it can't be one to later ones."""
    _prompts_answered: int = field(init=False, default=0)
    _written: list[str] = field(init=False, factory=list)
    _written_size: int = field(init=False, default=0)
    _size: int = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._pieces = [Piece(piece) for piece in self.before]
        self._turn_at = self._idle_at = len(self._pieces)
        self._size = sum(piece.size for piece in self._pieces)
        self.before = ()

    @property
    def awaits_answer(self) -> bool:
        """Return whether what is recorded of the person, or results of calls, wait for the model."""
        return self._prompts > self._prompts_answered or self._transcribed > self._answered

    def sent(self, kept: Kept) -> None:
        """Take in what is sent."""
        if isinstance(kept.message, Typed):
            self._add(Piece(Said("user", kept.message.text), kept))
            self._turn_at = len(self._pieces)
            self._prompts += 1
        elif isinstance(kept.message, Results):
            for result in kept.message.results:
                self._add(Piece(result, kept))
            self._prompts += kept.message.scheduling != "silent"

    def came(self, event: LiveEvent) -> None:
        """Take in what comes."""
        if isinstance(event, (AudioDelta, TextDelta, OutputTranscript)) and not self.is_answering:
            self.is_answering, self._prompts_at_answer = True, self._prompts
        match event:
            case InputTranscript(_, whole, True) if whole.strip():
                # The text of an utterance may come when the answer to it has begun.
                self._transcribed += 1
                self._turn_at += 1
                self._add(Piece(Said("user", whole)), self._turn_at - 1)
            case OutputTranscript(_, whole, True) if whole.strip():
                self._add(Piece(Said("agent", whole)))
            case TextDelta(text):
                self._written.append(text)
                self._written_size += len(text)
                if self._written_size > LONGEST:
                    self._written_down()
            case CallsRequested(calls):
                for call in calls:
                    self._add(Piece(call))
            case SpeechEnded():
                self._ended += 1
            case Interrupted():
                self._end(self._prompts)  # what the person says now is what is answered
            case TurnEnded(reason, is_idle):
                upto = self._prompts_at_answer if self.is_answering else self._prompts
                self._end(upto if is_idle and not reason else None)

    def history(self, unsent: Container[Kept]) -> tuple[History, ...]:
        """Return what a new conversation begins with: all but what will be sent to it anyway."""
        return tuple(piece.piece for piece in self._pieces if piece.kept is None or piece.kept not in unsent)

    def history_to_last_turn(self, unsent: Container[Kept]) -> tuple[History, ...]:
        """Return what was said up to when the model had last finished, and forget what came after."""
        del self._pieces[self._idle_at :]
        self._size = sum(piece.size for piece in self._pieces)
        self._turn_at, self._prompts_answered = self._idle_at, self._prompts
        return self.history(unsent)

    def broke(self) -> None:
        """Forget the beginning of an answer, which will be given from its beginning."""
        self.is_answering, self._written_size = False, 0
        self._written.clear()

    def _end(self, answered: int | None) -> None:
        """End an answer, to so many prompts; None if it was cut short or goes on."""
        self._written_down()
        self._turn_at = len(self._pieces)
        self.is_answering = False
        if answered is not None:
            self._prompts_answered, self._idle_at = answered, len(self._pieces)
            self._answered = max(self._ended, self._transcribed)

    def _written_down(self) -> None:
        text, self._written_size = "".join(self._written), 0
        self._written.clear()
        if text.strip():
            self._add(Piece(Said("agent", text)))

    def _add(self, piece: Piece, at: int | None = None) -> None:
        self._pieces.insert(len(self._pieces) if at is None else at, piece)
        self._size += piece.size
        while self._size > LONGEST and len(self._pieces) > 1:
            self._size -= self._pieces.pop(0).size
            self._turn_at, self._idle_at = max(0, self._turn_at - 1), max(0, self._idle_at - 1)
