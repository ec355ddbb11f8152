"""Start of children from one permanent thread, and descriptions of their ends.

A child asks the kernel to be killed when its parent dies. The parent counts as the thread that started it, so a
caller's short-lived thread would end the plugin with it.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from subprocess import DEVNULL, Popen, TimeoutExpired
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inarch_plugins.isolation.rights import Launch

_BOOT = (
    "import sys; sys.path[:] = sys.argv[2:]; from inarch_plugins.isolation.child import main; main(int(sys.argv[1]))"
)
_ENDING_S = 0.25


@cache
def _spawner(_process: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "inarch-isolated-spawner")


def _start(environment: Mapping[str, str], channel: int, errors: int, *further: int) -> Popen[bytes]:
    path = [entry for entry in sys.path if entry not in ("", ".")]
    return Popen(
        [sys.executable, "-P", "-s", "-c", _BOOT, str(channel), *path],
        stdin=DEVNULL,
        stdout=errors,
        stderr=errors,
        cwd="/",
        env=dict(environment),
        pass_fds=(channel, *further),
        start_new_session=True,
    )


def spawned(launch: Launch, theirs: int, errors: int) -> tuple[Popen[bytes], int, Callable[[int], int]]:
    """Start a child and, if it may reach only some hosts, its proxy.

    Return the child, the descriptor of its gate, and a function that ends the proxy and returns its given exit code.

    Raises:
        OSError: It cannot be started.
        ValueError: A variable has a NUL in it.
    """
    spawn, hosts = _spawner(os.getpid()).submit, launch.job["hosts"]
    if not hosts:
        return spawn(_start, launch.environment, theirs, errors).result(), -1, lambda code: code
    from inarch_lib.egress import Egress

    egress = Egress(hosts)
    try:
        gate = egress.gate
        child = spawn(_start, {**launch.environment, **egress.variables}, theirs, errors, gate).result()
    except BaseException:
        egress.close()
        raise
    egress.handed()

    def end(code: int) -> int:
        egress.close()
        return code

    return child, gate, end


def reap(child: Popen[bytes], at_once: bool) -> int:
    """End a child and return its exit code: its own, if it is about to end by itself."""
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
    """Describe how a child ended.

    Args:
        plugin: Its plugin.
        job: Its job, with its limits.
        code: Its exit code, negative for a signal.
        fault: Why it was ended, if it was.
        tail: The end of its standard error.
    """
    if fault:
        return fault if fault.startswith(("was ended", "did not", "registers")) else f"was ended: {fault}"
    said = f": {tail}" if tail else ""
    seconds, memory = job["seconds"], job["memory_mb"]
    limit = f"; memory_mb = {memory} in [isolation.{plugin}]" if memory else ""
    if code >= 0:
        return f"ended the process (exit code {code}{limit if 'MemoryError' in tail else ''}){said}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    if name == "SIGXCPU" and seconds:
        where = f"seconds = {seconds:g} in [isolation.{plugin}]"
        return f"used up its {seconds:g} s of processor time ({name}; {where})"
    return f"crashed ({name}{limit}){said}"
