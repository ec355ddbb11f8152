"""The `/NAME words` of a conversation: run by the application, told at the terminal."""

from __future__ import annotations

import asyncio

from attrs import define

from inarch import InarchError, split_slash_command
from inarch.commands import say
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

    async def run(self, line: str) -> None:
        """Run a line that is a command; what goes wrong is told, and a cancel ends the command only."""
        talk, shown = self.talk, list[str]()
        app, (name, words) = talk.app, split_slash_command(line) or ("", "")

        def show(text: str) -> None:
            shown.append(text)
            talk.write(f"{text}\n")

        try:
            with talk.here():
                talk.next_prompts += await app.command(talk.session, line, show, talk.columns())
        except InarchError as error:
            shown.append(str(error))
            say("error", str(error))
        except asyncio.CancelledError:
            shown.append("cancelled")
            say("note", f"/{name} was cancelled")
        if talk.app is not app:  # the session goes on in another application, which has a journal of its own
            talk.session.state.journal.record(CommandRan(name, words, shown[-1] if shown else ""))
            talk.flush(talk.session)
