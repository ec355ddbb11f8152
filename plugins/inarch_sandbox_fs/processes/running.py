"""Run programs for one workspace: from rights to a plan, from a plan to what came of it."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from attrs import define, field

from inarch import Cancelled, Confinement, Ran, Rights, ToolFailed
from inarch_confinement import Features, layers_of
from inarch_sandbox_fs.failures import failure
from inarch_sandbox_fs.opening import PATH_ONLY, Open
from inarch_sandbox_fs.paths import normal
from inarch_sandbox_fs.processes.bubblewrap import find_bubblewrap, wrapped
from inarch_sandbox_fs.processes.environment import Private, environment
from inarch_sandbox_fs.processes.forking import ForkServer, Gone
from inarch_sandbox_fs.processes.judging import Judge
from inarch_sandbox_fs.processes.outcome import ran, require_started
from inarch_sandbox_fs.processes.output import Captured
from inarch_sandbox_fs.processes.pipes import Pipes
from inarch_sandbox_fs.processes.programs import Program, Programs
from inarch_sandbox_fs.processes.protecting import Protection
from inarch_sandbox_fs.processes.reaching import network_notes, reaching
from inarch_sandbox_fs.processes.sockets import live_sockets
from inarch_sandbox_fs.processes.watching import Watch
from inarch_sandbox_fs.settings import Settings

if TYPE_CHECKING:
    from inarch_egress import Egress

_MOST_SECONDS = 7 * 24 * 3600.0
_CLOSE_SECONDS = 15.0
_READS_MEMORY, _READS_FILE = 4 << 30, 1 << 30
_WRITES_MEMORY, _WRITES_FILE, _PROCESSES = 16 << 30, 16 << 30, 2048


@define(eq=False, repr=False)
class Runner:
    """Runs programs below one root; its methods may be called from several threads at once."""

    root: str
    _descriptor: int
    _open_it: Open
    _settings: Settings
    _programs: Programs = field(init=False)
    _server: ForkServer | None = None
    _confinement: Confinement | None = None
    _closed: bool = False
    _running: set[Watch] = field(factory=set)
    _lock: threading.Lock = field(factory=threading.Lock)
    _ended: threading.Condition = field(init=False)
    judge: Judge = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.root = os.path.realpath(self.root)
        self._programs = Programs(self.root, self._descriptor, self._open_it)
        self._ended = threading.Condition(self._lock)
        self.judge = Judge(self._settings)

    def confinement(self) -> Confinement:
        """Return how well programs are confined; starts the fork server at the first call."""
        if self._confinement is None:
            try:
                server = self._started()
                self._confinement = self.judge.confinement(Features(*server.features), self.judge.reached(server))
            except ToolFailed as error:
                self._confinement = Confinement(0, (), str(error))
        return self._confinement

    def run(
        self,
        argv: Sequence[str],
        rights: Rights,
        *,
        cwd: str,
        stdin: bytes,
        timeout_s: float,
        merged: bool,
        on_output: Callable[[bytes], None] | None,
        cancelled: threading.Event | None,
    ) -> Ran:
        """Run a program as the `Workspace` port says."""
        _check(argv, timeout_s)
        if cancelled is not None and cancelled.is_set():
            raise Cancelled("cancelled before the program was started")
        cwd = normal(cwd, self.root)
        program = self._programs.find(argv[0], cwd, rights.executes)
        server = self._started()
        self._require_same_root()
        features, reached = Features(*server.features), self.judge.reached(server)
        private = Private.new(small=not _changes(rights))
        with self._protected(rights) as protection, reaching(rights, features) as egress:
            level, told = self.judge.level(
                features, reached, changes=_changes(rights), guards=bool(protection and protection.found)
            )
            plan = self._plan(program, rights, private, protection, features)
            where, command = os.path.normpath(os.path.join(self.root, cwd)), [program.path, *argv[1:]]
            request = {
                "argv": self._backed(command, plan, where, proxied=egress is not None),
                "env": environment(program, private, where, {**rights.env, **(egress.variables if egress else {})}),
                "folders": [private.folder, private.temporary],
                "links": dict(rights.home),
                "timeout_s": min(timeout_s, _MOST_SECONDS),
                "plan": plan,
            }
            watch, outputs = self._begin(request, cwd, stdin, merged, on_output, cancelled, egress)
            notes: tuple[str, ...] = ()
            try:
                report = watch.until_done()
            finally:
                private.remove()
                notes = protection.check() if protection else ()
                self._over(watch)  # last: who closes the workspace waits until all is as it should be
        put_back = "".join(f"; {note}" for note in notes)
        if watch.cancelled is not None and watch.cancelled.is_set() and watch.stopped:
            raise Cancelled(f"{argv[0]} was cancelled; nothing of it runs any more{put_back}")
        if self._closed and watch.stopped and not watch.too_much:
            raise ToolFailed("cancelled", f"{argv[0]} was killed, for the workspace was closed{put_back}")
        require_started(report, command)
        notes += network_notes(egress, report)
        return ran(command, report, outputs, level, watch.too_much, (*told, *notes))

    def find_program(self, name: str) -> str:
        """Return the path of the program that a name means to what may start programs."""
        return self._programs.find(name, ".", executes=True).path

    def close(self) -> None:
        """Kill what runs and stop the server; may be called twice."""
        with self._lock:
            self._closed = True
            for watch in self._running:
                watch.stop()
            self._ended.wait_for(lambda: not self._running, _CLOSE_SECONDS)
            server, self._server = self._server, None
        if server is not None:
            server.stop()

    def _started(self) -> ForkServer:
        with self._lock:
            if self._closed:
                raise ToolFailed("cancelled", "the workspace is closed")
            if self._server is None:
                self._server = ForkServer.start()
            return self._server

    def _restarted(self, gone: ForkServer) -> ForkServer:
        with self._lock:
            if self._server is gone:
                self._server = None
                gone.stop()
        return self._started()

    @contextmanager
    def _protected(self, rights: Rights) -> Iterator[Protection | None]:
        if not rights.writes:
            yield None
            return
        skip = frozenset(self._settings.skip_folders)
        protection = Protection(self.root, self._descriptor, self._open_it, rights.writes, skip, rights.keeps)
        try:
            yield protection
        finally:
            protection.close()

    def _plan(
        self, program: Program, rights: Rights, private: Private, protection: Protection | None, features: Features
    ) -> dict[str, Any]:
        if protection is not None:
            protection.remember(links_only=self.judge.binds(features))
        outside = tuple(os.path.realpath(path) for path in rights.writes_outside if os.path.isabs(path))
        home = tuple(map(_still_there, rights.home.values()))
        view = _changes(rights) and self.judge.binds(features)
        skip = frozenset(self._settings.skip_folders)
        sockets = live_sockets(self._descriptor, self._open_it, skip) if view else ()
        executable = (self.root, private.folder, *program.folders) if rights.executes else ()
        memory, file = (_WRITES_MEMORY, _WRITES_FILE) if _changes(rights) else (_READS_MEMORY, _READS_FILE)
        return {
            "root": self.root,
            "program": program.path,
            "writable": (*(self._writable(path) for path in rights.writes), *outside),
            "protected": protection.to_bind() if protection is not None and self.judge.binds(features) else (),
            "masked": tuple(os.path.join(self.root, path) for path in sockets),
            "readable": (*rights.reads, *home, *program.folders, *(path for _, path in program.env)),
            "executable": (*executable, *(path for name, path in program.env if rights.executes and path)),
            "network": rights.network,
            "temporary": private.folder,
            "memory_bytes": memory,
            "processes": _PROCESSES,
            "file_bytes": file,
            "cpu_seconds": 0,
            "layers": tuple(layers_of(features)),
            "exact": True,
        }

    def _require_same_root(self) -> None:
        """Refuse where the root's path leads to another folder than the one that was opened: paths go to the child."""
        try:
            named = os.stat(self.root, follow_symlinks=False)
        except OSError:
            named = None
        if named is None or not os.path.samestat(named, os.fstat(self._descriptor)):
            raise ToolFailed(
                "conflict", f"{self.root} is another folder than when the workspace was opened; nothing was run",
                "put it back, or open Inarch where it is now",
            )  # fmt: skip

    def _writable(self, path: str) -> str:
        """Return the absolute path of what may be changed; no link leads there."""
        if not path.strip("/"):
            return self.root
        path = normal(path, self.root)
        try:
            descriptor = self._open_it(self._descriptor, path, PATH_ONLY | os.O_NOFOLLOW, False)
        except OSError as error:
            raise failure(error, path, self._descriptor, self._open_it) from None
        try:
            if stat.S_ISLNK(os.fstat(descriptor).st_mode):
                raise ToolFailed("permission", f"{path} is a symbolic link, and nothing is written through one")
        finally:
            os.close(descriptor)
        return os.path.normpath(os.path.join(self.root, path))

    def _folder(self, cwd: str) -> int:
        try:
            return self._open_it(self._descriptor, cwd, os.O_RDONLY | os.O_DIRECTORY, True)
        except NotADirectoryError:
            raise ToolFailed(
                "validation", f"{cwd} is not a directory", "name the directory it is to start in"
            ) from None
        except OSError as error:
            raise failure(error, cwd, self._descriptor, self._open_it) from None

    def _backed(self, command: list[str], plan: dict[str, Any], folder: str, *, proxied: bool) -> list[str]:
        if self._settings.confine != "bwrap":
            return command
        bubblewrap = find_bubblewrap()
        # With a proxy it is in a network namespace before bubblewrap starts, and stays there.
        command = wrapped(bubblewrap, command, {**plan, "network": plan["network"] or proxied}, folder)
        plan.update(program=bubblewrap, executable=("/",), layers=("limits",))
        return command

    def _begin(
        self,
        request: dict[str, Any],
        cwd: str,
        stdin: bytes,
        merged: bool,
        on_output: Callable[[bytes], None] | None,
        cancelled: threading.Event | None,
        egress: Egress | None,
    ) -> tuple[Watch, tuple[Captured, ...]]:
        """Have the command started, by a new server where the old one is gone."""
        folder = self._folder(cwd)
        try:
            pipes = Pipes.open(bool(stdin), merged)
            try:
                gate = [egress.gate] if egress else []
                control, supervisor = self._submitted(request, [*pipes.theirs, folder, *gate])
            except BaseException:
                pipes.close()
                raise
        finally:
            os.close(folder)
        pipes.close_theirs()
        if egress:
            egress.handed()
        captured = tuple(Captured() for _ in pipes.outputs)
        watch = Watch(
            control, supervisor, dict(zip(pipes.outputs, captured, strict=True)), pipes.feeding, memoryview(stdin),
            time.monotonic() + request["timeout_s"], on_output, cancelled,
        )  # fmt: skip
        with self._lock:
            self._running.add(watch)
            if self._closed:
                watch.stop()
        return watch, captured

    def _submitted(self, request: dict[str, Any], descriptors: list[int]) -> tuple[Any, int]:
        server = self._started()
        for _ in range(2):
            try:
                return server.submit(request, descriptors)
            except Gone:
                server = self._restarted(server)
        raise ToolFailed("execution", "the process that starts programs was killed twice", "try again")

    def _over(self, watch: Watch) -> None:
        with self._lock:
            self._running.discard(watch)
            watch.close()
            self._ended.notify_all()


def _still_there(path: str) -> str:
    """Return the path of a file outside the workspace that is no link and lies behind none."""
    if os.path.realpath(path) != path or not os.path.isfile(path):
        raise ToolFailed("conflict", f"{path} is no longer the file that it was; nothing was run", "name it again")
    return path


def _changes(rights: Rights) -> bool:
    """Whether a program may do more than read."""
    return bool(rights.writes or rights.executes or rights.network or rights.hosts or rights.writes_outside)


def _check(argv: Sequence[str], timeout_s: float) -> None:
    if not argv or not argv[0]:
        raise ToolFailed("validation", "there is no program to run")
    for word in argv:
        if not isinstance(word, str) or "\0" in word:
            raise ToolFailed("validation", f"not an argument that a program can be given: {word!r}")
        try:
            word.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise ToolFailed("validation", f"the argument {word!r} is not valid text") from None
    if not timeout_s > 0:
        raise ToolFailed("validation", f"not a number of seconds to run: {timeout_s}")
