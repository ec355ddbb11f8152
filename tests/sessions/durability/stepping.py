"""Kills a process that changes files at one system call after the other, and looks at what a new process makes of it.

`python stepping.py FOLDER STEP` reads the names of actions, tries every STEPth moment of each and answers with a line:
a JSON list of complaints, then the number of moments. Only system calls that change something on disk, or bring it
there, are moments: what is there is the same for a kill anywhere between two of them. Every process is a fork of this
one, which has imported it all.
"""

from __future__ import annotations

import asyncio
import ctypes
import importlib
import json
import mmap
import os
import platform
import shutil
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from attrs import evolve

import inarch
from inarch.sessions.app import App
from inarch.testing import calls, says, scripted_app
from inarch_testing.apps import environ_in

_TRACE_ME, _CONT, _SYSCALL, _SET_OPTIONS, _GET_INFO = 0, 7, 24, 0x4200, 0x420E
_OPTIONS = 0x1 | 0x8 | 0x100000  # stops at system calls are marked; threads, too; it dies with who steps it
_WALL = 0x40000000
_TRAP = signal.SIGTRAP | 0x80
_CHANGING = {  # asm/unistd.h
    "x86_64": {
        1, 18, 20, 296, 74, 75, 76, 77, 82, 83, 84, 86, 87, 88, 90, 91, 92, 93, 258, 260, 263, 264, 265, 266, 268, 316,
    },
    "aarch64": {64, 68, 66, 70, 82, 83, 45, 46, 34, 35, 36, 37, 38, 52, 53, 54, 55, 276},
}  # fmt: skip
_OPENING = {"x86_64": (257, 437), "aarch64": (56, 437)}
_THREAD_KILL = {"x86_64": 234, "aarch64": 131}
_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_LIBC.ptrace.restype = ctypes.c_long

BEFORE = {"a.txt": b"one\ntwo\n", "dir/b.txt": b"bee\n"}
ACTIONS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "write": [("write_file", {"file_path": "a.txt", "content": "new\n"})],
    "patch": [("patch_source_file", {"file_path": "a.txt", "search": "two", "replace": "2"})],
    "create": [("create_file", {"file_path": "new/deep/c.txt", "content": "sea\n"})],
    "remove": [("delete_file", {"file_path": "a.txt"})],
    "move": [("move_file", {"file_path": "a.txt", "new_path": "away/d.txt"})],
    "restore": [("restore_it", {"file_path": "a.txt"})],
    "undo": [
        ("patch_source_file", {"file_path": "a.txt", "search": "two", "replace": "2"}),
        ("create_file", {"file_path": "new/c.txt", "content": "sea\n"}),
        ("delete_file", {"file_path": "dir/b.txt"}),
    ],
}


def _ptrace(request: int, pid: int, address: int = 0, data: int = 0) -> None:
    if _LIBC.ptrace(request, pid, address, data) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _changes(pid: int) -> bool:
    """Whether a process that stopped at a system call is about to begin one that changes something."""
    info = (ctypes.c_uint64 * 11)()
    _ptrace(_GET_INFO, pid, ctypes.sizeof(info), ctypes.addressof(info))
    machine = platform.machine()
    if info[0] & 0xFF != 1:
        return False
    if info[3] in _OPENING[machine]:
        return bool(info[6] & os.O_CREAT) if info[3] != 437 else False
    return info[3] in _CHANGING[machine]


