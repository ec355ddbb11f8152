"""All processes of one composition: found by id, reported at the end of each turn, stopped with the session."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from attrs import define, field

import inarch

if TYPE_CHECKING:
    from inarch_plugins.sandbox_fs.background.watched_process import Watched

MOST_ENDED = 20
"""Maximum number of ended processes that can still be read."""


@define(eq=False, repr=False)
class Desk:
    """Table of processes; also a tracer, because tracers see the end of turns and of the session."""

    context: inarch.PluginContext
    name: str = field(init=False, default="processes")
    _known: dict[str, Watched] = field(init=False, factory=dict)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)

    def add(self, watched: Watched) -> None:
        """Add a started process; the oldest ended one may be dropped."""
        with self._lock:
            self._known[watched.process.id] = watched
            ended = [process_id for process_id, one in self._known.items() if one.is_ended]
            for process_id in ended[: max(len(ended) - MOST_ENDED, 0)]:
                del self._known[process_id]

    def find(self, process_id: str) -> Watched:
        """Return a process."""
        found = self._known.get(process_id)
        if found is None:
            there = ", ".join(one.named for one in self._known.values()) or "none"
            raise inarch.ToolFailed(
                "not_found", f"there is no process {process_id[:40]!r}; there are: {there}",
                "a process ends with the session that started it: start it again with start_process",
            )  # fmt: skip
        return found

    def stop(self, process_id: str, by: str) -> Watched:
        """Kill a process, and return it once nothing is left."""
        watched = self.find(process_id)
        if not watched.is_ended:
            watched.stopped_by = watched.stopped_by or by
            watched.process.stop()
            if not watched.process.wait_until_over():
                raise inarch.ToolFailed("timeout", f"{watched.named} was killed and is not gone yet", "try again")
        return watched

    def saw(self, event: inarch.Event) -> None:
        """Do nothing: processes report their own events."""

    def summary(self, turn_id: str) -> str:
        """Report at the end of a turn what runs."""
        running = [one.named for one in self._running()]
        if not running:
            return ""
        return f"{len(running)} running, until stopped or Inarch ends: {', '.join(running)}"

    def close(self) -> None:
        """Stop what runs; the news reaches a continued session."""
        stopped = list(self._running())
        for watched in stopped:
            watched.stopped_by = watched.stopped_by or "the end of the session"
            watched.process.stop()
        for watched in stopped:
            watched.process.wait_until_over()
            try:
                watched.inbox.say(f"Process {watched.how()}.")
            except inarch.InarchError:
                continue  # nothing can be stored any more; a later call for it fails with a message

    def command(self, words: str) -> str:
        """Run `/processes`."""
        verb, _, process_id = words.partition(" ")
        if verb == "stop" and process_id.strip():
            try:
                return self.stop(process_id.strip(), "the person").how()
            except inarch.ToolFailed as error:
                raise inarch.UsageError(error.message, error.remedy) from None
        if words:
            raise inarch.UsageError(f"/processes does not know {words!r}", "write /processes or /processes stop ID")
        with self._lock:
            lines = [one.how() for one in self._known.values()]
        return "\n".join(lines) or "no process was started"

    def offered(self, words: str) -> Iterable[tuple[str, str]]:
        """Return the completions of `/processes`."""
        verb, has_verb, _ = words.partition(" ")
        if not has_verb:
            return [("stop", "stop one")]
        return [(one.process.id, one.process.words) for one in self._running()] if verb == "stop" else []

    def _running(self) -> Iterator[Watched]:
        with self._lock:
            known = list(self._known.values())
        return (one for one in known if not one.is_ended)
