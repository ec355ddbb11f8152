"""Runs cases of commands: as `safety_runner` says, and with what only commands need.

Many cases share one application, so that the suite stays quick; the workspace is emptied between them. Further keys of
a case:

     "contained": true        instead of `refused` and `allowed`: whatever comes of the call, no attempt may succeed;
                              `PWNED` or `DONE`, which attempts print when they do, is not in the result
     "repeat": 20             the call is made so often, and must be right each time; for races
     "approve": "ask"         the mode of approvals, otherwise "all"

Further things of `setup`:

    {"repository": ".", "message": m}            `git init` where there is none, and a commit of all that is there
    {"ran": ".", "argv": ["git", "tag", "v1"]}   a program that is run there beforehand
    {"project": "."}                             the files of `PROJECT`, in a repository with two commits
    {"attempts": "evil.py"}                      a copy of `attempts.py`, and what it imports beside it
    {"swap": "a", "with": "b"}                   two names that exist, exchanged without end while the case runs

Beside the workspace stands a bystander, a process with `{secret}` in its memory and environment that listens on a port,
a socket file and an abstract name. Texts may name it: `{bystander}` (its process id), `{address}` (of the secret in its
memory), `{port}`, `{listening}`, `{abstract}`; also `{home}`, `{runner}` (the process that runs Inarch) and `{long}`
(a thousand letters). Inarch's own process has the secret in its environment and memory, too.
"""

from __future__ import annotations

import asyncio
import atexit
import ctypes
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from attrs import define, field
from safety_runner import (
    _MAKERS,
    DEADLINE_S,
    SECRET,
    Case,
    Place,
    _check_verdict,
    _is_any,
    _text,
    differing,
    load,
    own_the_lost,
    set_up,
    snapshot,
)

import inarch
from inarch_plugins.sandbox_fs.safe_open import Open
from inarch_plugins.sandbox_fs.settings import Settings
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

SUCCEEDED = ("PWNED", "DONE")
"""What attempts print when they get through."""

_HERE = Path(__file__).parent
_EXCHANGE, _BESIDE_FOLDER = 2, -100
PATIENCE_S = 120.0
_GIT_DATE = "2026-01-02T03:04:05+0000"
_FILES = (
    "commands_ordinary.json", "commands_project.json", "commands_words.json", "commands_options.json",
    "commands_files.json", "commands_git.json", "commands_builds.json",
)  # fmt: skip

PROJECT = {
    "src/main.py": "import sys\n\n\ndef main():\n    print('hello', sys.argv)\n\n\nmain()\n",
    "src/parts/one.py": "ONE = 1\n",
    "src/parts/two.py": "TWO = 2\nONE = 1\n",
    "docs/guide.md": "# Guide\n\nRun main.\n\nMore: see *main*.\n",
    "names.txt": "Zoe\nann\nBob\nann\n",
    "table.csv": "name,age,town\nann,31,Ulm\nbob,9,Bonn\nzoe,100,Ulm\n",
    "numbers.txt": "10\n9\n100\n1\n",
    "empty": "",
    ".hidden": "hidden\n",
    ".gitignore": "*.log\n",
    "debug.log": "log\n",
}
"""The files of a small project."""


def load_commands() -> list[Case]:
    """Return all cases of commands."""
    return load(*_FILES)


_BYSTANDER = """
import ctypes, os, socket, sys
secret = ctypes.create_string_buffer(os.environ["PRIVATE_WORD"].encode())
listening = socket.create_server(("127.0.0.1", 0))
files, names = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
files.bind(sys.argv[1]); files.listen(); names.bind("\\0" + sys.argv[2]); names.listen()
print(listening.getsockname()[1], ctypes.addressof(secret), flush=True)
while True: sys.stdin.read(1) or sys.exit()
"""


