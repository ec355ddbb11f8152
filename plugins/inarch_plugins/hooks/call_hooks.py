"""Hooks around calls: `PreToolUse` before the policy judges a call, `PostToolUse` after the call has run."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from attrs import evolve

import inarch
from inarch_plugins.hooks.hook_config import LONGEST_S, Hook
from inarch_plugins.hooks.hook_run import DECISIONS, HookResult, Place, missed, run_hook
from inarch_plugins.hooks.hook_state import HookState, Seen
from inarch_plugins.hooks.permission_rules import Asked, judged
from inarch_plugins.hooks.rights_question import ALLOW
from inarch_plugins.hooks.turns import why_stopped

FIELDS: Mapping[str, Mapping[str, str]] = {
    "patch_source_file": {"search": "old_string", "replace": "new_string"},
    "execute_command": {"timeout_s": "timeout"},
    "search_files": {"ignore_case": "-i", "limit": "head_limit"},
    "list_directory": {"directory": "path"},
    "task": {"agent": "subagent_type"},
    "activate_skill": {"name": "skill"},
}
"""Inarch's tools, with the fields that hooks know by other names, and those names."""
_ABOUT_FILES = {"Read": "reads", "Edit": "writes", "Write": "writes", "MultiEdit": "writes", "NotebookEdit": "writes"}
"""Tool names whose hooks read `file_path`, and the effect that lists the files."""
_PATHS: Mapping[str, tuple[str, ...]] = {
    "read_multiple_files": ("file_paths",), "move_file": ("file_path", "new_path"), "search_files": ("path",),
    "list_directory": ("directory",),
}  # fmt: skip
"""Inarch's tools whose path fields are not just `file_path`, and those fields."""
_GIT = frozenset({"git_status", "git_diff", "git_log", "git_show", "git_blame", "git_commit"})


def name_for(names: Sequence[str], matched: str) -> str:
    """Return the tool name passed to a hook: the Claude Code name that it matched, else the first."""
    return matched if matched != names[-1] else names[0]


def files_of(call: inarch.ToolCall, effects: inarch.Effects, name: str) -> Sequence[str | None]:
    """Return the files for which a hook runs, one run each. None means that the input already names its subject.

    A hook that reads `file_path` must see each file of the call.
    """
    if name not in _ABOUT_FILES:
        return [None]
    files: frozenset[str] = getattr(effects, _ABOUT_FILES[name])
    return [None] if len(files) <= 1 and "file_path" in call.arguments else sorted(files) or [""]


def shown(tool: str, arguments: Mapping[str, Any], root: str) -> dict[str, Any]:
    """Return a call's arguments in the form that hooks expect: absolute paths, times in milliseconds."""
    fields, paths = FIELDS.get(tool, {}), ("file_path", *_PATHS.get(tool, ()))
    given: dict[str, Any] = {
        fields.get(name, name): _each(lambda path: _place(path, root), value) if name in paths else value
        for name, value in arguments.items()
    }
    if isinstance(given.get("timeout"), (int, float)) and tool == "execute_command":
        given["timeout"] = given["timeout"] * 1000
    if tool == "read_file":
        _show_lines(given)
    if tool in _GIT:
        given["command"] = _git_command(tool, arguments)
    return given


def _each(change: Callable[[str], str], value: object) -> object:
    if isinstance(value, list):
        return [_each(change, one) for one in value]
    return change(value) if isinstance(value, str) else value


def _place(path: str, root: str) -> str:
    """Return the absolute path of a file. Paths in added folders start with `+`."""
    if path.startswith("/"):
        return path
    is_added = path.startswith("+/") and not os.path.lexists(f"{root}/+")
    return path[1:] if is_added else f"{root}/{path}".rstrip("/")


