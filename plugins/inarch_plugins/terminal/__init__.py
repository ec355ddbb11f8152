"""terminal: the front ends `text`, `json` and `jsonl`, and the commands of a conversation.

The plugin registers through hooks. Modules named here are imported on first use.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from inarch import (
    ContextSource,
    FrontEnd,
    FrontEndOptions,
    FrontEndSpec,
    PluginContext,
    SlashCommand,
    UsageError,
    hookimpl,
)

if TYPE_CHECKING:
    from inarch import Launch


@hookimpl
def inarch_front_ends(context: PluginContext) -> Iterable[FrontEndSpec]:
    """Return the front ends."""
    text = partial(_text, context.settings)
    return [
        FrontEndSpec("text", text, _converse),
        FrontEndSpec("json", partial(_json, "JsonFrontEnd"), _converse),
        FrontEndSpec("jsonl", partial(_json, "JsonLinesFrontEnd"), _converse),
    ]


@hookimpl
def inarch_context_sources(context: PluginContext) -> Iterable[ContextSource]:
    """Return the context source for pictures that are pasted into a conversation."""
    from inarch_plugins.terminal.pasted_pictures import PastedPictures

    return [PastedPictures()]


@hookimpl
def inarch_settings() -> type:
    """Return the settings class."""
    from inarch_plugins.terminal.notifications import Settings

    return Settings


@hookimpl
def inarch_slash_commands(context: PluginContext) -> Iterable[SlashCommand]:
    """Return the slash commands; each `place` is `MODULE:FUNCTION`, called with the conversation and the arguments."""

    def command(
        name: str, words: str, help: str, place: str, offers: str = "", *, at_once: bool = False
    ) -> SlashCommand:
        complete = partial(_complete, offers) if offers else None
        run = partial(_run, place) if words or name == "quit" else partial(_run_alone, name, place)
        return SlashCommand(name, help, run, words, at_once, complete)

    return [
        command("approve", "[MODE|revoke [all|ID]]", "Set what runs without a question; list or revoke approvals.",
                "views:approve", "revoke", at_once=True),
        command("clear", "", "Start a new session; the current one stays stored.", "sessions:clear"),
        command("compact", "[KEEP]", "Reduce all but the last KEEP turns (default 1) to prompt and answer.",
                "views:compact"),
        command("context", "", "Show what the model sees and where its tokens go.", "views:context",
                at_once=True),
        command("copy", "[N]", "Copy the last answer, or its code block N, to the clipboard.", "results:copy",
                at_once=True),
        command("effort", "[LEVEL]", "Show or set how much the model thinks.", "results:effort", "efforts"),
        command("export", "[FILE]", "Write this session to a file; its suffix chooses the format.", "results:export"),
        command("fork", "[TURN]", "Switch to a copy of this session, up to TURN.",
                "sessions:fork", "turns"),
        command("help", "[COMMAND]", "List the commands.", "views:help_text", "commands", at_once=True),
        command("model", "[NUMBER|NAME]", "List the models, or switch to another one.", "models:model",
                "models"),
        command("plugins", "", "List the plugins and what they add.", "views:plugins", at_once=True),
        command("profile", "[NAME]", "List the profiles, or switch to another one.",
                "models:profile", "profiles"),
        command("quit", "", "Leave the conversation.", "views:leave", at_once=True),
        command("resume", "[SESSION]", "Resume another session; by default the last one.",
                "sessions:resume", "sessions"),
        command("sessions", "", "List the sessions of this directory.", "sessions:sessions", at_once=True),
        command("stats", "", "Show the usage of the session: requests, tokens, cost, time.", "views:stats",
                at_once=True),
        command("theme", "[NAME]", "Show or set the colors: dark, light or mono.", "appearance:theme", "themes"),
        command("tools", "[NAME|refresh]", "List the tools, or show one; refresh: list new ones to the model.",
                "views:tools", "tools", at_once=True),
        command("vim", "", "Switch between vi and emacs keys.", "appearance:vim"),
    ]  # fmt: skip


def _complete(kind: str, words: str) -> Any:
    """Return the completions for the first argument; no command has completions for a second one."""
    if " " in words:
        return ()
    from inarch_plugins.terminal.slash.talk import talk_here
    from inarch_plugins.terminal.slash.word_completion import rows

    return rows(kind, talk_here())


def _run_alone(name: str, place: str, words: str) -> Any:
    if words:
        raise UsageError(f"/{name} takes no arguments")
    return _run(place, words)


def _run(place: str, words: str) -> Any:
    """Run a command's function with the conversation it was typed in and its arguments."""
    from inarch_plugins.terminal.slash.talk import talk_here

    module, function = place.split(":")
    return getattr(import_module(f"inarch_plugins.terminal.slash.{module}"), function)(talk_here(), words)


def _text(settings: object, options: FrontEndOptions) -> FrontEnd:
    """Return the live display if standard error is a terminal that can be rewritten, else plain lines."""
    from inarch_plugins.terminal.abilities import can_rewrite, has_colours, has_glyphs
    from inarch_plugins.terminal.notifications import Settings

    out, err = sys.stdout, sys.stderr
    told = settings if isinstance(settings, Settings) else Settings()
    spoken = options.plain or told.plain
    if not options.quiet and not spoken and can_rewrite(err):
        from inarch_plugins.terminal.front_ends.live_display import LiveFrontEnd

        return LiveFrontEnd(
            out,
            err,
            colours=has_colours(err, no_color=options.no_color or told.theme == "mono"),
            glyphs=has_glyphs(err),
            settings=told,
        )
    from inarch_plugins.terminal.front_ends.text import TextFrontEnd

    return TextFrontEnd(out, err, quiet=options.quiet, settings=told, spoken=spoken)


def _json(name: str, options: FrontEndOptions) -> FrontEnd:
    from inarch_plugins.terminal.front_ends import json

    made: FrontEnd = getattr(json, name)(sys.stdout)
    return made


def _converse(launch: Launch) -> int:
    """Start the conversation with the live display if the terminal can be rewritten, else line by line."""
    from inarch.output import is_terminal
    from inarch_plugins.terminal.abilities import can_rewrite, plain_is_set

    if not is_terminal(sys.stdin):
        from inarch_plugins.terminal.plain_conversation import piped

        return piped(launch)
    if launch.output == "text" and can_rewrite(sys.stdout) and not (launch.options.plain or plain_is_set()):
        try:
            import termios  # noqa: F401 - missing on Windows

            from inarch_plugins.terminal.conversation.chat import converse
        except ImportError:
            pass
        else:
            return converse(launch)
    from inarch_plugins.terminal.plain_conversation import plain

    return plain(launch)
