"""A room: one session with its pages, current turn, questions and waiting prompts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from attrs import define, field

import inarch
from inarch_web.server.kept_session import MOST_HTML, MOST_TURNS, Kept
from inarch_web.server.message_log import MessageLog, encoded
from inarch_web.server.questions import Asks, Questions, question_message
from inarch_web.server.room_work import Working
from inarch_web.server.sections import Fragments, Message, TurnSections, entry, joined, steps_before

if TYPE_CHECKING:
    from inarch.transcripts import Exchange
    from inarch_web.server.page import Page

RELOAD_S = 0.3
"""Seconds from an edit to the reload of a plain page in the frame."""
TOGETHER_S = 0.03
"""Seconds in which text is collected before it is sent. Readers do not notice the delay."""
_SPENDS = frozenset({"model.replied", "turn.ended"})
_UNSPENT: Message = {"requests": 0, "input_tokens": 0, "output_tokens": 0, "estimated": 0, "cost_usd": "0",
                     "unknown": 0}  # fmt: skip
_IN_STATE = frozenset(
    {"turn.started", "turn.ended", "model.switched", "changes.undone", "input.waiting", "input.ended"}
)


@define(eq=False, repr=False)
class Room:
    """One session as all its pages see it. Use all methods but `saw` in the event loop's thread."""

    app: inarch.App
    id: str
    fragments: Fragments
    open_session: Callable[[], inarch.Session]
    changed: Callable[[], object]
    framed: Any = None
    selection: Mapping[str, Any] | None = None
    sent: Mapping[str, Any] | None = field(init=False, default=None)  # what the running turn was sent with
    watch: Callable[[inarch.Event], object] | None = field(init=False, default=None)
    model: str = field(init=False)
    approve: str = field(init=False)
    pages: dict[int, Page] = field(init=False, factory=dict)
    questions: Questions = field(init=False, factory=Questions)
    asks: Asks = field(init=False, factory=Asks)
    work: Working = field(init=False)
    kept: Kept = field(init=False)
    log: MessageLog = field(init=False)
    title: str = field(init=False, default="")
    _live: TurnSections | None = field(init=False, default=None)
    _session: inarch.Session | None = field(init=False, default=None)
    _opening: asyncio.Lock = field(init=False, factory=asyncio.Lock)
    _unsent: list[Message] = field(init=False, factory=list)
    _sending: asyncio.TimerHandle | None = field(init=False, default=None)
    _unread: list[inarch.Event] = field(init=False, factory=list)  # events that arrived while the last turn was read
    _edited: set[str] = field(init=False, factory=set)
    _spent: Message = field(init=False, factory=dict)
    _told: Message = field(init=False, factory=dict)
    _loop: asyncio.AbstractEventLoop = field(init=False, factory=asyncio.get_running_loop)

    def __attrs_post_init__(self) -> None:
        profile = self.app.config.profile
        self.model, self.approve = profile.model, profile.approve
        self.log, self.kept, self.work = MessageLog(self.id), Kept(self._transcript), Working(self)

    @property
    def session_there(self) -> inarch.Session | None:
        """The session opened for turns, or None if no turn needed it yet."""
        return self._session

    async def session(self) -> inarch.Session:
        """Return the session, opened for turns."""
        async with self._opening:
            if self._session is None:
                await self._live_now()
                self._session = await asyncio.to_thread(self.open_session)
            return self._session

    @property
    def is_busy(self) -> bool:
        """Whether a turn runs or a question is open."""
        return self.work.is_running or bool(self.questions.open)

    async def opened(self, page: Page, since: tuple[str, int] | None) -> Message:
        """Add a page to the room and return the messages or the state that it starts with."""
        live = await self._live_now()
        if since is not None and since[0] == self.token and (missed := self.log.since(since[1])) is not None:
            self._enter(page)
            return {**self._begin(), "missed": missed}
        number = live.exchange.number
        older = await self.earlier(number)
        if not self._spent:
            self.work.soon(self._sum_up())  # in a long session it takes longer than the first screen
        self._flush()  # nothing is awaited from here, so later events are sent as messages
        now = [] if live.is_empty else [live.entry()]
        if live.exchange.number > number:  # a turn has begun meanwhile
            older = {
                **older,
                "turns": [*older["turns"], *await asyncio.to_thread(self._read, number, live.exchange.number - 1)],
            }
            now = [live.entry()]
        self._enter(page)
        return {**self._begin(), "state": self.state(), "turns": [*older["turns"], *now], "earlier": older["earlier"],
                "question": self._question(), "live": live.so_far()}  # fmt: skip

    def left(self, page: Page) -> None:
        """Remove a page from the room."""
        if self.pages.pop(page.number, None) is not None:
            self.asks.gone(page.number)
            self.tell_state()

    async def steps(self, number: int, before: int) -> Message:
        """Return the steps of a turn before a place."""
        live = await self._live_now()
        if live.exchange.number == number:
            return steps_before(self.fragments, live.exchange, before, running=live.runs)
        return await asyncio.to_thread(steps_before, self.fragments, await self.exchange(number), before)

    async def exchange(self, number: int) -> Exchange:
        """Return a turn with its steps."""
        live = await self._live_now()
        if live.exchange.number == number:
            return live.exchange
        found = await asyncio.to_thread(self.kept.read, number, number)
        if not found:
            raise inarch.UsageError(f"there is no turn {number}", "open the session again")
        return found[0]

    def saw(self, event: inarch.Event) -> None:
        """Queue an event, from any thread. `watch` gets it at once, before the next request."""
        if self.watch is not None:
            self.watch(event)
        with suppress(RuntimeError):  # the loop is closed, so no page is open
            self._loop.call_soon_threadsafe(self._saw, event)

    async def ask_person(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        """Ask the pages about calls and return the first answer."""
        await asyncio.sleep(0)  # pages get the events before the question first
        question = self.questions.ask(batch)
        self.send({"question": question_message(question, self.fragments)})
        self.changed()
        answers: Sequence[inarch.Approval] = ()
        try:
            answers = await question.answered
        finally:
            self.questions.withdraw(question)
            outcomes = [{"call": one.call_id, "outcome": one.outcome} for one in answers]
            self.send({"settled": {"id": question.id, "by": question.by, "outcomes": outcomes}})
            self.changed()
        return answers

    async def ask(self, what: str, data: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        """Ask the pages for data that only a browser has, and return the first answer."""
        return await self.asks.ask(what, data, seconds, self.pages)

    def send(self, message: Message) -> None:
        """Send the collected messages and then this one to all pages."""
        self._flush()
        self._put(message)

    def state(self) -> Message:
        """Return the state that pages show above the conversation."""
        names = {session_id: name for name, session_id in self.app.session_names.items()}
        limit = self.app.config.profile.max_cost_usd
        return {
            "id": self.id,
            "name": names.get(self.id, ""),
            "title": self.title,
            "model": self.model,
            "approve": self.approve,
            "running": self._running(),
            "queued": self.work.waiting,
            "pages": len(self.pages),
            "spent": self._spent or _UNSPENT,
            "max_cost_usd": None if limit is None else str(limit),
            "selection": None if self.selection is self.sent else self.selection,
        }

    @property
    def token(self) -> str:
        """Name of this room that differs between runs of the server, because each run numbers messages from 1."""
        return f"{id(self):x}"

    def set_selection(self, selection: Mapping[str, Any] | None) -> None:
        """Set the selection for every tool and send it to all pages."""
        self.selection = selection
        self.tell_state()

    async def close(self) -> None:
        """Cancel the turn, wait for its end and send the last messages."""
        await self.work.cancel()
        await asyncio.sleep(0)
        self._flush()

    def _enter(self, page: Page) -> None:
        self.pages[page.number] = page
        self._loop.call_soon(self.tell_state)  # after the answer to the page's `open`

    def _begin(self) -> Message:
        return {"session": self.id, "room": self.token, "n": self.log.last}

    def _saw(self, event: inarch.Event) -> None:
        if event.kind in ("calls.done", "command.ran") and self._session is not None:
            self.approve, before = self._session.approve, self.approve
            if self.approve != before:
                self.tell_state()
        if event.kind == "file.changed" and self.framed is not None and self.framed.is_plain:
            self._edited.update(filter(None, (event.data["path"], event.data.get("new_path"))))
            self._loop.call_later(RELOAD_S, self._tell_edited)
        if event.kind == "model.switched":
            self.model = event.data.get("new") or self.model
        if self._live is None:
            self._unread.append(event)
            return
        self._unsent += self._live.take(event)
        if event.kind in _SPENDS:
            self.work.soon(self._sum_up())
        if event.kind == "input.waiting":
            self._loop.call_soon(self.work.wake)
        if event.kind in _IN_STATE:
            self.tell_state()
            self._flush()
        elif self._unsent and self._sending is None:
            self._sending = self._loop.call_later(TOGETHER_S, self._flush)

    def _tell_edited(self) -> None:
        """Name changed files to pages whose frame has no builder that does so, those within `RELOAD_S` together."""
        paths, self._edited = sorted(self._edited), set()
        for page in list(self.pages.values()) if paths else ():
            page.put(encoded({"session": self.id, "edited": paths}))

    def _flush(self) -> None:
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None
        unsent, self._unsent = self._unsent, []
        for message in joined(unsent):
            self._put(message)

    def _put(self, message: Message) -> None:
        text = self.log.add(message)
        for page in list(self.pages.values()):
            page.put(text)

    def tell_state(self) -> None:
        """Send the state to all pages if it has changed."""
        state = self.state()
        if state != self._told:
            self._told = state
            self.send({"state": state})
            self.changed()

    def _running(self) -> int | None:
        if not self.work.is_running or self._live is None:
            return None
        return self._live.exchange.number + (not self._live.runs)  # a turn that is about to begin has the next number

    def _question(self) -> Message | None:
        first = next(iter(self.questions.open.values()), None)
        return question_message(first, self.fragments) if first is not None else None

    async def _live_now(self) -> TurnSections:
        """Return the sections of the current turn. Read the last turn first if needed."""
        if self._live is None:
            reading, seq = await asyncio.to_thread(self.kept.last)
            if self._live is None:
                live = self._live = TurnSections(self.fragments, reading, seq)
                for event in self._unread:
                    for _ in live.take(event):
                        pass
                self._unread.clear()
        return self._live

    async def earlier(self, number: int) -> dict[str, Any]:
        """Return one page of turns before a turn, and the number of turns before those."""
        turns = await asyncio.to_thread(self._read, max(number - MOST_TURNS, 0), number - 1)
        first = turns[0]["number"] if turns else number
        return {"turns": turns, "earlier": max(first - 1, 0) if number > 0 else 0}

    def _read(self, first: int, last: int) -> list[Message]:
        if last < first:
            return []
        shown: list[Message] = []
        size = 0
        for exchange in reversed(self.kept.read(first, last)):
            found = entry(self.fragments, exchange)
            shown.append(found)
            size += len(found["html"]) + sum(map(len, (found["steps"] or {}).get("html", ())))
            if size > MOST_HTML:
                break
        return shown[::-1]

    def _transcript(self) -> inarch.Transcript | None:
        try:
            return self.app.transcript(self.id)
        except inarch.UsageError:
            return None  # nothing of it is stored yet

    async def _sum_up(self) -> None:
        self._spent = await asyncio.to_thread(self._sum)
        self.tell_state()

    def spent_by(self) -> Sequence[Any]:
        """Return what the session spent, by purpose, plugin and model."""
        transcript = self._transcript()
        return transcript.spent() if transcript is not None else ()

    def _sum(self) -> Message:
        transcript, rows = self._transcript(), self.spent_by()
        self.title = transcript.info.title if transcript is not None else ""
        counts = {name: sum(getattr(row, name) for row in rows) for name in _UNSPENT if name != "cost_usd"}
        return {**counts, "cost_usd": str(sum((row.cost_usd for row in rows), Decimal()))}
