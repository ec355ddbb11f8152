"""System calls without a Python function, made through the C library."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4


def function(name: str, what: str, *arguments: int | bytes | object) -> int:
    """Call the C library's function `name`; a negative result is an OSError that begins with `what`."""
    import ctypes

    global _libc
    if _libc is None:
        _libc = ctypes.CDLL(None, use_errno=True)
    # An int would be passed as 32 bits.
    handed = [ctypes.c_long(item) if isinstance(item, int) else item for item in arguments]
    result: int = getattr(_libc, name)(*handed)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


_libc: object = None


def machine() -> str:
    """Return the architecture whose call numbers this process uses."""
    return os.uname().machine if sys.maxsize > 1 << 32 else "32-bit"


def call(number: int, what: str, *arguments: int | bytes | object) -> int:
    """Make the system call `number`."""
    return function("syscall", what, number, *arguments)  # the results of the calls made here fit an int


def prctl(option: int, what: str, *arguments: int) -> int:
    """Change or read an attribute of the calling process; unused arguments must be zero."""
    return function("prctl", what, option, *arguments, *(0,) * (4 - len(arguments)))


class Text:
    """C string that keeps its address as long as it lives, even over forks."""

    def __init__(self, value: bytes) -> None:
        import ctypes

        self._buffer = ctypes.create_string_buffer(value, len(value) + 1)
        self.address = ctypes.addressof(self._buffer)


def execve(path: Text, argv: Sequence[str], environment: Sequence[str]) -> NoReturn:
    """Become another program, naming it by this very string."""
    import ctypes

    def vector(texts: Sequence[str]) -> object:
        return (ctypes.c_char_p * (len(texts) + 1))(*map(os.fsencode, texts), None)

    function("execve", "execve", path.address, vector(argv), vector(environment))
    raise AssertionError("execve returned")
