"""The `/NAME words` of a conversation: the kernel's own, such as `/help`, and what plugins bring."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from attrs import define, field

from inarch.cli.failure import say
from inarch.cli.terminal import escape
from inarch.contract.doors import guarded
from inarch.contract.errors import InarchError, PluginError, StoreError
from inarch.contract.events import CommandRan, ErrorHappened
from inarch.contract.frozen import frozen

if TYPE_CHECKING:
    from inarch.cli.slash_talk import Talk
    from inarch.contract.records import ToolResult
    from inarch.contract.slash_commands import SlashCommand, SlashContext
    from inarch.plugins import Bound

Handler = Callable[["Talk", str], str | Awaitable[str]]


@frozen
class Own:
    """A command of the kernel: what may follow it, what it does, and where it stands.

    Args:
        words: What may follow the name, for people.
        help: What it does.
        place: `MODULE:FUNCTION`; the function takes the conversation and the words and returns what to show.
        at_once: Whether it may run beside a turn, because it only tells.
    """

    words: str
    help: str
    place: str
    at_once: bool = False


OWN: Mapping[str, Own] = {
    "approve": Own("[revoke [all|ID]]", "List what runs without a question here, or take it back.",
                   "slash_views:approve_command", at_once=True),
    "clear": Own("", "Begin a new session; the present one is kept.", "slash_sessions:clear"),
    "compact": Own("[KEEP]", "Keep of all but the last KEEP turns (1) only prompt and answer.", "slash_views:compact"),
    "context": Own("", "Show what the model sees and where its tokens go.", "slash_views:context", at_once=True),
    "fork": Own("[TURN]", "Go on in a new session that begins with this one, up to TURN.", "slash_sessions:fork"),
    "help": Own("[COMMAND]", "List the commands.", "slash:help_text", at_once=True),
    "model": Own("[PROVIDER/NAME]", "Show the model, or ask another one from now on.", "slash_switching:model"),
    "plugins": Own("", "List the plugins and what they bring.", "slash_views:plugins", at_once=True),
    "profile": Own("[NAME]", "Show the profiles, or work with another one from now on.", "slash_switching:profile"),
    "quit": Own("", "Leave the conversation.", "slash:leave", at_once=True),
    "redo": Own("[TURN|CALL]", "Put changes on again that were undone.", "slash_changes:redo"),
    "resume": Own("[SESSION]", "Go on with another session; the last one if none is named.", "slash_sessions:resume"),
    "retry": Own("[undo]", "Ask the last prompt again; undo takes its changes back first.", "slash_changes:retry"),
    "sessions": Own("", "List the sessions of this directory.", "slash_sessions:sessions", at_once=True),
    "stats": Own("", "Show what the session took: requests, tokens, cost, time.", "slash_views:stats", at_once=True),
    "tools": Own("[NAME]", "List the tools, or show one.", "slash_views:tools", at_once=True),
    "undo": Own("[TURN|CALL]", "Take back what the last turn changed, or TURN or CALL.", "slash_changes:undo"),
}  # fmt: skip
# A path such as /etc/hosts, or // at the start of a comment, is no command.
_COMMAND = re.compile(r"/([A-Za-z0-9][A-Za-z0-9_.-]*)(?:\s+(.*))?", re.S)


@define(eq=False, repr=False)
class Context:
    """What a plugin's command may use of a conversation."""

    _talk: Talk
    prompts: list[str] = field(init=False, factory=list)

    @property
    def session_id(self) -> str:
        """The session in which the command was typed."""
        return self._talk.session.id

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a tool in the session, outside of its turns."""
        from inarch.sessions.calling import call_tool

        return await call_tool(self._talk.session.conversation, tool, arguments, None, "slash")

    def show(self, text: str) -> None:
        """Show text at once, made harmless."""
        self._talk.write(escape(text).rstrip("\n") + "\n")

    def submit(self, prompt: str) -> None:
        """Keep a prompt for the command's end.

        Raises:
            TypeError: It is no text.
            ValueError: There is nothing in it.
        """
        if not isinstance(prompt, str):
            raise TypeError(f"prompt must be str, not {type(prompt).__name__}")
        if not prompt.strip():
            raise ValueError("the submitted prompt is empty")
        self.prompts.append(prompt)


@define(eq=False, repr=False)
class SlashCommands:
    """Runs the lines of a conversation that are commands."""

    talk: Talk

    @property
    def brought(self) -> Mapping[str, Bound[SlashCommand]]:
        """The commands of plugins."""
        return self.talk.app.composition.slash_commands

    @staticmethod
    def takes(line: str) -> bool:
        """Whether a line is a command, known or not."""
        return _COMMAND.fullmatch(line) is not None

    @staticmethod
    def runs_at_once(line: str) -> bool:
        """Whether a line is a command that may run beside a turn."""
        found = _COMMAND.fullmatch(line)
        return found is not None and found[1] in OWN and OWN[found[1]].at_once

    async def run(self, line: str) -> None:
        """Run a line that is a command; what goes wrong is told, and a cancel ends the command only."""
        found = _COMMAND.fullmatch(line)
        assert found is not None
        name, words = found[1], (found[2] or "").strip()
        talk = self.talk
        app, session = talk.app, talk.session
        try:
            shown = await self._shown(name, words)
        except PluginError as error:
            session.conversation.journal.record(ErrorHappened(error.message, error.remedy, error.plugin, error.door))
            shown = error.message
        except InarchError as error:
            say("error", str(error))
            shown = str(error)
            if isinstance(error, StoreError):
                return  # nothing can be kept now, which was just said
        except asyncio.CancelledError:
            shown = "cancelled"
            say("note", f"/{name} was cancelled")
        else:
            talk.write(shown.rstrip("\n") + "\n" if shown else "")
        # It belongs to the session in which it was typed; after a new composition that one has a journal of its own.
        where = session if talk.app is app else talk.session
        where.conversation.journal.record(CommandRan(name, words, shown))
        if name not in OWN or (where.turns and not OWN[name].at_once):
            talk.flush(where)  # no turn may follow that would do it

    async def _shown(self, name: str, words: str) -> str:
        """Return what a command has to show, made harmless."""
        if name in OWN:
            from importlib import import_module

            module, function = OWN[name].place.split(":")
            handler: Handler = getattr(import_module(f"inarch.cli.{module}"), function)
            given = handler(self.talk, words)
            return await given if isawaitable(given) else given
        if name in self.brought:
            bound = self.brought[name]
            context = Context(self.talk)
            with guarded(bound.plugin, "command", passes=(StoreError,)):
                shown = escape(await _text(bound.value, words, context))
            self.talk.next_prompts += context.prompts
            return shown
        from inarch.config import nearest
        from inarch.contract.errors import UsageError

        near = nearest(f"/{name}", [f"/{known}" for known in (*OWN, *self.brought)])
        raise UsageError(f"there is no command /{name}", near)


async def _text(command: SlashCommand, words: str, context: SlashContext) -> str:
    given = command.start(words, context)
    text: object = await given if isawaitable(given) else given
    if not isinstance(text, str):
        raise TypeError(f"/{command.name} gave {text!r:.60}, not the text to show")
    return text


def help_text(talk: Talk, words: str) -> str:
    """Return the list of commands, or what is known of one."""
    from inarch.cli.terminal import shorten

    brought = {name: ("", bound.value.help) for name, bound in talk.app.composition.slash_commands.items()}
    rows = {f"/{name}": said for name, said in ({n: (o.words, o.help) for n, o in OWN.items()} | brought).items()}
    rows["!COMMAND"] = "", "Run a command in the workspace, confined; the model sees its output with the next prompt."
    rows["@PATH"] = "", "Put a file, a folder or a picture of the workspace into the prompt."
    if words:
        name = f"/{words.removeprefix('/')}"
        if name not in rows:
            from inarch.config import nearest
            from inarch.contract.errors import UsageError

            raise UsageError(f"there is no command {name}", nearest(name, rows))
        rows = {name: rows[name]}
    names = {name: f"{name} {said[0]}".rstrip() for name, said in rows.items()}
    wide = max(map(len, names.values()))
    columns = talk.columns()
    lines: list[str] = []
    for name, (_, text) in rows.items():
        text = escape(text, keep_newlines=False)
        if columns >= wide + 40:
            lines.append(shorten(f"{names[name]:<{wide}}  {text}", columns))
        else:
            lines += [names[name], *_indented(text, columns)]
    return "\n".join(lines)


def _indented(text: str, columns: int) -> list[str]:
    from textwrap import wrap

    return wrap(text, max(columns, 20), initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def leave(talk: Talk, words: str) -> str:
    """End the conversation."""
    talk.is_over = True
    return ""
