"""What a plugin may change around itself while it is loaded: looked at before and after, in the probe child.

Whatever everybody else relies on (builtins, the standard library's own functions, Inarch itself) must stay as it was.
Settings of the process that have owners, such as signal handlers, are told and not refused.
"""

from __future__ import annotations

import asyncio
import atexit
import builtins
import gc
import io
import json
import locale
import logging
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NamedTuple

from inarch.contract.guarding import OURS
from inarch.contract.ports import ToolFunction

_WATCHED = (builtins, os, sys, io, json, subprocess, socket, asyncio, pathlib, threading, logging, time)
_STREAMS = ("stdin", "stdout", "stderr")
_ONLY_TOLD = {"sys.excepthook", "sys.displayhook", "sys.unraisablehook", "sys.breakpointhook", "threading.excepthook"}
_IN_A_CLASS = (FunctionType, BuiltinFunctionType, staticmethod, classmethod, property)
_SIGNALS = [getattr(signal, f"SIG{name}") for name in ("INT", "TERM", "HUP", "CHLD", "PIPE", "ALRM", "WINCH", "USR1")
            if hasattr(signal, f"SIG{name}")]  # fmt: skip
_ABSENT = object()


class Change(NamedTuple):
    """Something that a plugin did to the process: refused, or only told."""

    text: str
    refused: bool


class Surroundings:
    """The state of this process at one moment, to be compared with a later one."""

    def __init__(self) -> None:
        self._builtins = dict(vars(builtins))
        self._modules = dict(sys.modules)
        self._members = {name: list(_members(name, module)) for name, module in _ours_and_watched(self._modules)}
        self._streams = {name: getattr(sys, name) for name in _STREAMS}
        self._descriptors = [_identity(number) for number in range(3)]
        self._environ = dict(os.environ)
        self._path = set(map(str, sys.path))
        self._handlers = {number: signal.getsignal(number) for number in _SIGNALS}
        self._told = {what: read() for what, read in _TOLD.items()}

    def changes(self, package: str) -> Iterator[Change]:
        """Yield what is different now; replaced builtins are put back first, so that the rest can be looked at.

        Args:
            package: The plugin's top-level package, whose functions have no place in modules of others.
        """
        now, saved = vars(builtins), self._builtins
        # Not a single builtin may be called before they are what they were.
        replaced = [name for name in saved if now.get(name, _ABSENT) is not saved[name] and name != "_"]
        added = [name for name in now if name not in saved and name != "_"]
        now.update(saved)
        yield from (Change(f"replaces builtins.{name}", True) for name in replaced)
        yield from (Change(f"adds {name!r} to builtins", False) for name in added)
        yield from self._replaced_members()
        yield from self._intruders(package)
        yield from self._broken_streams()
        yield from self._told_changes()

    def _replaced_members(self) -> Iterator[Change]:
        for name, module in self._modules.items():
            if sys.modules.get(name) is not module:
                yield Change(f"{'replaces' if name in sys.modules else 'removes'} the module {name}", True)
        for module_name, members in self._members.items():
            for owner, name, value in members:
                if vars(owner).get(name, _ABSENT) is not value:
                    inner = f"{owner.__name__}." if isinstance(owner, type) else ""
                    path = f"{module_name}.{inner}{name}"
                    if module_name != "builtins":
                        yield Change(f"replaces {path}", path not in _ONLY_TOLD)

    def _intruders(self, package: str) -> Iterator[Change]:
        """Look into modules of ours that were imported since: there is no earlier state to compare them with."""
        for name, module in list(sys.modules.items()):
            if name in self._members or name.partition(".")[0] not in OURS:
                continue
            for owner, member, value in _members(name, module):
                if str(getattr(value, "__module__", "")).partition(".")[0] == package:
                    yield Change(f"replaces {name}.{f'{owner.__name__}.' * isinstance(owner, type)}{member}", True)

    def _broken_streams(self) -> Iterator[Change]:
        for name, stream in self._streams.items():
            if getattr(sys, name, None) is not stream:
                yield Change(f"replaces sys.{name}", True)
        for number, (before, name) in enumerate(zip(self._descriptors, _STREAMS, strict=True)):
            if _identity(number) != before:
                yield Change(f"closes or replaces file descriptor {number} (standard {name[3:]}put)", True)

    def _told_changes(self) -> Iterator[Change]:
        environ = dict(os.environ)
        names = sorted(name for name in environ.keys() | self._environ if environ.get(name) != self._environ.get(name))
        if names:
            yield Change(f"changes environment variables ({', '.join(names[:5])}{', …' * (len(names) > 5)})", False)
        signals = [number.name for number, was in self._handlers.items() if signal.getsignal(number) != was]
        if signals:
            yield Change(f"sets handlers of signals ({', '.join(signals)})", False)
        here = {"", ".", os.getcwd()} & set(map(str, sys.path)) - self._path  # noqa: PTH109 - a text is compared
        if here:
            yield Change("puts the current directory on the import path (sys.path)", True)
        for what, read in _TOLD.items():
            if read() != self._told[what]:
                yield Change(f"changes {what}", False)


def _ours_and_watched(modules: Mapping[str, ModuleType]) -> Iterator[tuple[str, ModuleType]]:
    yield from ((module.__name__, module) for module in _WATCHED)
    yield from ((name, module) for name, module in modules.items() if name.partition(".")[0] in OURS)


def _members(name: str, module: ModuleType) -> Iterator[tuple[Any, str, object]]:
    """Yield functions and classes of a module and the methods of its classes; private ones only of ours.

    What a class inherits is absent in the class itself, and has to stay so.
    """
    ours = name.startswith("inarch")
    for key, value in list(vars(module).items()):
        private = key.startswith("_") and not key.endswith("__")
        if not callable(value) or isinstance(value, ToolFunction) or (private and not ours):
            continue
        yield module, key, value
        if isinstance(value, type) and value.__module__.partition(".")[0].lstrip("_") == name.partition(".")[0]:
            for member, item in _class_members(value):
                if isinstance(item, _IN_A_CLASS) and (ours or not member.startswith("_") or member.endswith("__")):
                    yield value, member, item if member in vars(value) else _ABSENT


def _class_members(cls: type) -> Iterator[tuple[str, object]]:
    """Yield what a class has, inherited or not; but for `object`, of which a class may well replace something."""
    members: dict[str, object] = {}
    for base in reversed(cls.__mro__[:-1]):
        members |= vars(base)
    yield from members.items()


def _identity(number: int) -> tuple[int, int] | None:
    try:
        status = os.fstat(number)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


_TOLD: dict[str, Callable[[], object]] = {
    "the import path (sys.path)": lambda: list(sys.path),
    "the import hooks (sys.meta_path)": lambda: list(map(id, sys.meta_path)),
    "the locale": lambda: locale.setlocale(locale.LC_ALL),
    "the umask": _umask,
    "the warnings filters": lambda: list(warnings.filters),
    "the recursion limit": sys.getrecursionlimit,
    "the event loop policy": lambda: id(getattr(asyncio.events, "_event_loop_policy", None)),
    "the handlers or the level of the root logger": lambda: (list(logging.root.handlers), logging.root.level),
    "what runs at exit (atexit)": getattr(atexit, "_ncallbacks", lambda: 0),
    "the default timeout of sockets": socket.getdefaulttimeout,
    "the garbage collector": lambda: (gc.isenabled(), gc.get_threshold()),
    "the trace function": lambda: (sys.gettrace(), sys.getprofile()),
}
"""What is told when it is different afterwards, and how it is read."""
