"""What the attempts share: their table, raw system calls and a look for the secret."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable

X86 = os.uname().machine == "x86_64"
ATTEMPTS: dict[str, Callable[..., object]] = {}

_libc = ctypes.CDLL(None, use_errno=True)
_SECRET = b"sesame-"


class Kept(Exception):
    """Nothing came of it, though nothing refused."""


def attempt(function: Callable[..., object]) -> Callable[..., object]:
    """Add a function to the attempts, by its name with dashes."""
    ATTEMPTS[function.__name__.replace("_", "-")] = function
    return function


def call(number: int, *arguments: int | bytes | object) -> int:
    """Make a system call."""
    return library("syscall", number, *arguments)


def library(name: str, *arguments: int | bytes | object) -> int:
    """Call a function of the C library."""
    handed = [ctypes.c_long(item) if isinstance(item, int) else item for item in arguments]
    result: int = getattr(_libc, name)(*handed)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def look_for_secret(data: bytes) -> None:
    """Show the secret if it is there."""
    if _SECRET not in data:
        raise Kept("no secret")
    print(data[data.index(_SECRET) :][:40])
