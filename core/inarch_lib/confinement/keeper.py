"""Process between Inarch and a program that runs unconfined: it ends all that the program started.

A process group does not hold a child that makes a session of its own. The keeper is a child subreaper (Linux), so every
descendant stays its own. It ends them when the program has ended, or when Inarch closes the lifeline or is gone.
Standard library only. The keeper runs this file as a script.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Sequence

if __name__ == "__main__":
    sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
    from descendants import become_subreaper, drain, kill_all, reap, send_signal, wake_on_child  # type: ignore[import-not-found]
else:
    from .descendants import become_subreaper, drain, kill_all, reap, send_signal, wake_on_child

_FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_NOT_STARTED = 127


def keeper_argv(argv: Sequence[str], lifeline: int) -> list[str]:
    """Return the command that runs a program and ends all its descendants with it.

    It has the exit status of the program, passes SIGTERM, SIGINT and SIGHUP on to it, and exits with 127 if the program
    can't be started.

    Args:
        argv: The program and its arguments.
        lifeline: The end of a pipe that the command inherits. Closing the other end ends everything at once.
    """
    return [sys.executable, "-I", "-S", os.path.abspath(__file__), str(lifeline), *argv]


def main(lifeline: int, argv: Sequence[str]) -> None:
    """Run the program to its end, end what it started, and exit as it did."""
    become_subreaper()
    wake, ended = wake_on_child(), dict[int, int]()
    pid = _started(argv, lifeline)
    for number in _FORWARDED:
        signal.signal(number, lambda number, _frame: send_signal(os.killpg, pid, number))
    for descriptor in range(3):  # only the program holds these: their reader sees its end
        os.dup2(lifeline, descriptor)
    _wait(lifeline, wake, pid, ended)
    if sys.platform != "linux":  # elsewhere there are no subreapers
        send_signal(os.killpg, pid, signal.SIGKILL)
    kill_all(ended, wake)
    _exit_as(ended.get(pid, signal.SIGKILL))


def _started(argv: Sequence[str], lifeline: int) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            signal.set_wakeup_fd(-1)
            os.close(lifeline)
            for name in ("SIGPIPE", "SIGXFSZ"):  # Python ignores these, and a program would inherit that
                signal.signal(getattr(signal, name), signal.SIG_DFL)
            os.execvpe(argv[0], list(argv), _environment())
        except OSError as error:
            os.write(2, f"{argv[0]} can't be started: {error.strerror}\n".encode("utf-8", "replace"))
        finally:
            os._exit(_NOT_STARTED)
    return pid


def _environment() -> dict[bytes, bytes]:
    """Return the variables as given: Python sets LC_CTYPE in the C locale."""
    try:
        with open("/proc/self/environ", "rb") as file:
            pairs = (item.partition(b"=") for item in file.read().split(b"\0") if item)
            return {name: value for name, _, value in pairs}
    except OSError:
        return dict(os.environb)


def _wait(lifeline: int, wake: int, pid: int, ended: dict[int, int]) -> None:
    poller = select.poll()
    poller.register(lifeline, select.POLLIN)
    poller.register(wake, select.POLLIN)
    while True:
        reap(ended)
        if pid in ended or any(descriptor == lifeline for descriptor, _ in poller.poll()):
            return
        drain(wake)


def _exit_as(status: int) -> None:
    if os.WIFSIGNALED(status):
        if os.WTERMSIG(status) != signal.SIGKILL:
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
