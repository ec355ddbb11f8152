"""undo: every turn is a checkpoint of what it changed: take it back, put it on again, say who wrote a line."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from importlib import import_module
from typing import Any

import inarch


@inarch.hookimpl
def inarch_session_extensions(context: inarch.PluginContext) -> Iterable[inarch.SessionExtension]:
    """Return what `Session.undo` and `Session.redo` hand over to."""
    return [inarch.SessionExtension("undo", "Takes back what turns did to files.", _open)]


def _open(session: inarch.SessionAccess) -> Any:
    from inarch_undo.undoing import Undoing

    return Undoing(session)


@inarch.hookimpl
def inarch_slash_commands(context: inarch.PluginContext) -> Iterable[inarch.SlashCommand]:
    """Return the commands of a conversation."""
    return [
        inarch.SlashCommand(
            "diff", "Show what the session, or TURN or CALL, changed in files.", _later("diff"), "[TURN|CALL]"
        ),
        inarch.SlashCommand("redo", "Put changes on again that were undone.", _later("redo"), "[TURN|CALL]"),
        inarch.SlashCommand(
            "retry", "Ask the last prompt again; undo takes its changes back first.", _later("retry"), "[undo]"
        ),
        inarch.SlashCommand(
            "rewind",
            "Take back what TURN and those after it changed; without it, list the turns.",
            _later("rewind"),
            "[TURN]",
        ),
        inarch.SlashCommand(
            "undo", "Take back what the last turn changed, or TURN or CALL.", _later("undo"), "[TURN|CALL]"
        ),
    ]


def _later(name: str) -> Callable[..., Awaitable[str]]:
    def run(words: str, context: inarch.SlashContext) -> Awaitable[str]:
        found: Awaitable[str] = getattr(import_module("inarch_undo.slash"), name)(words, context)
        return found

    return run
