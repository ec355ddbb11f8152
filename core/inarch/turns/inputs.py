"""What was said and has not gone in yet: kept before it is accepted, in order, and each ends once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Literal

from attrs import define, field

from inarch.contract.errors import StoreError, UsageError
from inarch.contract.ids import new_id
from inarch.contract.inputs import Input
from inarch.journal.journal import Journal

if TYPE_CHECKING:
    from inarch.contract.other_events import InputEnded


@define(eq=False, repr=False)
class Inputs:
    """The words of one session that wait; any thread may add some.

    Args:
        journal: Keeps them.
        waiting: Those of a kept session, oldest first.
        turn_id: The turn that runs; empty for none.
    """

    journal: Journal
    waiting: list[Input] = field(factory=list)
    turn_id: str = ""
    _loop: asyncio.AbstractEventLoop | None = field(init=False, default=None)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)

    def begin(self, turn_id: str) -> None:
        """Note which turn runs from now on."""
        self.turn_id, self._loop = turn_id, asyncio.get_running_loop()

    def say(self, text: str, by: str = "") -> Input:
        """Keep words and let them wait.

        Raises:
            UsageError: There are none.
            StoreError: The journal is required and could not be kept; they don't wait.
        """
        if not text.strip():
            raise UsageError("there is nothing to say", "say what the model should know")
        from inarch.contract.other_events import InputWaiting

        said = Input(new_id(), self.journal.redactor.text(text), by, self.turn_id)
        turn_id = said.turn_id or None
        try:
            self.journal.keep((InputWaiting(said.id, said.text, by),), turn_id)
        except StoreError:  # what waits in the journal is tried again, and must not come to anything then
            self.journal.keep((_ended(said, "taken_back"),), turn_id, at_once=False)
            raise
        with self._lock:
            self.waiting.append(said)
        self._show()
        return said

    def unsay(self, input_id: str, by: str | None = None) -> Input | None:
        """Take words back that still wait; with `by`, only those of this plugin.

        Raises:
            StoreError: The journal is required and could not be kept; they wait no more all the same.
        """
        with self._lock:
            found = next((one for one in self.waiting if one.id == input_id and by in (None, one.by)), None)
            if found is not None:
                self.waiting.remove(found)
        if found is not None:
            self.journal.keep((_ended(found, "taken_back"),), self.turn_id or None)
            self._show()
        return found

    def add_to_turn(self) -> Sequence[Input]:
        """Return what goes in before the next request; it is recorded at this place."""
        taken = self._take(self.waiting)
        if taken:
            self.journal.record_all([(_ended(one, "added"), self.turn_id) for one in taken])
        return taken

    def prompt(self, prompt: str, before: Collection[str]) -> tuple[str, list[tuple[InputEnded, None]]]:
        """Return a prompt that begins with what still waits of `before`, and what is recorded before it.

        Raises:
            UsageError: There are no words at all.
        """
        taken = self._take([one for one in self.waiting if one.id in before])
        texts = [one.wording for one in taken] + ([prompt] if prompt.strip() else [])
        if not texts:
            raise empty_prompt()
        return "\n\n".join(texts), [(_ended(one, "prompt"), None) for one in taken]

    def _take(self, wanted: Sequence[Input]) -> Sequence[Input]:
        """Let these wait no more, and return those that did; whoever takes them records what becomes of them."""
        with self._lock:
            taken = [one for one in self.waiting if one in wanted]
            self.waiting = [one for one in self.waiting if one not in taken]
        return taken

    def _show(self) -> None:
        """Tell the listeners where they live."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            if self._loop is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self.journal.show)
                return
        self.journal.show()


@define(eq=False, repr=False)
class PluginInbox:
    """The `Inbox` of one plugin: what it says is marked as its own."""

    _inputs: Inputs
    _plugin: str

    def say(self, text: str) -> Input:
        """Have words go in before the next request."""
        return self._inputs.say(text, self._plugin)

    def unsay(self, input_id: str) -> bool:
        """Take words back; whether they were still waiting."""
        return self._inputs.unsay(input_id, self._plugin) is not None


def empty_prompt() -> UsageError:
    """Return the error of a prompt without words."""
    return UsageError("the prompt is empty", 'say what you want, as in inarch "summarize this codebase"')


def _ended(said: Input, outcome: Literal["added", "prompt", "taken_back"]) -> InputEnded:
    from inarch.contract.other_events import InputEnded  # most turns hear nothing but their prompt

    return InputEnded(said.id, outcome, said.text, said.by)
