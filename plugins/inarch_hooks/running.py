"""Running one hook: its command with its input, confined or as the user's own, and what it said."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from attrs import field, frozen

import inarch
from inarch_hooks.reading import Hook

Record = Callable[[str, Mapping[str, Any]], None]
KEPT = 4_000
"""Characters of an output that the event of a run keeps of each stream."""
_MOST_OUTPUT = 1_000_000
_WITHHELD = re.compile(
    r"permission denied|read-only file system|can(?:no|')t create|operation not permitted", re.IGNORECASE
)
"""What programs say that wanted more than a confined one has; a shell that can't write ends with 2, as who objects."""
_HINT = (
    "(this hook runs confined, and wanted to write or read what it may not: your own hooks.json with "
    '"confine": false lets it)'
)
_SURE_LEVEL = 2
"""The level from which on a program is kept from what it may not do."""


@frozen
class Said:
    """What a hook said: its exit code, None where it has none, its output, and `data` where that is a JSON object.

    `fault` says why it doesn't count.
    """

    exit_code: int | None = None
    output: str = ""
    errors: str = ""
    data: Mapping[str, Any] = field(factory=dict)
    fault: str = ""

    @property
    def blocks(self) -> bool:
        """Whether it says no by its exit code."""
        return self.exit_code == 2 and not self.fault

    @property
    def stops(self) -> bool:
        """Whether it wants the turn to end."""
        return self.data.get("continue") is False and not self.fault

    @property
    def specific(self) -> Mapping[str, Any]:
        """What it says of its event."""
        said = self.data.get("hookSpecificOutput")
        return said if isinstance(said, dict) else {}

    def text(self, key: str) -> str:
        """Return a text that it says of its event, else of everything."""
        said = self.specific.get(key, self.data.get(key))
        return said if isinstance(said, str) else ""


@frozen
class Place:
    """Where hooks are run.

    Args:
        workspace: Confines what is confined.
        record: Keeps the event of a run.
        cancelled: Set when nobody waits any more.
        writes: Workspace paths that a confined one may change.
        call_id: The call that it is about.
    """

    workspace: inarch.Workspace
    record: Record
    cancelled: threading.Event = field(factory=threading.Event)
    writes: tuple[str, ...] = ()
    call_id: str = ""


def run_hook(hook: Hook, given: Mapping[str, Any], place: Place) -> Said:
    """Run a hook and record that; whatever it does, this returns in its time.

    Raises:
        Cancelled: Nobody waits any more.
    """
    began = time.monotonic()
    env = {"CLAUDE_PROJECT_DIR": place.workspace.root, "INARCH_PROJECT_DIR": place.workspace.root}
    data = json.dumps({**given, "hook_event_name": hook.event, "cwd": place.workspace.root}).encode()
    timed_out = False
    try:
        run = _run_confined if hook.confined else _run_plain
        code, out, err, timed_out, truncated = run(hook, data, env, place)
        said = _understood(code, out, err, timed_out, truncated, hook)
    except inarch.ToolFailed as error:
        said = Said(fault=f"{error.message} {error.remedy}".strip())
    place.record("ran", _told(hook, said, place, timed_out, round(time.monotonic() - began, 3)))
    return said


def _told(hook: Hook, said: Said, place: Place, timed_out: bool, seconds: float) -> dict[str, Any]:
    ended = said.fault or (f"exit {said.exit_code}" if said.exit_code is not None else "killed")
    message = said.data.get("systemMessage")
    words = f"{hook.event}: {hook.command[:200]}: {ended}"
    return {
        "text": f"{words}: {message[:500]}" if isinstance(message, str) else words,
        "event": hook.event, "command": hook.command[:KEPT], "source": hook.source, "exit_code": said.exit_code,
        "duration_s": seconds, "output": said.output[:KEPT], "errors": said.errors[:KEPT], "confined": hook.confined,
        "timed_out": timed_out, "call_id": place.call_id, "fault": said.fault,
    }  # fmt: skip


Ended = tuple[int | None, bytes, bytes, bool, bool]


def _run_confined(hook: Hook, data: bytes, env: Mapping[str, str], place: Place) -> Ended:
    level = place.workspace.confinement().level
    if level < _SURE_LEVEL:
        raise inarch.ToolFailed("permission", f"programs are confined at level {level} only here, so it was not run")
    rights = inarch.Rights(writes=place.writes, executes=True, env=env)
    ran = place.workspace.run(hook.argv, rights, stdin=data, timeout_s=hook.timeout_s, cancelled=place.cancelled)
    return ran.exit_code, ran.output, ran.errors, ran.timed_out, ran.truncated


def _run_plain(hook: Hook, data: bytes, env: Mapping[str, str], place: Place) -> Ended:
    """Run the user's own hook as the user would: in a group of its own, which is killed in the end."""
    try:
        process = subprocess.Popen(
            hook.argv, cwd=place.workspace.root, env={**os.environ, **env}, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise inarch.ToolFailed("execution", f"{hook.argv[0]} can't be started: {reason}") from None
    taken = [_Taken(), _Taken()]
    streams = [(process.stdout, taken[0]), (process.stderr, taken[1])]
    threads = [threading.Thread(target=into.take, args=(stream,), daemon=True) for stream, into in streams]
    threads.append(threading.Thread(target=_feed, args=(process, data), daemon=True))
    for thread in threads:
        thread.start()
    timed_out = _wait(process, hook.timeout_s, place.cancelled)
    for thread in threads:
        thread.join(1)
    code = process.returncode
    out, err = (one.data() for one in taken)
    return (code if code is not None and code >= 0 else None), out, err, timed_out, any(one.is_cut for one in taken)


def _wait(process: subprocess.Popen[bytes], seconds: float, cancelled: threading.Event) -> bool:
    """Wait for a process and kill its group; return whether its time was up."""
    end, timed_out = time.monotonic() + seconds, False
    try:
        while process.poll() is None and not timed_out:
            if cancelled.wait(0.01):
                raise inarch.Cancelled("the hook's call is over")
            timed_out = time.monotonic() > end
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        process.wait()
    return timed_out


def _feed(process: subprocess.Popen[bytes], data: bytes) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(data)
        process.stdin.close()
    except OSError:
        pass  # it reads no input


class _Taken:
    """A stream's output, of which no more than a million bytes are held."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0
        self.is_cut = False

    def take(self, stream: Any) -> None:
        """Read a stream to its end."""
        with stream:
            while piece := stream.read1(65_536):
                if self._size < _MOST_OUTPUT:
                    self._pieces.append(piece)
                    self._size += len(piece)
                else:
                    self.is_cut = True

    def data(self) -> bytes:
        """Return what was held."""
        return b"".join(self._pieces)


def _understood(code: int | None, out: bytes, err: bytes, timed_out: bool, truncated: bool, hook: Hook) -> Said:
    output, errors = (data.decode("utf-8", "replace").strip() for data in (out, err))
    fault, data = "", {}
    if timed_out:
        fault = f"did not end within {hook.timeout_s:g} s"
    elif code is None:
        fault = "was killed"
    elif code not in (0, 2):
        fault = f"failed with exit code {code}"
    elif truncated and code == 0:
        fault = "said too much to be understood"
    elif code == 0 and output.startswith("{"):
        try:
            data = json.loads(output)
        except (ValueError, RecursionError) as error:
            fault = f"said what is no JSON: {error}"
    if code == 2 and hook.confined and _WITHHELD.search(errors):
        errors = f"{errors}\n{_HINT}"
    return Said(code, output, errors, data if isinstance(data, dict) else {}, fault)
