"""Events and audio that a session stores outside its turns; audio only if enabled."""

from __future__ import annotations

import io
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from attrs import define, field

import inarch
from inarch_live.samples import BYTES
from inarch_live.wav import writer

MOST_KEPT_S = 600
"""Most seconds of audio stored for one side of a turn; the rest is dropped."""


@define(eq=False, repr=False)
class Record:
    """The session extension `live`, which records events and stores audio."""

    session: inarch.SessionAccess

    def add(self, name: str, data: Mapping[str, Any]) -> None:
        """Record an event. If the store cannot take it, the conversation continues."""
        with suppress(inarch.StoreError):
            self.session.record(name, data)

    def keep_audio(self, of: str, pcm: bytes, rate: int) -> None:
        """Store audio as a WAV file among the session's blobs."""
        made = io.BytesIO()
        with writer(made, rate) as file:
            file.writeframes(pcm)
        with suppress(inarch.StoreError):
            ref = self.session.store.put_blob(self.session.session_id, made.getvalue())
            self.session.record("audio", {"of": of, "ref": ref, "seconds": round(len(pcm) / BYTES / rate, 3)})


class SaidBeside:
    """The context source of late transcripts, which no prompt has."""

    name = "live"

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        """Return the late transcripts, None if there are none."""
        said = [str(event.data["text"]) for event in situation.happened if event.kind == "live.heard"]
        return inarch.Contribution(text="\n".join(["I also said:", *said])) if said else None


@define(eq=False, repr=False)
class Tape:
    """Audio of both sides since the last turn ended; empty unless switched on."""

    is_on: bool
    _sides: dict[str, tuple[bytearray, int]] = field(init=False, factory=dict)

    def add(self, of: str, pcm: bytes, rate: int) -> None:
        """Take a piece of the `person` or the `model`."""
        if not self.is_on:
            return
        piece, _ = self._sides.setdefault(of, (bytearray(), rate))
        if len(piece) < MOST_KEPT_S * rate * BYTES:
            piece += pcm

    def keep(self, record: Record) -> None:
        """Store the audio so far, and reset."""
        for of, (pcm, rate) in self._sides.items():
            record.keep_audio(of, bytes(pcm), rate)
        self._sides.clear()