@define(eq=False)
class Stage:
    """A place with applications that many cases share; closed at the end."""

    place: Place
    names: dict[str, str]
    bystander: subprocess.Popen[str]
    _loop: asyncio.Runner = field(factory=asyncio.Runner)
    _apps: dict[str, Any] = field(factory=dict)
    _emptied: bool = True
    _others: set[int] = field(factory=set)
    """Processes that were there before the case: those of other tests."""

    @classmethod
    def make(cls, folder: Path) -> Stage:
        """Make the place and start the bystander."""
        place = Place.make(folder)
        socket, abstract = str(folder / "listening"), f"inarch-{folder.name}-{os.getpid()}"
        bystander = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _BYSTANDER, socket, abstract],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={"PRIVATE_WORD": SECRET},
        )  # fmt: skip
        assert bystander.stdout is not None
        port, address = bystander.stdout.readline().split()
        names = {
            "bystander": str(bystander.pid), "port": port, "address": address, "listening": socket, "home": place.home,
            "abstract": abstract, "runner": str(os.getpid()), "long": "a" * 1000,
        }  # fmt: skip
        own_the_lost()
        return cls(place, {name: str(value) for name, value in names.items()}, bystander)

    def close(self) -> None:
        """Close the applications and end the bystander."""
        for app in self._apps.values():
            self._loop.run(app.aclose())
        self._loop.close()
        self.bystander.communicate()

    def check(self, case: Case, opens: Open | None = None) -> inarch.ToolResult:
        """Run a case; an `AssertionError` says what is not as it must be. `opens` opens the files of the workspace."""
        case = self._filled(case)
        self._empty()
        self._others = _processes()
        with ExitStack() as stack:
            stack.enter_context(mock.patch.dict(os.environ, {**case.environ, "PRIVATE_WORD": SECRET}))
            set_up(case, self.place)
            app = self._app(case, opens)
            around, inside = self.place.around(), snapshot(self.place.root)  # before anything is exchanged under it
            for thing in case.setup:
                if "swap" in thing:
                    stack.enter_context(_swapping(self.place.root / thing["swap"], self.place.root / thing["with"]))
            for _ in range(case.repeat):
                result = self._one(case, app)
        assert self.place.around() == around, f"changed outside: {differing(around, self.place.around())}"
        changes = differing(inside, snapshot(self.place.root))
        self._judge(case, result, [path for path in changes if not _is_any(path, case.touched)])
        return result

    def _one(self, case: Case, app: Any) -> inarch.ToolResult:
        start = time.monotonic()
        for call in case.earlier:
            earlier = self._loop.run(app.call_tool(call["tool"], call["arguments"]))
            assert earlier.success, earlier.error
        result: inarch.ToolResult = self._loop.run(app.call_tool(case.tool, dict(case.arguments)))
        assert time.monotonic() - start < DEADLINE_S, f"hung: {result}"
        self._require_nothing_left()
        told = json.dumps([result.data, str(result.error), result.metadata], default=str, ensure_ascii=False)
        assert SECRET not in told, f"leaked: {told[:300]}"
        assert not any(word in told for word in SUCCEEDED), f"an attempt succeeded: {told[:300]}"
        return result

    def _judge(self, case: Case, result: inarch.ToolResult, changes: list[str]) -> None:
        if not case.contained:
            _check_verdict(case, self.place, result, changes)
            return
        told = json.dumps([result.data, str(result.error)], default=str, ensure_ascii=False)
        assert all(one in told for one in case.has), told
        found = {path: _text(file) if (file := self.place.root / path).is_file() else None for path in changes}
        assert found == dict(case.files), f"changed: {found}"

    def _filled(self, case: Case) -> Case:
        def fill(value: Any) -> Any:
            if isinstance(value, str):
                for name, text in self.names.items():
                    value = value.replace(f"{{{name}}}", text)
                return self.place.filled(value)
            if isinstance(value, Mapping):
                return {fill(name): fill(one) for name, one in value.items()}
            return type(value)(map(fill, value)) if isinstance(value, list | tuple) else value

        return Case(**{name: fill(getattr(case, name)) for name in _FIELDS})

    def _app(self, case: Case, opens: Open | None) -> Any:
        key = json.dumps([case.config, case.environ, case.approve, repr(opens)], default=dict, sort_keys=True)
        if key not in self._apps:
            environ = {"HOME": str(self.place.home), "PATH": os.environ.get("PATH", "")}
            environ |= {f"XDG_{name}_HOME": str(self.place.state) for name in ("STATE", "CACHE")}
            self._apps[key] = inarch.compose(
                root=self.place.root, config=dict(case.config), flags={"approve": case.approve}, journal=False,
                environ={**environ, **case.environ},
            )  # fmt: skip
            if opens is not None:
                workspace = FolderWorkspace.open(str(self.place.root), Settings(), opens)
                self._apps[key].parts.__dict__["workspace"] = workspace
        return self._apps[key]

    def _empty(self) -> None:
        """Empty the workspace, which stays the same folder, and make what stands around it anew."""
        for folder in (self.place.root, self.place.outside, self.place.sibling, self.place.home):
            folder.chmod(0o755)
            for name in os.listdir(os.fsencode(folder)):
                _remove(os.path.join(os.fsencode(folder), name))
        self.place.fill()

    def _require_nothing_left(self) -> None:
        end = time.monotonic() + PATIENCE_S
        while left := self._left():
            if time.monotonic() > end:
                for process in left:
                    os.kill(process, 9)
                raise AssertionError(f"processes left: {[_line(process) for process in left]}")
            time.sleep(0.005)
        assert self.bystander.poll() is None, "the bystander was killed"

    def _left(self) -> list[int]:
        """Return processes that a command left: our descendants but for the server's, and all that work there."""
        own, found = {os.getpid(), self.bystander.pid}, []
        root = os.fsencode(self.place.root)
        parents = {process: _parent(process) for process in _processes()}
        for process in parents.keys() - own - self._others:
            above = process
            while above in parents and above != os.getpid():
                above = parents[above]
            line = _line(process)
            is_server = b"inarch_plugins.sandbox_fs.processes.server" in line
            if (above == os.getpid() and line and not is_server) or root in _place_of(process) + line:
                found.append(process)
                if parents[process] == os.getpid():
                    os.waitpid(process, os.WNOHANG)  # buried: an orphan's new parent has to
        return found


