"""`--output text`: the answer on standard output, the tree of the turn on standard error if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from inarch import escape
from inarch.commands import say, say_remedy
from inarch.figures import (
    duration,
    held_words,
    reviewed_words,
    rewritten_words,
    seconds_between,
    short_arguments,
)
from inarch.output import columns_of, is_terminal
from inarch_terminal.front_ends.countdown import Countdown
from inarch_terminal.front_ends.spending import CacheRate, sum_words, switched_words, wait_words
from inarch_terminal.front_ends.tree import CallTree
from inarch_terminal.notifying import QUESTION_WAITS, TURN_ENDED, Settings, notifier_for

if TYPE_CHECKING:
    from inarch import Approval, ApprovalRequest, Event

Data = Mapping[str, Any]
WORTH_TELLING_S = 1.0
"""A shorter wait is over before a line about it is read."""
_UNFINISHED = "\r\u200c\u200d"  # half a line end, joiners


class TextFrontEnd:
    """Shows a turn as it happens: calls as a tree, then the answer, then tokens, cost and time.

    Where standard output is no terminal the answer is written once, when it is whole; where standard error is none,
    calls, notes, errors and what the turn took are a line each.
    """

    name = "text"

    def __init__(
        self,
        out: TextIO,
        err: TextIO,
        *,
        quiet: bool = False,
        no_color: bool = False,
        settings: Settings | None = None,
    ) -> None:
        self._notifier = notifier_for(err, settings)
        self._out, self._quiet = out, quiet
        self._streams, self._watched = is_terminal(out), is_terminal(err) and not quiet
        self._tree = CallTree(err, no_color)
        self._countdown = Countdown(self._count, self._tree.clear)
        self._cache = CacheRate()
        self._wait: Data = {}  # what is waited for
        self._calls: dict[str, str] = {}
        self._typed: set[str] = set()  # calls of the user's own, whose errors are told elsewhere
        self._running: dict[str, str] = {}
        self._said: set[str] = set()  # notes of this turn
        self._told: set[str] = set()  # errors of this turn
        self._written = ""  # of the present reply, on a terminal
        self._is_json = False  # the answer has to keep a schema: standard output is a whole one or nothing
        self._held = ""  # the end of a piece that means something only with what follows
        self._kinds: dict[str, Callable[[Data], None]] = {
            "turn.started": self._turn_started,
            "model.requested": self._requested,
            "model.delta": self._delta,
            "model.replied": self._replied,
            "model.switched": lambda data: self._note(switched_words(data), always=True),
            "call.state": self._call_state,
            "call.output": self._call_output,
            "call.result": self._call_result,
            "call.rewritten": lambda data: self._note(rewritten_words(data)),
            "call.reviewed": lambda data: self._note(reviewed_words(data)),
            "turn.held": lambda data: self._note(held_words(data)),
            "limit.wait": self._waiting,
            "note": self._noted,
            "error": self._error,
            "turn.ended": self._turn_ended,
            "command.ran": lambda data: self._forget(),
        }

    def show(self, event: Event) -> None:
        """Show an event; kinds that say nothing to a person are passed over."""
        handle = self._kinds.get(event.kind)
        if handle is None and "todos" in event.data:
            self._todos(event.data)
        elif handle is None and (notice := event.data.get("notice")):
            self._note(str(notice))
        if handle is not None:
            if event.kind != "note":  # a remark goes above the live line, whatever else comes ends the wait
                self._countdown.stop()
            handle(event.data)

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        """Ask on the terminal; where there is none, give no answer."""
        if not (is_terminal(sys.stdin) and is_terminal(self._tree.err)):
            return []
        from inarch_terminal.front_ends.approvals import ask

        self._break_line()
        self._tree.clear()
        self._notifier.tell(QUESTION_WAITS)
        try:
            return await ask(batch, self._tree.err)
        finally:
            self._notifier.looked()

    def close(self) -> None:
        """Take the live line away."""
        self._countdown.stop()
        self._tree.clear()

    def _turn_started(self, data: Data) -> None:
        if data["turn"]["type"] != "agent":
            return
        self._is_json = bool(data.get("settings", {}).get("output_schema"))
        if self._watched and data["turn"]["model"]:
            self._tree.start(data["turn"]["model"])

    def _requested(self, data: Data) -> None:
        self._break_line()
        self._written = self._held = ""
        if self._watched:
            self._tree.live(f"asking {data['model']}" + (f", attempt {data['attempt']}" if data["attempt"] > 1 else ""))

    def _replied(self, data: Data) -> None:
        self._cache.replied(data)
        self._tell_broken(data)

    def _tell_broken(self, data: Data) -> None:
        """Say where a reply broke off that is on the screen already: what follows begins anew."""
        if data.get("error") and data["error"] != "cancelled" and self._written.strip():
            self._break_line()
            self._out.write("(the reply broke off here)\n")
            self._out.flush()
            self._written = self._held = ""

    def _delta(self, data: Data) -> None:
        if data["text"] and self._streams and not self._is_json:
            self._write(data["text"])
        elif data["reasoning"] and self._watched and not self._written:
            self._tree.live("thinking")

    def _call_state(self, data: Data) -> None:
        call_id, call = data["call_id"], data.get("call")
        if call or call_id not in self._calls:
            self._calls[call_id] = f"{data['name']} {short_arguments(call['arguments']) if call else ''}".rstrip()
        if call and call["origin"] == "user":
            self._typed.add(call_id)
        if data["status"] == "executing":
            self._running[call_id] = self._calls[call_id]
            self._show_running()

    def _call_output(self, data: Data) -> None:
        lines = data["text"].rstrip().rsplit("\n", 1)
        if self._watched and lines[-1] and data["call_id"] in self._running:
            self._tree.live(f"{data['name'] if 'name' in data else self._running[data['call_id']]}: {lines[-1]}")

    def _call_result(self, data: Data) -> None:
        label = self._calls.pop(data["call_id"], data["name"])
        self._running.pop(data["call_id"], None)
        typed = data["call_id"] in self._typed
        self._typed.discard(data["call_id"])
        error, took = data["result"].get("error"), seconds_between(data.get("started"), data.get("ended"))
        if not self._watched:
            if not typed and not self._quiet:
                words = [label, duration(took) if took is not None else "", _failure(data, error)]
                say("call", " · ".join(filter(None, words)))
                self._tell_denied(data)
            return
        self._break_line()
        if not self._running:
            self._tree.clear()
        mark, style = _mark(data["status"], error)
        self._tree.item(mark, label, duration(took) if took is not None else "", style=style)
        if error and error["code"] != "cancelled" and not typed:
            self._tree.detail(f"{error['code']}: {error['message']}", style)
        self._show_running()

    def _tell_denied(self, data: Data) -> None:
        """Say what a script was not allowed, and what would allow it: the answer needn't tell."""
        error = data["result"].get("error")
        if self._quiet or not error or error["code"] != "denied" or error["message"] in self._said:
            return
        self._note(error["message"])
        say_remedy(error["remedy"])

    def _show_running(self) -> None:
        if not self._running or not self._watched:
            return
        self._break_line()
        labels = list(self._running.values())
        self._tree.live(labels[0] if len(labels) == 1 else f"{len(labels)} running: {', '.join(labels)}")

    def _waiting(self, data: Data) -> None:
        self._break_line()
        self._wait = data
        if self._watched and self._tree.rewrites:
            self._countdown.start(data["seconds"])
        elif data["seconds"] >= WORTH_TELLING_S:
            line = wait_words(data, data["seconds"])
            self._said.discard(line)  # a second wait is news
            self._note(line)

    def _count(self, left: int) -> None:
        self._tree.live(wait_words(self._wait, left, " (Ctrl-C cancels)"))

    def _noted(self, data: Data) -> None:
        if data.get("source") != "repair":  # /stats counts those
            self._note(data["text"], always=data.get("source") == "service")

    def _note(self, text: str, *, always: bool = False) -> None:
        if (self._quiet and not always) or text in self._said:
            return
        self._said.add(text)
        self._break_line()
        if self._watched and self._tree.is_open:
            self._tree.detail(text, "yellow")
        else:
            self._tree.clear()
            say("note", text)

    def _todos(self, data: Data) -> None:
        """Show a list of what is to be done; where nobody watches, only how far it is."""
        if not self._watched:
            self._note(f"todos: {str(data.get('text', '')).partition(chr(10))[0]}")
            return
        from inarch_terminal.rendering.todos import todo_rows

        self._break_line()
        for mark, style, words in todo_rows(data):
            self._tree.item(mark, words, "", style=style)

    def _error(self, data: Data) -> None:
        self._say_error(data["message"] + (f" ({data['remedy']})" if data["remedy"] else ""), "error", data["message"])

    def _say_error(self, text: str, kind: str, key: str) -> None:
        if any(key in told or told in key for told in self._told):
            return
        self._told.add(key)
        self._break_line()
        self._tree.clear()
        say(kind, text)

    def _turn_ended(self, data: Data) -> None:
        turn = data["turn"]
        if turn["type"] != "agent":
            return
        self._running.clear()
        self._tree.end()
        answer = turn["content"].strip()
        if answer and self._is_json and turn["status"] != "done":
            say("note", "the last answer, which is not what was wanted:")
            say_remedy(answer)
        elif answer and not (self._streams and (self._written + self._held).strip().endswith(answer)):
            self._write(answer)
        self._break_line()
        self._written = self._held = ""
        if turn["error"]:
            self._say_error(turn["error"], "error", turn["error"])
        self._forget()
        if turn["limit"] and not self._watched:
            say("note", f"a limit ended the turn: {turn['limit']}")
        if not self._quiet:
            self._sum_up(turn, data)
        self._notifier.tell(TURN_ENDED)

    def _forget(self) -> None:
        """Begin anew: what the next turn or command has to tell is news, even in the same words."""
        self._said.clear()
        self._told.clear()

    def _sum_up(self, turn: Data, data: Data) -> None:
        """Say what the turn took and what cut it short, what of it decisions took, and the session so far."""
        line = " · ".join([*sum_words(turn, data), *self._cache.words()])
        if not self._watched:
            say("turn", line)
            return
        from textwrap import wrap

        for part in wrap(line, max(columns_of(self._tree.err), 20), break_on_hyphens=False):
            self._tree.remark(part, "yellow" if turn["status"] in ("cancelled", "limited") else "dim")

    def _write(self, text: str) -> None:
        """Write a piece of the answer."""
        if not self._written:
            self._tree.end()
            text = text.lstrip("\n")
        text = self._held + text
        whole = text.rstrip(_UNFINISHED)
        text, self._held = whole, text[len(whole) :]
        self._out.write(escape(text, after=self._written))
        self._written += text
        self._out.flush()

    def _break_line(self) -> None:
        """End a line of the answer before something else is written."""
        if self._written and not self._written.endswith("\n"):
            self._out.write("\n")
            self._out.flush()
            self._written += "\n"


def _failure(data: Data, error: Data | None) -> str:
    """Return what a line about a call says of its end; a denial is told at length below it."""
    if error is None:
        return ""
    return "denied" if error["code"] == "denied" else f"{data['status']}: {error['code']}: {error['message']}"


def _mark(status: str, error: Data | None) -> tuple[str, str]:
    if status == "success":
        return "ok", "green"
    if status == "cancelled" or (error and error["code"] in ("denied", "cancelled")):
        return "stopped", "yellow"
    return "failed", "red"