class Stepped:
    """A child that runs up to its own SIGUSR1, and from there from one change to the next."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.pid = os.fork()
        if not self.pid:
            _ptrace(_TRACE_ME, 0)
            os.kill(os.getpid(), signal.SIGSTOP)
            _end_with(work)
        os.waitpid(self.pid, 0)
        _ptrace(_SET_OPTIONS, self.pid, 0, _OPTIONS)

    def run(self, kill_at: int) -> int:
        """Kill it before its change of this number, 0 for never; return how many changes it began."""
        how, changes, pid = _CONT, 0, self.pid
        self._go_on(pid, how)
        while True:
            pid, status = os.waitpid(-1, _WALL)
            if not os.WIFSTOPPED(status):
                if pid != self.pid:
                    continue  # a thread
                self.status = status
                return changes
            number, passed = os.WSTOPSIG(status), 0
            if number == signal.SIGUSR1:
                how = _SYSCALL
                self._step_threads()
            elif number == _TRAP:
                begins = _changes(pid)
                changes += begins
                if begins and changes == kill_at:
                    os.kill(self.pid, signal.SIGKILL)
            elif number not in (signal.SIGTRAP, signal.SIGSTOP):
                passed = number
            self._go_on(pid, how, passed)

    def _step_threads(self) -> None:
        """Have the threads that run already stop at their changes, too: calls run in threads."""
        for name in os.listdir(f"/proc/{self.pid}/task"):
            if (thread := int(name)) == self.pid:
                continue
            _LIBC.syscall(_THREAD_KILL[platform.machine()], self.pid, thread, int(signal.SIGSTOP))
            number = 0
            while number != signal.SIGSTOP:
                try:
                    status = os.waitpid(thread, _WALL)[1]
                except ChildProcessError:  # the thread of a call that is done
                    break
                if not os.WIFSTOPPED(status):
                    break
                number = os.WSTOPSIG(status)
                self._go_on(thread, _SYSCALL)

    def _go_on(self, pid: int, how: int, passed: int = 0) -> None:
        try:
            _ptrace(how, pid, 0, passed)
        except ProcessLookupError:
            pass  # killed


def _end_with(work: Callable[[], None]) -> NoReturn:
    code = 1
    try:
        work()
        code = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(code)


@inarch.tool(
    category="file",
    effects=lambda arguments: inarch.Effects(writes=frozenset({str(arguments["file_path"])})),
    input_schema={"type": "object", "properties": {"file_path": {"type": "string"}}, "required": ["file_path"]},
)
def restore_it(context: inarch.ToolContext, file_path: str) -> dict[str, Any]:
    """Put other bytes and another mode back."""
    entry = context.workspace.stat(file_path)
    assert entry is not None
    context.workspace.restore(file_path, inarch.FileStat(file_path, "file", 4, 0o640, 0, 0, 0), b"old\n")
    return {"path": file_path}


class Place:
    """A project with its state, and what a process that is killed told before that."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.project, self.state = folder, folder / "project", folder / "home"
        self.saved = folder / "saved"
        self.told = mmap.mmap(-1, 1 << 20)  # shared with the child, and written without any system call

    def lay(self) -> None:
        """Begin with nothing but the files."""
        for path in (self.project, self.state, self.saved):
            shutil.rmtree(path, ignore_errors=True)
        self.state.mkdir(parents=True)
        for name, data in BEFORE.items():
            file = self.project / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            file.chmod(0o644)

    def save(self) -> None:
        """Keep everything as it is now, to begin from there again and again."""
        self.saved.mkdir()
        for path in (self.project, self.state):
            shutil.copytree(path, self.saved / path.name)

    def begin(self) -> None:
        """Begin again with what was saved."""
        self.told[:] = bytes(len(self.told))
        self.told.seek(0)
        for path in (self.project, self.state):
            shutil.rmtree(path)
            shutil.copytree(self.saved / path.name, path)

    def app(self, *script: Any) -> App:
        """Compose the program with a scripted model."""
        app, _ = scripted_app(
            script, self.project, journal=True, environ=environ_in(self.state), flags={"approve": "all"}
        )
        return app

    def files(self) -> dict[str, tuple[int, bytes]]:
        """Return everything that stands in the project: mode and bytes."""
        return {
            str(path.relative_to(self.project)): (path.lstat().st_mode, path.read_bytes() if path.is_file() else b"")
            for path in sorted(self.project.rglob("*"))
            if not path.name.startswith(".inarch-") and not (path.is_dir() and _is_left(path))
        }

    def note(self, event: inarch.Event) -> None:
        """Take note of an event that was shown."""
        if event.kind not in ("model.delta", "call.output"):
            self.told.write(f"{event.seq} {event.kind}\n".encode())

    def shown(self) -> list[tuple[int, str]]:
        """Return what was shown of the process that was killed."""
        lines = bytes(self.told[:]).rstrip(b"\0").decode().splitlines()
        return [(int(seq), kind) for seq, kind in (line.split() for line in lines)]


def _turn(place: Place, name: str, marked: bool) -> None:
    reads = [("read_file", {"file_path": path}) for path in BEFORE]
    app = place.app(calls(*reads), calls(*ACTIONS[name]), says("done"))
    bound = app.composition.tools["read_file"]
    more = {"restore_it": evolve(bound, value=restore_it)}
    app.composition = evolve(app.composition, tools={**app.composition.tools, **more})
    session = app.session()
    journal = session.state.journal
    journal.listeners.append(place.note)
    if marked:
        journal.listeners.append(_Marking())
    turn = asyncio.run(session.run("do it"))
    assert all(call.result is not None and call.result.success for call in turn.calls), turn.calls
    app.close()


def _is_left(folder: Path) -> bool:
    """Whether a folder holds nothing but temporary files."""
    files = [path.name for path in folder.rglob("*") if path.is_file()]
    return bool(files) and all(name.startswith(".inarch-") for name in files)


