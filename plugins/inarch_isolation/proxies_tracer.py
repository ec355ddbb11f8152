"""What stands in the kernel's process for a tracer of an isolated plugin."""

from __future__ import annotations

import os
from collections.abc import Callable

from attrs import define, field

from inarch import Event
from inarch_isolation.allowing import is_granted
from inarch_isolation.process import PluginProcess
from inarch_isolation.proxies import wrong

_BATCH = 32
"""Events that are sent together."""


@define(eq=False, repr=False, slots=False)
class FarTracer:
    """A tracer of an isolated plugin: it is sent events in batches and never waited for."""

    _process: PluginProcess
    _target: str
    name: str
    _lines: list[str] = field(factory=list)

    def saw(self, event: Event) -> None:
        """Take note of an event."""
        self._lines.append(event.line)
        if len(self._lines) >= _BATCH or event.kind in ("turn.ended", "session.started"):
            self._flush()

    def summary(self, turn_id: str) -> str | None:
        """Return a line about the turn that ends, or None."""
        self._flush()
        text = self._process.call(self._target, "summary", turn_id, door="tracer")
        if (fault := self._process.fault_of(self._target)) is not None:
            raise fault
        if text is not None and not isinstance(text, str):
            raise wrong(self._process, f"no summary: {text!r}")
        return text

    def close(self) -> None:
        """Let go of files."""
        if self._process.runs:
            self._flush()
            self._process.call(self._target, "close", door="tracer")

    def _flush(self) -> None:
        lines, self._lines = self._lines, []
        if lines:
            self._process.post(self._target, "saw", lines)


def copied_by(tracer: FarTracer) -> Callable[[Event], None]:
    """Return the tracer's `copied`."""
    return lambda event: tracer._process.call(tracer._target, "copied", event.line, door="tracer") and None


def forked_by(tracer: FarTracer) -> Callable[[Event], bool]:
    """Return the tracer's `forked`."""
    return lambda event: tracer._process.call(tracer._target, "forked", event.line, door="tracer") is True


def files_of(tracer: FarTracer, method: str) -> Callable[..., list[str]]:
    """Return the tracer's `files` or `logs`: what lies elsewhere than in its own folders is not its own."""
    texts, process = texts_of(tracer, method), tracer._process

    def files(*session_id: str) -> list[str]:
        found = []
        for path in texts(*session_id):
            folder, name = os.path.split(path)
            if "\0" in path or not os.path.isabs(path) or not is_granted(folder, process.launch.job):
                raise wrong(process, f"a file that is none of its own: {path!r}")
            found.append(os.path.join(os.path.realpath(folder), name))
        return found

    return files


def texts_of(tracer: FarTracer, method: str) -> Callable[..., list[str]]:
    """Return the tracer's method that gives texts."""

    def texts(argument: str | None = None) -> list[str]:
        found = tracer._process.call(tracer._target, method, argument, door="tracer")
        if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
            raise wrong(tracer._process, f"no texts: {found!r}")
        return found

    return texts
