"""How the child of an isolated plugin is ended, and in which words its end is told."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subprocess import Popen

_ENDING_S = 0.25


def reap(child: Popen[bytes], at_once: bool) -> int:
    """End a child and return its exit code: its own, if it is about to end by itself."""
    from subprocess import TimeoutExpired

    try:
        return child.wait(0 if at_once else _ENDING_S)
    except TimeoutExpired:
        pass
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    return child.wait()


def ending_words(plugin: str, job: Mapping[str, Any], code: int, fault: str, tail: str) -> str:
    """Say how a child ended.

    Args:
        plugin: Whose it was.
        job: What it was started with: its limits.
        code: Its exit code, negative for a signal.
        fault: Why it was ended, if it was.
        tail: The end of what it wrote to standard error.
    """
    if fault.startswith(("was ended", "did not", "registers")):
        return fault
    if fault:
        return f"was ended: {fault}"
    said = f": {tail}" if tail else ""
    seconds, memory = job["seconds"], job["memory_mb"]
    if code >= 0:
        where = f"; memory_mb = {memory} in [isolation.{plugin}]" if memory and "MemoryError" in tail else ""
        return f"ended the process (exit code {code}{where}){said}"
    name = _signal_name(-code)
    if name == "SIGXCPU" and seconds:
        where = f"seconds = {seconds:g} in [isolation.{plugin}]"
        return f"used up its {seconds:g} s of processor time ({name}; {where})"
    limit = f"; memory_mb = {memory} in [isolation.{plugin}]" if memory else ""
    return f"crashed ({name}{limit}){said}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
