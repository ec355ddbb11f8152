"""One turn from the command line: shown by a front end, ended in order by Ctrl-C, reported by the exit code."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from inarch.contract.errors import InarchError, PluginError, UsageError
from inarch.contract.slash_commands import split_slash_command
from inarch.program.composer import Options, compose_app, open_session
from inarch.program.failure import CANCELLED, FAILED, exit_code, interrupts, say
from inarch.program.groups import slip_of
from inarch.program.output_choice import Display, open_display
from inarch_lib.output.escapes import escape

if TYPE_CHECKING:
    from inarch.contract.records import Turn
    from inarch.sessions.app import App
    from inarch.sessions.session import Session


def run_prompt(prompt: str, options: Options) -> int:
    """Run one turn in the session that `options` names and return the exit code."""
    app = compose_app(options)
    app.front_end = display = open_display(app, options)
    pressed: list[bool] = []

    async def once() -> int:
        try:
            session = open_session(app, options)
            return await drive(session, prompt, display, lambda: bool(pressed), partial(_prompts, app, session))
        finally:
            display.close()
            await app.aclose()

    # With its own handler in place asyncio.run installs none; that one can stop the loop between a task's end and
    # the loop's noticing it.
    with interrupts(lambda _: pressed.append(True)):
        return asyncio.run(once())


async def drive(
    session: Session,
    prompt: str,
    display: Display,
    is_interrupted: Callable[[], bool] = lambda: False,
    prompts: Callable[[str], Awaitable[Sequence[str]]] | None = None,
) -> int:
    """Run a turn to its end, or to its orderly end after Ctrl-C, and return its exit code.

    Args:
        session: The session.
        prompt: The prompt.
        display: The front end.
        is_interrupted: Whether a signal came before the turn could handle it.
        prompts: Expands the prompt to the prompts to run.

    Raises:
        UsageError: The prompt or the configuration is not usable.
        OSError: Standard output was closed or is full; the turn is recorded as cancelled.
    """
    loop = asyncio.get_running_loop()
    task = loop.create_task(_run(session, prompt, display, prompts))

    def cancel(*_: int) -> None:
        loop.call_soon_threadsafe(task.cancel)

    display.on_closed = cancel
    with interrupts(cancel):
        if is_interrupted():
            cancel()
        code = await _ended(task, display)
    if display.closed_by is not None:
        raise display.closed_by
    return code


async def _prompts(app: App, session: Session, prompt: str) -> Sequence[str]:
    """Return the prompts that a command makes of its arguments; any other prompt is returned unchanged.

    Raises:
        UsageError: It is not a command, and one typo away from one that asks.
    """
    name, _ = split_slash_command(prompt) or ("", "")
    commands = app.composition.slash_commands
    bound = commands.get(name)
    if name and bound is None:
        asking = [known for known, one in commands.items() if one.value.asks]
        if near := slip_of(name, lambda: asking, "-_.:"):
            said = f"there is no command /{name}; did you mean '/{near}'?"
            raise UsageError(said, "with a word before it, it is asked unchanged")
    if bound is None and name == "goal":  # asked unchanged, it would seem to be met
        raise UsageError("a goal needs the plugin goal, which is left out", "add it to the profile's plugins")
    if bound is None or not bound.value.asks:
        if name:
            what = "no command here" if bound is None else "a command of conversations only"
            say("note", f"/{name} is {what}, so it is asked unchanged")
        return (prompt,)
    return await app.command(session, prompt, partial(say, "note"))


async def _run(
    session: Session, prompt: str, display: Display, prompts: Callable[[str], Awaitable[Sequence[str]]] | None
) -> Turn | None:
    """Run the turn; standard output is the front end's, so what tools print meanwhile goes to standard error."""
    turn = None
    with display.keeping_stdout():
        for one in (prompt,) if prompts is None else await prompts(prompt):
            turn = await session.run(one)
    return turn


async def _ended(task: asyncio.Task[Turn | None], display: Display) -> int:
    try:
        turn = await task
    except asyncio.CancelledError:
        return CANCELLED
    except UsageError:
        raise
    except InarchError as error:  # the store's: the turn's own are in its record
        say("error", str(error))
        return FAILED
    if turn is None:  # the command said why it asks nothing
        return FAILED
    if display.broken_by is not None:
        sys.stdout.write(escape(turn.content) + "\n")
        if not isinstance(display.broken_by, PluginError):
            raise display.broken_by
        say("error", str(display.broken_by))
    return exit_code(turn.status, unmet=turn.unmet)
