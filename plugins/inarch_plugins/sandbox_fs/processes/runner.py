"""Running of programs for one workspace: from rights to a plan, from a plan to a result."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from attrs import define, field

from inarch import Cancelled, Confinement, Piped, Ran, Rights, ToolFailed
from inarch_lib.confinement import Features
from inarch_lib.staging.copies import change_of
from inarch_plugins.sandbox_fs.failures import failure
from inarch_plugins.sandbox_fs.paths import normal
from inarch_plugins.sandbox_fs.processes.command_watch import Pipes, Watch
from inarch_plugins.sandbox_fs.processes.confinement_level import judged
from inarch_plugins.sandbox_fs.processes.confinement_plan import (
    Manner,
    Planned,
    Planner,
    Private,
    changes,
    check,
    require_one_guard,
)
from inarch_plugins.sandbox_fs.processes.fork_client import ForkServer, Gone
from inarch_plugins.sandbox_fs.processes.networks import handed, network_notes, reaching, require_alone
from inarch_plugins.sandbox_fs.processes.output import Captured, ran, require_started
from inarch_plugins.sandbox_fs.processes.programs import Programs
from inarch_plugins.sandbox_fs.processes.protected_names import Protection
from inarch_plugins.sandbox_fs.safe_open import LIST, Open, held
from inarch_plugins.sandbox_fs.settings import Settings

if TYPE_CHECKING:
    from inarch_plugins.sandbox_fs.processes.background import Background

_MOST_SECONDS = 7 * 24 * 3600.0
_CLOSE_SECONDS = 15.0


@define(eq=False, repr=False)
class Runner:
    """Runner of programs below one root; threads may call its methods concurrently."""

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
    _planner: Planner = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.root = os.path.realpath(self.root)
        self._programs = Programs(self.root, self._descriptor, self._open_it)
        self._ended = threading.Condition(self._lock)
        self._planner = Planner(self.root, self._descriptor, self._open_it, self._settings)

    @cached_property
    def background(self) -> Background:
        """Return the background programs."""
        from inarch_plugins.sandbox_fs.processes.background import Background  # most sessions have none

        return Background(self.run)

    @cached_property
    def trial_problem(self) -> str:
        """Return why programs can't be tried in a copy of the workspace, empty if they can."""
        from inarch_plugins.sandbox_fs.processes.trial_run import problem

        return problem(self)

    def confinement(self) -> Confinement:
        """Return how well programs are confined; the first call starts the fork server."""
        if self._confinement is None:
            try:
                server = self._started()
                self._confinement = judged(self._settings, Features(*server.features), server.reached)
            except ToolFailed as error:
                self._confinement = Confinement(0, (), str(error))
        return self._confinement

    def run(self, parts: Sequence[Piped], manner: Manner) -> Ran:
        """Run one program, or those of a pipeline, as the `Workspace` port says."""
        check(parts, manner.timeout_s)
        joined = self.background.find(manner.in_process).network if manner.in_process else None
        if manner.cancelled is not None and manner.cancelled.is_set():
            raise Cancelled("cancelled before the program was started")
        cwd = normal(manner.cwd, self.root)
        programs = [self._programs.find(part.argv[0], cwd, part.rights.executes) for part in parts]
        server = self._started()
        self._require_same_root()
        features = Features(*server.features)
        require_one_guard(parts, features)
        for part in parts if joined is not None or manner.running is not None else ():
            require_alone(part.rights, features)
        where = os.path.normpath(os.path.join(self.root, cwd))
        private = Private.new(small=not any(changes(part.rights) for part in parts))
        with ExitStack() as stack:
            started: list[Planned] = []
            for number, (part, program) in enumerate(zip(parts, programs, strict=True)):
                protection = stack.enter_context(self._protected(part.rights))
                egress = stack.enter_context(reaching(part.rights, features))
                joins = joined if changes(part.rights) else None
                descriptors = stack.enter_context(handed(egress, manner.offers(part, parts), joins))
                overlay = manner.trial.path if manner.trial is not None else ""
                one = Planned(private.of(number), where, protection, egress, descriptors, overlay)
                self._planner.plan(one, part, program, features, server.reached)
                started.append(one)
            request = _request(started, parts, private, manner.timeout_s)
            return self._watched(parts[0].argv[0], started, request, manner, private)

    def _watched(
        self, name: str, started: Sequence[Planned], request: dict[str, Any], manner: Manner, private: Private
    ) -> Ran:
        """Start the programs and watch over them to their end."""
        running, trial = manner.running, manner.trial
        kept = Captured() if running is None else Captured(kept=1, most=None)
        watch = self._begin(request, manner, started, [kept] if manner.merged else [kept, Captured()])
        if running is not None:
            running.network.handed()
            running.begun(watch)
        if trial is not None:
            trial.handed(private.folder)
        outputs = tuple(watch.outputs.values())
        notes: tuple[str, ...] = ()
        try:
            report = watch.until_done()
        finally:
            private.remove()
            if trial is None:  # a dry run changes nothing
                notes = tuple(note for one in started if one.protection for note in one.protection.check())
            self._over(watch)  # last: closing the workspace waits until everything is restored
        self._require_ended(name, watch, notes)
        return _came_of(started, report, outputs, watch, notes)

    def _require_ended(self, name: str, watch: Watch, notes: Sequence[str]) -> None:
        """Raise unless the program ended by itself."""
        put_back = "".join(f"; {note}" for note in notes)
        if watch.cancelled is not None and watch.cancelled.is_set() and watch.stopped:
            raise Cancelled(f"{name} was cancelled; nothing of it runs any more{put_back}")
        if self._closed and watch.stopped and not watch.too_much:
            raise ToolFailed("cancelled", f"{name} was killed because the workspace was closed{put_back}")

    def find_program(self, name: str) -> str:
        """Return the path of a program, from the user's interpreters and the workspace's programs too."""
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
        if not rights.writes or not rights.confined:
            yield None
            return
        skip, is_copy = frozenset(self._settings.skip_folders), bool(change_of(self.root))
        protection = Protection(
            self.root,
            self._descriptor,
            self._open_it,
            rights.writes,
            skip,
            rights.keeps,
            rights.steers or is_copy,
            () if is_copy else rights.uncovered,
        )
        try:
            yield protection
        finally:
            protection.close()

    def _require_same_root(self) -> None:
        """Raise if the root's path leads to another folder than at opening: paths are sent to the child."""
        try:
            named = os.stat(self.root, follow_symlinks=False)
        except OSError:
            named = None
        if named is None or not os.path.samestat(named, os.fstat(self._descriptor)):
            raise ToolFailed(
                "conflict", f"{self.root} is another folder than when the workspace was opened; nothing was run",
                "put it back, or open Inarch in its new location",
            )  # fmt: skip

    @contextmanager
    def _folder(self, cwd: str) -> Iterator[int]:
        try:
            with held(self._open_it(self._descriptor, cwd, LIST, True)) as folder:
                yield folder
        except NotADirectoryError:
            raise ToolFailed(
                "validation", f"{cwd} is not a directory", "name the directory it is to start in"
            ) from None
        except OSError as error:
            raise failure(error, cwd, self._descriptor, self._open_it) from None

    def _begin(
        self,
        request: dict[str, Any],
        manner: Manner,
        started: Sequence[Planned],
        captured: Sequence[Captured],
    ) -> Watch:
        """Have the command started, by a new server if the old one is gone."""
        with self._folder(normal(manner.cwd, self.root)) as folder:
            pipes = Pipes.open(bool(manner.stdin), len(captured) == 1)
            try:
                handed = [descriptor for one in started for descriptor in one.descriptors]
                control, supervisor = self._submitted(request, [*pipes.theirs, folder, *handed])
            except BaseException:
                pipes.close()
                raise
        pipes.close_theirs()
        for one in started:
            if one.egress is not None:
                one.egress.handed()
        watch = Watch(
            control, supervisor, dict(zip(pipes.outputs, captured, strict=True)), pipes.feeding,
            memoryview(manner.stdin), time.monotonic() + request["timeout_s"], manner.on_output, manner.cancelled,
        )  # fmt: skip
        with self._lock:
            self._running.add(watch)
            if self._closed:
                watch.stop()
        return watch

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


