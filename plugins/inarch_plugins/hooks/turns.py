"""Hooks around turns: at the start and end of a session, at prompts, at ends of turns and before compaction."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any

import inarch
from inarch_plugins.hooks.hook_config import LONGEST_S, Hook, Hooks
from inarch_plugins.hooks.hook_run import HookResult, Place, absent, run_hook

_situation: ContextVar[inarch.Situation | None] = ContextVar("inarch_hooks_situation", default=None)
"""Situation of the running turn. Calls and compactions get less, but run in the same context."""


def session_id() -> str:
    """Return the id of the session whose turn runs."""
    situation = _situation.get()
    return "" if situation is None else situation.turn.session_id


async def _run(hooks: Sequence[Hook], given: Mapping[str, Any], situation: inarch.Situation) -> list[HookResult]:
    """Run hooks in order, outside the event loop. A cancel ends the running one."""
    loop, cancelled = asyncio.get_running_loop(), threading.Event()

    def record(name: str, data: Mapping[str, Any]) -> None:
        loop.call_soon_threadsafe(situation.record, name, data)

    place = Place(situation.workspace, record, cancelled)
    given = {"session_id": situation.turn.session_id, **given}
    try:
        return [await asyncio.to_thread(run_hook, hook, given, place) for hook in hooks]
    finally:
        cancelled.set()


class AtPrompts:
    """Context source that adds the output of `SessionStart` and `UserPromptSubmit` hooks to the prompt."""

    name = "hooks"

    def __init__(self, found: Hooks, root: str) -> None:
        self._found, self._root = found, root
        self._told = list(found.told)
        self._is_first = True

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        """Run the hooks. Report errors in the files once."""
        _situation.set(situation)
        said: list[HookResult] = []
        if len(situation.messages) == 1:  # the session's first prompt
            hooks = [hook for hook in self._found.of("SessionStart") if hook.matches("startup")]
            said += await _run(hooks, {"source": "startup"}, situation)
        said += await _run(self._found.of("UserPromptSubmit"), {"prompt": situation.turn.content}, situation)
        texts = [text for one in said if (text := _context(one))]
        if self._is_first:
            level = situation.workspace.confinement().level
            self._told += await asyncio.to_thread(absent, self._found.hooks, self._root, level)
        self._is_first, notes, self._told = False, tuple(self._told), []
        stop = "\n".join(filter(None, map(_objection, said)))
        return inarch.Contribution("\n\n".join(texts), notes=notes, stop=stop) if texts or notes or stop else None


def why_stopped(said: HookResult) -> str:
    """Return a hook's reason to end the turn."""
    return said.text("stopReason") or "a hook ended the turn"


def _objection(said: HookResult) -> str:
    """Return why a hook rejects a prompt, or an empty string if it accepts it."""
    if said.fault:
        return ""
    if said.stops:
        return why_stopped(said)
    if said.blocks:
        return said.errors or "a hook rejected this prompt"
    return (said.text("reason") or "a hook rejected this prompt") if said.data.get("decision") == "block" else ""


def _context(said: HookResult) -> str:
    """Return a hook's addition to a prompt: its plain output, or the field of its JSON."""
    if said.fault:
        return ""
    return said.text("additionalContext") if said.data else said.output


class AtEnds:
    """Guard that continues a turn if a `Stop` hook requests it."""

    name = "hooks"

    def __init__(self, hooks: Sequence[Hook], root: str) -> None:
        self._hooks = hooks
        self.timeout_s = min(LONGEST_S, sum(hook.timeout_s for hook in hooks) + 5)

    async def hold(self, ending: inarch.Ending) -> str | None:
        """Run the hooks and return their reasons to continue."""
        given = {"stop_hook_active": ending.held > 0, "last_assistant_message": ending.answer}
        said = await _run(self._hooks, given, ending.situation)
        reasons = [_reason(one) for one in said if not one.fault]
        if any(one.stops for one in said):  # this overrides the reasons of other hooks
            return None
        return "\n".join(filter(None, reasons)) or None


def _reason(said: HookResult) -> str:
    if said.blocks:
        return said.errors or "a hook requires more work"
    return said.text("reason") or "a hook requires more work" if said.data.get("decision") == "block" else ""


class BeforeCompacting:
    """Compaction that runs `PreCompact` hooks and leaves the conversation unchanged."""

    name = "hooks"
    watches = True

    def __init__(self, hooks: Sequence[Hook], root: str) -> None:
        self._hooks = hooks

    async def compact(self, crowded: inarch.Crowded) -> inarch.Compacted | None:
        """Run the hooks and return None, so that the next compaction decides."""
        situation = _situation.get()
        if situation is not None:
            hooks = [hook for hook in self._hooks if hook.matches("auto")]
            await _run(hooks, {"trigger": "auto", "custom_instructions": ""}, situation)
        return None


class AtSessionEnds:
    """Tracer that runs `SessionEnd` hooks at exit, for each session with a turn."""

    name = "hooks"

    def __init__(self, hooks: Sequence[Hook]) -> None:
        self._hooks = hooks
        self._last: dict[str, inarch.Situation] = {}

    def saw(self, event: inarch.Event) -> None:
        """Store the situation of a session's last turn, for its hooks at exit."""
        situation = _situation.get()
        if event.kind == "turn.ended" and situation is not None and situation.turn.session_id == event.session_id:
            self._last[event.session_id] = situation

    def summary(self, turn_id: str) -> str | None:
        """Return None: turns have no summary."""
        return None

    def close(self) -> None:
        """Run the hooks once."""
        last, self._last = self._last, {}
        for session, situation in last.items():
            place = Place(situation.workspace, situation.record)
            for hook in self._hooks:
                if hook.matches("other"):
                    run_hook(hook, {"session_id": session, "reason": "other"}, place)
