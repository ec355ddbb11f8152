"""A process that has imported Inarch once and forks for each run: the real program without the cost of its imports.

It is started as `python -P forking.py SOCKET`. A request is a line of JSON with the words, the folder and the whole
environment, and comes with three descriptors for the child's standard streams; replies are the child's process id and
then how it ended. Whatever Python itself reads while it starts is that of this process: see `Started.fits`. Tests of
starting, signals, terminals and closed streams start processes of their own.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, NoReturn

LONGEST_S = 120.0
_OF_A_SHELL = {"PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONIOENCODING", "PYTHONUNBUFFERED"}  # or of tox
_LEFT_OUT = ("inarch.testing", "inarch_litellm.")  # its library takes as long as all the rest


class Started:
    """The process that forks, as a test sees it; it ends when its socket is closed."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._environ = dict(environ)
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

    def run(
        self, words: Sequence[str], cwd: Path, environ: Mapping[str, str], stdin: str | None
    ) -> subprocess.CompletedProcess[str]:
        """Run the program with these words until it ended and its streams are closed."""
        request = json.dumps([words, str(cwd), dict(environ)]).encode("utf-8", "surrogateescape")
        empty = os.open(os.devnull, os.O_RDONLY)
        ends = [os.pipe() for _ in range(3)]
        (given, to_give), (out, to_out), (err, to_err) = ends
        length = len(request).to_bytes(4, "big")
        socket.send_fds(self._socket, [length], [empty if stdin is None else given, to_out, to_err])
        for place in range(0, len(request), 1 << 16):
            self._socket.send(request[place : place + (1 << 16)])
        for end in (empty, given, to_out, to_err):
            os.close(end)
        pid = int(self._socket.recv(64))
        late = threading.Timer(LONGEST_S, os.kill, (pid, signal.SIGKILL))
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
        code = int(self._socket.recv(64))
        late.cancel()
        return subprocess.CompletedProcess(["inarch", *words], code, answer, errors[0])

    def close(self) -> None:
        """End the process."""
        self._socket.close()
        self._process.wait()


@cache
def _started() -> Started:
    started = Started({"PATH": os.environ["PATH"], "LANG": "C.UTF-8"})
    atexit.register(started.close)
    return started


def run_inarch(
    *words: str, cwd: Path, environ: Mapping[str, str], stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `inarch` with these words, without a terminal; standard input is empty unless given."""
    if _started().fits(environ):
        return _started().run(words, cwd, environ, stdin)
    return subprocess.run(
        [sys.executable, "-P", "-m", "inarch", *words], cwd=cwd, env=environ, capture_output=True, encoding="utf-8",
        stdin=subprocess.DEVNULL if stdin is None else None, input=stdin, timeout=LONGEST_S, check=False,
    )  # fmt: skip


def _give(descriptor: int, text: str) -> None:
    with contextlib.suppress(BrokenPipeError), open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def _import_all() -> None:
    """Import what runs of the program would: Inarch and its plugins, each whole, but for the library of LiteLLM."""
    import inarch

    for name in inarch.__all__:
        getattr(inarch, name)
    entries = metadata.distribution("inarch").entry_points.select(group="inarch.plugins")
    for package in ["inarch", *{entry.module.partition(".")[0]: entry for entry in entries}]:
        for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
            if not module.name.startswith(_LEFT_OUT) and not module.name.endswith(".__main__"):
                import_module(module.name)


def _child(control: socket.socket, streams: list[int], words: list[str], cwd: str, environ: dict[str, str]) -> None:
    control.close()
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
    while True:
        head, streams, _, _ = socket.recv_fds(control, 4, 3)
        if not head:
            return False
        data = b""
        while len(data) < int.from_bytes(head, "big"):
            data += control.recv(1 << 16)
        request: Any = json.loads(data.decode("utf-8", "surrogateescape"))
        pid = os.fork()
        if pid == 0:
            _child(control, list(streams), *request)
            return True
        for descriptor in streams:
            os.close(descriptor)
        control.send(str(pid).encode())
        control.send(str(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])).encode())


if __name__ == "__main__":
    _import_all()
    gc.collect()
    gc.freeze()  # children share what is here, and none looks through it
    if serve(socket.socket(fileno=int(sys.argv[1]))):
        _end_with(sys.modules["inarch.__main__"].main)
