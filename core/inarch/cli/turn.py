"""One turn from the command line: a front end shows it, Ctrl-C ends it in good order, the exit code says how."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from typing import TYPE_CHECKING, Any

from attrs import define, field

from inarch.cli.composing import Options, compose_app, open_session, tell_left_out
from inarch.cli.diagnostics import diagnostics, note_event
from inarch.cli.failure import CANCELLED, FAILED, exit_code, say
from inarch.cli.front_ends import make_front_end
from inarch.cli.interrupts import interrupts
from inarch.cli.terminal import Harmless, escape
from inarch.contract.doors import KERNEL, guarded
from inarch.contract.errors import InarchError, PluginError, UsageError
from inarch.contract.ports import passed_on

if TYPE_CHECKING:
    from inarch.contract.events import Event
    from inarch.contract.ports import ApprovalRequest, FrontEnd
    from inarch.contract.records import Approval, Turn
    from inarch.sessions.app import App
    from inarch.sessions.session import Session


def run_prompt(prompt: str, options: Options) -> int:
    """Run one turn in the session that `options` names and return the exit code."""
    app, display = compose_display(options)
    pressed: list[bool] = []

    async def once() -> int:
        try:
            return await drive(open_session(app, options), prompt, display, lambda: bool(pressed))
        finally:
            display.close()
            await app.aclose()

    # With a handler of our own in place asyncio.run installs none; its own can stop the loop between a task's end and
    # the loop's knowing of it.
    with interrupts(lambda: pressed.append(True)):
        return asyncio.run(once())


def compose_display(options: Options) -> tuple[App, Display]:
    """Compose the application with the display that `--output` names; a plugin may have brought it.

    Raises:
        InarchError: The configuration, the root or the store is not usable, no front end has this name, or a plugin's
            can't be opened.
    """
    app = compose_app(options)
    try:
        display = Display(*make_front_end(options, app.composition))
    except InarchError:
        tell_left_out(app)
        app.close()
        raise
    app.front_end = display
    return app, display


@define(eq=False, repr=False)
class Display:
    """The front end as the kernel sees it: an output that takes no more ends the turn in good order."""

    front_end: FrontEnd
    plugin: str = KERNEL
    on_closed: Callable[[], object] | None = None
    closed_by: OSError | None = None
    broken_by: BaseException | None = None
    logs: bool = field(factory=lambda: diagnostics() is not None)

    @property
    def name(self) -> str:
        """The front end's name."""
        return self.front_end.name

    def show(self, event: Event) -> None:
        """Show an event, unless the output takes no more."""
        if self.closed_by is not None:
            return
        if self.logs and event.kind != "model.delta":
            note_event(event.line)
        shown = False
        try:
            with self._door():
                self.front_end.show(event)
            shown = True
        except OSError as error:
            self.closed_by = error
            if self.on_closed is not None:
                self.on_closed()
        finally:  # what else it raises is caught and told by the kernel, which then shows it nothing more
            self.broken_by = None if shown else sys.exc_info()[1]

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        """Ask, unless the output takes no more."""
        if self.closed_by is not None:
            return []
        with self._door():
            return await self.front_end.approve(batch)

    def close(self) -> None:
        """Finish the display."""
        if self.closed_by is not None:
            return
        try:
            with self._door():
                self.front_end.close()
        except PluginError as error:
            say("error", str(error))

    def __getattr__(self, name: str) -> Any:
        return passed_on("front_ends", self.front_end, name)

    def keeping_stdout(self) -> AbstractContextManager[object]:
        """Keep what others print off standard output; a plugin's front end may itself be printing."""
        beside = getattr(self.front_end, "beside", sys.stderr)
        return redirect_stdout(Harmless(beside)) if self.plugin == KERNEL else nullcontext()

    def _door(self) -> AbstractContextManager[None]:
        """Name the plugin for what its front end raises; what the kernel's own raise is a crash to be reported."""
        if self.plugin == KERNEL:
            return nullcontext()
        return guarded(self.plugin, "front end", passes=(BrokenPipeError,))


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

    def cancel() -> None:
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
