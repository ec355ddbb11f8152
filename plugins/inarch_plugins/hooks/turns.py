"""Hooks around turns: at the start and end of a session, at prompts, at ends of turns and before compaction."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

import inarch
from inarch_plugins.hooks.hook_config import Hook
from inarch_plugins.hooks.hook_run import HookResult, Place, run_hook
from inarch_plugins.hooks.hook_state import HookState, agents_hooks, situation_now
from inarch_plugins.hooks.rights_question import offer


async def _run(
    hooks: Sequence[Hook], given: Mapping[str, Any], situation: inarch.Situation, state: HookState, answer: str = ""
) -> list[HookResult]:
    """Run hooks in order, outside the event loop. A cancel ends the running one."""
    loop, cancelled = asyncio.get_running_loop(), threading.Event()

    def record(name: str, data: Mapping[str, Any]) -> None:
        loop.call_soon_threadsafe(situation.record, name, data)

    place = Place(situation.workspace, record, state, cancelled, answer=answer, situation=situation)
    hooks = [hook for hook in hooks if hook.condition is None]  # as in Claude Code: `if` is about calls
    try:
        return [await asyncio.to_thread(run_hook, hook, given, place) for hook in hooks]
    finally:
        cancelled.set()


class AtPrompts:
    """Context source that adds the output of the hooks at a session's start and at prompts to the prompt."""

    name = "hooks"

    def __init__(self, state: HookState) -> None:
        self._state = state
        self._told = list(state.found.told)
        self._known: set[str] = set()

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        """Run the hooks. Report errors in the files once."""
        situation_now.set(situation)
        state = self._state
        said = await self._at_start(situation)
        if situation.turn.session_id not in state.children:
            hooks, prompt = state.of("UserPromptSubmit"), situation.turn.content
            # `user_prompt` is a former name that hooks still read: github.com/anthropics/claude-code, `hookify`.
            said += await _run(hooks, {"prompt": prompt, "user_prompt": prompt}, situation, state)
        texts = [text for one in said if (text := _context(one))]
        notes, self._told = tuple(self._told), []
        stop = "\n".join(filter(None, map(_objection, said)))
        return inarch.Contribution("\n\n".join(texts), notes=notes, stop=stop) if texts or notes or stop else None

    async def _at_start(self, situation: inarch.Situation) -> list[HookResult]:
        """Run the hooks for the start of a session or of a sub-agent, once a session."""
        state, session = self._state, situation.turn.session_id
        if session in self._known:
            return []
        source = "clear" if self._known - set(state.children) else "startup"
        source = "resume" if len(situation.messages) > 1 else source
        self._known.add(session)
        if (agent := state.children.get(session)) is None:
            hooks = [hook for hook in state.of("SessionStart") if hook.matches(source)]
            said = await _run(hooks, {"source": source}, situation, state)
        else:
            state.of_agents[session] = tuple(await asyncio.to_thread(agents_hooks, state, agent))
            hooks = [hook for hook in state.of("SubagentStart") if hook.matches(agent)]
            said = await _run(hooks, {}, situation, state)
        return [one for one in said if not one.blocks]  # at a start, the exit code 2 rejects nothing


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
    """Guard that continues a turn if a `Stop` or `SubagentStop` hook requests it, and asks about rights of hooks."""

    name = "hooks"
    most_holds = 8
    """As in Claude Code: the changelog of github.com/anthropics/claude-code, 2.1.143, read in November 2026."""

    def __init__(self, state: HookState) -> None:
        self._state = state
        self.timeout_s = 86_400.0  # each hook has its own limit, and the question waits for the user

    async def hold(self, ending: inarch.Ending) -> str | None:
        """Run the hooks and return their reasons to continue."""
        state = self._state
        agent = state.children.get(ending.situation.turn.session_id)
        hooks = [hook for hook in state.of("SubagentStop") if hook.matches(agent)] if agent else state.of("Stop")
        given: dict[str, Any] = {"stop_hook_active": ending.held > 0, "last_assistant_message": ending.answer}
        if agent:
            given["agent_transcript_path"] = state.transcript(ending.situation, ending.answer)
        said = await _run(hooks, given, ending.situation, state, ending.answer)
        if not agent:
            await offer(ending, state)
        reasons = [_reason(one) for one in said if not one.fault]
        if any(one.stops for one in said):  # this overrides the reasons of other hooks
            return None
        return "\n".join(filter(None, reasons)) or None


