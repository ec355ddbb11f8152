"""A conversation line by line: on a terminal that can only be written, or shown by another front end."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from attrs import define

from inarch import StoreError, UsageError

if TYPE_CHECKING:
    from inarch import App, Launch
    from inarch_terminal.slash.talk import Talk


def plain(launch: Launch) -> int:
    """Talk line by line.

    Raises:
        InarchError: The configuration, the root or the store is not usable.
    """
    from inarch.host import columns_of
    from inarch_terminal.recap import recap
    from inarch_terminal.slash.talk import Talk

    app = launch.compose()
    talk: Talk | None = None
    with asyncio.Runner() as runner:
        try:
            session = launch.session(app)
            _greet(app)
            if before := recap(session, columns_of(sys.stdout)):
                sys.stderr.write(f"{before}\n")
            talk = Talk(app, session, launch, sys.stdout.write, lambda: columns_of(sys.stdout))
            with _leaving() as leaving:
                return _converse(runner, talk, leaving)
        finally:
            if app.front_end is not None:
                app.front_end.close()
            runner.run((talk.app if talk is not None else app).aclose())


class _Leave(BaseException):
    """A signal asks the program to end while it waits for a line."""


@define
class _Leaving:
    """Whether the program was asked to end, and whether it waits for a line, where that can be answered at once."""

    is_asked: bool = False
    at_prompt: bool = False


@contextmanager
def _leaving() -> Iterator[_Leaving]:
    """Take the signals that ask a program to end, such as the one of a terminal that is closed."""
    leaving = _Leaving()

    def handle(_number: int, _frame: object) -> None:
        leaving.is_asked = True
        if leaving.at_prompt:
            raise _Leave

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, handle)
    try:
        yield leaving
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _greet(app: App) -> None:
    """Say how to talk, and how well the commands that a model may run are confined here."""
    from inarch import InarchError
    from inarch.figures import confinement_words
    from inarch.host import say

    sys.stderr.write("Ask about this directory. Ctrl-C cancels a turn; Ctrl-D or /quit leaves; /help lists commands.\n")
    if app.runners:
        try:
            sys.stderr.write(f"Commands are {confinement_words(app.workspace.confinement())}.\n")
        except InarchError as error:
            say("note", str(error))


def _converse(runner: asyncio.Runner, talk: Talk, leaving: _Leaving) -> int:
    """Read lines until the end of input; a turn that goes wrong doesn't end the conversation."""
    from inarch.host import CANCELLED, say

    try:
        import readline  # noqa: F401  # input() then edits and remembers lines
    except ImportError:
        pass
    while not leaving.is_asked:
        try:
            line = _line(leaving)
        except _Leave:
            break
        except EOFError:
            sys.stderr.write("\n")
            return 0
        except KeyboardInterrupt:
            sys.stderr.write("\n(Ctrl-D leaves)")
            continue
        try:
            _do(runner, talk, line)
        except (StoreError, UsageError) as error:
            say("error", str(error))
        if talk.is_over:
            return 0
    return CANCELLED


def _line(leaving: _Leaving) -> str:
    leaving.at_prompt = True
    try:
        return input("\n> ").strip()
    finally:
        leaving.at_prompt = False


def _do(runner: asyncio.Runner, talk: Talk, line: str) -> None:
    """Do a line: a command, or a prompt and what a command wants to be asked."""
    from inarch_terminal.slash.running import SlashCommands
    from inarch_terminal.user_commands import run_command

    if SlashCommands.takes(line):
        runner.run(_interruptible(SlashCommands(talk).run(line)))
    elif line.startswith("!"):
        runner.run(_interruptible(run_command(talk.session, line[1:].strip(), talk.write)))
    elif line:
        runner.run(talk.launch.run(talk.session, line))
    sys.stdout.flush()
    while talk.next_prompts:
        runner.run(talk.launch.run(talk.session, talk.next_prompts.pop(0)))


async def _interruptible(doing: Coroutine[Any, Any, None]) -> None:
    """Do something that Ctrl-C cancels."""
    from inarch.host import interrupts

    loop = asyncio.get_running_loop()
    task = loop.create_task(doing)
    with interrupts(lambda: loop.call_soon_threadsafe(task.cancel)):
        await task
