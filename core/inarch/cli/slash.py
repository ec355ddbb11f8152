"""The `/NAME words` of a conversation: the kernel's own, such as `/help`, and what plugins bring."""

from __future__ import annotations

import re
import sys
from collections.abc import Awaitable, Mapping
from inspect import isawaitable
from typing import TYPE_CHECKING

from attrs import define

from inarch.cli.failure import say
from inarch.cli.terminal import escape
from inarch.contract.doors import guarded
from inarch.contract.errors import PluginError, StoreError
from inarch.contract.events import CommandRan, ErrorHappened

if TYPE_CHECKING:
    from asyncio import Runner

    from inarch.calls.grants import Grants
    from inarch.contract.ports import SlashCommand
    from inarch.journal import Journal
    from inarch.plugins import Bound
    from inarch.sessions.session import Session

OWN = {
    "approve": "List what runs without a question here; revoke [all|ID] takes it back.",
    "compact": "Keep of all but the last [KEEP] turns only prompt and answer; 1 by default.",
    "context": "Show what the model sees and where its tokens go.",
    "help": "List the commands.",
    "quit": "Leave the conversation.",
}
# A path such as /etc/hosts, or // at the start of a comment, is no command.
_COMMAND = re.compile(r"/([A-Za-z0-9][A-Za-z0-9_.-]*)(?:\s+(.*))?", re.S)


@define(eq=False, repr=False)
class SlashCommands:
    """Runs the lines of a conversation that are commands."""

    commands: Mapping[str, Bound[SlashCommand]]
    journal: Journal
    runner: Runner
    grants: Grants
    session: Session | None = None
    is_over: bool = False

    def took(self, line: str) -> bool:
        """Run the line if it is a command, and say whether it was; `is_over` is set after `/quit`."""
        found = _COMMAND.fullmatch(line)
        if found is None:
            return False
        name, words = found[1], found[2] or ""
        if name == "quit":
            self.is_over = True
        elif name == "help":
            self._help()
        elif name == "approve":
            from inarch.cli.approved import approve

            sys.stdout.write("".join(f"{escape(said, keep_newlines=False)}\n" for said in approve(self.grants, words)))
        elif name in ("context", "compact") and self.session is not None:
            self._tokens(self.session, name, words)
        elif name in self.commands:
            self._run(self.commands[name], words)
        else:
            from inarch.config import nearest

            near = nearest(f"/{name}", [f"/{known}" for known in (*OWN, *self.commands)])
            say("error", f"there is no command /{name} ({near})")
        return True

    def _help(self) -> None:
        rows = {**OWN, **{name: bound.value.help for name, bound in self.commands.items()}}
        columns = max(map(len, rows))
        for name, text in rows.items():
            sys.stdout.write(f"/{name:<{columns}}  {escape(text, keep_newlines=False)}\n")
        sys.stdout.write(f"!{'COMMAND':<{columns}}  Run a command in the workspace, confined.\n")

    def _run(self, bound: Bound[SlashCommand], words: str) -> None:
        name, shown = bound.value.name, ""
        try:
            with guarded(bound.plugin, "command", passes=()):
                shown = self._shown(bound.value, words)
        except PluginError as error:
            self.journal.record(ErrorHappened(error.message, error.remedy, error.plugin, error.door))
            shown = error.message
        except KeyboardInterrupt:
            shown = "cancelled"
            say("note", f"/{name} was cancelled")
        else:
            sys.stdout.write(escape(shown).rstrip("\n") + "\n" if shown else "")
        self._ran(name, words, shown)

    def _tokens(self, session: Session, name: str, words: str) -> None:
        from inarch.cli.context_view import compact_text, context_text
        from inarch.cli.terminal import columns_of

        show = context_text if name == "context" else compact_text
        shown = show(session, words, columns_of(sys.stdout))
        sys.stdout.write(escape(shown) + "\n")
        self._ran(name, words, shown)

    def _ran(self, name: str, words: str, shown: str) -> None:
        sys.stdout.flush()
        self.journal.record(CommandRan(name, words, shown))
        try:
            self.journal.flush()  # no turn may follow that would do it
        except StoreError as error:
            say("error", str(error))

    def _shown(self, command: SlashCommand, words: str) -> str:
        given = command.run(words)
        text: object = self.runner.run(_awaited(given)) if isawaitable(given) else given
        if not isinstance(text, str):
            raise TypeError(f"/{command.name} gave {text!r:.60}, not the text to show")
        return text


async def _awaited(given: Awaitable[str]) -> str:
    return await given
