"""A process that has imported Inarch once and forks for each run: the real program without the cost of its imports.

It is started as `python -P forking.py SOCKET`. A request is JSON with the words, the folder, the whole environment and
a `Place`, and comes with descriptors for the child's standard streams and for replies: the child's process id and then
how it ended. Whatever Python itself reads while it starts is that of this process: see `fits`. Tests of starting and of
closed streams start processes of their own, and so does one of each kind of terminal.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import gc
import json
import os
import pkgutil
import selectors
import signal
import socket
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, Literal, NoReturn

Place = Literal["beside", "group", "terminal", "shell"]
"""Where a run is: beside the process that forks, leading a group of its own, leading the terminal that its streams are,
or in that terminal below what stands for `sh -c 'trap : INT; inarch WORDS; echo code=$?; cat'`."""

LONGEST_S = 120.0
_OF_A_SHELL = {"PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONIOENCODING", "PYTHONUNBUFFERED"}  # or of tox
_LEFT_OUT = (
    "inarch.testing",
    "inarch_testing.",
    "inarch_plugins.litellm.",
)  # its library takes as long as all the rest


class Started:
    """The process that forks, as a test sees it; it ends when its socket is closed."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._environ = dict(environ)
        self._one_at_a_time = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__, str(other.fileno())], pass_fds=(other.fileno(),), env=environ,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        other.close()

    def fits(self, environ: Mapping[str, str]) -> bool:
        """Say whether Python would have started in the same way with these variables."""
        read = {name for name in {*environ, *self._environ} if name.startswith(("PYTHON", "LC_", "LANG", "LD_", "TZ"))}
        read -= {"PYTHONPATH"}  # is put into `sys.path` as Python does
        same = read - _OF_A_SHELL
        return all(environ.get(name) == self._environ.get(name) for name in same)

    def start(
        self, words: Sequence[str], cwd: Path, environ: Mapping[str, str], streams: Sequence[int], place: Place
    ) -> Forked:
        """Start the program with these words and these three descriptors as its standard streams."""
        request = json.dumps([words, str(cwd), dict(environ), place]).encode("utf-8", "surrogateescape")
        told, telling = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with telling, self._one_at_a_time:
            socket.send_fds(self._socket, [len(request).to_bytes(4, "big")], [*streams, telling.fileno()])
            for at in range(0, len(request), 1 << 16):
                self._socket.send(request[at : at + (1 << 16)])
        return Forked(told)

    def close(self) -> None:
        """End the process."""
        self._socket.close()
        self._process.wait()


@cache
def _started() -> Started:
    started = Started({"PATH": os.environ["PATH"], "LANG": "C.UTF-8"})
    atexit.register(started.close)
    return started


class Forked:
    """The program in a fork, with what `subprocess.Popen` would have of it."""

    def __init__(self, told: socket.socket) -> None:
        self._told = told
        self.pid = int(told.recv(64))
        self.returncode: int | None = None

    def wait(self, timeout: float = LONGEST_S) -> int:
        """Return how it ended; without an end in this time it is `subprocess.TimeoutExpired`."""
        if self.returncode is None:
            self._told.settimeout(timeout)
            try:
                self.returncode = int(self._told.recv(64))
            except TimeoutError:
                raise subprocess.TimeoutExpired("inarch", timeout) from None
            self._told.close()
        return self.returncode

    def poll(self) -> int | None:
        """Return how it ended, if it has."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(1e-6)  # without any it would not block, which is another error
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal unless it ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


def fits(environ: Mapping[str, str]) -> bool:
    """Say whether a fork is what a process with these variables would be."""
    return _started().fits(environ)


def start_inarch(
    *words: str, cwd: Path, environ: Mapping[str, str], streams: Sequence[int], place: Place = "beside"
) -> Forked:
    """Start a fork of the program; its three streams are these descriptors, which stay open here, too."""
    assert fits(environ), "these variables need a process of their own"
    return _started().start(words, cwd, environ, streams, place)


def run_inarch(
    *words: str, cwd: Path, environ: Mapping[str, str], stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `inarch` with these words, without a terminal; standard input is empty unless given."""
    if fits(environ):
        return _run_forked(words, cwd, environ, stdin)
    return subprocess.run(
        [sys.executable, "-P", "-m", "inarch", *words], cwd=cwd, env=environ, capture_output=True, encoding="utf-8",
        stdin=subprocess.DEVNULL if stdin is None else None, input=stdin, timeout=LONGEST_S, check=False,
    )  # fmt: skip


