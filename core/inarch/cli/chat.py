"""`inarch chat`, or `inarch` alone on a terminal: a line, a turn, in one session."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from inarch.cli.options import all_options
from inarch.cli.terminal import is_terminal
from inarch.contract.errors import StoreError, UsageError

if TYPE_CHECKING:
    from asyncio import Runner

    from inarch.cli.slash import SlashCommands
    from inarch.cli.turn import Display
    from inarch.sessions.app import App
    from inarch.sessions.session import Session


@click.command("chat")
@all_options
def chat(**given: Any) -> int:
    """Talk in one session: Ctrl-C cancels a turn, Ctrl-D leaves."""
    from asyncio import Runner

    from inarch.cli.composing import Options, open_session
    from inarch.cli.slash import SlashCommands
    from inarch.cli.turn import compose_display

    options = Options.of(given)
    if not is_terminal(sys.stdin):
        raise UsageError("a conversation needs a terminal", 'ask one question with inarch "…" or inarch ask')
    app, display = compose_display(options)
    with Runner() as runner:
        try:
            session = open_session(app, options)
            _greet(app)
            talk = session.conversation
            slash = SlashCommands(app.composition.slash_commands, talk.journal, runner, talk.scheduler.grants, session)
            return _converse(runner, session, display, slash)
        finally:
            display.close()
            runner.run(app.aclose())


def _greet(app: App) -> None:
    """Say how to talk, and how well the commands that a model may run are confined here."""
    from inarch.cli.failure import say
    from inarch.cli.front_ends.words import confinement_words
    from inarch.contract.errors import InarchError

    sys.stderr.write("Ask about this directory. Ctrl-C cancels a turn; Ctrl-D or /quit leaves; /help lists commands.\n")
    if "execute_command" in app.composition.tools:
        try:
            sys.stderr.write(f"Commands are {confinement_words(app.workspace.confinement())}.\n")
        except InarchError as error:
            say("note", str(error))


def _converse(runner: Runner, session: Session, display: Display, slash: SlashCommands) -> int:
    """Read lines until the end of input; a turn that goes wrong doesn't end the conversation."""
    from inarch.cli.failure import say
    from inarch.cli.turn import drive
    from inarch.cli.user_commands import run_command

    try:
        import readline  # noqa: F401  # input() then edits and remembers lines
    except ImportError:
        pass
    while True:
        try:
            line = input("\n> ").strip()
        except EOFError:
            sys.stderr.write("\n")
            return 0
        except KeyboardInterrupt:
            sys.stderr.write("\n(Ctrl-D leaves)")
            continue
        try:
            if slash.took(line):
                if slash.is_over:
                    return 0
            elif line == "!":
                say("error", "give a command after the !, such as !ls")
            elif line.startswith("!"):
                run_command(session, runner, line[1:].strip())
            elif line:
                runner.run(drive(session, line, display))
        except (StoreError, UsageError) as error:
            say("error", str(error))
