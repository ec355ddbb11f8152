"""The `/NAME words` of a conversation: what built-in parts, such as `/help`, and plugins bring."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from attrs import define, field

from inarch import InarchError, PluginError, StoreError, escape
from inarch.host import CommandRan, ErrorHappened, guarded, say

if TYPE_CHECKING:
    from inarch import SlashCommand, SlashContext, ToolResult
    from inarch.host import Bound
    from inarch_terminal.slash.talk import Talk

# A path such as /etc/hosts, or // at the start of a comment, is no command.
_COMMAND = re.compile(r"/([A-Za-z0-9][A-Za-z0-9_.-]*)(?:\s+(.*))?", re.S)


@define(eq=False, repr=False)
class Context:
    """What a command may use of a conversation; those of Inarch itself use `talk`, which is promised to nobody."""

    talk: Talk
    plugin: str
    only_tells: bool = False
    prompts: list[str] = field(init=False, factory=list)

    @property
    def session_id(self) -> str:
        """The session in which the command was typed."""
        return self.talk.session.id

    @property
    def columns(self) -> int:
        """How wide the screen is."""
        return self.talk.columns()

    def extension(self, name: str) -> Any:
        """Return what a plugin adds to the session.

        Raises:
            UsageError: No plugin brings it.
        """
        return self.talk.session.extension(name)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a tool in the session, outside of its turns.

        Raises:
            RuntimeError: The command may run beside a turn.
        """
        if self.only_tells:
            raise RuntimeError("a command with at_once may run beside a turn, so it can't call tools")
        return await self.talk.session.call_tool(tool, arguments, origin="slash")

    def show(self, text: str) -> None:
        """Show text at once, made harmless."""
        self.talk.write(escape(text).rstrip("\n") + "\n")

    def record(self, name: str, data: Mapping[str, Any]) -> None:
        """Record an event of a kind that the plugin declares.

        Raises:
            TypeError, ValueError: It is none of those.
        """
        talk = self.talk.session.state
        talk.journal.record(talk.scheduler.events.checked(self.plugin, name, data))

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
    def known(self) -> Mapping[str, Bound[SlashCommand]]:
        """All commands."""
        return self.talk.app.composition.slash_commands

    @staticmethod
    def takes(line: str) -> bool:
        """Whether a line is a command, known or not."""
        return _COMMAND.fullmatch(line) is not None

    def runs_at_once(self, line: str) -> bool:
        """Whether a line is a command that may run beside a turn."""
        found = _COMMAND.fullmatch(line)
        return found is not None and found[1] in self.known and self.known[found[1]].value.at_once

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
            session.state.journal.record(ErrorHappened(error.message, error.remedy, error.plugin, error.door))
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
        where.state.journal.record(CommandRan(name, words, shown))
        if (where.state.turns and not self.runs_at_once(line)) or not self._is_own(name):
            talk.flush(where)  # no turn may follow that would do it

    def _is_own(self, name: str) -> bool:
        """Whether a command is of Inarch itself."""
        return name in self.known and self.known[name].plugin in self.talk.app.composition.builtins

    async def _shown(self, name: str, words: str) -> str:
        """Return what a command has to show, made harmless."""
        if name in self.known:
            bound = self.known[name]
            context = Context(self.talk, bound.plugin, bound.value.at_once)
            if self._is_own(name):
                shown = await _text(bound.value, words, context)
            else:
                with guarded(bound.plugin, "command", passes=(StoreError,)):
                    shown = escape(await _text(bound.value, words, context))
            self.talk.next_prompts += context.prompts
            return shown
        from inarch import UsageError
        from inarch.host import nearest

        near = nearest(f"/{name}", [f"/{known}" for known in self.known])
        raise UsageError(f"there is no command /{name}", near)


async def _text(command: SlashCommand, words: str, context: SlashContext) -> str:
    given = command.start(words, context)
    text: object = await given if isawaitable(given) else given
    if not isinstance(text, str):
        raise TypeError(f"/{command.name} gave {text!r:.60}, not the text to show")
    return text
