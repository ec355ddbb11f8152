"""One turn from the command line: a front end shows it, Ctrl-C ends it in good order, the exit code says how."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from inarch.contract.errors import InarchError, PluginError, UsageError
from inarch.program.composing import Options, compose_app, open_session
from inarch.program.failure import CANCELLED, FAILED, exit_code, say
from inarch.program.interrupts import interrupts
from inarch.program.showing import Display, open_display
from inarch_output.escaping import escape

if TYPE_CHECKING:
    from inarch.contract.records import Turn
    from inarch.sessions.session import Session


def run_prompt(prompt: str, options: Options) -> int:
    """Run one turn in the session that `options` names and return the exit code."""
    app = compose_app(options)
    app.front_end = display = open_display(app, options)
    pressed: list[bool] = []

    async def once() -> int:
        try:
            return await drive(open_session(app, options), prompt, display, lambda: bool(pressed))
        finally:
            display.close()
            await app.aclose()

    # With a handler of our own in place asyncio.run installs none; its own can stop the loop between a task's end and
    # the loop's knowing of it.
    with interrupts(lambda _: pressed.append(True)):
        return asyncio.run(once())


async def drive(
    session: Session, prompt: str, display: Display, is_interrupted: Callable[[], bool] = lambda: False
) -> int:
    """Run a turn to its end, or to its orderly end after Ctrl-C, and return its exit code.

    Args:
        session: Where it runs.
        prompt: What is asked.
        display: Who shows it.
        is_interrupted: Whether a signal came before the turn could take it.

    Raises:
        UsageError: The prompt or the configuration is not usable.
        OSError: Standard output was closed or is full; the turn is recorded as cancelled.
    """
    loop = asyncio.get_running_loop()
    task = loop.create_task(_run(session, prompt, display))

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


async def _run(session: Session, prompt: str, display: Display) -> Turn:
    """Run the turn; standard output is the front end's, so what tools print meanwhile goes to standard error."""
    with display.keeping_stdout():
        return await session.run(prompt)


async def _ended(task: asyncio.Task[Turn], display: Display) -> int:
    try:
        turn = await task
    except asyncio.CancelledError:
        return CANCELLED
    except UsageError:
        raise
    except InarchError as error:  # the store's: the turn's own are in its record
        say("error", str(error))
        return FAILED
    if display.broken_by is not None:
        sys.stdout.write(escape(turn.content) + "\n")
        if not isinstance(display.broken_by, PluginError):
            raise display.broken_by
        say("error", str(display.broken_by))
    return exit_code(turn.status, unmet=turn.unmet)
