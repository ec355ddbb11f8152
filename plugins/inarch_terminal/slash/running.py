"""The `/NAME words` of a conversation: run by the application, told at the terminal."""

from __future__ import annotations

import asyncio

from attrs import define

from inarch import ConfigError, Event, InarchError, UsageError, split_slash_command
from inarch.commands import ANSWERED, CANCELLED, FAILED, USAGE, say
from inarch.host import CommandRan
from inarch_terminal.slash.talk import Talk


@define(eq=False, repr=False)
class SlashCommands:
    """Runs the lines of a conversation that are commands."""

    talk: Talk

    @staticmethod
    def takes(line: str) -> bool:
        """Whether a line is a command, known or not."""
        return split_slash_command(line) is not None

    def runs_at_once(self, line: str) -> bool:
        """Whether a line is a command that may run beside a turn."""
        name, _ = split_slash_command(line) or ("", "")
        bound = self.talk.app.composition.slash_commands.get(name)
        return bound is not None and bound.value.at_once

    async def run(self, line: str) -> int:
        """Run a line that is a command and return its exit code.

        What goes wrong is told, and a cancel ends the command only.
        """
        talk, shown, code = self.talk, list[str](), ANSWERED
        app, (name, words) = talk.app, split_slash_command(line) or ("", "")

        def show(text: str) -> None:
            shown.append(text)
            talk.write(f"{text}\n")

        def hear(event: Event) -> None:
            nonlocal code
            code = FAILED if event.kind == "error" else code  # what fails in a plugin's command is recorded, not raised

        journal = talk.session.state.journal
        journal.listeners.append(hear)
        try:
            with talk.here():
                talk.next_prompts += await app.command(talk.session, line, show, talk.columns())
        except InarchError as error:
            code = USAGE if isinstance(error, (UsageError, ConfigError)) else FAILED
            shown.append(str(error))
            say("error", str(error))
        except asyncio.CancelledError:
            code = CANCELLED
            shown.append("cancelled")
            say("note", f"/{name} was cancelled")
        finally:
            journal.listeners.remove(hear)
        if talk.app is not app:  # the session goes on in another application, which has a journal of its own
            talk.session.state.journal.record(CommandRan(name, words, shown[-1] if shown else ""))
            talk.flush(talk.session)
        return code
