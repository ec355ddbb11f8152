"""The rooms of one server: lists, opens and forks sessions, and routes events and questions to rooms."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from time import monotonic
from typing import TYPE_CHECKING, Any

from attrs import define, field

import inarch
from inarch_web.current_room import room_here
from inarch_web.server.message_log import encoded
from inarch_web.server.room import Room
from inarch_web.server.sections import Fragments

if TYPE_CHECKING:
    from inarch_web.server.page import Page
    from inarch_web.server.room import Room
    from inarch_web.voice import Seat


@define(eq=False, repr=False)
class WebFrontEnd:
    """Front end that sends events and approval questions to rooms."""

    room: Callable[[str], Room | None]
    name: str = "web"

    @property
    def selection(self) -> Any:
        """The selection in the room of the current call."""
        room = room_here()
        return room.selection if room is not None else None

    def show(self, event: inarch.Event) -> None:
        """Send an event to its room, from any thread."""
        room = self.room(event.session_id)
        if room is not None:
            room.saw(event)

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        """Ask the pages of the room."""
        room = room_here()
        return await room.ask_person(batch) if room is not None else []

    def close(self) -> None:
        """Do nothing: the server closes its pages."""


PAGE = 50
"""Sessions in one answer."""
LAST_WORD_S = 3.0
"""Seconds that pages have to read that the server ends."""
_NO_PAGE = "no page was open for so long that nobody is expected to answer"


@define(eq=False, repr=False)
class Desk:
    """The rooms and pages of an application."""

    app: inarch.App
    fragments: Fragments
    idle_s: float
    framed: Any = None
    flags: Sequence[str] = field(init=False, default=())
    voice_missing: str = field(init=False, default="")
    voice: Seat | None = field(init=False, default=None)
    rooms: dict[str, Room] = field(init=False, factory=dict)
    pages: dict[int, Page] = field(init=False, factory=dict)
    strangers: list[asyncio.Timeout] = field(init=False, factory=list)
    _opening: asyncio.Lock = field(init=False, factory=asyncio.Lock)
    _last_page: int = field(init=False, default=0)
    _last_seen: float = field(init=False, factory=monotonic)
    _telling: asyncio.TimerHandle | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        self.app.front_end = WebFrontEnd(self.rooms.get)
        if find_spec("inarch_live") is None:
            self.voice_missing = "pip install inarch-live"

    @property
    def root(self) -> str:
        """The directory of the application's sessions."""
        return self.app.config.root

    def entered(self, page: Page) -> int:
        """Add an admitted page and return its number."""
        self._last_page += 1
        self.pages[self._last_page] = page
        self.changed()  # tells the page what waits for an answer
        return self._last_page

    def gone(self, page: Page) -> None:
        """Remove a closed page. Running turns continue."""
        self.pages.pop(page.number, None)
        if self.voice is not None:
            self.voice.gone(page)
        for room in self.rooms.values():
            room.left(page)
        self._last_seen = monotonic()

    async def sessions(self, words: str, first: int) -> Mapping[str, Any]:
        """Return the directory's sessions with these words in name, title or id, the latest first."""
        found, names = await asyncio.to_thread(self._known)
        rows = [self._row(info, names.get(info.id, "")) for info in found]
        known = {row["id"] for row in rows}
        rows = [self._new_row(room) for room in self.rooms.values() if room.id not in known] + rows
        wanted = words.casefold().split()
        fitting = [row for row in rows if all(word in _searched(row) for word in wanted)]
        return {"sessions": fitting[first : first + PAGE], "more": len(fitting) > first + PAGE}

    async def room(self, words: str | None) -> Room:
        """Return the room of an open or stored session, or of a new one if `words` is None."""
        if words is not None and words in self.rooms:
            return self.rooms[words]
        async with self._opening:
            if words is None:
                session = await asyncio.to_thread(self.app.session)
                return self._add(session.id, session)
            info = await asyncio.to_thread(self.app.find_session, words)
            if info.root != self.root:
                raise inarch.UsageError(
                    f"session {info.id} is of {info.root}", f"open it there: inarch web --root {info.root}"
                )
            return self.rooms.get(info.id) or self._add(info.id, None)

    async def fork(self, session_id: str, at: int | None) -> Room:
        """Fork a session and return the room of the new one."""
        session = await asyncio.to_thread(self.app.fork, session_id, at)
        return self._add(session.id, session)

    def changed(self) -> None:
        """Send the changed list of sessions to all pages soon."""
        if self._telling is None:
            self._telling = asyncio.get_running_loop().call_later(0.2, self._tell)

    def tick(self) -> None:
        """Log out idle pages, and deny questions that no page shows."""
        now = monotonic()
        for page in list(self.pages.values()):
            is_waiting = any(room.is_busy for room in self.rooms.values() if page.number in room.pages)
            if not is_waiting and now - page.active > self.idle_s:
                page.bye(f"logged out: nothing was done for {self.idle_s / 60:g} minutes", again=False)
        for room in list(self.rooms.values()):
            room.log.forget()
            if room.pages:
                self._last_seen = now
            elif room.questions.open and now - self._last_seen > self.idle_s:
                room.questions.deny_all(_NO_PAGE)

    async def close(self) -> None:
        """End the conversation and all turns, then close the pages."""
        if self.voice is not None:
            await self.voice.close()
        await asyncio.gather(*(room.close() for room in self.rooms.values()))
        pages = list(self.pages.values())
        for page in pages:
            page.bye("inarch web has ended", again=True)
        if pages:
            await asyncio.wait([asyncio.create_task(page.over.wait()) for page in pages], timeout=LAST_WORD_S)

    def _add(self, session_id: str, session: inarch.Session | None) -> Room:
        opens = (lambda: session) if session is not None else partial(self.app.session, session_id)
        room = self.rooms[session_id] = Room(self.app, session_id, self.fragments, opens, self.changed, self.framed)
        return room

    def _known(self) -> tuple[list[inarch.SessionInfo], dict[str, str]]:
        found = sorted(self.app.store.sessions(self.root), key=lambda one: (one.updated, one.id), reverse=True)
        return found, {session_id: name for name, session_id in self.app.session_names.items()}

    def _row(self, info: inarch.SessionInfo, name: str) -> dict[str, Any]:
        row = {"id": info.id, "name": name, "title": info.title, "started": info.started, "updated": info.updated,
               "events": info.events}  # fmt: skip
        return {**row, **_open_row(self.rooms.get(info.id))}

    def _new_row(self, room: Room) -> dict[str, Any]:
        row = {"id": room.id, "name": "", "title": room.title, "started": "", "updated": "", "events": 0}
        return {**row, **_open_row(room)}

    def _tell(self) -> None:
        self._telling = None
        rows = [{"id": room.id, "title": room.title, **_open_row(room)} for room in self.rooms.values()]
        text = encoded({"sessions": rows})
        for page in list(self.pages.values()):
            page.put(text)


def _open_row(room: Room | None) -> dict[str, Any]:
    if room is None:
        return {"running": False, "asks": False, "pages": 0}
    return {"running": room.work.is_running, "asks": bool(room.questions.open), "pages": len(room.pages)}


def _searched(row: Mapping[str, Any]) -> str:
    return f"{row['name']} {row['title']} {row['id']}".casefold()
