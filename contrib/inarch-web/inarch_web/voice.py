"""Voice of the page that talks: one page at a time, in one session, with the model `live`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, Any

from attrs import define, field
from inarch_live.live_start import voice_with
from inarch_live.playback import Playback
from inarch_live.voice import TurnWatch, Voice

import inarch
from inarch_web.server.message_log import encoded

if TYPE_CHECKING:
    from inarch_web.server.page import Page
    from inarch_web.server.room import Room

FRAME_S = 0.02
AHEAD_S = 0.1
"""Seconds of sound that the page gets ahead of playback, because sleep and transport times vary."""
LONGEST_PIECE = 64_000
"""Bytes of sound that a page may send at once, which is two seconds."""
_BYTES = 2


@define(eq=False, repr=False)
class PageMicrophone:
    """A page's microphone, 16 kHz."""

    is_over: bool = False
    _heard: Callable[[bytes], object] | None = field(init=False, default=None)

    def start(self, heard: Callable[[bytes], object]) -> None:
        """Pass each piece of sound to `heard` from now on."""
        self._heard = heard

    def stop(self) -> None:
        """Stop passing sound on."""
        self._heard = None

    def feed(self, pcm: bytes) -> None:
        """Take sound of the page. Drop it while the microphone is off or if it is too long."""
        if self._heard is not None and 0 < len(pcm) <= LONGEST_PIECE:
            self._heard(pcm[: len(pcm) - len(pcm) % _BYTES])


@define(eq=False, repr=False)
class PageSpeaker:
    """Speaker that sends the voice to a page at about playback speed."""

    send: Callable[[bytes], object]
    _task: asyncio.Task[None] | None = field(init=False, default=None)

    def start(self, playback: Playback) -> None:
        """Start sending the sound in `playback`."""
        self._task = asyncio.get_running_loop().create_task(self._speak(playback))

    def stop(self) -> None:
        """Stop sending."""
        if self._task is not None:
            self._task.cancel()

    async def _speak(self, playback: Playback) -> None:
        loop = asyncio.get_running_loop()
        rate = playback.rate * _BYTES
        said_until = loop.time()
        while True:
            now = loop.time()
            said_until = max(said_until, now)
            size = min(playback.waiting, int((now + AHEAD_S - said_until) * rate) // _BYTES * _BYTES)
            if size > 0:
                self.send(playback.take(size))
                said_until += size / rate
            await asyncio.sleep(FRAME_S)


@define(eq=False, repr=False)
class PagePlayback(Playback):
    """Playback queue that also stops the page's sound when it is dropped."""

    hush: Callable[[], object] = field(default=lambda: None, kw_only=True)

    def drop(self) -> int:
        """Drop the waiting sound, here and in the page."""
        dropped = Playback.drop(self)
        self.hush()
        return dropped


SOUND = b"\x01"
_LIVE = "live"


@define(eq=False, repr=False)
class Seat:
    """The conversation of the page that talks."""

    page: Page
    room: Room
    before: str
    session: inarch.Session = field(init=False)
    _microphone: PageMicrophone = field(init=False, factory=PageMicrophone)
    _voice: Voice = field(init=False)
    _task: asyncio.Task[None] | None = field(init=False, default=None)
    _shown: dict[str, Any] = field(init=False, factory=dict)

    def begin(self, session: inarch.Session, hearing: str) -> None:
        """Connect and listen."""
        playback = PagePlayback(hush=lambda: self._tell({"drop": True}))
        speaker = PageSpeaker(lambda pcm: self.page.send_bytes(SOUND + pcm))
        self._voice = voice_with(
            self.room.app, self._microphone, speaker, playback, "push" if hearing == "push" else "open"
        )
        self.room.watch = TurnWatch(self._voice).saw
        self.session = session
        self._task = asyncio.create_task(self._voice.run(self))

    def say(self, text: str, around: Callable[[], AbstractContextManager[object]]) -> None:
        """Run a spoken prompt."""
        self.room.work.say_within(text, around)

    def cancel(self) -> None:
        """Cancel the turn that runs."""
        self.room.work.soon(self._cancel())

    async def _cancel(self) -> None:
        await self.room.work.cancel()

    def hidden(self, text: str) -> str:
        """Return a text with its secrets redacted."""
        return self.room.app.redactor.text(text)

    def tell(self, text: str) -> None:
        """Show the person a text."""
        self._tell({"told": text})

    def do(self, what: str) -> None:
        """Start listening, stop listening, or silence the voice."""
        acts: Mapping[str, Callable[[], object]] = {
            "begin": self._voice.turn_on, "end": self._voice.turn_off, "hush": self._voice.cancelled,
        }  # fmt: skip
        if what not in acts:
            raise inarch.UsageError(f"{what!r:.40} is nothing that a voice does", f"one of {', '.join(acts)}, on, off")
        acts[what]()
        self.changed()

    def heard(self, page: Page, pcm: bytes) -> None:
        """Take sound of the page's microphone."""
        if page is self.page:
            self._microphone.feed(pcm)

    def gone(self, page: Page) -> None:
        """End the conversation if its page was closed."""
        if page is self.page:
            self.room.work.soon(self.close())

    async def close(self) -> None:
        """End the conversation and restore the session's model."""
        task, self._task = self._task, None
        if self.page.desk.voice is self:
            self.page.desk.voice = None
        if task is None:
            return
        task.cancel()
        with suppress(asyncio.CancelledError, inarch.InarchError):
            await task
        self.room.watch = None
        session = await self.room.session()
        with suppress(inarch.InarchError):
            await session.set_model(self.before, "the person talks no longer")
        self._tell({"state": "over"})

    def changed(self) -> None:
        """Update the page's state and the words that were heard."""
        talk = self._voice.conversation
        if not talk.is_connected:
            state = "not connected"
        elif talk.playback.is_sounding:
            state = "speaking"
        else:
            state = "waiting" if talk.is_waiting else "listening" if self._voice.is_on else "silent"
        heard = self.hidden(talk.hearing.text)
        now = {"state": state, "heard": inarch.escape(heard, keep_newlines=False)}
        if now != self._shown:
            self._shown = now
            self._tell(now)

    def _tell(self, what: Mapping[str, Any]) -> None:
        self.page.put(encoded({"voice": dict(what), "session": self.room.id}))


async def asked(page: Page, room: Room, message: Mapping[str, Any]) -> dict[str, Any]:
    """Handle a page's voice message: `on` (with `hearing`), `off`, `begin`, `end` or `hush`."""
    desk, what = page.desk, str(message.get("what"))
    seat = desk.voice
    if what == "on":
        if seat is not None and seat.page is not page:
            raise inarch.UsageError("another page talks already", "end that first")
        if seat is not None:
            await seat.close()
        session = await room.session()
        seat = Seat(page, room, room.model)
        seat.begin(session, str(message.get("hearing")))
        desk.voice = seat
        try:
            await session.set_model(_LIVE, "the person talks")
        except BaseException:
            await seat.close()
            raise
        return {}
    if seat is None or seat.page is not page:
        raise inarch.UsageError("this page doesn't talk", "press Talk first")
    if what == "off":
        await seat.close()
    else:
        seat.do(what)
    return {}
