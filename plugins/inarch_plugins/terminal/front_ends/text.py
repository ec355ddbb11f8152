"""`--output text` without live display: the answer on standard output, one line for other events on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from attrs import evolve

from inarch import escape
from inarch.commands import say, say_remedy
from inarch.figures import (
    call_title,
    duration,
    failure_words,
    held_words,
    reviewed_words,
    rewritten_words,
    seconds_between,
)
from inarch.output import is_terminal, shorten
from inarch_plugins.terminal.front_ends.turn_cost import TurnFigures, switched_words, wait_words
from inarch_plugins.terminal.notifications import TURN_ENDED, Settings, notifier_for
from inarch_plugins.terminal.rendering.calls import TODOS, outcome_words

if TYPE_CHECKING:
    from inarch import Approval, ApprovalRequest, Event

Data = Mapping[str, Any]
WORTH_TELLING_S = 1.0
"""Seconds; shorter waits are not reported, because they end before the line is read."""

LONGEST_TITLE = 160
"""Columns of a call's title; a pattern can be long."""


class TextFrontEnd:
    """Shows a turn in whole lines: calls, notes, errors, the answer, then tokens, cost and time.

    On a terminal the answer appears line by line, elsewhere once it is complete.
    """

    name = "text"

    def __init__(
        self, out: TextIO, err: TextIO, *, quiet: bool = False, settings: Settings | None = None, spoken: bool = False
    ) -> None:
        if spoken and settings is not None and settings.notify == "auto":
            settings = evolve(settings, notify="off")  # a screen reader speaks; a bell only disturbs it
        self._notifier, self._spoken = notifier_for(err, settings), spoken
        self._out, self._err, self._quiet = out, err, quiet
        self._answer = LineByLine(out)
        self._totals = TurnFigures()
        self._calls: dict[str, str] = {}
        self._titled: Callable[[str, Data], str] = call_title
        self._typed: set[str] = set()  # calls that are shown elsewhere: the user's own, and todo lists
        self._said: set[str] = set()  # notes already shown in this turn
        self._errors: set[str] = set()  # errors already shown in this turn

    def name_calls(self, titled: Callable[[str, Data], str]) -> None:
        """Take the function that returns a call's title."""
        self._titled = titled

    def show(self, event: Event) -> None:
        """Show an event; ignore kinds that have no text for users."""
        data = event.data
        match event.kind:
            case "turn.started" if data["turn"]["type"] == "agent":
                is_json = bool(data.get("settings", {}).get("output_schema"))
                self._answer = LineByLine(self._out, is_json=is_json)
            case "model.requested":
                self._answer.end()
            case "model.delta":
                self._answer.add(data["text"])
            case "model.replied" if data.get("error") and data["error"] != "cancelled":
                self._answer.break_off()
            case "model.switched":
                self._note(switched_words(data), always=True)
            case "call.state":
                self._call_state(data)
            case "call.result":
                self._call_result(data)
            case "approval.given" if data["by"] == "reviewer" and data["outcome"] == "approve":
                title = self._calls.get(data["call_id"], "a call")
                self._note(f"{data['plugin']} approved {title}: {data['reason']}")
            case "call.rewritten":
                self._rewritten(data)
            case "call.reviewed":
                self._note(reviewed_words(self._named(data)))
            case "turn.held":
                self._note(held_words(data))
            case "limit.wait" if data["seconds"] >= WORTH_TELLING_S:
                line = wait_words(data, data["seconds"])
                self._said.discard(line)  # report a second wait again
                self._note(line)
            case "error":
                self._say_error(data["message"], data["remedy"])
            case "turn.ended" if data["turn"]["type"] == "agent":
                self._turn_ended(data)
            case "command.ran":
                self._forget()
            case _:
                self._noted(event.kind, data)

    def _noted(self, kind: str, data: Data) -> None:
        if kind == "note" and data.get("source") != "repair":  # /stats counts those
            self._note(data["text"], always=data.get("source") == "service")
        elif "todos" in data:  # show only the progress of the list
            self._note(f"todos: {str(data.get('text', '')).partition(chr(10))[0]}")
        elif notice := data.get("notice"):
            self._note(str(notice))

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        """Ask on the terminal; return no answer if there is none."""
        if not (is_terminal(sys.stdin) and is_terminal(self._err)):
            return []
        from inarch_plugins.terminal.front_ends.approvals import ask

        self._answer.end()
        self._notifier.ask(batch)
        try:
            return await ask(batch, self._err)
        finally:
            self._notifier.looked()

    def close(self) -> None:
        """Do nothing; every event is already shown."""

    def _call_state(self, data: Data) -> None:
        call_id, call = data["call_id"], data.get("call")
        if call or call_id not in self._calls:
            self._calls[call_id] = self._title(data["name"], call["arguments"] if call else {})
        if call and (call["origin"] == "user" or TODOS in call["arguments"]):
            self._typed.add(call_id)

    def _title(self, name: str, arguments: Data) -> str:
        return shorten(self._titled(name, arguments), LONGEST_TITLE)

    def _named(self, data: Data) -> Data:
        return {**data, "name": self._calls.get(data["call_id"], data["name"])}

    def _rewritten(self, data: Data) -> None:
        self._note(rewritten_words(self._named(data)))
        if data.get("arguments") is not None:
            self._calls[data["call_id"]] = self._title(data["name"], data["arguments"])

    def _call_result(self, data: Data) -> None:
        label = self._calls.pop(data["call_id"], data["name"])
        typed = data["call_id"] in self._typed
        self._typed.discard(data["call_id"])
        error, took = data["result"].get("error"), seconds_between(data.get("started"), data.get("ended"))
        if typed or self._quiet:
            return
        why = failure_words(data["name"], error) if error else ""
        if self._spoken:
            outcome = why or outcome_words(data["result"].get("data"))
            how = {"success": "Done", "denied": "Not run"}.get(error["code"] if error else data["status"], "Failed")
            self._say("call", f"{how}: {', '.join(filter(None, (label, outcome)))}")
        else:
            denied = bool(error) and error["code"] in ("denied", "unreviewed")  # the reason follows below
            how = "" if not error else "denied" if denied else f"{data['status']}: {error['code']}: {error['message']}"
            words = [label, duration(took) if took is not None else "", how]
            self._say("call", " · ".join(filter(None, words)))
        if error and error["code"] in ("denied", "unreviewed") and why not in self._said:
            self._note(why)
            say_remedy(error["remedy"])

    def _note(self, text: str, *, always: bool = False) -> None:
        if (always or not self._quiet) and text not in self._said:
            self._said.add(text)
            self._say("note", text)

    def _say_error(self, message: str, remedy: str = "") -> None:
        if not any(message in other or other in message for other in self._errors):
            self._errors.add(message)
            self._say("error", message + (f" ({remedy})" if remedy else ""))

    def _say(self, kind: str, text: str) -> None:
        self._answer.end()
        if self._spoken:  # whole sentences
            lead = "" if kind == "call" else f"{kind.capitalize()}: "
            self._err.write(f"{escape(lead + text.replace(' · ', ', '), keep_newlines=False).rstrip('.')}.\n")
        else:
            say(kind, text)

    def _turn_ended(self, data: Data) -> None:
        turn = data["turn"]
        self._answer.close(turn)
        if turn["error"]:
            self._say_error(turn["error"])
        self._forget()
        if turn["limit"]:
            self._say("note", f"a limit ended the turn: {turn['limit']}")
        if not self._quiet:
            self._say("turn", " · ".join(self._totals.words(turn, data)))
        self._notifier.tell(TURN_ENDED)

    def _forget(self) -> None:
        """Reset, so that the next turn or command repeats notes and errors."""
        self._said.clear()
        self._errors.clear()


