"""Queue of files for a language server, with delivery of results that are too late for their call."""

from __future__ import annotations

import threading
from collections import deque

from attrs import define, field

import inarch
from inarch_lsp.connection import Ended
from inarch_lsp.problems import Problem, new_problems, wording
from inarch_lsp.protocol import Speaker
from inarch_lsp.server_lookup import Found

LATER = "{server} is still checking {path}; new errors, if any, are reported later"


@define(eq=False, repr=False)
class Job:
    """Check of one file: without an `inbox` before an edit, with the session's inbox for late results after it."""

    path: str
    text: str
    server: str
    inbox: inarch.Inbox | None = None
    _said: str | None = None
    _is_late: bool = False
    _done: threading.Condition = field(factory=threading.Condition)

    @property
    def is_late(self) -> bool:
        """Return whether the call no longer waits."""
        return self._is_late

    def wait(self, seconds: float) -> str:
        """Return the result for the file, or a note that it comes later."""
        with self._done:
            if not self._done.wait_for(lambda: self._said is not None, max(seconds, 0)):
                self._is_late = True
                return LATER.format(server=self.server, path=self.path)
            return self._said or ""

    def end(self, said: str) -> None:
        """Deliver the result to the call, or to the session if the call is over."""
        with self._done:
            self._said = said
            self._done.notify_all()
            late = self._is_late
        if late and said and self.inbox is not None:
            try:
                self.inbox.say(said)
            except inarch.InarchError:
                pass  # the session is over or cannot be written


@define(eq=False, repr=False)
class Checker:
    """A server and the thread that talks to it."""

    found: Found
    workspace: inarch.Workspace
    patience_s: float
    _speaker: Speaker = field(init=False)
    _jobs: deque[Job] = field(init=False, factory=deque)
    _known: dict[str, tuple[str, tuple[Problem, ...]]] = field(init=False, factory=dict)
    _owed: set[str] = field(init=False, factory=set)
    _why: str = field(init=False, default="")
    _is_told: bool = field(init=False, default=False)

    def __attrs_post_init__(self) -> None:
        self._speaker = Speaker(self.found, self.workspace, self.patience_s)
        threading.Thread(target=self._work, name="inarch-lsp-checks", daemon=True).start()

    @property
    def is_over(self) -> bool:
        """Return whether its server ended with the workspace; a failed server stays disabled."""
        return self._speaker.connection.was_closed

    def learn(self, path: str, text: str) -> None:
        """Queue a check of a file before an edit."""
        self._put(Job(path, text, self.found.program))

    def check(self, path: str, text: str, inbox: inarch.Inbox) -> Job:
        """Queue a check of a file after an edit."""
        return self._put(Job(path, text, self.found.program, inbox))

    def farewell(self) -> str:
        """Return once why the server is disabled."""
        if not self._why or self._is_told:
            return ""
        self._is_told = True
        return f"{self.found.program} is disabled for the rest of the session: {self._why}"

    def _put(self, job: Job) -> Job:
        with self._speaker.connection.changed:
            if self._why or self.is_over:
                job.end("")
            else:
                self._jobs.append(job)
                self._speaker.connection.changed.notify_all()
        return job

    def _work(self) -> None:
        """Do jobs until the server ends."""
        connection = self._speaker.connection
        try:
            self._speaker.begin()
            while True:
                with connection.changed:
                    connection.changed.wait_for(lambda: self._jobs or connection.why or connection.was_closed)
                    if not self._jobs:
                        raise Ended(connection.why)
                self._do(self._jobs[0])
                with connection.changed:
                    self._jobs.popleft()
        except Ended as error:
            self._give_up(str(error))

    def _give_up(self, why: str) -> None:
        connection = self._speaker.connection
        connection.close(why)
        with connection.changed:
            self._why = "" if connection.was_closed else why
            left = list(self._jobs)
            self._jobs.clear()
        for job in left:
            job.end(self.farewell() if job.is_late else "")

    def _do(self, job: Job) -> None:
        """Check a file, unless a newer check of it is queued and no call waits for this one.

        A skipped check is remembered: the newer one is compared with the errors known before both.
        """
        if job.inbox is None:
            known = self._known.get(job.path)
            if job.path not in self._owed and (known is None or known[0] != job.text):
                found = self._speaker.problems(job.path, job.text) if job.text else ()
                self._known[job.path] = job.text, found
            return
        if self._is_outdated(job):
            return
        before, problems = self._known.get(job.path, ("", ()))
        found = self._speaker.problems(job.path, job.text)
        if self._is_outdated(job):
            return
        self._owed.discard(job.path)
        self._known[job.path] = job.text, found
        new = new_problems(problems, before, found, job.text)
        job.end(wording(job.path, new, job.server) if new else "")

    def _is_outdated(self, job: Job) -> bool:
        """Return whether a late check of a file is no longer useful; it is then remembered as skipped."""
        with self._speaker.connection.changed:
            newer = any(other is not job and other.path == job.path and other.inbox is not None for other in self._jobs)
        if newer and job.is_late:
            self._owed.add(job.path)
            job.end("")
            return True
        return False
