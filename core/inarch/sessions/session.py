"""Session: a recorded conversation that runs one turn at a time, for any number of callers."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Literal

from attrs import define, field

from inarch.contract.errors import UsageError
from inarch.contract.events import Event
from inarch.contract.records import CallPart, ToolResult, Turn
from inarch.contract.slash_commands import Submitted
from inarch.sessions.parts import check_process
from inarch.turns.loop import run_turn
from inarch.turns.session_state import SessionState, empty_prompt
from inarch_sdk.modes import BYPASS

if TYPE_CHECKING:
    from inarch.contract.inputs import Input
    from inarch.contract.other_events import ContextDropped
    from inarch.contract.undo_records import UndoReport
    from inarch.turns.session_prefix import ContextView


_PAUSE_S = 0.02
_OUTSIDE_TURNS = ""


@define(eq=False, repr=False)
class Session:
    """Recorded conversation. Only one turn runs at a time; a second prompt waits for the first turn and for an undo."""

    state: SessionState
    _lock: asyncio.Lock = field(factory=asyncio.Lock, init=False)
    _busy: threading.Lock = field(factory=threading.Lock, init=False)  # an undo runs in any thread
    _process: int = field(factory=os.getpid, init=False)
    _extensions: dict[str, Any] = field(factory=dict, init=False)

    @property
    def id(self) -> str:
        """The session's id."""
        return self.state.journal.session_id

    @property
    def is_kept(self) -> bool:
        """Whether it has any events in its store, so that it can be opened again.

        Raises:
            StoreError: The store cannot be read.
        """
        from inarch_sdk.snapshots import scan

        return next(scan(self.state.journal.store, self.id), None) is not None

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The agent's turns so far, oldest first; those that the model no longer sees are read from the store.

        Raises:
            StoreError: They cannot be read.
        """
        state = self.state
        recent = tuple(state.turns)
        if not state.gone:
            return recent
        from inarch.journal.fold import fold
        from inarch_sdk.snapshots import scan

        known = {turn.id for turn in recent}
        kept = fold(scan(state.journal.store, self.id)).turns
        return (*(turn for turn in kept if turn.type == "agent" and turn.id not in known), *recent)

    async def run(self, prompt: str = "") -> Turn:
        """Run a turn to its end and return it; its prompt begins with messages that still wait.

        A prompt that `App.command` returned may name the model of its turn. A `Submitted` says how it was given, too.

        Raises:
            UsageError: The prompt is empty and no message waits, or this process was forked from the one that composed.
            ConfigError: The profile's model is not available.
            StoreError: The journal is required and could not be stored.
            asyncio.CancelledError: The task was cancelled; the turn is recorded as cancelled.
        """
        check_process(self._process)
        before = [one.id for one in self.waiting]  # messages from here on follow the prompt
        if not prompt.strip() and not before:
            raise empty_prompt()
        async with self._lock:
            while not self._busy.acquire(blocking=False):  # noqa: ASYNC110 - a thread has it, and no loop's event
                await asyncio.sleep(_PAUSE_S)
            try:
                with self._asking(prompt):
                    turn = await run_turn(self.state, prompt, before)
                gc.collect(0)  # calling it ends the program's start, during which nothing is collected: `__main__`
                return turn
            finally:
                self._busy.release()

    def _asking(self, prompt: str) -> AbstractContextManager[None]:
        if not isinstance(prompt, Submitted) or not prompt.model:
            return nullcontext()
        from inarch.sessions.session_models import asking

        return asking(self.state, prompt.model)

    @property
    def waiting(self) -> tuple[Input, ...]:
        """Messages that have not been added yet, oldest first; the next prompt begins with those that a turn leaves."""
        return tuple(self.state.inputs.waiting)

    def say(self, text: str) -> Input:
        """Add a message of the user before the next request of the running turn, after the results of its calls.

        It is stored when this returns. Without a running turn, its `turn_id` is empty. If the turn sends no more
        requests, it stays in `waiting` and the next prompt begins with it; `run` without a prompt makes it a prompt of
        its own. Any thread may call this, but no listener of events.

        Raises:
            UsageError: The text is empty, or this process was forked from the one that composed.
            StoreError: The journal is required and could not be stored.
        """
        check_process(self._process)
        return self.state.inputs.say(text)

    def unsay(self, input_id: str) -> Input | None:
        """Withdraw a message by its id while it waits; return None if it was already added.

        Raises:
            StoreError: The journal is required and could not be stored; the message no longer waits anyway.
        """
        return self.state.inputs.unsay(input_id)

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        show: Callable[[str], object] | None = None,
        origin: Literal["user", "slash"] = "user",
    ) -> ToolResult:
        """Call one tool outside of any turn, through the scheduler and all policies; the session records it.

        Calls may run concurrently; the callers must keep them from disturbing each other.

        Args:
            name: The tool's name.
            arguments: Its arguments.
            show: Takes its live output.
            origin: The caller: the user, or a slash command that they typed.

        Raises:
            StoreError: The journal is required and could not be stored.
            asyncio.CancelledError: The task was cancelled; the call has ended and is in the journal.
        """
        check_process(self._process)
        state = self.state
        call_id = state.journal.clock.new_id()

        def saw(event: Event) -> None:
            is_its = event.kind == "call.output" and event.data["call_id"] == call_id
            # a possible beginning of a secret arrives later, and is empty now
            if show is not None and is_its and event.data["text"]:
                show(event.data["text"])

        state.journal.listeners.append(saw)
        try:
            part = CallPart(call_id, "", name, dict(arguments))
            (call,) = await state.scheduler.run(_OUTSIDE_TURNS, [part], origin)
        finally:
            state.journal.listeners.remove(saw)
            state.journal.flush()  # outside of turns nothing else stores it soon
        if call.result is None:
            raise AssertionError("a finished call has a result")
        return call.result

    def record_command(self, name: str, words: str, text: str) -> None:
        """Record a command that the user ran at the front end outside of turns, with its output.

        Raises:
            StoreError: The journal is required and could not be stored.
        """
        from inarch.contract.other_events import CommandRan

        self.state.journal.record(CommandRan(name, words, text))

    def context(self) -> ContextView:
        """Return what the model would see now, and how many tokens each part takes.

        Raises:
            ConfigError: The profile's model is not available.
        """
        from inarch.turns.session_prefix import view_context

        return view_context(self.state)

    def compact(self, keep: int = 1) -> ContextDropped:
        """Shorten the turns before the last `keep` to prompt and answer in the model's view.

        It is recorded; the session still has the whole and can show it.

        Raises:
            UsageError: A turn is running.
            StoreError: The journal is required and could not be stored.
        """
        from inarch.turns.compaction import by_turns, compact

        if self._busy.locked():
            raise UsageError("a turn is running", "compact when it has ended")
        state = self.state
        dropped = compact(state, by_turns(state.history, keep, len(state.history)), "asked")
        if dropped:
            state.journal.flush()
        return dropped

    def refresh_tools(self) -> None:
        """Let the next request list the then available tools and present instructions.

        Otherwise a running conversation keeps its list, and new tools are called through `call_tool`. It costs one
        reading of the whole conversation at the service's full price.
        """
        self.state.asked.prefix.pending = "tools"

    async def set_model(self, name: str, why: str = "the user asked for it") -> str:
        """Use another model (`PROVIDER/NAME`, `PROVIDER` or `auto`) from the next turn on; return its full name.

        A change of the model is recorded with `why`.

        Raises:
            ConfigError: No composed plugin provides it, or its key is missing.
            PluginError: Its provider failed.
        """
        from inarch.sessions.session_models import switch_model

        return await switch_model(self.state, name, why)

    @property
    def approve(self) -> str:
        """The approval mode: what runs without a question now."""
        return self.state.config.profile.approve

    def set_approve(self, level: str) -> None:
        """Set the approval mode, one of `inarch_sdk.modes.MODES`, from now on, as `--approve` does.

        Raises:
            UsageError: There is no such mode, or only the command line and the user's file set it: `bypass`, and
                `review` outside a copy.
        """
        if level == BYPASS != self.approve:
            raise UsageError("bypass can't be set in a session", "begin with --approve bypass")
        self.change({"approve": level})

    def change(self, settings: Mapping[str, Any]) -> None:
        """Change keys of the profile from the next turn on: those that a turn's `turn.started` contains.

        Approvals follow the profile and the user's rules of that moment, as if they had been set beforehand.

        Raises:
            UsageError: A key cannot be changed in a session, or not to this value.
            ConfigError: No composed plugin provides a strategy.
        """
        from inarch.sessions.session_models import change_settings

        change_settings(self.state, settings)

    def extension(self, name: str) -> Any:
        """Return a plugin's extension of the session, created at the first request; its hook documents the object.

        Raises:
            UsageError: No composed plugin provides it.
            PluginError: The plugin failed.
        """
        from inarch.sessions.extension import Access, opened

        if name not in self._extensions:
            state = self.state
            access = Access(state.parts.workspace, state.journal, None, state.parts.runners, self._alone, self._forget)
            self._extensions[name] = opened(state.parts.extensions, name, state.scheduler.events, access)
        return self._extensions[name]

    def undo(self, target: str = "", dry_run: bool = False) -> UndoReport:
        """Revert a turn's or call's changes to files, and preserve later changes there.

        Args:
            target: The beginning of a turn's or call's id, or a turn's number; empty: the last one with changes in
                effect.
            dry_run: Whether to report only what would happen.

        Raises:
            UsageError: A turn is running, the target does not exist, or the part that does it is left out.
            StoreError: The record cannot be read, or the journal is required and could not be stored.
        """
        report: UndoReport = self.extension("undo").undo(target, dry_run)
        return report

    def redo(self, target: str = "") -> UndoReport:
        """Reapply the last reverted changes, or those of the named turn or call among them.

        Raises:
            UsageError, StoreError: As `undo`.
        """
        report: UndoReport = self.extension("undo").redo(target)
        return report

    @contextmanager
    def _alone(self, action: str) -> Iterator[None]:
        check_process(self._process)
        if not self._busy.acquire(blocking=False):
            raise UsageError("a turn is running, or another undo", f"{action} when it has ended")
        try:
            self.state.journal.flush()
            yield
        finally:
            self._busy.release()

    def _forget(self, recorded: Sequence[Event]) -> None:
        """Forget the known state of restored files: the model has not seen them."""
        for event in recorded:
            self.state.seen.pop(event.data.get("path", ""), None)

    async def stream(self, prompt: str = "") -> AsyncIterator[Event]:
        """Run a turn and yield its events while they happen; leaving the loop early cancels the turn.

        Raises:
            UsageError, ConfigError, StoreError: As `run`.
        """
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        listeners = self.state.journal.listeners

        def pass_on(event: Event) -> None:
            loop.call_soon_threadsafe(queue.put_nowait, event)

        listeners.append(pass_on)
        task = asyncio.create_task(self.run(prompt))
        # Through the loop as the events are, so that the end does not overtake them.
        task.add_done_callback(lambda _: loop.call_soon(queue.put_nowait, None))
        try:
            while (event := await queue.get()) is not None:
                yield event
            await task
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
            listeners.remove(pass_on)