class LineByLine:
    """Raw answer of a turn on standard output: line by line on a terminal, elsewhere at the end."""

    def __init__(self, out: TextIO, *, is_json: bool = False) -> None:
        self._out, self._is_json = out, is_json
        self._comes = is_terminal(out) and not is_json
        self._reply = self._ended = ""
        self._written = 0  # characters of the reply already written

    def add(self, text: str) -> None:
        """Add a piece of a reply."""
        if self._comes and text:
            self._reply = self._reply + text if self._reply else text.lstrip("\n")
            self._write(self._reply.rfind("\n") + 1)

    def end(self) -> None:
        """Write the rest of the reply."""
        if self._reply:
            self._write(len(self._reply))
            self._out.write("" if self._reply.endswith("\n") else "\n")
            self._out.flush()
            self._ended = self._reply
        self._reply, self._written = "", 0

    def break_off(self) -> None:
        """Mark where a displayed reply broke off; the next text is a new attempt."""
        if self._reply.strip():
            self._reply = f"{self._reply.rstrip()}\n(the reply broke off here)"
        self.end()

    def close(self, turn: Data) -> None:
        """Write the rest of the answer of a finished turn."""
        answer = turn["content"].strip()
        self.end()
        said = self._ended.strip()
        if answer and self._is_json and turn["status"] != "done":
            say("note", "the last answer, which does not match the schema:")
            say_remedy(answer)
        elif answer and not (said and said.endswith(answer)):
            self._out.write(f"{escape(answer)}\n")
            self._out.flush()

    def _write(self, end: int) -> None:
        if end > self._written:
            self._out.write(escape(self._reply[self._written : end]))
            self._out.flush()
            self._written = end
