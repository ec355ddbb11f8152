"""`allowed-tools` and `disallowed-tools`: calls that a file's turn makes without a question, or not at all.

The forms are those of https://code.claude.com/docs/en/permissions and /skills, as of 2026-11.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextvars import ContextVar
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

import inarch

_ENTRY = re.compile(r"\s*([A-Za-z_*][\w.*-]*)\s*(?:\(([^()]*)\))?\s*(?:,|\s|$)")
_ARGUMENTS = {"Bash": "command", "Skill": "name", "Agent": "agent", "Task": "agent"}
"""Names that take a pattern over an argument."""
_FILES = frozenset({"Read", "NotebookRead", "Write", "Edit", "MultiEdit", "Grep", "Glob", "LS"})
"""Names that take a pattern over paths."""
_NEVER_ASK = frozenset({"Read", "NotebookRead", "Grep", "Glob", "LS", "LSP", "TodoWrite", "AskUserQuestion", "Skill"})
YES, NO = "yes", "no"
UNASKED = ("none", "bypass")
"""Approval modes in which a question about a list is denied or needless."""


@frozen
class Entry:
    """An entry of a list."""

    name: str
    said: Mapping[str, Any]
    is_allowed: bool

    def rule(self, call: inarch.ToolCall, names: Collection[str]) -> Mapping[str, Any] | None:
        """Return its rule for a call, with the keys of `[[rules]]`; None for calls of other tools."""
        is_guard = not self.is_allowed or self.name.startswith("mcp__")
        pairs = ((one, self.name) for one in names) if is_guard else self._granted(call)
        if not any(fnmatchcase(*pair) for pair in pairs):
            return None
        return {"tool": call.name, "decision": "allow" if self.is_allowed else "deny", **self.said}

    def _granted(self, call: inarch.ToolCall) -> Iterator[tuple[str, str]]:
        return ((call.name, ours) for ours in inarch.granted_tools(self.name))


@frozen
class ToolLists:
    """A file's lists.

    Args:
        allowed: Calls that need no question once the user accepted the list.
        denied: Calls that the turn may not make.
        words: The entries of `allowed` as the file has them.
    """

    allowed: tuple[Entry, ...] = ()
    denied: tuple[Entry, ...] = ()
    words: str = ""
    file: str = ""

    @property
    def key(self) -> str:
        """The hash of the file and its list, by which a yes is kept."""
        return hashlib.sha256(json.dumps([self.file, self.words]).encode()).hexdigest()

    @property
    def question(self) -> str:
        """The question whether the list counts."""
        return f"{self.file} lists tools to use without asking while it runs: {self.words}. Allow them from now on?"


NO_LISTS = ToolLists()


def read_lists(head: Mapping[str, Any], places: Mapping[str, str], bent: list[str]) -> ToolLists:
    """Return a file's lists; `places` has its path as `FILE`. Append entries without effect to `bent`."""
    listed = list(_parts(head.get("allowed-tools"), "allowed-tools", bent))
    allowed = [one for part in listed for one in _entries(*part, places, bent, is_allowed=True)]
    if {("Write", ""), ("Edit", "")} <= {*listed}:
        allowed.append(Entry("apply_patch", {}, is_allowed=True))  # some models edit with it alone
    key = "disallowed-tools" if "disallowed-tools" in head else "disallowedTools"
    parts = _parts(head.get(key), key, bent)
    denied = [one for part in parts for one in _entries(*part, places, bent, is_allowed=False)]
    words = ", ".join(f"{name}({pattern})" if pattern else name for name, pattern in listed)
    return ToolLists(tuple(allowed), tuple(denied), words, places.get("FILE", ""))