def _run_forked(
    words: Sequence[str], cwd: Path, environ: Mapping[str, str], stdin: str | None
) -> subprocess.CompletedProcess[str]:
    empty = os.open(os.devnull, os.O_RDONLY)
    ends = [os.pipe() for _ in range(3)]
    (given, to_give), (out, to_out), (err, to_err) = ends
    forked = start_inarch(*words, cwd=cwd, environ=environ, streams=[empty if stdin is None else given, to_out, to_err])
    for end in (empty, given, to_out, to_err):
        os.close(end)
    late = threading.Timer(LONGEST_S, forked.kill)
    late.start()
    errors: list[str] = []
    with open(out, encoding="utf-8") as stdout, open(err, encoding="utf-8") as stderr:
        threads = [
            threading.Thread(target=lambda: errors.append(stderr.read())),
            threading.Thread(target=_give, args=(to_give, stdin or "")),
        ]
        for thread in threads:
            thread.start()
        answer = stdout.read()
        for thread in threads:
            thread.join()
    code = forked.wait()
    late.cancel()
    return subprocess.CompletedProcess(["inarch", *words], code, answer, errors[0])


def _give(descriptor: int, text: str) -> None:
    with contextlib.suppress(BrokenPipeError), open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def _import_all() -> None:
    """Import what runs of the program would: Inarch and its plugins, each whole, but for the library of LiteLLM."""
    import inarch
    from inarch.contract.guard import OURS

    for name in inarch.__all__:
        getattr(inarch, name)
    entries = metadata.distribution("inarch").entry_points.select(group="inarch.plugins")
    for package in [*OURS, *{entry.module.partition(".")[0]: entry for entry in entries}]:
        for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
            if not module.name.startswith(_LEFT_OUT) and not module.name.endswith(".__main__"):
                import_module(module.name)


def _take_place(place: Place, terminal: int) -> None:
    """Go where the program is to run."""
    if place == "group":
        os.setpgid(0, 0)
    if place not in ("terminal", "shell"):
        return
    os.setsid()
    end = time.monotonic() + LONGEST_S
    while True:
        try:
            fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
        except PermissionError:  # who had it has not let go yet
            if time.monotonic() > end:
                raise
            time.sleep(0.002)
        else:
            break
    if place == "shell":
        _be_its_shell(terminal)


def _be_its_shell(terminal: int) -> None:
    """Fork again, and in the parent wait, say the code and keep the terminal open."""
    signal.signal(signal.SIGINT, lambda number, frame: None)
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        return
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    for number in range(3):
        os.dup2(terminal, number)
    os.write(terminal, f"code={code if code >= 0 else 128 - code}\n".encode())
    os.execvp("cat", ["cat"])


def _child(streams: list[int], words: list[str], cwd: str, environ: dict[str, str], place: Place) -> None:
    _take_place(place, streams[0])
    for number, (name, descriptor) in enumerate(zip(("stdin", "stdout", "stderr"), streams, strict=True)):
        was = getattr(sys, name)
        os.dup2(descriptor, number)
        os.close(descriptor)
        file = open(number, "w" if number else "r", encoding=was.encoding, errors=was.errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, file)
        setattr(sys, f"__{name}__", file)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environ)
    sys.path[:0] = filter(None, environ.get("PYTHONPATH", "").split(os.pathsep))
    import_module("inarch.__main__")
    sys.argv = [str(sys.modules["inarch.__main__"].__file__), *words]


def _end_with(main: Callable[[], None]) -> NoReturn:
    """Run the program and end as Python would, but without taking all modules apart, each page of which is shared."""
    code: Any = 1
    try:
        main()
        code = 0
    except SystemExit as end:
        code = end.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
    if isinstance(code, str):
        print(code, file=sys.stderr)
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


def serve(control: socket.socket) -> bool:
    """Fork for each request. Returns True in a child, which is to run the program, and False when there are no more."""
    with selectors.DefaultSelector() as selector:
        selector.register(control, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is not control:
                    selector.unregister(key.fileobj)
                    _tell_end(key.fd, *key.data)
                    continue
                head, given, _, _ = socket.recv_fds(control, 4, 4)
                if not head:
                    return False
                data = b""
                while len(data) < int.from_bytes(head, "big"):
                    data += control.recv(1 << 16)
                *streams, telling = given
                pid = os.fork()
                if pid == 0:
                    _leave(selector, telling)
                    _child(streams, *json.loads(data.decode("utf-8", "surrogateescape")))
                    return True
                for descriptor in streams:
                    os.close(descriptor)
                reply = socket.socket(fileno=telling)
                reply.send(str(pid).encode())
                selector.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, reply))


def _tell_end(watched: int, pid: int, reply: socket.socket) -> None:
    os.close(watched)
    with reply, contextlib.suppress(BrokenPipeError):  # nobody waits any more
        reply.send(str(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])).encode())


def _leave(selector: selectors.BaseSelector, *descriptors: int) -> None:
    """Close what only the process that forks needs: its own socket and the ends of all runs."""
    for key in selector.get_map().values():
        if isinstance(key.fileobj, socket.socket):
            key.fileobj.close()
        else:
            os.close(key.fd)
            key.data[1].close()
    for descriptor in descriptors:
        os.close(descriptor)


if __name__ == "__main__":
    _import_all()
    gc.collect()
    gc.freeze()  # children share what is here, and none looks through it
    if serve(socket.socket(fileno=int(sys.argv[1]))):
        _end_with(sys.modules["inarch.__main__"].main)
