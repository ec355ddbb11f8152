"""State that the hooks of one run of Inarch share: what is configured, and what its sessions have done."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from attrs import define, evolve, field, frozen

import inarch
from inarch_plugins.hooks.hook_config import Hook, Hooks, read_hooks
from inarch_plugins.hooks.hook_rights import Grants, HookRights

situation_now: ContextVar[inarch.Situation | None] = ContextVar("inarch_hooks_situation", default=None)
"""Situation of the running turn. Calls and compactions get less, but run in the same context."""
MOST_BACKGROUND = 16
"""Most hooks that run in the background at once."""
_LEAVING_S = 2.0


@frozen
class Seen:
    """Call as hooks see it: its tool's name and its arguments."""

    name: str
    given: Mapping[str, Any]


@define(eq=False)
class HookState:
    """Hooks in use, and what is known about sessions, by their ids.

    Args:
        covered: Files whose `permissions.allow` covers a call but waits for the user's answer, by the call's id.
        lists: Files of which a call was asked about that their list covers.
    """

    context: inarch.PluginContext
    found: Hooks
    grants: Grants
    modes: dict[str, str] = field(init=False, factory=dict)
    children: dict[str, str] = field(init=False, factory=dict)
    of_agents: dict[str, tuple[Hook, ...]] = field(init=False, factory=dict)
    lacking: dict[str, HookRights] = field(init=False, factory=dict)
    offered: dict[str, HookRights] = field(init=False, factory=dict)
    covered: dict[str, str] = field(init=False, factory=dict)
    lists: set[str] = field(init=False, factory=set)
    asked_lists: set[str] = field(init=False, factory=set)
    calls: dict[str, Seen] = field(init=False, factory=dict)
    texts: dict[str, list[str]] = field(init=False, factory=dict)
    _once: set[tuple[str, ...]] = field(init=False, factory=set)
    _closing: threading.Event = field(init=False, factory=threading.Event)
    _background: list[threading.Thread] = field(init=False, factory=list)
    _transcripts: dict[Path, tuple[object, str]] = field(init=False, factory=dict)

    @property
    def root(self) -> str:
        """The workspace's folder."""
        return self.context.root

    @property
    def home(self) -> str:
        """The user's home folder."""
        return self.context.environ.get("HOME") or str(Path.home())

    def of(self, event: str) -> tuple[Hook, ...]:
        """Return the hooks for an event in the running session, with those of its agent."""
        return (*self.found.of(event), *(hook for hook in self.of_agents.get(session_id(), ()) if hook.event == event))

    def has(self, *events: str) -> bool:
        """Return whether there may be hooks for one of these events. Agents' files can have some, too."""
        return any(map(self.found.of, events)) or (self.context.brought is not None and self.found.wants("claude"))

    def take_turn(self, hook: Hook) -> bool:
        """Return whether a hook may run; one with `once` runs once a session."""
        key = (session_id(), hook.source, hook.event, hook.command)
        if not hook.once or key not in self._once:
            self._once.add(key)
            return True
        return False

    def rights_of(self, hook: Hook) -> HookRights:
        """Return a hook's rights beyond the usual ones."""
        return hook.rights | self.grants.of(hook.source, hook.command)

    def list_of(self, source: str) -> str:
        """Return what a project's file lists in `permissions.allow`, a line each."""
        rules = (one for one in self.found.permissions if one.decision == "allow" and not one.is_users)
        return "\n".join(one.text for one in rules if one.source == source)

    def accepts(self, source: str) -> bool:
        """Return whether the user agreed to the present `permissions.allow` of a project's file."""
        return self.grants.has(source, self.list_of(source))

    def start(self, run: Callable[[threading.Event], object]) -> bool:
        """Run something in the background until it ends or the session does; return whether there was room."""
        self._background = [one for one in self._background if one.is_alive()]
        if len(self._background) >= MOST_BACKGROUND or self._closing.is_set():
            return False

        def go() -> None:
            with suppress(inarch.InarchError):
                run(self._closing)

        thread = threading.Thread(target=go, daemon=True)
        self._background.append(thread)
        thread.start()
        return True

    def transcript(self, situation: inarch.Situation | None, answer: str = "") -> str:
        """Write the conversation to a file for scripts, and return its path; empty if there is none."""
        if situation is None or not self.context.state_dir:
            return ""
        from inarch_plugins.hooks.transcript import lines_of

        path = Path(self.context.state_dir, "transcripts", f"{situation.turn.session_id}.jsonl")
        if self._transcripts.get(path) != (now := (situation.messages, answer)):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.write_text(lines_of(situation, answer, self.root))
            self._transcripts[path] = now
        return str(path)

    def close(self) -> None:
        """End what runs in the background, and remove the transcripts: the store has the conversations."""
        self._closing.set()
        for thread in self._background:
            thread.join(_LEAVING_S)
        for path in self._transcripts:
            with suppress(OSError):
                path.unlink()
        self._transcripts.clear()


_states: WeakValueDictionary[int, HookState] = WeakValueDictionary()
"""States by the context of their run: its parts are registered apart and share one."""


def state_of(context: inarch.PluginContext) -> HookState:
    """Return the state of a run."""
    known = _states.get(id(context))
    if known is None or known.context is not context:
        grants = Grants.read(context.state_dir, context.root, context.recorded and bool(context.state_dir))
        known = _states[id(context)] = HookState(context, read_hooks(context), grants)
    return known


def session_id() -> str:
    """Return the id of the session whose turn runs."""
    situation = situation_now.get()
    return "" if situation is None else situation.turn.session_id


def agents_hooks(state: HookState, name: str) -> Sequence[Hook]:
    """Return the hooks in the front matter of a trusted agent's file; its `Stop` is that of a sub-agent.

    Source: https://code.claude.com/docs/en/hooks, "Hooks in skills and agents", November 2026.
    """
    import json

    brought = state.context.brought
    if brought is None or not state.found.wants("claude"):
        return ()
    for path in brought.names(".claude/agents"):
        if (data := brought.read(path)) is None or b"hooks:" not in data:
            continue
        try:
            front = inarch.split_front_matter(data.decode("utf-8-sig"), [])[0]
        except (inarch.ToolFailed, UnicodeDecodeError):
            continue
        if front.get("name", Path(path).stem) == name:
            found = Hooks(brought=brought)
            found.take(json.dumps({"hooks": front.get("hooks")}).encode(), path, is_users=False)
            return [evolve(hook, event="SubagentStop") if hook.event == "Stop" else hook for hook in found.hooks]
    return ()
