"""What must stay as it is when a plugin is loaded into this process, although its probe found nothing wrong with it.

A plugin can tell that it is being probed. This is the cheap part of what the probe looks at, with the means to put it
back; what can't be put back (a hang, an exit) only a process of its own contains.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from inarch.contract.errors import PluginError

_STREAMS = ("stdin", "stdout", "stderr")
_SIGNALS = (1, 2, 15)  # HUP, INT, TERM: how a run is ended; importing `signal` would cost more than all of this
_ABSENT = object()


@contextmanager
def standing(plugin: str) -> Iterator[None]:
    """Load a foreign plugin; put back what it must not touch, and refuse it for that.

    Handlers of the signals that end a run and the excepthook are put back without a word: check tells of them.

    Raises:
        PluginError: The plugin replaced a builtin or a standard stream, or changed the working directory.
    """
    names, streams, directory = dict(vars(builtins)), [getattr(sys, name) for name in _STREAMS], _directory()
    hook, handlers = sys.excepthook, _handlers()
    changed: list[str] = []
    try:
        yield
    finally:
        now = vars(builtins)
        changed += [f"replaces builtins.{name}" for name in names if now.get(name, _ABSENT) is not names[name]]
        now.update(names)
        for name, stream in zip(_STREAMS, streams, strict=True):
            if getattr(sys, name, _ABSENT) is not stream:
                changed.append(f"replaces sys.{name}")
                setattr(sys, name, stream)
        if directory and _directory() != directory:
            changed.append("changes the working directory")
            os.chdir(directory)
        sys.excepthook = hook
        _put_back(handlers)
    changed = [text for text in changed if text != "replaces builtins._"]
    if changed:
        raise PluginError(
            f"plugin {plugin!r} {changed[0]} while it is loaded, and did not in its probe",
            plugin=plugin,
            door="load",
            remedy=f"leave it out with -p no:{plugin}, and trust it less",
        )


def _directory() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - start-up path
    except OSError:  # it was removed
        return ""


def _handlers() -> list[object]:
    try:
        import _signal as signals  # type: ignore[import-not-found]
    except ImportError:  # an interpreter without that name for it
        return []
    return [signals.getsignal(number) for number in _SIGNALS]


def _put_back(handlers: list[object]) -> None:
    for number, handler in zip(_SIGNALS, handlers, strict=False):
        import _signal as signals

        if signals.getsignal(number) is not handler and handler is not None:
            signals.signal(number, handler)