def _reason(said: HookResult) -> str:
    if said.blocks:
        return said.errors or "a hook requires more work"
    if said.data.get("decision") == "block":
        return said.text("reason") or "a hook requires more work"
    return said.text("additionalContext")


class BeforeCompacting:
    """Compaction that runs `PreCompact` hooks and leaves the conversation unchanged."""

    name = "hooks"
    watches = True

    def __init__(self, state: HookState) -> None:
        self._state = state

    async def compact(self, crowded: inarch.Crowded) -> inarch.Compacted | None:
        """Run the hooks and return None, so that the next compaction decides."""
        situation = situation_now.get()
        if situation is not None:
            hooks = [hook for hook in self._state.of("PreCompact") if hook.matches("auto")]
            await _run(hooks, {"trigger": "auto", "custom_instructions": ""}, situation, self._state)
        return None


class Observer:
    """Tracer that runs the hooks for which nothing waits, and `SessionEnd` hooks at exit, for sessions with a turn."""

    name = "hooks"

    def __init__(self, state: HookState) -> None:
        self._state = state
        self._last: dict[str, inarch.Situation] = {}

    def saw(self, event: inarch.Event) -> None:
        """Take what the hooks need to know, and start those for questions and compactions."""
        state, session = self._state, event.session_id
        situation = situation_now.get()
        situation = situation if situation is not None and situation.turn.session_id == session else None
        if event.kind == "session.started" and (branch := event.data.get("branch")):
            state.children[session] = str(branch["name"])
        elif event.kind == "turn.started" and (settings := event.data.get("settings")):
            state.modes[session] = str(settings.get("approve", ""))
        elif event.kind == "turn.ended" and situation is not None and session not in state.children:
            self._last.pop(session, None)
            self._last[session] = situation
        elif event.kind == "context.dropped" and situation is not None:
            self._start("PostCompact", "auto", {"trigger": "auto"}, situation)
        elif event.kind == "approval.asked" and situation is not None:
            self._asked(event, situation)

    def _asked(self, event: inarch.Event, situation: inarch.Situation) -> None:
        for call, reason in zip(event.data["call_ids"], event.data["reasons"], strict=False):
            if source := self._state.covered.pop(call, ""):
                self._state.lists.add(source)
            if (seen := self._state.calls.get(call)) is not None:
                given = {"tool_name": seen.name, "tool_input": seen.given, "tool_use_id": call}
                self._start("PermissionRequest", seen.name, given, situation)
            given = {"message": f"Inarch needs your approval: {reason}", "notification_type": "permission_prompt"}
            self._start("Notification", "permission_prompt", given, situation)

    def _start(self, event: str, about: str, given: Mapping[str, Any], situation: inarch.Situation) -> None:
        for hook in self._state.of(event):
            if hook.matches(about):
                place = Place(situation.workspace, situation.record, self._state, situation=situation)
                # An event cannot be recorded while another one is seen.
                asyncio.get_running_loop().call_soon(run_hook, evolve(hook, is_async=True), given, place)

    def summary(self, turn_id: str) -> str | None:
        """Return None: turns have no summary."""
        return None

    def close(self) -> None:
        """Run the hooks once. All sessions but the last ended when the next one began."""
        last, self._last = self._last, {}
        for number, situation in enumerate(last.values(), 1):
            reason = "other" if number == len(last) else "clear"
            place = Place(situation.workspace, situation.record, self._state, situation=situation)
            for hook in self._state.found.of("SessionEnd"):
                if hook.matches(reason):
                    run_hook(hook, {"reason": reason}, place)
        self._state.close()
