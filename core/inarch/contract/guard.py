"""Guarded calls of foreign code: any exception becomes a `PluginError` that names the plugin."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from inspect import isawaitable
from typing import Literal, TypeVar

from inarch.contract.errors import Cancelled, InarchError, PluginError, ProviderError, ToolFailed, UsageError

Door = Literal[
    "load", "hook", "tool", "tracer", "policy", "strategy", "source", "compaction", "provider", "store", "workspace",
    "front end", "command", "settings", "extension", "exporter", "check", "rewriter", "reviewer", "end guard",
    "approver",
]  # fmt: skip

T = TypeVar("T")

KERNEL = "inarch"
"""Name of the kernel's own parts in place of a plugin's name."""
OURS = frozenset({"inarch", "inarch_lib", "inarch_sdk", "inarch_testing"})
"""The packages of the kernel and its libraries."""
_BETWEEN = OURS | {"pluggy", "attr", "attrs", "cattr", "cattrs", "jsonschema"}
"""Modules that call a plugin's code, or run on its behalf, and so cannot be the place of its fault.

Any other package that does so sets `__tracebackhide__`.
"""


@contextmanager
def guarded(
    plugin: str, door: Door, passes: tuple[type[BaseException], ...] = (ProviderError, ToolFailed)
) -> Iterator[None]:
    """Run foreign code; turn its exceptions into a `PluginError`, except the errors of the contract.

    At the doors `load` and `hook`, it also catches `SystemExit` and every other `BaseException` but
    `KeyboardInterrupt`, because nothing depends on the plugin yet.

    Args:
        plugin: The plugin's name.
        door: The operation.
        passes: Exceptions that pass unchanged.

    Raises:
        PluginError: The code raised any other exception.
    """
    wide = door in ("load", "hook")
    try:
        yield
    except (KeyboardInterrupt, Cancelled, PluginError):
        raise
    except BaseException as error:
        if isinstance(error, passes) or not (wide or isinstance(error, Exception)):
            raise
        raise blame(plugin, door, f"failed at {door}: {_told(error)}{_place(error)}") from error


def blame(plugin: str, door: Door, what: str) -> PluginError:
    """Return the error that names a plugin, with the remedy that works for any."""
    return PluginError(f"plugin {plugin!r} {what}", plugin=plugin, door=door, remedy=leaving_out(plugin))


def leaving_out(plugin: str) -> str:
    """Return the remedy for a plugin that fails."""
    return "report it" if plugin == KERNEL else f"leave it out with -p no:{plugin}, or report it to its author"


def left_out(what: str, part: str) -> UsageError:
    """Return the error for something in a built-in part that is left out."""
    return UsageError(f"{what} belongs to the built-in part {part!r}, which is left out", f"take -p no:{part} away")


def _told(error: BaseException) -> str:
    """Describe an error, even if its own text is foreign code that fails."""
    name = type.__dict__["__name__"].__get__(type(error))  # a metaclass may have its own `__name__`
    try:
        return str(error) if isinstance(error, InarchError) else f"{name}: {error}".rstrip(": ")
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - as above
        return f"{name} (its own text fails)"


def _place(error: BaseException) -> str:
    """Return the plugin's place in the code: the innermost line in a file that is neither Inarch's nor Python's."""
    import sys
    from pathlib import PurePath

    from inarch.contract.metadata import package_of

    file, line, trace = "", 0, error.__traceback__
    while trace is not None:
        code, module = trace.tb_frame.f_code, trace.tb_frame.f_globals.get("__name__")
        top = module.partition(".")[0] if type(module) is str else ""
        foreign = top not in _BETWEEN and top not in sys.stdlib_module_names and not code.co_filename.startswith("<")
        foreign = foreign and not getattr(sys.modules.get(package_of(str(module))), "__tracebackhide__", False)
        if code.co_filename == file or (not file and foreign):
            file, line = code.co_filename, trace.tb_lineno
        trace = trace.tb_next
    return f" ({PurePath(file).name}, line {line})" if file and not isinstance(error, SyntaxError) else ""


def call_guarded(
    plugin: str, door: Door, passes: tuple[type[BaseException], ...], function: Callable[[T], object], argument: T
) -> None:
    """Call foreign code `guarded`; this is for calls at every event and costs nothing until one fails.

    Raises:
        PluginError: The code raised an exception that is not in `passes`.
    """
    try:
        function(argument)
    except BaseException:
        with guarded(plugin, door, passes):
            raise


def pending(given: Awaitable[T], method: str) -> Awaitable[T]:
    """Return the awaitable that an `async def` method returned.

    Raises:
        TypeError: The method is a plain function.
    """
    if not isawaitable(given):
        raise TypeError(f"{method} must be an `async def`")
    return given
