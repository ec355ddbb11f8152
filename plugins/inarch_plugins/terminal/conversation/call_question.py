"""Approval question in the live display: single keys, a reason, an editor; a long one scrolls like `less`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from time import monotonic
from typing import TYPE_CHECKING

from attrs import define, field
from prompt_toolkit.application.run_in_terminal import in_terminal
from prompt_toolkit.document import Document

from inarch_plugins.terminal.abilities import has_unread
from inarch_plugins.terminal.front_ends.answers import (
    Answers,
    answered,
    edited,
    only_asks,
    read_answers,
    triable,
    tried,
)
from inarch_plugins.terminal.front_ends.questions import (
    BESIDE,
    Line,
    ScreenSize,
    answer_rows,
    choices,
    every_line,
    is_cut,
    likely_words,
    needs_all_seen,
)
from inarch_plugins.terminal.rendering.code import inked
from inarch_plugins.terminal.rendering.colors import Ink, fold

if TYPE_CHECKING:
    from inarch import Approval, ApprovalRequest
    from inarch_plugins.terminal.conversation.screen import Screen
    from inarch_plugins.terminal.notifications import Notifier

QUIET_S = 0.4
"""Seconds of silence before a key counts as an answer, so that a typed line does not answer the question."""
ALONE_S = 0.3
"""Seconds that must follow an approving key without another key: a word may begin with it."""
SCROLLS = "space and b turn pages, j and k move by a line, g and G go to the ends"
UNCLEAR = "That is not an answer; ? lists them.\n"

_WHY_NOT = "why not (Enter: no reason): ", "d "
_LINES = {"d": _WHY_NOT, "n": _WHY_NOT, "m": ("answer: ", "")}
_NOES = frozenset(("no", "nope", "none", "not", "never", "deny", "don't", "dont"))
"""Words that deny and begin with a denying key."""
_HARMLESS = frozenset({"v", "?", ""})
_KEYS = {"a": "a", "y": "a", "A": "A", "e": "e", "v": "v", "?": "?"}
_STEPS = {"j": 1, "down": 1, "k": -1, "up": -1}
_PAGES = {" ": 1, "pagedown": 1, "b": -1, "pageup": -1}
_ENDS = {"g": False, "home": False, "G": True, "end": True}
SCROLLING = tuple(key for key in (*_STEPS, *_PAGES, *_ENDS) if len(key) > 1)
"""Keys that are not characters, by their names in prompt_toolkit."""
UNSEEN = "Part of it was not shown yet: space shows the next page, v prints all of it."


@define(eq=False, repr=False)
class Pager:
    """Part of a question that is on the screen."""

    lines: Sequence[str]
    rows: Callable[[], int]
    top: int = 0
    seen: set[int] = field(init=False, factory=set)  # places of lines that were on the screen

    @property
    def below(self) -> int:
        """Return the number of lines that were not on the screen yet."""
        self.shown()
        return len(self.lines) - len(self.seen)

    @property
    def _room(self) -> int:
        return max(self.rows() - BESIDE, 3)

    def shown(self) -> Sequence[str]:
        """Return the lines on the screen."""
        last = min(self.top + self._room, len(self.lines))
        self.seen.update(range(self.top, last))
        return self.lines[self.top : last]

    def go_on(self) -> None:
        """Show the first page that was not on the screen yet."""
        self.top = min(set(range(len(self.lines))) - self.seen, default=0)
        self.scroll("")

    def scroll(self, key: str) -> bool:
        """Scroll by a key; return False if it is not such a key."""
        if key in _ENDS:
            self.top = len(self.lines) if _ENDS[key] else 0
        else:
            self.top += _STEPS.get(key, 0) + _PAGES.get(key, 0) * (self._room - 1)
        self.top = max(0, min(self.top, len(self.lines) - self._room))
        return key in _ENDS or key in _STEPS or key in _PAGES


def ink_line(line: Line, ink: Ink) -> str:
    """Return a line of a question with its styles."""
    if line.style == "title":
        lead = line.text[: line.part or None]
        return ink.paint(lead, "bold") + (ink.paint(line.text[line.part :], "dim") if line.part else "")
    if line.language:
        lead, code = line.text[: line.part], line.text[line.part :]
        return ink.paint(lead, line.style) + inked(code, line.language, ink)
    return ink.paint(line.text, line.style)


@define(eq=False, repr=False)
class ApprovalKeys:
    """Asks about one batch after another."""

    screen: Screen
    colours: bool
    notifier: Notifier
    keys: tuple[tuple[str, str], ...] = field(init=False, default=())  # the keys that count now, with their words
    pager: Pager | None = field(init=False, default=None)  # what does not fit on the screen
    _batches: asyncio.Lock = field(init=False, factory=asyncio.Lock)
    _answer: asyncio.Future[str] | None = field(init=False, default=None)
    _lead: str = field(init=False, default="")
    _key: str = field(init=False, default="")  # the key that opened the line
    _left: Sequence[ApprovalRequest] = field(init=False, default=())
    _rights: dict[str, str] = field(init=False, factory=dict)  # keys of rights, with their values
    _more: str = field(init=False, default="")  # keys of choices that not every question has
    _pressed: float = field(init=False, default=0.0)
    _stray: float = field(init=False, default=0.0)  # when an unknown key was pressed
    _in_words: bool = field(init=False, default=False)  # whether a line is expected, not a key
    _alone: asyncio.TimerHandle | None = field(init=False, default=None)  # accepts a key after a moment without others
    _word: str = field(init=False, default="")  # rest of a "yes" whose first letter was the answer
    _word_until: float = field(init=False, default=0.0)

    @property
    def is_open(self) -> bool:
        """Return whether a key is expected."""
        return self._answer is not None and not self._answer.done()

    def ends_word(self, key: str) -> bool:
        """Return whether a key continues a `yes` and Enter whose first letter was the answer."""
        return self._word.startswith(key) and monotonic() < self._word_until

    def take_word(self, left: str = "") -> None:
        """Consume such a key: it belongs to the answer, not to a prompt."""
        self._word = left or self._word[1:]
        self._word_until = monotonic() + QUIET_S

    def saw_key(self) -> None:
        """Record that a key was pressed."""
        self._pressed = asyncio.get_running_loop().time()

    async def ask(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        """Ask until every call has an answer."""
        settled: dict[str, Approval] = {}
        drafts: dict[str, str] = {}
        async with self._batches:
            for request in filter(only_asks, batch):
                self.notifier.ask([request])
                settled[request.call.id] = await answered(request, self._words)
            while left := [request for request in batch if request.call.id not in settled]:
                self.notifier.ask(left)
                found = await self._asked(left)
                if found.word == "try":
                    self._show("\n".join([*await tried(left), ""]))
                changed = await edited(found, drafts, self.screen.output.stdout, self._lent)
                settled.update((one.call_id, one) for one in (*found.approvals, *changed))
        return [settled[request.call.id] for request in batch]

    async def _asked(self, left: Sequence[ApprovalRequest]) -> Answers:
        """Show the calls, in a pager if they do not fit, and return an answer that holds."""
        ink, size = Ink(self.colours, True), ScreenSize(self.screen.rows, self.screen.columns)
        lines = [ink_line(line, ink) for line in every_line(left, size.columns)]
        self.pager = Pager(lines, lambda: self.screen.rows) if is_cut(left, size) else None
        if self.pager is None:
            self.screen.put("\n".join(["", *lines, ""]))
        try:
            while True:
                found = await self._answered(left)
                if found.word == "view" or (self.pager is None and found.says_yes):
                    if self.pager is not None:
                        self.screen.put("\n".join(["", *lines, ""]))
                        self.pager = None
                    if self.screen.view is not None:  # the calls' lines need not show their diffs again
                        self.screen.view.has_shown(request.call.id for request in left)
                elif found.says_yes and self.pager and self.pager.below and (found.lasts or needs_all_seen(left)):
                    self.screen.hint = UNSEEN
                    self.pager.go_on()
                    continue
                if found.word != "view":
                    return found
        finally:
            if self.pager is not None:
                seen, self.pager = len(self.pager.seen), None
                self.screen.put("\n".join(["", lines[0], ink.paint(f"({seen:,} of {len(lines):,} lines)", "dim"), ""]))

    def press(self, key: str) -> None:
        """Handle a key as an answer or the start of one; ignore keys in the middle of typing."""
        if not self.is_open:
            return
        if self._in_words:
            if key == "d":
                self._settle("")
            elif key:
                self.screen.answer.insert_text(key)
                self.screen.focus(on_answer=True)
            return
        follows = self._alone is not None and bool(key)
        if self._alone is not None and key:
            self._stray = self._pressed  # the key before was the start of a word
            self._alone.cancel()
            self._alone = None
        is_typing = follows or (key not in _HARMLESS and self._pressed - self._stray < QUIET_S)
        takes = self._rights.get(key, "")
        if self.pager is not None and key not in self._rights and self.pager.scroll(key):
            self._stray = self._pressed  # it may be the start of a word
            self.keys = self._choices()
            self.screen.changed()
        elif not is_typing and (key in _LINES or takes or (key.isdecimal() and len(self._left) > 1)):
            none = (f"{takes} (Enter alone removes them): ", f"{key} ")
            self.screen.label, self._lead = none if takes else _LINES.get(key, ("answer: ", ""))
            self._key = key
            self.screen.answer.document = Document(key if key.isdecimal() else "")
            self.screen.focus(on_answer=True)
        elif (key in _KEYS or key in self._rights or key in self._more) and key and not is_typing:
            if key == "y":
                self.take_word(left="es\r")
            if key in _HARMLESS:
                self._settle(key)
            else:
                self._settle_alone(_KEYS.get(key, key))
        else:
            self._stray = self._pressed if key else self._stray
            self.screen.hint = "? explains the keys"
            self.screen.changed()

    def enter(self) -> None:
        """Handle the line after a key as the answer."""
        typed = self.screen.answer.text
        text = _denying(self._key, typed) if self._lead == _WHY_NOT[1] else self._lead + typed.strip()
        if text.strip():
            self.screen.focus(on_answer=False)
            self._settle(text)
        else:  # an empty line is not an answer
            self.back()

    def back(self) -> None:
        """Close the line and return to the keys."""
        self.screen.focus(on_answer=False)
        self.screen.changed()

    def refuse(self) -> None:
        """Deny, as the end of input does."""
        self._settle("" if self._in_words else "d")

    async def _words(self, text: str) -> str:
        """Show a question and return the answered line; empty if the user declines."""
        self._show(text + "\n")
        await self._quiet()
        self._answer = asyncio.get_running_loop().create_future()
        self._in_words, self._lead, self.screen.label = True, "", "answer: "
        self.keys = (("", "a number or your own words"), ("Esc, then d", "no answer"))
        self.screen.answer.text = ""
        self.screen.focus(on_answer=True)
        self.screen.changed()
        try:
            return await self._answer
        finally:
            self._in_words, self._answer, self.keys = False, None, ()
            self.screen.focus(on_answer=False)
            self.screen.changed()

    async def _answered(self, left: Sequence[ApprovalRequest]) -> Answers:
        """Return the next valid answer."""
        self._left = left
        offered = left[0].rights.rights if len(left) == 1 and left[0].rights is not None else ()
        self._rights = {right.key: right.takes for right in offered}
        self._more = "t" * (triable(left) is not None) + "i" * (len(left) == 1 and bool(likely_words(left[0])))
        while True:
            await self._quiet()
            loop = asyncio.get_running_loop()
            self._answer = loop.create_future()
            try:
                self.keys = self._choices()
                self.screen.hint = self.screen.hint or (SCROLLS if self.pager is not None else "")
                self.screen.changed()
                text = await self._answer
            finally:
                self.keys, self._answer, self.screen.hint = (), None, ""
                self.screen.focus(on_answer=False)
                self.screen.changed()
            found = read_answers(text, left)
            if found.word not in ("unclear", "help"):
                return found
            self._show(UNCLEAR if found.word == "unclear" else _keys_explained(left, self.screen.columns))

    def _choices(self) -> tuple[tuple[str, str], ...]:
        return tuple(choices(self._left, self.screen.columns, self.pager.below if self.pager is not None else 0))

    async def _quiet(self) -> None:
        """Wait until the user had time to read the question and stopped typing: a typed line is not an answer."""
        loop = asyncio.get_running_loop()
        self._pressed = max(self._pressed, loop.time())
        while (left := self._pressed + QUIET_S - loop.time()) > 0 or has_unread():  # noqa: ASYNC110 - keys prolong it
            await asyncio.sleep(max(left, 0.01))

    @asynccontextmanager
    async def _lent(self) -> AsyncIterator[None]:
        """Leave the terminal to an editor."""
        self.screen.settle()
        async with in_terminal():
            self.screen.lend(True)
            try:
                yield
            finally:
                self.screen.lend(False)

    def _settle_alone(self, text: str, wait: float = ALONE_S) -> None:
        """Accept a key as the answer if no other key follows within `wait` seconds."""
        answer = self._answer

        def settle() -> None:
            self._alone = None
            if answer is not self._answer:
                return
            if has_unread():  # more keys are waiting to be read
                self._settle_alone(text, 0.01)
            else:
                self._settle(text)

        self._alone = asyncio.get_running_loop().call_later(wait, settle)

    def _settle(self, text: str) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(text)

    def _show(self, text: str) -> None:
        lines = [part for line in text.split("\n") for part in fold(line, self.screen.columns)]
        self.screen.put("\n".join(lines))


def _denying(key: str, typed: str) -> str:
    """Return the denial for a key and the line after it; a word that begins with the key is read as a whole.

    “do it” is not a denial, and its rest is not a reason.
    """
    whole = f"{key}{typed}".strip()
    first, _, rest = whole.lower().partition(" ")
    first = first.rstrip(",.!")
    if first in _NOES or (first == "do" and rest.startswith("not")):
        return f"d {whole}" if rest else "d"
    return whole if first == "do" else f"d {typed.strip()}"


def _keys_explained(batch: Sequence[ApprovalRequest], columns: int) -> str:
    rows = [(answer.removesuffix(" [REASON]"), said) for answer, said in answer_rows(batch)]
    keys = [*(row for row in rows if len(row[0]) == 1), ("m", "type any other answer as a line")]
    lines = [_row(5, key, said, columns) for key, said in (*keys, ("Esc", "cancel the turn; so does Ctrl-C"))]
    lines += ["", "after m, type a line:"]
    lines += [_row(22, answer, said, columns) for answer, said in rows if len(answer) > 1]
    return "\n".join([*lines, ""])


def _row(wide: int, answer: str, said: str, columns: int) -> str:
    lead = f"{answer:<{wide}}" if columns >= 2 * wide + 20 or wide < 10 else f"{answer}: "
    first, *rest = fold(f"{lead}{said}", max(columns, 20) - min(wide, 5))
    return "\n".join([first, *(" " * min(wide, 5) + line for line in rest)])
