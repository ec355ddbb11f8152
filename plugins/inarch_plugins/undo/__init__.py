"""undo: revert and reapply the file changes of turns, and show who wrote a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

import inarch


@inarch.hookimpl
def inarch_session_extensions(context: inarch.PluginContext) -> Iterable[inarch.SessionExtension]:
    """Return the extension behind `Session.undo` and `Session.redo`."""
    return [inarch.SessionExtension("undo", "Takes back what turns did to files.", _open)]


def _open(session: inarch.SessionAccess) -> Any:
    from inarch_plugins.undo.undo_run import Undoing

    return Undoing(session)


@inarch.hookimpl
def inarch_slash_commands(context: inarch.PluginContext) -> Iterable[inarch.SlashCommand]:
    """Return the slash commands."""

    def command(name: str, help: str, words: str, offers: str, *, picks: bool = False) -> inarch.SlashCommand:
        return inarch.SlashCommand(name, help, _later(name), words, complete=_later(offers), picks=picks)

    return [
        command("diff", "Show what the session, or TURN or CALL, changed in files.", "[TURN|CALL]", "turns"),
        command("redo", "Put changes on again that were undone.", "[TURN|CALL]", "turns"),
        command("retry", "Ask the last prompt again; undo takes its changes back first.", "[undo]", "retrying"),
        command("rewind", "Take back what TURN and those after it changed; without it, pick or list one.", "[TURN]",
                "rewinding", picks=True),
        command("undo", "Take back what the last turn changed, or TURN or CALL.", "[TURN|CALL]", "turns"),
    ]  # fmt: skip


def _later(name: str) -> Callable[..., Any]:
    def run(words: str, context: inarch.SlashContext) -> Any:
        return getattr(import_module("inarch_plugins.undo.slash"), name)(words, context)

    return run
