"""The one place where foreign code is called: whatever it raises becomes a `PluginError` that names the culprit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, TypeVar

from inarch.contract.errors import Cancelled, InarchError, PluginError, ProviderError, ToolFailed

Door = Literal[
    "load", "hook", "tool", "tracer", "policy", "strategy", "source", "provider", "store", "workspace", "front end",
    "command", "settings",
]  # fmt: skip

T = TypeVar("T")

KERNEL = "inarch"
"""The name under which the kernel's own parts stand where a plugin's name would."""


@contextmanager
def guarded(
    plugin: str, door: Door, passes: tuple[type[BaseException], ...] = (ProviderError, ToolFailed)
) -> Iterator[None]:
    """Run foreign code; turn what it raises into a `PluginError`, except the errors of the contract.

    At the doors `load` and `hook` also `SystemExit` and every other `BaseException` but `KeyboardInterrupt` is caught,
    because nothing of a plugin is needed yet.

    Args:
        plugin: The plugin's name.
        door: What was being done.
        passes: Errors that go through unchanged.

    Raises:
        PluginError: The code raised something else.
    """
    wide = door in ("load", "hook")
    try:
        yield
    except (KeyboardInterrupt, Cancelled, PluginError):
        raise
    except BaseException as error:
        if isinstance(error, passes) or not (wide or isinstance(error, Exception)):
            raise
        what = str(error) if isinstance(error, InarchError) else f"{type(error).__name__}: {error}".rstrip(": ")
        raise PluginError(
            f"plugin {plugin!r} failed at {door}: {what}",
            plugin=plugin,
            door=door,
            remedy="report it" if plugin == KERNEL else f"leave it out with -p no:{plugin}, or report it to its author",
        ) from error


def call_guarded(
    plugin: str, door: Door, passes: tuple[type[BaseException], ...], function: Callable[[T], object], argument: T
) -> None:
    """Call foreign code `guarded`; for what is called with every event, costs nothing until it fails.

    Raises:
        PluginError: The code raised something that is not among `passes`.
    """
    try:
        function(argument)
    except BaseException:
        with guarded(plugin, door, passes):
            raise
