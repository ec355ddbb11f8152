"""Front ends by the name in `--output`, their protection against closed outputs, and the file of `INARCH_LOG`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from functools import cache
from typing import TYPE_CHECKING, Any

from attrs import define, field

from inarch.contract.capabilities import Beside, able, passed_on
from inarch.contract.errors import ConfigError, InarchError, PluginError, UsageError
from inarch.contract.front_ends import FrontEndOptions, FrontEndSpec
from inarch.contract.guard import KERNEL, guarded
from inarch.program.composer import tell_left_out
from inarch.program.failure import say
from inarch_lib.output.printer import Harmless
from inarch_sdk.port_checks import opened_fault

if TYPE_CHECKING:
    from loguru import Logger

    from inarch.contract.approval_records import Approval, ApprovalRequest
    from inarch.contract.events import Event
    from inarch.contract.front_ends import FrontEnd
    from inarch.plugins.composition import Composition
    from inarch.program.composer import Options
    from inarch.sessions.app import App

_LEVELS = ("trace", "debug", "info", "warning", "error")
_MOST_BYTES = 10_000_000
_MOST_OF_AN_EVENT = 2000
_descriptors: list[int] = []  # of the open file


@cache
def diagnostics() -> Logger | None:
    """Return the logger that writes the file, None if `INARCH_LOG` is not set.

    Raises:
        ConfigError: `INARCH_LOG` is not a level, or the file cannot be written.
    """
    level = os.environ.get("INARCH_LOG", "").lower()
    if not level:
        return None
    if level not in _LEVELS:
        raise ConfigError(f"{level!r} is no level", source="INARCH_LOG", remedy=f"one of {', '.join(_LEVELS)}")
    from loguru import logger

    from inarch.config.directories import state_dir

    path = state_dir(os.environ) / "inarch.log"
    logger.remove()
    try:
        from inarch_lib.staging import make_folder  # not on the start-up path

        make_folder(path.parent)
        logger.add(
            path, level=level.upper(), rotation=_MOST_BYTES, retention=2, diagnose=False, catch=False, opener=_private
        )
    except OSError as error:
        raise ConfigError(f"{path} can't be written: {error.strerror}", source="INARCH_LOG") from None
    return logger


def note_event(line: str) -> None:
    """Write the beginning of a redacted event."""
    logger = diagnostics()
    if logger is None:
        return
    try:
        logger.debug("{}", line[:_MOST_OF_AN_EVENT])
    except OSError as error:  # such as a full disk: diagnostics must not cause a fault
        _discard()
        logger.remove()
        say("note", f"the diagnostics file takes no more: {error.strerror}")


def _private(path: str, flags: int) -> int:
    descriptor = os.open(path, flags, 0o600)
    _descriptors[:] = [descriptor]
    return descriptor


def _discard() -> None:
    """Discard buffered data: closing writes, too, and would fail as the last write did."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in _descriptors:
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


@define(eq=False, repr=False)
class Display:
    """Front end as the kernel uses it; a closed output ends the turn in good order."""

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
        """Show an event, unless the output is closed."""
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
        finally:  # the kernel catches and reports any other error, and then shows it no more events
            self.broken_by = None if shown else sys.exc_info()[1]

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        """Ask, unless the output is closed."""
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
        """Keep other output off standard output; a plugin's front end may itself be printing."""
        if self.plugin != KERNEL:
            return nullcontext()
        said = able(self.front_end, Beside)
        return redirect_stdout(Harmless(sys.stderr if said is None else said.beside))

    def _door(self) -> AbstractContextManager[None]:
        """Name the plugin for its front end's errors; an error of the kernel's own is a crash to report."""
        if self.plugin == KERNEL:
            return nullcontext()
        return guarded(self.plugin, "front end", passes=(BrokenPipeError,))


def open_display(app: App, options: Options) -> Display:
    """Open the front end that `--output` names, possibly a plugin's.

    Raises:
        InarchError: No front end has this name, or a plugin's cannot be opened; the application is closed.
    """
    try:
        return Display(*_front_end(options, app.composition))
    except InarchError:
        tell_left_out(app)
        app.close()
        raise


def _front_end(options: Options, composition: Composition) -> tuple[FrontEnd, str]:
    """Return the requested front end, and the plugin that provides it."""
    bound = composition.front_ends.get(options.output)
    if bound is None:
        raise _unknown(options.output, composition)
    wanted = FrontEndOptions(options.quiet, options.no_color, options.plain)
    if bound.plugin in composition.builtins:  # its error is a crash to report
        return bound.value.open(wanted) if isinstance(bound.value, FrontEndSpec) else bound.value, KERNEL
    with guarded(bound.plugin, "front end", passes=(InarchError,)):
        opened = bound.value.open(wanted) if isinstance(bound.value, FrontEndSpec) else bound.value
        if fault := opened_fault("front end", opened):
            raise TypeError(fault)
        return opened, bound.plugin


def _unknown(name: str, composition: Composition) -> UsageError:
    from inarch.plugins.discovery import discover
    from inarch_sdk.suggestions import nearest

    message = f"--output {name!r} is not a front end of the kernel or of the profile's plugins"
    refused = next((item for item in composition.refused if item.name == name), None)
    if refused is not None:
        return UsageError(f"{message}: plugin {name!r} {refused.reason}", refused.remedy)
    left_out = [part for part in discover().builtins if part not in composition.builtins]
    near = nearest(name, composition.front_ends)
    return UsageError(message, near or (f"take -p no:{left_out[-1]} away" if left_out else ""))
