"""hooks: commands of the user and of trusted projects, run around calls, at prompts and at ends of turns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import inarch
from inarch_plugins.hooks.hook_files import FILE, PROJECTS

if TYPE_CHECKING:
    from inarch_plugins.hooks.hook_config import Hook

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
    return context.brought is not None and PROJECTS in context.brought.names(".inarch")


def _hooks(context: inarch.PluginContext, event: str) -> Sequence[Hook]:
    if not _has_hooks(context):
        return ()
    from inarch_plugins.hooks.hook_config import read_hooks

    return read_hooks(context).of(event)


@inarch.hookimpl
def inarch_events(context: inarch.PluginContext) -> Iterable[inarch.EventKind]:
    """Return the event that records a run."""
    return [inarch.EventKind("ran", "A hook's command was run.", RAN)] if _has_hooks(context) else ()


@inarch.hookimpl
def inarch_rewriters(context: inarch.PluginContext) -> Iterable[inarch.Rewriter]:
    """Return the rewriter that runs `PreToolUse`."""
    if not (hooks := _hooks(context, "PreToolUse")):
        return ()
    from inarch_plugins.hooks.call_hooks import BeforeCalls

    return [BeforeCalls(hooks, context.root)]


@inarch.hookimpl
def inarch_reviewers(context: inarch.PluginContext) -> Iterable[inarch.Reviewer]:
    """Return the reviewer that runs `PostToolUse`."""
    if not (hooks := _hooks(context, "PostToolUse")):
        return ()
    from inarch_plugins.hooks.call_hooks import AfterCalls

    return [AfterCalls(hooks, context.root)]


@inarch.hookimpl
def inarch_end_guards(context: inarch.PluginContext) -> Iterable[inarch.EndGuard]:
    """Return the guard that runs `Stop`."""
    if not (hooks := _hooks(context, "Stop")):
        return ()
    from inarch_plugins.hooks.turns import AtEnds

    return [AtEnds(hooks, context.root)]


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> Iterable[inarch.ContextSource]:
    """Return the source that runs `SessionStart` and `UserPromptSubmit` and reports errors in the files."""
    if not _has_hooks(context):
        return ()
    from inarch_plugins.hooks.hook_config import read_hooks
    from inarch_plugins.hooks.turns import AtPrompts

    return [AtPrompts(read_hooks(context), context.root)]


@inarch.hookimpl
def inarch_tracers(context: inarch.PluginContext) -> Iterable[inarch.Tracer]:
    """Return the tracer that runs `SessionEnd`."""
    if not (hooks := _hooks(context, "SessionEnd")):
        return ()
    from inarch_plugins.hooks.turns import AtSessionEnds

    return [AtSessionEnds(hooks)]


@inarch.hookimpl
def inarch_compactions(context: inarch.PluginContext) -> Iterable[inarch.Compaction]:
    """Return the compaction that runs `PreCompact`."""
    if not (hooks := _hooks(context, "PreCompact")):
        return ()
    from inarch_plugins.hooks.turns import BeforeCompacting

    return [BeforeCompacting(hooks, context.root)]


@inarch.hookimpl
def inarch_checks(context: inarch.PluginContext) -> Iterable[inarch.SelfCheck]:
    """Return the check of hooks for `inarch doctor`."""

    def look() -> Iterable[inarch.Finding]:
        from inarch_plugins.hooks.hook_config import read_hooks
        from inarch_plugins.hooks.hook_run import absent

        found = read_hooks(context)
        yield from (inarch.Finding("hooks", "wrong", told, "see docs/how-to/hooks.md") for told in found.told)
        level = inarch.confinement.level_of(inarch.confinement.features(), "auto")[0]
        off = absent(found.hooks, context.root, level)
        yield from (inarch.Finding("hooks", "wrong", told, "see docs/how-to/hooks.md") for told in off)
        if hooks := [str(hook) for hook in found.hooks if not hook.fault]:
            yield inarch.Finding("hooks", "fine", f"{len(hooks)} hooks", lines=tuple(hooks))

    return [inarch.SelfCheck("hooks", look)] if _has_hooks(context) else ()
