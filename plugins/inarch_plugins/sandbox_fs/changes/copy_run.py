"""Run of a program in a copy of a folder, with this process outside of it."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from inarch import UsageError
from inarch_lib.confinement.copies import enter_copy
from inarch_lib.staging.copies import CHANGE
from inarch_plugins.sandbox_fs.changes.change_folder import ChangeFolder

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of linux/prctl.h, Linux 6.18, read 2026-11-29
_PASSED_ON = (signal.SIGTERM, signal.SIGHUP)
_TERMINALS = (signal.SIGINT, signal.SIGQUIT)


def run_in_copy(change: ChangeFolder, words: list[str], lock: int, **variables: str) -> int:
    """Run a program in the copy until it ends, and return its exit code.

    The copy and the program end with this process, however it ends.
    """
    sys.stdout.flush()
    reader, writer = os.pipe()
    outside = os.getpid()
    child = os.fork()
    if not child:
        try:
            enter_copy(change.root, change.path)
            ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
            if os.getppid() == outside:
                os.set_inheritable(lock, True)
                os.execve(words[0], words, {**os.environ, CHANGE: change.path, **variables})
        except BaseException as error:  # noqa: BLE001 - this process must not go on as its parent
            os.write(writer, str(getattr(error, "strerror", "") or error).encode())
        finally:
            os._exit(1)
    os.close(writer)
    with _following(child):
        with open(reader, encoding="utf-8", errors="replace") as report:
            problem = report.read()  # ends when the program has started
        code = _end_of(child)
    if problem:
        raise UsageError(
            f"this machine can't work in a copy: {problem}", "choose --approve auto, or an agent with a work tree"
        )
    return code if code >= 0 else 128 - code


@contextmanager
def _following(child: int) -> Iterator[None]:
    """Leave signals of the terminal to the program, and pass on those to this process."""

    def pass_on(number: int, _: Any) -> None:
        os.kill(child, number)

    before = {number: signal.signal(number, signal.SIG_IGN) for number in _TERMINALS}
    before |= {number: signal.signal(number, pass_on) for number in _PASSED_ON}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_of(child: int) -> int:
    """Wait for the program; this process stops while it is stopped, so that the shell sees it."""
    while True:
        _, status = os.waitpid(child, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            return os.waitstatus_to_exitcode(status)
        os.kill(os.getpid(), signal.SIGSTOP)
        os.kill(child, signal.SIGCONT)