def _git_command(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return the equivalent command line of a Git tool, because guards of `Bash` check that."""
    words = ["git", tool.removeprefix("git_")]
    if "message" in arguments:
        words += ["-m", str(arguments["message"])]
    words += [str(arguments[name]) for name in ("revision", "file_path") if name in arguments]
    paths = arguments.get("paths")
    return shlex.join([*words, *map(str, paths if isinstance(paths, list) else ())])


def _show_lines(given: dict[str, Any]) -> None:
    first, last = given.pop("start_line", None), given.pop("end_line", None)
    if isinstance(first, int):
        given["offset"] = first
    if isinstance(last, int):
        given["limit"] = last - (first if isinstance(first, int) else 1) + 1


def taken(tool: str, given: Mapping[str, Any], root: str) -> dict[str, Any]:
    """Convert a hook's input to the arguments of Inarch's tool. Other fields keep their names."""
    ours = {theirs: own for own, theirs in FIELDS.get(tool, {}).items()}
    arguments = {ours.get(name, name): value for name, value in given.items()}
    for name in ("file_path", *_PATHS.get(tool, ())):
        if name in arguments:
            arguments[name] = _each(lambda path: path.removeprefix(f"{root}/"), arguments[name])
    if tool == "execute_command" and isinstance(arguments.get("timeout_s"), (int, float)):
        arguments["timeout_s"] = arguments["timeout_s"] / 1000
    if tool == "read_file":
        _take_lines(arguments)
    if tool in _GIT:
        arguments.pop("command", None)
    return arguments


def _take_lines(arguments: dict[str, Any]) -> None:
    first, count = arguments.pop("offset", None), arguments.pop("limit", None)
    start = max(first, 1) if isinstance(first, int) else None
    if start is not None:
        arguments["start_line"] = start
    if isinstance(count, int):
        arguments["end_line"] = (start or 1) + count - 1


LOOKING = frozenset({"search", "nav", "trace"})
"""Categories of tools that change nothing."""
MOST_RUNS = 200
"""Most runs of hooks for one call. A call on more files is denied before any hook runs."""
_SPARE_S = 5.0
_STRICTER = ("", "allow", "ask", "deny", "stop")


_Run = tuple[Hook, str, str | None]


class _AroundCalls:
    name = "hooks"

    def __init__(self, state: HookState) -> None:
        self._state, self._root = state, state.root
        self.timeout_s = LONGEST_S  # a hook runs once for each file of a call

    def _runs(self, call: inarch.ToolCall, tool: inarch.Tool, event: str) -> list[list[_Run]]:
        """Return for each hook the tool name and each file for which it runs."""
        asked = self._asked(call, tool)
        found: list[list[_Run]] = []
        for hook in self._state.of(event):
            matched = next(filter(hook.matches, asked.names), None)
            if hook.condition is not None and hook.condition.covers(asked) is False:
                matched = None
            name = "" if matched is None else name_for(asked.names, matched)
            found.append([(hook, name, path) for path in files_of(call, asked.effects, name)] if name else [])
        return found

    def _asked(self, call: inarch.ToolCall, tool: inarch.Tool) -> Asked:
        return _asked_of(call, tool, self._root)

    def _given(self, call: inarch.ToolCall, name: str, path: str | None) -> dict[str, Any]:
        arguments = {**call.arguments, "file_path": path} if path is not None else call.arguments
        return {"tool_name": name, "tool_input": shown(call.name, arguments, self._root), "tool_use_id": call.id}


def _asked_of(call: inarch.ToolCall, tool: inarch.Tool, root: str) -> Asked:
    effects = tool.effects(call.arguments)
    return Asked(inarch.guarding_names(tool, effects), shown(call.name, call.arguments, root), effects, root)


class ListedCalls:
    """Policy of a project's `permissions.allow`: its calls need no question once the user agreed to the list."""

    name = "permissions"

    def __init__(self, state: HookState) -> None:
        self._state = state

    def judge(self, call: inarch.ToolCall, tool: inarch.Tool) -> inarch.Verdict:
        """Allow the call: it has no opinion itself, the kernel judges by its rules."""
        return inarch.Verdict("allow")

    def accepted(self, call: inarch.ToolCall, tool: inarch.Tool) -> Sequence[Mapping[str, Any]]:
        """Return the rules for a call of the lists that the user agreed to."""
        rules = [one for one in self._state.found.permissions if one.decision == "allow" and not one.is_users]
        if not rules or tool.name == ALLOW:
            return ()
        asked, found = _asked_of(call, tool, self._root), []
        for rule in rules:
            if self._state.accepts(rule.source):
                found.append(rule.granting(call.name, asked))
            elif rule.allows(asked):
                self._state.covered[call.id] = rule.source
        return [one for one in found if one is not None]

    @property
    def _root(self) -> str:
        return self._state.root


class BeforeCalls(_AroundCalls):
    """Rewriter that applies the decisions of permission rules and hooks: deny, ask, allow, rewrite or end the turn.

    Hooks run in order. The first denial or end of the turn stops them. Otherwise `ask` beats `allow`.
    """

    def rewrite(self, call: inarch.ToolCall, tool: inarch.Tool, context: inarch.ToolContext) -> inarch.Rewrite | None:
        """Run the hooks for a call. Each gets the input as changed by the hooks before it."""
        if tool.name == ALLOW:
            return None
        place = Place(context.workspace, context.record, self._state, context.cancelled, call_id=call.id)
        before, calls, person = call.arguments, [call], False
        asked = self._asked(call, tool)
        self._state.calls[call.id] = Seen(asked.names[0], asked.given)
        decision, reason = judged(self._state.found.permissions, asked)
        runs = self._runs(call, tool, "PreToolUse") if decision != "deny" else []
        if (count := sum(map(len, runs))) > MOST_RUNS:
            return inarch.Rewrite(decision="deny", reason=f"it would start {count} hooks: name fewer files in a call")
        end = time.monotonic() + self.timeout_s - _SPARE_S / 2
        for hook, name, path in self._following(runs, calls, tool):
            given_call = self._given(call, name, path)
            said = run_hook(_within(hook, end), given_call, place, is_shown=hook.on_failure == "allow")
            new, why = _decided(said, hook)
            person = person or (said.is_absent and new == "ask")
            if (text := said.text("additionalContext")) and not said.fault:
                self._state.texts.setdefault(call.id, []).append(text)
            given = said.specific.get("updatedInput")
            if isinstance(given, dict):
                call = evolve(call, arguments=_taken(call, given, self._root, path))
                calls.append(call)
            if _STRICTER.index(new) > _STRICTER.index(decision):
                decision, reason = new, why
            if decision in ("deny", "stop"):
                break
        arguments = call.arguments if call.arguments != before else None
        if arguments is None and not decision:
            return None
        return inarch.Rewrite(arguments, decision, reason, person)  # type: ignore[arg-type]  # one of the five

    def _following(self, runs: list[list[_Run]], calls: Sequence[inarch.ToolCall], tool: inarch.Tool) -> Iterator[_Run]:
        """Yield the runs in order. A hook runs for the last of the calls that earlier hooks left."""
        known = calls[-1]
        for place in range(len(runs)):
            if calls[-1] is not known:
                known = calls[-1]
                runs = self._runs(known, tool, "PreToolUse")
            yield from runs[place]


def _within(hook: Hook, end: float) -> Hook:
    """Return a hook limited to the time left. If a rewriter times out, Inarch skips all of its hooks."""
    return evolve(hook, timeout_s=max(0.01, min(hook.timeout_s, end - time.monotonic())))


def _taken(call: inarch.ToolCall, given: Mapping[str, Any], root: str, path: str | None) -> dict[str, Any]:
    """Return the arguments that a hook sets for a call, without the file for which it ran."""
    made = taken(call.name, given, root)
    if path is not None:
        made.pop("file_path", None)
        made |= {name: value for name, value in call.arguments.items() if name == "file_path"}
    return made


def _decided(said: HookResult, hook: Hook) -> tuple[str, str]:
    """Return a hook's decision on a call, and why. Only user hooks may allow. An absent hook asks."""
    if said.is_absent:
        return ("" if hook.on_failure == "allow" else hook.on_failure), missed(hook, said)
    if said.is_error:
        return "", ""
    if said.blocks:
        return "deny", said.errors or f"{inarch.shorten(hook.shown, 80)} denied it"
    if said.stops:
        return "stop", why_stopped(said)
    decision = DECISIONS.get(str(said.wanted), "")
    if decision == "allow" and not hook.is_users:
        decision = ""
    return decision, next(filter(None, map(said.text, ("permissionDecisionReason", "reason", "systemMessage"))), "")


class AfterCalls(_AroundCalls):
    """Reviewer that adds the output of hooks to results. A hook may change the files of the call."""

    def review(self, call: inarch.ToolCall, tool: inarch.Tool, context: inarch.ToolContext) -> inarch.Review | None:
        """Run the hooks for a call that has ended."""
        self._state.calls.pop(call.id, None)
        self._state.covered.pop(call.id, None)
        texts = self._state.texts.pop(call.id, [])
        result = call.result
        if result is None or tool.name == ALLOW:
            return None
        effects = tool.effects(call.arguments)
        anything = effects.exclusive and tool.category not in LOOKING
        writes = ("",) if anything else tuple(sorted(effects.writes))
        event, more = "PostToolUse", {"tool_response": inarch.to_data(result.data)}
        if not result.success:
            error = result.error
            event, writes = "PostToolUseFailure", ()
            is_interrupt = error is not None and error.code == "cancelled"
            more = {"error": error.message if error is not None else "", "is_interrupt": is_interrupt}
        place = Place(context.workspace, context.record, self._state, context.cancelled, writes, call.id)
        said = [
            run_hook(hook, self._given(call, name, path) | more, place)
            for hook, name, path in chain.from_iterable(self._runs(call, tool, event))
        ]
        texts += [text for one in said if (text := _added(one))]
        new = [one.replacement for one in said if not one.fault and one.replacement is not None]
        return inarch.Review("\n".join(texts), any(one.stops for one in said), new[-1] if new else None)


def _added(said: HookResult) -> str:
    if said.fault:
        return ""
    if said.blocks:
        return said.errors
    texts = [said.text("additionalContext")]
    if said.data.get("decision") == "block":
        texts.append(said.text("reason"))
    if said.stops:
        texts.append(why_stopped(said))
    return "\n".join(filter(None, texts))
