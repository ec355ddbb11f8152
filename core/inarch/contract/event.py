"""Event of a session, of any kind, and its line of JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from attrs import define, field

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_ASCII_ENCODER = json.JSONEncoder(separators=(",", ":"))


@define
class Event:
    """Event of a session; `seq` counts from 1 and determines the order, `time` only informs.

    `data` is plain JSON with secrets already redacted. An event is written once and never changed.
    """

    seq: int
    time: str
    session_id: str
    turn_id: str | None
    kind: str
    data: Mapping[str, Any]
    _line: str = field(default="", eq=False, repr=False)

    @property
    def line(self) -> str:
        """The event as one line of JSON, without the line end; encoded once."""
        if not self._line:
            envelope = {
                "seq": self.seq,
                "time": self.time,
                "session_id": self.session_id,
                "turn_id": self.turn_id,
                "kind": self.kind,
                "data": self.data,
            }
            line = _ENCODER.encode(envelope)
            try:
                line.isascii() or line.encode()
            # a name that is not UTF-8 came as lone surrogates, which only escapes can represent
            except UnicodeEncodeError:
                line = _ASCII_ENCODER.encode(envelope)
            self._line = line
        return self._line

    def moved(self, session_id: str, seq: int | None = None) -> Event:
        """Return the event as part of a forked session, optionally under another number."""
        data, turn = self.data, self.data.get("turn")
        if isinstance(turn, Mapping) and "session_id" in turn:
            data = {**data, "turn": {**turn, "session_id": session_id}}
        return Event(seq or self.seq, self.time, session_id, self.turn_id, self.kind, data)