class _Marking:
    """Marks the moment at which the calls that change something are asked for."""

    replies = 0

    def __call__(self, event: inarch.Event) -> None:
        if event.kind == "model.replied":
            self.replies += 1
            if self.replies == 2:
                os.kill(os.getpid(), signal.SIGUSR1)


def _undo(place: Place) -> None:
    app = place.app()
    os.kill(os.getpid(), signal.SIGUSR1)
    app.extension(app.store.sessions()[0].id, "undo").run("undo")
    app.close()


def _forked(work: Callable[[], Any]) -> Any:
    """Return what a child of this process comes to; what it imported later ones need not import."""
    reading, writing = os.pipe()
    if not (pid := os.fork()):
        os.close(reading)

        def tell() -> None:
            said = work()
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(json.dumps([said, [*sys.modules]]).encode())

        _end_with(tell)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read()
    os.waitpid(pid, 0)
    if not said:
        return ["the check broke off"]
    found, names = json.loads(said)
    for name in names:
        if name not in sys.modules:
            with suppress(ImportError):
                importlib.import_module(name)
    return found


def _told_of(app: App, session_id: str) -> list[dict[str, Any]]:
    """Return the results of calls that change something, as a model is told them when the session goes on."""
    talk = app.session(session_id).state
    calls_of = [call for turn in talk.turns for call in turn.calls if call.name != "read_file" and call.result]
    return [
        {"code": call.result.error.code if call.result.error else "", "status": call.status}
        for call in calls_of
        if call.result is not None
    ]


def _complaints(place: Place, name: str, before: Any, after: Any, is_resumed: bool) -> list[str]:
    """Look at a project after a kill, take back what was done, and say what is wrong."""
    found: list[str] = []
    present = place.files()
    for path, (mode, data) in present.items():
        if stat.S_ISREG(mode) and (mode, data) not in (before.get(path), after.get(path)):
            found.append(f"{path} is {oct(mode)} {data!r}")
    app = place.app()
    app.session()  # a new one: nobody need go on with the one that was cut off
    (session,) = app.store.sessions()
    kept = {event.seq: event.kind for event in app.store.load(session.id)}
    found += [f"{kind} {seq} was shown and isn't kept" for seq, kind in place.shown() if kept.get(seq) != kind]
    is_done = present == after
    if is_resumed:
        for told in _told_of(app, session.id):
            if told["code"] == "unknown_outcome":
                found.append("the model is told unknown_outcome")
            elif name != "undo" and (told["status"] == "success") is not is_done:
                found.append(f"the model is told {told}, but done: {is_done}")
    app.close()
    app = place.app()
    report = app.extension(session.id, "undo").run("undo")
    if report.conflicts or place.files() != before:
        found.append(f"undo: {report} leaves {place.files()}")
    if name == "undo" or is_done:
        report = app.extension(session.id, "undo").run("redo")
        if place.files() != after:
            found.append(f"redo: {report} leaves {place.files()}")
    for folder in {path.parent for path in place.project.rglob(".inarch-*")}:
        inside = str(folder.relative_to(place.project) / "next.txt")
        app.workspace.remove(inside, str(app.workspace.replace(inside, [b"the next write here"], None).after))
    if left := [str(path) for path in place.project.rglob(".inarch-*")]:
        found.append(f"the next write leaves {left}")
    app.close()
    return found


def tried(folder: Path, name: str, step: int) -> Iterator[Any]:
    """Yield what is wrong after a kill at every so many moments of an action, then how many there were."""
    place = Place(folder)
    place.lay()
    before = place.files()
    if name == "undo":
        _forked(lambda: _turn(place, name, marked=False))
        after = place.files()
    place.save()
    if name != "undo":
        _forked(lambda: _turn(place, name, marked=False))
        place.begin()
    work = (lambda: _undo(place)) if name == "undo" else (lambda: _turn(place, name, marked=True))
    moments = Stepped(work).run(0)
    if name == "undo":
        assert place.files() == before, place.files()
    else:
        after = place.files()
    assert before != after
    for moment in range(1, 2 * moments, step):  # a run may take some steps more than another
        place.begin()
        stepped = Stepped(work)
        stepped.run(moment)
        if not os.WIFSIGNALED(stepped.status):
            break
        wrong = _forked(partial(_complaints, place, name, before, after, bool(moment % 2)))
        if wrong:
            yield [f"{moment} of {moments}: {one}" for one in wrong]
    yield moment


def main() -> None:
    """Try the actions that standard input names."""
    for line in sys.stdin:
        found = [*tried(Path(sys.argv[1]), line.strip(), int(sys.argv[2]))]
        print(json.dumps([[one for several in found[:-1] for one in several], found[-1]]), flush=True)


if __name__ == "__main__":
    main()