def _request(started: Sequence[Planned], parts: Sequence[Piped], private: Private, timeout_s: float) -> dict[str, Any]:
    """Return the request to the server."""
    homes = [one.private for one in started]
    return {
        "programs": [one.request for one in started],
        "folders": [private.folder, *(path for home in homes for path in (home.folder, home.temporary))],
        "links": {
            os.path.join(home.folder, name): path
            for part, home in zip(parts, homes, strict=True)
            for name, path in part.rights.home.items()
        },
        "timeout_s": min(timeout_s, _MOST_SECONDS),
    }


def _came_of(
    started: Sequence[Planned],
    report: dict[str, Any],
    outputs: tuple[Captured, ...],
    watch: Watch,
    notes: Sequence[str],
) -> Ran:
    """Return the result of programs that ended by themselves, or at their time limit."""
    commands = [one.command for one in started]
    require_started(report, commands)
    ends = zip(started, report["ended"], strict=True)
    network = [note for one, end in ends for note in network_notes(one.egress, end)]
    told = dict.fromkeys(said for one in started for said in one.told)
    if any(end["exit_code"] != 0 for end in report["ended"]):
        told |= dict.fromkeys(one.read_only for one in started if one.read_only)
    return ran(commands, report, outputs, min(one.level for one in started), watch.too_much, (*told, *notes, *network))