def _processes() -> set[int]:
    return set(map(int, filter(str.isdigit, os.listdir("/proc"))))


_FIELDS = [one.name for one in Case.__attrs_attrs__]


def _remove(path: bytes) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        for folder, _, _ in os.walk(path):
            os.chmod(folder, stat.S_IRWXU)
        shutil.rmtree(path)
    else:
        os.unlink(path)


def _read(process: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{process}/{name}").read_bytes()
    except OSError:
        return b""


def _parent(process: int) -> int:
    words = _read(process, "stat").rpartition(b")")[2].split()
    return int(words[1]) if len(words) > 1 else 0


def _line(process: int) -> bytes:
    """Return a command line; empty for what has ended."""
    return _read(process, "cmdline")


def _place_of(process: int) -> bytes:
    """Return where a process works, and what its environment says."""
    try:
        folder = os.readlink(f"/proc/{process}/cwd")
    except OSError:
        return b""
    return os.fsencode(folder) + b"\0" + _read(process, "environ")


@contextmanager
def _swapping(one: Path, other: Path) -> Iterator[None]:
    stop = threading.Event()
    rename = ctypes.CDLL(None, use_errno=True).renameat2
    names = _BESIDE_FOLDER, os.fsencode(one), _BESIDE_FOLDER, os.fsencode(other), _EXCHANGE

    def swap() -> None:
        while not stop.is_set():
            assert rename(*names) == 0
            time.sleep(0.0002)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _run(path: Path, argv: list[str]) -> None:
    environ = {"HOME": "/nonexistent", "PATH": "/usr/local/bin:/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1"}
    for who in ("AUTHOR", "COMMITTER"):
        environ |= {f"GIT_{who}_NAME": "Ann", f"GIT_{who}_EMAIL": "ann@example.org", f"GIT_{who}_DATE": _GIT_DATE}
    subprocess.run(argv, cwd=path, check=True, env=environ, stdout=subprocess.DEVNULL)


def _make_repository(path: Path, thing: Mapping[str, Any]) -> None:
    if not (path / ".git").exists():
        _run(path, ["git", "init", "--quiet", "--template=", "--initial-branch=main"])
    _run(path, ["git", "add", "--all"])
    _run(path, ["git", "commit", "--quiet", "--allow-empty", "--message", thing.get("message", "first")])


def _make_attempts(path: Path, thing: Mapping[str, Any]) -> None:
    for file in _HERE.glob("attempts*.py"):
        shutil.copy(file, path if file.name == "attempts.py" else path.parent)


def make_project(path: Path, thing: Mapping[str, Any]) -> None:
    """Make a small repository with two commits, a branch, a tag and a change that is not committed."""
    shutil.copytree(_project(), path, symlinks=True, dirs_exist_ok=True)
    _run(path, ["git", "update-index", "-q", "--refresh"])  # it knew other inodes


@cache
def _project() -> Path:
    """Make it once in each process: it takes ten starts of git."""
    path = Path(tempfile.mkdtemp(prefix="inarch-project-"))
    atexit.register(shutil.rmtree, path)
    for name, text in PROJECT.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    _make_repository(path, {"message": "first"})
    (path / "src/main.py").write_text(PROJECT["src/main.py"] + "# more\n")
    _make_repository(path, {"message": "second"})
    for words in ("tag v1", "branch side HEAD~1", "remote add origin https://example.org/x"):
        _run(path, ["git", *words.split()])
    (path / "names.txt").write_text("Zoe\nBob\nann\n")
    (path / "new.txt").write_text("new\n")
    return path


_MAKERS["project"] = make_project
_MAKERS["repository"] = _make_repository
_MAKERS["ran"] = lambda path, thing: _run(path, thing["argv"])
_MAKERS["attempts"] = _make_attempts
_MAKERS["swap"] = lambda path, thing: None  # begins once all is there
