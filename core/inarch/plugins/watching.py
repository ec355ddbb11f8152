"""Runs the probe child and ends it, with every process it started, when its time or its number of processes is up."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from subprocess import Popen

CROWD = 64
"""More processes than this at once end the probe."""
_MARK = "_INARCH_PROBE"
_LOOK_S = 0.25
_START_S = 30.0  # for the interpreter and our own modules, on a busy machine: not the plugin's time
_ROUNDS = 50


class Ended(NamedTuple):
    """How the child ended: its exit code (None: it was killed) and how many processes were around when it did."""

    code: int | None
    others: int

    @property
    def crowded(self) -> bool:
        """Whether it was killed for its many processes."""
        return self.code is None and self.others > CROWD


def watch(folder: Path, seconds: float) -> Ended:
    """Run the child for the job in `folder`; when this returns, nothing that it started lives on."""
    from subprocess import Popen

    (folder / "stdin").write_bytes(b"\n")  # not empty: a plugin that reads it moves the offset
    with (
        (folder / "stdin").open("rb") as stdin,
        (folder / "stdout").open("wb") as stdout,
        (folder / "stderr").open("wb") as stderr,
    ):
        child = Popen(
            [sys.executable, "-P", "-m", "inarch.plugins.probe", str(folder)],
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=folder / "cwd",
            env={**os.environ, _MARK: str(folder)},
            start_new_session=True,
        )
        others = 0
        try:
            code = _wait(child, folder, seconds)
            others = sum(pid != child.pid for pid in _processes(folder))
        finally:
            _kill_all(child, folder)
        return Ended(code, others)


def _wait(child: Popen[bytes], folder: Path, seconds: float) -> int | None:
    from subprocess import TimeoutExpired
    from time import monotonic

    end, is_started = monotonic() + _START_S, False
    while True:
        if not is_started and (folder / "report").exists():
            end, is_started = monotonic() + seconds, True
        try:
            return child.wait(max(0.0, min(_LOOK_S, end - monotonic())))
        except TimeoutExpired:
            if monotonic() >= end or sum(1 for _ in _processes(folder)) > CROWD:
                return None


def _kill_all(child: Popen[bytes], folder: Path) -> None:
    """End the child, its group, and whatever left the group but still carries the mark in its environment."""
    import signal

    try:
        os.killpg(child.pid, signal.SIGKILL)
    except AttributeError:  # Windows
        child.kill()
    except (ProcessLookupError, PermissionError):  # nobody left; macOS says it the other way
        pass
    child.wait()
    for _ in range(_ROUNDS):
        left = list(_processes(folder))
        if not left:
            return
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:  # it has just ended
                pass


def _processes(folder: Path) -> Iterator[int]:
    """Yield the processes that descend from the child, also those that became daemons; none where there is no /proc."""
    mark = os.fsencode(f"{_MARK}={folder}\0")
    try:
        names = os.listdir("/proc")  # noqa: PTH208 - names are all that is wanted
    except OSError:
        return
    for name in filter(str.isdecimal, names):
        try:
            environ = Path("/proc", name, "environ").read_bytes()
        except OSError:  # it has ended, or is somebody else's
            continue
        if mark in environ:
            yield int(name)