def _parts(listed: Any, key: str, bent: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the name and the pattern of each entry of a list, or of a text with commas or spaces."""
    for entry in listed if isinstance(listed, list) else [] if listed is None else [listed]:
        text, at = str(entry).strip(), 0
        while at < len(text):
            found = _ENTRY.match(text, at)
            if found is None:
                bent.append(f"{key}: {text[at:]!r:.80} is not valid and has no effect")
                break
            at = found.end()
            yield found[1], (found[2] or "").strip()


def _entries(
    name: str, pattern: str, places: Mapping[str, str], bent: list[str], *, is_allowed: bool
) -> Iterator[Entry]:
    tools = inarch.granted_tools(name)
    if re.fullmatch(r"mcp__[^_]+(_[^_]+)*", name):
        name = f"{name}__*"
    elif not name.startswith("mcp__") and (not tools or (tools == (name,) and name[0].isupper())):
        bent.append(f"there is no tool {name:.80}, so its entry has no effect")
        return
    said = {} if pattern in ("", "*") else _pattern(name, pattern, places)
    if is_allowed and pattern not in ("", "*") and not said:
        bent.append(f"allowed-tools: {name}({pattern:.80}) has no effect")
    elif not is_allowed or name not in _NEVER_ASK:
        yield Entry(name, said, is_allowed)


def _pattern(name: str, pattern: str, places: Mapping[str, str]) -> dict[str, Any]:
    """Return what a pattern adds to a rule; nothing if it cannot be read."""
    if name in _ARGUMENTS:
        for variable, value in places.items():
            pattern = pattern.replace(f"${{{variable}}}", value)
        glob = re.sub(r"[\[?]", r"[\g<0>]", re.sub(r":\*$", " *", pattern))
        return {"match": {_ARGUMENTS[name]: glob}}
    if name not in _FILES or pattern.startswith(("//", "~")):  # paths outside of the workspace
        return {}
    return {"path": pattern.removeprefix("./").removeprefix("/")}


@define(eq=False)
class TurnRules:
    """Rules of a running turn. Without a task they are those of the slash command that prepares it."""

    session_id: str
    task: asyncio.Task[object] | None
    entries: list[Entry] = field(factory=list)


turn_rules: ContextVar[TurnRules | None] = ContextVar("inarch_skills_turn_rules", default=None)
"""Rules of the running turn. Its calls and the turns of called agents run in the same context."""


def begin_turn(session_id: str) -> TurnRules | None:
    """Start a turn without rules. An agent's turn keeps those of its caller's turn, and None is returned."""
    outer, task = turn_rules.get(), asyncio.current_task()
    if outer is not None and outer.session_id != session_id and outer.task is not task:
        return None
    rules = TurnRules(session_id, task)
    turn_rules.set(rules)
    return rules


class ListedTools:
    """Policy of the running turn's lists. It has no opinion itself: the kernel judges by its rules."""

    name = "allowed-tools"

    def judge(self, call: inarch.ToolCall, tool: inarch.Tool) -> inarch.Verdict:
        """Allow the call."""
        return inarch.Verdict("allow")

    def accepted(self, call: inarch.ToolCall, tool: inarch.Tool) -> Sequence[Mapping[str, Any]]:
        """Return the rules of the running turn for a call, or of the command that prepares it."""
        turn, is_outside = turn_rules.get(), call.origin in ("slash", "user")
        if turn is None or not turn.entries or (turn.task is None) != is_outside:
            return ()
        names = inarch.guarding_names(tool, tool.effects(call.arguments))
        return [rule for one in turn.entries if (rule := one.rule(call, names)) is not None]


class Modes:
    """Tracer that remembers the approval mode of each session, because some modes have no use for a question."""

    name = "skills"

    def saw(self, event: inarch.Event) -> None:
        """Remember the mode of a turn that begins."""
        if event.kind == "turn.started" and (mode := event.data["settings"].get("approve")):
            _modes[event.session_id] = mode

    def summary(self, turn_id: str) -> str | None:
        """Return nothing."""
        return None

    def close(self) -> None:
        """Do nothing."""


def can_ask() -> bool:
    """Return whether a question in the running turn may have an answer."""
    turn = turn_rules.get()
    return turn is not None and _modes.get(turn.session_id) not in UNASKED


_modes: dict[str, str] = {}
_answers: dict[str, bool] = {}
"""The user's answers in this process, by key."""


@frozen
class Answers:
    """The user's answers about lists. A yes is kept in the folder `state`, or in this process only."""

    state: str
    is_kept: bool = True

    def of(self, lists: ToolLists) -> bool | None:
        """Return the answer about a list, None for none."""
        is_kept = bool(self.state) and self._place(lists).exists()
        return is_kept or _answers.get(lists.key)

    def give(self, lists: ToolLists, answer: str) -> None:
        """Store the answer to a list's question."""
        _answers[lists.key] = says_yes = answer.casefold() in (YES, "y")
        if says_yes and self.state and self.is_kept:
            self._place(lists).parent.mkdir(parents=True, exist_ok=True)
            self._place(lists).write_text(f"{lists.file}: {lists.words}\n", encoding="utf-8")

    def forget(self) -> None:
        """Forget every answer."""
        _answers.clear()
        for one in Path(self.state, "allowed").glob("*") if self.state else ():
            one.unlink(missing_ok=True)

    def _place(self, lists: ToolLists) -> Path:
        return Path(self.state, "allowed", lists.key)
