"""One process as its session sees it: its unread output, and the news about it."""

from __future__ import annotations

import codecs
import threading
import time
from typing import TYPE_CHECKING, Any

from attrs import define, field

import inarch
from inarch_plugins.sandbox_fs.background.patterns import TooSlow, find
from inarch_plugins.sandbox_fs.processes.output import signal_name

if TYPE_CHECKING:
    from inarch_plugins.sandbox_fs.processes.background import Running

TAIL = 2_000
"""Bytes of its last output that the news of its end includes."""
_PIECE = 1 << 16
_LOOK_S = 0.1  # how often to check whether a waiting call was cancelled, and to search new output
_LONGEST_WORDS = 200


@define(eq=False, repr=False)
class Watched:
    """Process whose news goes to the call that waits for it, else into the session's inbox."""

    inbox: inarch.Inbox
    pattern: str = ""
    is_ended: bool = field(init=False, default=False)
    is_found: bool = field(init=False, default=False)
    stopped_by: str = field(init=False, default="")
    ended: float = field(init=False, default=0.0)
    _process: Running | None = field(init=False, default=None)
    _is_attached: threading.Event = field(init=False, factory=threading.Event)
    _waiting: int = field(init=False, default=1)  # the call that starts it
    _news: list[str] = field(init=False, factory=list)
    _read_to: int = field(init=False, default=0)
    _said: list[str] = field(init=False, factory=list)

    @property
    def process(self) -> Running:
        """Return the process; only valid after it was started."""
        assert self._process is not None
        return self._process

    @property
    def named(self) -> str:
        """Return its id and its command."""
        words = self.process.words
        return f"{self.process.id} ({words if len(words) <= _LONGEST_WORDS else words[:_LONGEST_WORDS] + ' …'})"

    @property
    def _has_news(self) -> bool:
        return bool(self._news) or self.is_found or self.is_ended

    def attach(self, process: Running) -> None:
        """Take the process that was started."""
        self._process = process
        self._is_attached.set()
        if self.pattern:
            threading.Thread(target=self._look, name=f"inarch-{process.id}-pattern", daemon=True).start()

    def end(self) -> None:
        """Report that no process is left; called from the thread that watched it."""
        self._is_attached.wait()
        self.ended = time.monotonic()
        with self.process.changed:
            self.is_ended = True
            is_awaited = bool(self._waiting or self.stopped_by)
            if is_awaited and not self.stopped_by:
                self._news.append(f"{self.how()}.")
            self.process.changed.notify_all()
        if not is_awaited:
            self._say(f"{self.how()}. {self.last_words()}")

    def last_words(self) -> str:
        """Return the end of its output, after a line that says so."""
        with self.process.changed:
            output = self.process.output
            cut = output.read(max(output.total - TAIL, 0), TAIL)
        tail = _text(cut.start, cut.data).strip()
        return f"The end of its output:\n{tail}" if tail else "It wrote nothing."

    def how(self) -> str:
        """Describe whether it runs, or how it ended."""
        process, ran = self.process, self.process.ran
        since = f"{(self.ended or time.monotonic()) - process.began:.0f} s"
        if not self.ended:
            return f"{self.named} has been running for {since}"
        if self.stopped_by:
            return f"{self.named} was stopped by {self.stopped_by} after {since}"
        if process.failed is not None:
            return f"{self.named}: {process.failed}"
        if ran is None or ran.signal:
            return f"{self.named} was killed by {signal_name(ran.signal if ran is not None else 0)} after {since}"
        return f"{self.named} ended with exit code {ran.exit_code} after {since}"

    def wait(self, seconds: float, cancelled: threading.Event, *, is_first: bool = False) -> list[str]:
        """Wait for its end or its pattern; news returned here is reported nowhere else.

        Undelivered news of its end is withdrawn.
        """
        process, end = self.process, time.monotonic() + seconds
        with process.changed:
            self._waiting += not is_first
            while (left := end - time.monotonic()) > 0 and not (self._has_news or cancelled.is_set()):
                process.changed.wait(min(left, _LOOK_S))
            self._waiting -= 1
            news, self._news = self._news, []
            said, self._said = (self._said, []) if self.is_ended else ([], self._said)
        for one in said:
            self.inbox.unsay(one)
        if cancelled.is_set():
            for text in news:
                self._say(text)
        return news

    def read(self, since: int | None, limit: int) -> dict[str, Any]:
        """Return output from an offset, or the last part of the unread output."""
        with self.process.changed:
            output = self.process.output
            start = self._read_to if since is None else since
            skipped_to = max(output.total - limit, start) if since is None else start
            cut = output.read(skipped_to, limit)
            is_all = cut.end == output.total
        data, end = cut.data, cut.end
        if not (is_all and self.is_ended):
            whole = len(data) - _unfinished(data)
            data, end = data[:whole], cut.start + whole
        self._read_to = max(self._read_to, end)
        found: dict[str, Any] = {"output": _text(cut.start, data), "next": end, "total": output.total}
        if cut.start > start:
            dropped = max(min(output.first, cut.start) - start, 0)
            left = cut.start - start - dropped
            found["left_out"] = _left_out(dropped, left, start + dropped)
        return found

    def _tell(self, text: str) -> None:
        with self.process.changed:
            is_awaited = self._waiting > 0
            if is_awaited:
                self._news.append(text)
            self.process.changed.notify_all()
        if not is_awaited:
            self._say(text)

    def _say(self, text: str) -> None:
        said = self.inbox.say(f"Process {text}")
        with self.process.changed:
            self._said.append(said.id)

    def _look(self) -> None:
        """Search the output for the pattern, line by line, until it is found."""
        try:
            self._find(self.process)
        except TooSlow:
            self._tell(f"{self.named}: the pattern {self.pattern!r} takes too long, and is no longer searched for")

    def _find(self, process: Running) -> None:
        at = seen = 0
        while True:
            with process.changed:
                while process.output.total <= seen and not process.is_over:
                    process.changed.wait()
                cut = process.output.read(at, _PIECE)
                is_over = process.is_over and cut.end == process.output.total
            if line := find(self.pattern, cut.data):
                self.is_found = True
                self._tell(f"{self.named} wrote what was waited for: {line}")
                return
            if is_over:
                return
            # The unfinished last line is searched again once there is more of it.
            line_end = cut.data.rfind(b"\n") + 1
            at = cut.start + line_end if line_end else cut.end if len(cut.data) == _PIECE else cut.start
            seen = cut.end
            time.sleep(_LOOK_S)  # each search is a process


def _text(start: int, data: bytes) -> str:
    if start:  # it may begin within a character
        data = data.lstrip(bytes(range(0x80, 0xC0)))
    return data.decode("utf-8", "replace")


def _unfinished(data: bytes) -> int:
    """Return how many bytes at the end are the beginning of a character."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    decoder.decode(data)
    return len(decoder.getstate()[0])


def _left_out(dropped: int, left: int, first: int) -> str:
    told = [f"{dropped} bytes are gone: only the last are stored"] if dropped else []
    if left:
        told.append(f"{left} bytes come before this: since = {first} shows them")
    return "; ".join(told)
