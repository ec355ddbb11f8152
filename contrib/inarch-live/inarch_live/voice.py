"""Microphone, speaker and conversation of a spoken session: the terminal's companion."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

from attrs import define, field

import inarch
from inarch.commands import ANSWERED, FAILED, LIMITED, NOT_DONE
from inarch_live.conversation import Conversation
from inarch_live.devices import GONE_S, Sink, Source
from inarch_live.port import INPUT_RATE, LiveResult
from inarch_live.recordings import Record, Tape
from inarch_live.samples import level
from inarch_live.service_messages import live_result
from inarch_live.turns import Talk

LONGEST_WAIT_S = 30.0
"""Seconds to wait for an answer to a spoken file."""
TICK_S = 0.1
_BARS = " ▁▂▃▄▅▆▇█"
_STEPS = 8
_ASCII = " .:-=+*#@"


@define(eq=False, repr=False)
class Voice:
    """Records the person and plays the model's voice."""

    conversation: Conversation
    source: Source | None
    sink: Sink | None
    tape: Tape
    speaks_at_once: bool
    headphones: bool = False
    glyphs: bool = True
    is_on: bool = field(init=False, default=False)
    has_failed: bool = field(init=False, default=False)
    """Whether speech could not be sent or got no answer. The person has seen an error."""
    _code: int = field(init=False, default=ANSWERED)
    _talk: Talk = field(init=False)
    _unsent: deque[bytes | Literal["begin", "end"]] = field(init=False, factory=deque)
    _something: asyncio.Event = field(init=False, factory=asyncio.Event)
    _level: float = field(init=False, default=0.0)
    _heard_at: float = field(init=False, default=0.0)
    _is_paused: bool = field(init=False, default=False)
    _spoken_at: float = field(init=False, default=0.0)
    _awaits: bool = field(init=False, default=False)
    _shown: str = field(init=False, default="")
    _is_sent: bool = field(init=False, default=True)
    _has_begun: bool = field(init=False, default=False)

    @property
    def exit_code(self) -> int:
        """Exit code of the first prompt that did not succeed; 1 if speech got no answer."""
        return self._code or (FAILED if self.has_failed else ANSWERED)

    def ended(self, code: int) -> None:
        """Note the exit code of a prompt."""
        self._code = self._code or code

    @property
    def keys(self) -> Mapping[str, Callable[[], object]]:
        """The key bindings: Space opens and closes the microphone."""
        return {"space": self.toggle} if self.source is not None else {}

    @property
    def record(self) -> Record:
        """The current session's extension that records events outside the turns."""
        found: Record = self._talk.session.extension("live")
        return found

    async def run(self, talk: Talk) -> None:
        """Run the devices and the conversation until cancelled, then shut down in order."""
        self._talk = self.conversation.turns.talk = talk
        try:
            self.conversation.playback.has_device = self.sink is not None
            if self.sink is not None:
                self.sink.start(self.conversation.playback)
            await self._try(self.conversation.connect())
            if self.speaks_at_once and self.source is not None and self.conversation.is_connected:
                self.turn_on()
            self._has_begun = True
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._send())
                tasks.create_task(self._tick())
        finally:
            self.turn_off()
            await self.conversation.aclose()
            if self.sink is not None:
                self.sink.stop()

    def toggle(self) -> None:
        """Open or close the microphone."""
        if self.is_on:
            self.turn_off()
        else:
            self.turn_on()

    def turn_on(self) -> None:
        """Open the microphone, which stops the model's voice."""
        if self.is_on or self.source is None:
            return
        try:
            self.source.start(self._heard)
        except inarch.UsageError as error:
            self._talk.tell(str(error))
            return
        self.is_on, self._is_paused, self._awaits = True, False, True
        self._heard_at = asyncio.get_running_loop().time()
        self.conversation.link.hush()
        self._put("begin")

    def turn_off(self) -> None:
        """Close the microphone."""
        if self.is_on and self.source is not None:
            self.is_on, self._level = False, 0.0
            self.source.stop()
            self._put("end")

    def cancelled(self) -> None:
        """Stop the voice after the person pressed Esc."""
        self.conversation.link.hush()

    def is_done(self) -> bool:
        """Return whether the input has ended and every answer was heard."""
        talk = self.conversation
        if self.is_on or not self._has_begun:
            return False
        if self.source is not None and not (self.source.is_over and self._is_sent) and not talk.is_cut:
            return False
        if talk.turns.is_busy or talk.link.is_answering or talk.playback.is_sounding or self._unsent:
            return False
        if not self._awaits:
            return True
        if not talk.is_cut:
            if asyncio.get_running_loop().time() - self._spoken_at < LONGEST_WAIT_S:
                return False
            self._talk.tell(f"no answer to what was spoken came within {LONGEST_WAIT_S:.0f} s")
        self._awaits, self.has_failed = False, True
        return True

    def status(self, columns: int) -> str:
        """Return the status line: who speaks, how loud, and the transcript so far."""
        talk = self.conversation
        if not talk.is_connected:
            said = "not connected" + ("; Space connects" if self.source is not None else "")
        elif talk.playback.is_sounding:
            said = f"speaking {self._meter(talk.playback.level)} Esc stops it"
        elif talk.is_waiting:
            said = "waits for its calls"
        elif self.is_on:
            said = f"listening {self._meter(self._level)} Space ends it"
        elif self.source is not None:
            said = "microphone off; Space speaks"
        else:
            said = "no microphone; type"
        heard = talk.hearing.text and self._talk.hidden(talk.hearing.text)
        mark = "● " if self.glyphs else "* "
        line = f"{mark}{said}" + (f"  {inarch.escape(heard, keep_newlines=False)}" if heard else "")
        return inarch.shorten(line, columns)

    def turn_began(self) -> None:
        """Note that a turn has begun and answers the speech."""
        self._awaits = False
        self.conversation.turns.is_running = True

    def _meter(self, loud: float) -> str:
        bars = _BARS if self.glyphs else _ASCII
        step = min(_STEPS, round((loud**0.5) * _STEPS))
        return f"[{bars[1 : step + 1]:<{_STEPS}}]"

    def _heard(self, piece: bytes) -> None:
        """Take audio from the microphone. Without headphones, drop it while the model speaks: it is an echo."""
        self._heard_at = asyncio.get_running_loop().time()
        if not self.is_on:
            return
        self._level = max(level(piece), self._level * 0.8)
        is_echo = self.conversation.playback.is_sounding and not self.headphones
        if is_echo and not self._is_paused and self.conversation.setup.hearing == "open":
            self._put("end")
        self._is_paused = is_echo
        if not is_echo:
            self._put(piece)

    def _put(self, piece: bytes | Literal["begin", "end"]) -> None:
        self._unsent.append(piece)
        self._is_sent = False
        self._something.set()

    async def _send(self) -> None:
        """Send queued audio in order."""
        while True:
            if not self._unsent:
                self._is_sent = True
                self._something.clear()
                await self._something.wait()
                continue
            piece = self._unsent.popleft()
            if isinstance(piece, bytes):
                self.tape.add("person", piece, INPUT_RATE)
                await self.conversation.hear(piece)
            elif piece == "end":
                self._spoken_at = asyncio.get_running_loop().time()
                await self.conversation.end_speech()
            else:
                await self._try(self.conversation.begin_speech())

    async def _try(self, doing: Awaitable[None]) -> None:
        try:
            await doing
        except inarch.InarchError as error:
            self._talk.tell(str(error))
            self._cut_off()

    def _cut_off(self) -> None:
        """Close the microphone and drop unsent audio, because there is no connection."""
        self.has_failed = True
        self.turn_off()
        self._unsent.clear()

    async def _tick(self) -> None:
        """Redraw the meter when it changes, and watch the microphone."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(TICK_S)
            self.conversation.link.heard()
            if self.is_on and self.source is not None and self.source.is_over:
                self.turn_off()
            elif self.is_on and self._is_sent and self.conversation.is_cut:
                self._cut_off()
            elif self.is_on and loop.time() - self._heard_at > GONE_S:
                self.turn_off()
                self._talk.tell("the microphone gives nothing any more: plug it in, then press Space")
            line = self.status(80)
            if line != self._shown:
                self._shown = line
                self._talk.changed()


_CODES = {"failed": FAILED, "limited": LIMITED}


@define(eq=False, repr=False)
class TurnWatch:
    """Passes turns and calls of a session on to a voice."""

    voice: Voice
    _ids: dict[str, tuple[str, str]] = field(init=False, factory=dict)
    _known: dict[str, LiveResult] = field(init=False, factory=dict)

    def saw(self, event: inarch.Event) -> None:
        """Take note of an event as it happens, before the next request."""
        if event.kind in ("turn.started", "turn.ended", "call.state", "call.result"):
            self._saw(event.kind, event.data)

    def _saw(self, kind: str, data: Mapping[str, Any]) -> None:
        if kind == "call.state":
            if call := data.get("call"):
                self._ids[data["call_id"]] = (call.get("provider_id") or "", call["name"])
        elif kind == "call.result":
            id, name = self._ids.get(data["call_id"], ("", ""))
            if id:
                self._known[id] = live_result(id, name, inarch.from_data(inarch.ToolResult, data["result"]))
        elif data["turn"]["type"] == "agent":
            if kind == "turn.started":
                self.voice.turn_began()
            else:
                self._ended(data["turn"])

    def _ended(self, turn: Mapping[str, Any]) -> None:
        status = turn["status"]
        self.voice.ended(NOT_DONE if turn.get("unmet") and status == "done" else _CODES.get(status, ANSWERED))
        known, self._known = self._known, {}
        self._ids.clear()
        self.voice.conversation.turn_ended(status, known)
        if self.voice.tape.is_on:  # after the session has stored this event
            asyncio.get_running_loop().call_soon(lambda: self.voice.tape.keep(self.voice.record))


@define(eq=False, repr=False)
class Watched(TurnWatch):
    """A front end that passes turns and calls on to a voice, and everything to another front end."""

    inner: inarch.FrontEnd
    name: str = "live"

    def show(self, event: inarch.Event) -> None:
        """Show an event."""
        self.saw(event)
        self.inner.show(event)

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        """Ask about a batch of calls; only the keyboard can answer."""
        return await self.inner.approve(batch)

    def close(self) -> None:
        """Finish the display."""
        self.inner.close()
