"""View of a conversation: finished text to print once, live lines, and a status line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any

from inarch.figures import dropped_words, held_words, reviewed_words, rewritten_words
from inarch_plugins.terminal.front_ends.turn_cost import TurnFigures, switched_words, wait_words
from inarch_plugins.terminal.notifications import Settings
from inarch_plugins.terminal.rendering.call_group import Running
from inarch_plugins.terminal.rendering.calls import elapsed, size_words, tree_line
from inarch_plugins.terminal.rendering.colors import Ink
from inarch_plugins.terminal.rendering.figures import Figures
from inarch_plugins.terminal.rendering.remarks import Page, todo_rows
from inarch_plugins.terminal.rendering.speech import Speech, Thinking

if TYPE_CHECKING:
    from inarch import Event

Data = Mapping[str, Any]
MENTIONS = "mentions"
"""Context source of what the user mentioned; of the others, `/context` shows the size."""


class View:
    """Renders events as text; the caller draws it."""

    def __init__(
        self,
        *,
        colours: bool,
        glyphs: bool,
        raw: bool = False,
        model: str = "",
        profile: str = "",
        window: Callable[[str], int | None] = lambda model: None,
        opened_by: str = "",
        titled: bool = True,
        around: Callable[[], Mapping[str, str]] = dict,
        settings: Settings | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        told = settings or Settings()
        self._ink, self._clock = Ink(colours, glyphs, raw, told.theme == "light"), clock
        self.figures, self._totals = Figures(window, model, profile, around, told.status_line), TurnFigures()
        self._page, self._is_titled = Page(), titled
        self._speech = Speech(self._page.block)
        self._item = self._page.line
        self._running = Running(self._page, opened_by)
        self._thinking: Thinking | None = None
        self._asked: tuple[str, float] | None = None  # the pending request, and its start
        self._wait: tuple[Data, float] | None = None  # the wait, and its end
        self._heard = False  # whether a piece of the current reply arrived
        self._kinds: dict[str, Callable[[Data], None]] = {
            "turn.started": self._turn_started,
            "input.ended": self._input,
            "context.added": self._added,
            "context.dropped": lambda data: self._item(
                "dropped", "yellow", f"left out of the context: {dropped_words(data)}"
            ),
            "model.requested": self._requested,
            "model.delta": self._delta,
            "model.replied": self._replied,
            "model.switched": lambda data: self._item("switched", "yellow", switched_words(data)),
            "call.state": lambda data: self._running.state(data, self._clock()),
            "call.output": self._running.output,
            "approval.given": self._approval,
            "call.rewritten": self._rewritten,
            "call.reviewed": lambda data: self._item("added", "dim", reviewed_words(self._running.named(data))),
            "turn.held": lambda data: self._item("switched", "yellow", held_words(data)),
            "call.result": self._running.result,
            "file.changed": self._running.changed,
            "limit.wait": self._waiting,
            "note": self._noted,
            "error": lambda data: self._page.error(data["message"], data.get("remedy", "")),
            "turn.ended": self._turn_ended,
            "command.ran": lambda data: self._page.forget(),
        }

    def name_calls(self, titled: Callable[[str, Data], str]) -> None:
        """Take the function that returns a call's title by its tool's name and its arguments."""
        self._running.titled = titled

    @property
    def is_unfolded(self) -> bool:
        """Return whether new reasoning and calls are shown unfolded."""
        return self._running.unfolded

    def unfold(self, is_unfolded: bool) -> None:
        """Show new reasoning and calls unfolded, and the folded calls of this turn; or fold again."""
        self._running.unfolded = is_unfolded
        if is_unfolded:
            self._running.open()

    def has_shown(self, call_ids: Iterable[str]) -> None:
        """Note that a question showed the diffs of these calls."""
        self._running.shown.update(call_ids)

    @property
    def is_moving(self) -> bool:
        """Return whether `live` changes with time: a call runs, a wait counts down, or a model thinks."""
        return bool(self._wait or self._asked or self._thinking or self._running.is_executing)

    def saw(self, event: Event) -> None:
        """Apply the next event; ignore kinds that have no text for users."""
        handle = self._kinds.get(event.kind)
        if handle is None and "todos" in event.data:
            for row in todo_rows(event.data):
                self._item(*row)
        elif handle is None and (notice := event.data.get("notice")):
            self._page.note(str(notice))
        if handle is not None:
            if event.kind in ("call.state", "call.result"):
                self._speech.finish()
            if event.kind != "note":  # a note about the wait does not end it
                self._wait = None
            if event.kind == "model.switched":
                self.figures.model = event.data["new"]
                if not event.turn_id:  # the command that asked for it reports it
                    return
            handle(event.data)

    def finished(self, columns: int) -> str:
        """Return text completed since the last call, to be printed above; it ends in a newline or is empty."""
        return "".join(text for _, text in self.pieces(columns))

    def pieces(self, columns: int) -> Iterator[tuple[bool, str]]:
        """Yield what `finished` returns in pieces, each with whether it belongs to the answer."""
        return self._page.take(max(columns, 1), self._ink)

    def live(self, columns: int, rows: int) -> str:
        """Return the live text: at most `rows` lines, none wider than `columns`, without a final newline."""
        columns = max(columns, 1)
        if rows <= 0:
            return ""
        now, ink = self._clock(), self._ink
        lines = self._running.lines(columns, rows, ink, now)
        lines += self._awaited(columns, rows - len(lines), now)
        if lines and self._page.text_is_open:
            lines = ["", *lines][-rows:]
        room = rows - len(lines)
        if self._speech.is_open and room > 0:
            above = [""] if lines or self._page.tree_is_open or self._page.text_is_open else []
            text = self._speech.moving(columns, room, ink)
            lines += [*above, *text][-room:] if text else []
        return "\n".join(lines)

    def give_up(self) -> None:
        """Stop live lines of a turn that ended without an event."""
        self._asked = self._wait = None
        self._running.close()
        self._thought()
        self._speech.finish()
        self._page.close_tree()

    def status(self, columns: int) -> str:
        """Return the status line: tokens, cost, context, model, profile; the least important are dropped first."""
        return self.figures.line(max(columns, 1), self._ink)

    def _awaited(self, columns: int, room: int, now: float) -> list[str]:
        """Return the lines of a wait, of reasoning, or of a request without an answer so far."""
        ink = self._ink
        if room <= 0:
            return []
        if self._wait is not None:
            data, ends = self._wait
            left = max(0.0, ends - now)
            return [tree_line("live", "yellow", ink.plain(wait_words(data, left, " (Ctrl-C cancels)")), columns, ink)]
        if self._thinking is not None:
            lines = [self._thinking.moving(columns, ink, now)]
            return lines + (self._thinking.tail(columns, room - 1, ink) if self.is_unfolded and room > 1 else [])
        if self._asked is not None:
            words, since = self._asked
            took = f"{ink.sign('dot')}{elapsed(now - since)}" if now - since >= 1 else ""
            return [tree_line("live", "dim", ink.plain(words) + took, columns, ink)]
        return []

    def _turn_started(self, data: Data) -> None:
        turn = data["turn"]
        if turn["type"] == "user":
            return
        self._page.forget()
        self._speech.forget()
        self._running.forget()
        if turn["model"]:
            self.figures.model = turn["model"]
            if self._is_titled:
                self._page.title(turn["model"])
        if not self._is_titled:
            self._page.text_is_open = True  # the prompt: what follows is apart from it

    def _input(self, data: Data) -> None:
        """Show a message sent during the turn when it enters the context; the prompt's own is in its heading."""
        if data["outcome"] == "added":
            who = f"plugin {data['by']}" if data["by"] else "you"
            self._speech.finish()
            self._item("added", "bold", f"{who}: {data['text']}")

    def _added(self, data: Data) -> None:
        images = len(data.get("images") or ())
        if data["source"] != MENTIONS and not images:
            return
        size = size_words(data["text"]) if data["text"] or not images else ""
        pictures = f"{images} picture{'s' if images > 1 else ''}" if images else ""
        words = ", ".join(filter(None, (size, pictures)))
        self._item("added", "dim", f"added to the prompt: {words}")

    def _noted(self, data: Data) -> None:
        if data.get("source") != "repair":  # /stats counts those
            self._page.note(data["text"])

    def _requested(self, data: Data) -> None:
        words = "waiting for the model" + (f", attempt {data['attempt']}" if data.get("attempt", 1) > 1 else "")
        self._asked = (words + (f" (a {data['purpose']})" if data["purpose"] != "turn" else ""), self._clock())
        if data["purpose"] == "turn":
            self._running.close()
            self._speech.forget()
            self._heard = False

    def _delta(self, data: Data) -> None:
        self._asked, self._heard = None, True
        if data["text"]:
            if self._thinking is not None:
                self._thought()
            self._speech.add(data["text"])
        elif data["reasoning"]:
            if self._thinking is None:
                self._speech.finish()
                self._thinking = Thinking(self._clock())
            self._thinking.add(data["reasoning"])

    def _thought(self, *, timed: bool = True) -> None:
        """Finish the reasoning."""
        thinking, self._thinking = self._thinking, None
        if thinking is not None:
            took = self._clock() - thinking.began if timed else None
            self._page.item(lambda columns, ink: thinking.ended(columns, ink, took, self.is_unfolded))

    def _replied(self, data: Data) -> None:
        self.figures.replied(data)
        self._asked = None
        if data["purpose"] != "turn":
            return
        if not self._heard:  # no stream: replayed events have the reply as a whole
            self._whole_reply(data["message"]["parts"])
        self._thought()
        broke_off = data.get("error") and data["error"] != "cancelled" and self._speech.text.strip()
        if broke_off:
            self._speech.forget()
            self._page.said("(the reply broke off here)", "yellow")
        else:
            self._speech.finish()

    def _whole_reply(self, parts: list[Data]) -> None:
        for part in parts:
            if part["type"] == "reasoning" and part["text"].strip():
                self._thinking = Thinking(self._clock())
                self._thinking.add(part["text"])
                self._thought(timed=False)
            elif part["type"] == "text":
                self._speech.add(part["text"])

    def _rewritten(self, data: Data) -> None:
        self._item("switched", "yellow", rewritten_words(self._running.named(data)))
        self._running.rewritten(data)

    def _approval(self, data: Data) -> None:
        if data["by"] == "reviewer" and data["outcome"] == "approve":
            self._item("added", "dim", f"{data['plugin']} approved the call: {data['reason']}")

    def _waiting(self, data: Data) -> None:
        self._asked = None
        self._speech.finish()
        self._wait = (data, self._clock() + data["seconds"])

    def _turn_ended(self, data: Data) -> None:
        turn = data["turn"]
        if turn["type"] != "agent":
            return
        self._asked = None
        self._running.close()
        self._thought()
        self._rest_of_the_answer(turn["content"])
        self._speech.forget()
        self._page.close_tree()
        if turn["error"]:
            self._page.error(turn["error"])
        self.figures.ended(data)
        self._page.sum_up(turn, self._totals.words(turn, data))
        self._page.forget()

    def _rest_of_the_answer(self, answer: str) -> None:
        """Add the part of the answer that was not streamed: an answer without a model, or text added to a reply."""
        answer, said = answer.strip(), self._speech.text.strip()
        if not answer or said.endswith(answer):
            return
        self._speech.finish()
        self._speech.add(answer.removeprefix(said) if said else answer)
