"""Starts children from one thread that lives as long as the process.

A child asks the kernel to be killed when its parent dies, and takes for its parent the thread that started it: one of
the short-lived threads of a caller would take the plugin with it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from attrs import define, field

if TYPE_CHECKING:
    from subprocess import Popen

    from inarch_isolation.rights import Launch

_BOOT = "import sys; sys.path[:] = sys.argv[2:]; from inarch_isolation.child import main; main(int(sys.argv[1]))"


@define(eq=False, repr=False)
class Spawner:
    """A thread that starts children."""

    _jobs: SimpleQueue[Any] = field(factory=SimpleQueue)
    _thread: threading.Thread | None = None
    _lock: threading.Lock = field(factory=threading.Lock)

    def spawn(self, environment: Mapping[str, str], channel: int, errors: int, *further: int) -> Popen[bytes]:
        """Start a child with these descriptors and return it; the further ones have the same numbers there.

        Raises:
            OSError: It can't be started.
        """
        answer: SimpleQueue[Any] = SimpleQueue()
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._jobs = SimpleQueue()
                self._thread = threading.Thread(target=self._work, name="inarch-isolated-spawner", daemon=True)
                self._thread.start()
            self._jobs.put((dict(environment), channel, errors, further, answer))
        outcome = answer.get()
        if isinstance(outcome, OSError):
            raise outcome
        return outcome  # type: ignore[no-any-return]

    def _work(self) -> None:
        jobs = self._jobs
        while True:
            environment, channel, errors, further, answer = jobs.get()
            try:
                answer.put(_start(environment, channel, errors, further))
            except OSError as error:
                answer.put(error)
            except ValueError as error:  # a variable with a NUL in it
                answer.put(OSError(str(error)))


def _start(environment: dict[str, str], channel: int, errors: int, further: tuple[int, ...]) -> Popen[bytes]:
    from subprocess import DEVNULL, Popen

    path = [entry for entry in sys.path if entry not in ("", ".")]
    return Popen(
        [sys.executable, "-P", "-s", "-c", _BOOT, str(channel), *path],
        stdin=DEVNULL,
        stdout=errors,
        stderr=errors,
        cwd="/",
        env=environment,
        pass_fds=(channel, *further),
        start_new_session=True,
    )


SPAWNER = Spawner()
"""The process's own."""


def spawned(launch: Launch, theirs: int, errors: int) -> tuple[Popen[bytes], int, Callable[[int], int]]:
    """Start a child and, where it may reach some hosts only, the proxy that it reaches them through.

    Returns the child, the descriptor of its gate there, and what ends the proxy and returns the exit code it is given.

    Raises:
        OSError: It can't be started.
    """
    hosts = launch.job["hosts"]
    if not hosts:
        return SPAWNER.spawn(launch.environment, theirs, errors), -1, lambda code: code
    from inarch_egress import Egress

    egress = Egress(hosts)
    try:
        gate = egress.gate
        child = SPAWNER.spawn({**launch.environment, **egress.variables}, theirs, errors, gate)
    except BaseException:
        egress.close()
        raise
    egress.handed()

    def end(code: int) -> int:
        egress.close()
        return code

    return child, gate, end
