"""`--output json`: one object per turn. `--output jsonl`: one line per stored event."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

from attrs import Factory, define

from inarch import Approval, ApprovalRequest, Event, escape_json
from inarch.commands import FAILED, exit_code, say
from inarch_lib.staging.copies import waiting_change
from inarch_plugins.terminal.front_ends.turn_cost import switched_words
from inarch_sdk.exchanges import Recoveries


@define(eq=False, repr=False)
class JsonFrontEnd:
    """Collects a turn with its calls and writes it at its end. Notes and errors go to standard error. Never asks."""

    out: TextIO
    name: str = "json"
    _turn: dict[str, Any] | None = None
    _session_id: str = ""
    _calls: dict[str, dict[str, Any]] = Factory(dict)
    _denied: dict[str, str] = Factory(dict)
    _goal: dict[str, Any] = Factory(dict)
    _recoveries: Recoveries = Factory(Recoveries)

    def show(self, event: Event) -> None:
        """Record an event; write the turn when it ends."""
        self._session_id = event.session_id
        recovered = self._recoveries.take(event)
        if event.kind == "turn.started" and event.data["turn"]["type"] == "agent":
            self._turn, self._calls, self._denied = dict(event.data["turn"]), {}, {}
        elif event.kind == "approval.given" and event.data["outcome"] == "deny":
            self._denied[event.data["call_id"]] = event.data["by"]
        elif event.kind == "call.state":
            self._state(event.data)
        elif event.kind == "call.result":
            call = self._calls.setdefault(event.data["call_id"], {"id": event.data["call_id"]})
            call |= {key: event.data[key] for key in ("name", "status", "result", "started", "ended")}
            if recovered in self._calls:
                self._calls[recovered]["recovered_by"] = call["id"]
        elif event.kind == "turn.ended" and event.data["turn"]["type"] == "agent":
            self._turn = dict(event.data["turn"])
            self._write(exit_code(self._turn["status"], unmet=self._turn["unmet"]))
        elif event.kind == "goal.ended":
            self._goal = {"status": event.data["status"], "turns": event.data["turns"], "cost": event.data["cost_usd"]}
        elif event.kind == "model.switched":
            say("note", switched_words(event.data))
        elif event.kind == "note" and event.data.get("source") != "repair":
            say("note", event.data["text"])
        elif event.kind == "error":
            remedy = event.data["remedy"]
            say("error", event.data["message"] + (f" ({remedy})" if remedy else ""))

    def _state(self, data: Any) -> None:
        call = self._calls.setdefault(data["call_id"], {"id": data["call_id"], "name": data["name"]})
        if data.get("call"):
            call |= data["call"]
        call["status"] = data["status"]
        if data.get("after"):
            call["after"] = list(data["after"])

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        """Return no answer: a script cannot be asked."""
        return []

    def close(self) -> None:
        """Write an unfinished turn, if there is one."""
        if self._turn is not None:
            self._write(FAILED)

    def _denials(self) -> Iterator[dict[str, str]]:
        """Yield the calls that did not run: who denied each, why, and what would let it run."""
        for call in self._calls.values():
            error = (call.get("result") or {}).get("error") or {}
            if error.get("code") in ("denied", "unreviewed"):
                layer = self._denied.get(call["id"], "policy")
                said = {"reason": error["message"], "remedy": error.get("remedy", "")}
                yield {"call": call["id"], "name": call["name"], "layer": layer, **said}

    def _write(self, code: int) -> None:
        turn, self._turn = self._turn or {}, None
        if self._calls:
            turn["calls"] = list(self._calls.values())
        record = {
            "session_id": self._session_id,
            "turn": turn,
            "answer": turn.get("content", ""),
            "usage": turn.get("usage"),
            "denied": list(self._denials()),
            "exit": code,
        }
        if self._goal:
            record["goal"] = self._goal
        if change := waiting_change():
            record["waiting"] = change
        _write(self.out, json.dumps(record, ensure_ascii=False))


@define(eq=False, repr=False)
class JsonLinesFrontEnd:
    """Writes one line per event. Never asks."""

    out: TextIO
    name: str = "jsonl"

    def show(self, event: Event) -> None:
        """Write a stored event; deltas are not stored."""
        if event.kind != "model.delta":
            _write(self.out, event.line)

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        """Return no answer: a script cannot be asked."""
        return []

    def close(self) -> None:
        """Do nothing; every event is already written."""


def _write(out: TextIO, line: str) -> None:
    """Write a line of JSON at once, with control characters escaped so that they cannot mislead a terminal."""
    out.write(escape_json(line) + "\n")
    out.flush()
