"""hooks: commands of the user and of trusted projects, run around calls, at prompts and at ends of turns."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

import inarch
from inarch_lib.bundles import has_bundles
from inarch_plugins.hooks.hook_files import FILE, PROJECTS

if TYPE_CHECKING:
    from inarch_plugins.hooks.hook_state import HookState

RAN = {
    "type": "object",
    "required": ["text", "event", "command"],
    "properties": {
        "text": {"type": "string"}, "event": {"type": "string"}, "command": {"type": "string"},
        "source": {"type": "string"}, "exit_code": {"type": ["integer", "null"]}, "duration_s": {"type": "number"},
        "output": {"type": "string"}, "errors": {"type": "string"}, "confined": {"type": "boolean"},
        "timed_out": {"type": "boolean"}, "call_id": {"type": "string"}, "fault": {"type": "string"},
        "notice": {"type": "string"},
    },
}  # fmt: skip


def _has_hooks(context: inarch.PluginContext) -> bool:
    """Return whether any hook is configured. If not, nothing else is imported."""
    if context.user is not None and os.path.lexists(context.user.place(FILE)):
        return True
    if has_bundles(context.state_dir):
        return True
    return context.brought is not None and PROJECTS in context.brought.names(".inarch")


def _state(context: inarch.PluginContext, *events: str) -> HookState | None:
    """Return the state of the run if it may have hooks for one of these events, or for none in particular."""
    if not _has_hooks(context):
        return None
    from inarch_plugins.hooks.hook_state import state_of

    state = state_of(context)
    return state if not events or state.has(*events) else None


@inarch.hookimpl
def inarch_events(context: inarch.PluginContext) -> Iterable[inarch.EventKind]:
    """Return the event that records a run."""
    return [inarch.EventKind("ran", "A hook's command was run.", RAN)] if _has_hooks(context) else ()


@inarch.hookimpl
def inarch_rewriters(context: inarch.PluginContext) -> Iterable[inarch.Rewriter]:
    """Return the rewriter that runs `PreToolUse` and applies permission rules."""
    state = _state(context)
    if state is None or not (state.has("PreToolUse", "PermissionRequest") or state.found.permissions):
        return ()
    from inarch_plugins.hooks.call_hooks import BeforeCalls

    return [BeforeCalls(state)]


@inarch.hookimpl
def inarch_reviewers(context: inarch.PluginContext) -> Iterable[inarch.Reviewer]:
    """Return the reviewer that runs `PostToolUse` and `PostToolUseFailure`, and adds texts of `PreToolUse`."""
    if (state := _state(context, "PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure")) is None:
        return ()
    from inarch_plugins.hooks.call_hooks import AfterCalls

    return [AfterCalls(state)]


@inarch.hookimpl
def inarch_end_guards(context: inarch.PluginContext) -> Iterable[inarch.EndGuard]:
    """Return the guard that runs `Stop` and `SubagentStop`."""
    if (state := _state(context)) is None:
        return ()
    from inarch_plugins.hooks.turns import AtEnds

    return [AtEnds(state)]


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> Iterable[inarch.ContextSource]:
    """Return the source that runs hooks of starts and prompts, and reports errors in the files."""
    if (state := _state(context)) is None:
        return ()
    from inarch_plugins.hooks.turns import AtPrompts

    return [AtPrompts(state)]


@inarch.hookimpl
def inarch_tracers(context: inarch.PluginContext) -> Iterable[inarch.Tracer]:
    """Return the tracer that runs `SessionEnd` and the hooks for which nothing waits."""
    if (state := _state(context)) is None:
        return ()
    from inarch_plugins.hooks.turns import Observer

    return [Observer(state)]


@inarch.hookimpl
def inarch_compactions(context: inarch.PluginContext) -> Iterable[inarch.Compaction]:
    """Return the compaction that runs `PreCompact`."""
    if (state := _state(context, "PreCompact")) is None:
        return ()
    from inarch_plugins.hooks.turns import BeforeCompacting

    return [BeforeCompacting(state)]


@inarch.hookimpl
def inarch_tools(context: inarch.PluginContext) -> Iterable[inarch.Tool]:
    """Return the tool that asks about rights of hooks."""
    if (state := _state(context)) is None:
        return ()
    from inarch_plugins.hooks.rights_question import AllowHooks

    return [AllowHooks(state)]


@inarch.hookimpl
def inarch_policies(context: inarch.PluginContext) -> Iterable[inarch.Policy]:
    """Return the policy that asks about rights of hooks."""
    if (state := _state(context)) is None:
        return ()
    from inarch_plugins.hooks.call_hooks import ListedCalls
    from inarch_plugins.hooks.rights_question import UserDecides

    return [UserDecides(), ListedCalls(state)]


@inarch.hookimpl
def inarch_checks(context: inarch.PluginContext) -> Iterable[inarch.SelfCheck]:
    """Return the check of hooks for `inarch doctor`."""

    def look() -> Iterable[inarch.Finding]:
        from inarch_plugins.hooks.hook_config import read_hooks

        found = read_hooks(context)
        yield from (inarch.Finding("hooks", "wrong", told, "see docs/how-to/hooks.md") for told in found.told)
        if found.unsupported:
            lines = tuple(dict.fromkeys(found.unsupported))
            yield inarch.Finding("hooks", "fine", "parts of the hook files are not supported", lines=lines)
        if hooks := [str(hook) for hook in found.hooks if not hook.fault]:
            yield inarch.Finding("hooks", "fine", f"{len(hooks)} hooks", lines=tuple(hooks))

    return [inarch.SelfCheck("hooks", look)] if _has_hooks(context) else ()
