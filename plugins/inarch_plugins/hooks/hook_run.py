"""Running one hook: its command with its input, confined or as the user's own, and what it said."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from attrs import evolve, field, frozen

import inarch
from inarch_plugins.hooks.hook_config import Hook

Record = Callable[[str, Mapping[str, Any]], None]
KEPT = 4_000
"""Characters of an output that the event of a run keeps of each stream."""
_MOST_OUTPUT = 1_000_000
_WITHHELD = re.compile(
    r"permission denied|read-only file system|can(?:no|')t create|operation not permitted", re.IGNORECASE
)
"""Messages of programs that wanted more than a confined one has."""
_SHELLS_OWN = re.compile(r"^\S*sh: (?:line )?\d+: ", re.MULTILINE)
"""A shell's own message: one that can't write ends with 2, the exit code of an objection."""
_MISSING = re.compile(r"can't open file '[^']*': \[Errno 2\]|^\S*sh: 0: (?:can't|cannot) open ", re.MULTILINE)
"""Messages of Python and of a shell that find no script: both then end with 2, the exit code of an objection."""
_HINT = 'it runs confined and lacks a right: your own hooks.json with "confine": false gives it'
DECISIONS = {"allow": "allow", "approve": "allow", "ask": "ask", "deny": "deny", "block": "deny"}
"""What a hook may decide of a call, in its word and in ours."""
_GUARDS = ("PreToolUse", "UserPromptSubmit")
SURE_LEVEL = 2
"""The level from which on a program is kept from what it may not do."""


@frozen
class HookResult:
    """What a hook said: its exit code, None where it has none, its output, and `data` where that is a JSON object.

    `fault` says why it doesn't count. `is_error` is whether it ended with an error of its own: a call then goes on.
    """

    exit_code: int | None = None
    output: str = ""
    errors: str = ""
    data: Mapping[str, Any] = field(factory=dict)
    fault: str = ""
    is_error: bool = False

    @property
    def is_absent(self) -> bool:
        """Whether it could not say what it had to say."""
        return bool(self.fault) and not self.is_error

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

    @property
    def wanted(self) -> object:
        """What it decides of a call, in its own word."""
        return self.specific.get("permissionDecision", self.data.get("decision"))

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


def run_hook(hook: Hook, given: Mapping[str, Any], place: Place, is_shown: bool = True) -> HookResult:
    """Run a hook and record that; whatever it does, this returns in its time.

    Args:
        hook: The hook.
        given: What it reads, beside its event and place.
        place: Where it runs.
        is_shown: Whether a person sees that it was absent. Its own error is always shown.

    Raises:
        Cancelled: Nobody waits any more.
    """
    began = time.monotonic()
    env = {"CLAUDE_PROJECT_DIR": place.workspace.root, "INARCH_PROJECT_DIR": place.workspace.root}
    data = json.dumps({**given, "hook_event_name": hook.event, "cwd": place.workspace.root}).encode()
    timed_out = False
    try:
        if hook.fault:
            raise inarch.ToolFailed("validation", hook.fault)
        run = _run_confined if hook.confined else _run_plain
        code, out, err, timed_out, truncated = run(hook, data, env, place)
        said = _understood(code, out, err, timed_out, truncated, hook)
    except inarch.ToolFailed as error:
        said = HookResult(fault=f"was not run: {error.message}{f' ({error.remedy})' if error.remedy else ''}")
    told = _told(hook, said, place, timed_out, round(time.monotonic() - began, 3))
    if said.is_error or (said.is_absent and is_shown):
        told["notice"] = missed(hook, said)
    place.record("ran", told)
    return said


def missed(hook: Hook, said: HookResult) -> str:
    """Return in words which hook failed, and why."""
    return f"the {hook.event} hook {inarch.shorten(hook.command, 80)} {said.fault}"


def _told(hook: Hook, said: HookResult, place: Place, timed_out: bool, seconds: float) -> dict[str, Any]:
    ended = said.fault or (f"exit {said.exit_code}" if said.exit_code is not None else "killed")
    message = said.data.get("systemMessage")
    words = f"{hook.event}: {hook.command[:200]}: {ended}"
    return {
        "text": f"{words}: {message[:500]}" if isinstance(message, str) else words,
        "event": hook.event, "command": hook.command[:KEPT], "source": hook.source, "exit_code": said.exit_code,
        "duration_s": seconds, "output": said.output[:KEPT], "errors": said.errors[:KEPT], "confined": hook.confined,
        "timed_out": timed_out, "call_id": place.call_id, "fault": said.fault,
    }  # fmt: skip


def _resolved(hook: Hook, place: Place, path: str | None) -> tuple[tuple[str, ...], str]:
    """Return a hook's words and its working directory.

    In a project that is not trusted only the user's own scripts start in it: other programs take code from there.

    Raises:
        ToolFailed: It names files or folders that trust does not cover.
    """
    root = place.workspace.root
    argv = inarch.user_command(hook.argv, root=root, brought=hook.brought, beside=hook.folder, path=path)
    if hook.brought is None or hook.event == "PreToolUse":
        folders = [one for one in inarch.named_folders(argv, root) if one != "." or hook.brought is None]
        if folders:
            raise inarch.ToolFailed("permission", f"it names the folder {folders[0]}, which trust can't be bound to")
    return argv, root if hook.brought is not None or _users_files(argv, hook) else hook.folder


def _users_files(argv: tuple[str, ...], hook: Hook) -> tuple[str, ...]:
    """Return the words that name files beside the user's own file."""
    return tuple(word for word in argv if hook.folder and word.startswith(f"{hook.folder}/"))


Ended = tuple[int | None, bytes, bytes, bool, bool]
"""Exit code, output, errors, whether its time was up, whether it said too much."""
Files = tuple[IO[bytes], ...]


def _run_confined(hook: Hook, data: bytes, env: Mapping[str, str], place: Place) -> Ended:
    level = place.workspace.confinement().level
    if level < SURE_LEVEL:
        raise inarch.ToolFailed("permission", f"programs are confined at level {level} only here")
    argv, cwd = _resolved(hook, place, None)
    reads = _users_files(argv, hook)
    if cwd != place.workspace.root:
        argv = ("sh", "-c", 'cd "$0" 2>/dev/null || cd / && exec "$@"', cwd, *argv)
    rights = inarch.Rights(writes=place.writes, executes=True, env=env, reads=reads)
    ran = place.workspace.run(argv, rights, stdin=data, timeout_s=hook.timeout_s, cancelled=place.cancelled)
    return ran.exit_code, ran.output, ran.errors, ran.timed_out, ran.truncated


def _run_plain(hook: Hook, data: bytes, env: Mapping[str, str], place: Place) -> Ended:
    """Run the user's own hook as the user would: in a group of its own, which is killed in the end."""
    argv, cwd = _resolved(hook, place, os.environ.get("PATH", os.defpath))
    try:
        with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
            given.write(data)
            given.seek(0)
            process = subprocess.Popen(
                argv, cwd=cwd, env={**os.environ, **env}, stdin=given, stdout=out, stderr=err, start_new_session=True
            )
            timed_out = _wait(process, hook.timeout_s, place.cancelled, (out, err))
            truncated = _is_much(out, err)
            output, errors = (os.pread(file.fileno(), _MOST_OUTPUT, 0) for file in (out, err))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise inarch.ToolFailed("execution", f"{hook.argv[0]} can't be started: {reason}") from None
    code = process.returncode
    return code if code >= 0 else None, output, errors, timed_out, truncated


def _wait(process: subprocess.Popen[bytes], seconds: float, cancelled: threading.Event, files: Files) -> bool:
    """Wait until a process ends or writes too much, and kill its group; return whether its time was up."""
    end, timed_out = time.monotonic() + seconds, False
    try:
        while process.poll() is None and not timed_out and not _is_much(*files):
            if cancelled.wait(0.01):
                raise inarch.Cancelled("the hook's call is over")
            timed_out = time.monotonic() > end
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return timed_out


def _is_much(*files: IO[bytes]) -> bool:
    return any(os.fstat(file.fileno()).st_size > _MOST_OUTPUT for file in files)


def _understood(code: int | None, out: bytes, err: bytes, timed_out: bool, truncated: bool, hook: Hook) -> HookResult:
    output, errors = (data.decode("utf-8", "replace").strip() for data in (out, err))
    fault, data, is_error = "", {}, False
    withheld = hook.confined and code not in (0, None) and _WITHHELD.search(errors) is not None
    if timed_out:
        fault = f"did not end within {hook.timeout_s:g} s"
    elif truncated and code in (0, None):
        fault = "said too much to be understood"
    elif code is None:
        fault = "was killed"
    elif withheld and (code != 2 or _SHELLS_OWN.search(errors)):
        fault = f"failed with exit code {code}: {inarch.shorten(errors, 200)} ({_HINT})"
    elif code in (126, 127) or (code == 2 and _MISSING.search(errors)):
        fault = f"could not start its program: {inarch.shorten(errors, 200)}"
    elif code not in (0, 2):
        # A non-blocking error, shown to the user: https://code.claude.com/docs/en/hooks (exit codes), October 2026.
        fault, is_error = f"failed with exit code {code}: {inarch.shorten(errors, 200)}".removesuffix(": "), True
    elif code == 0 and output.startswith("{"):
        try:
            data = json.loads(output)
        except (ValueError, RecursionError) as error:
            fault = f"said what is no JSON: {error}"
    said = HookResult(code, output, errors, data if isinstance(data, dict) else {}, fault, is_error)
    if hook.event == "PreToolUse" and said.wanted not in (None, "", *DECISIONS):
        return evolve(said, fault=f"decided {said.wanted!r:.100}, which is no decision")
    return said


def absent(hooks: Sequence[Hook], root: str, level: int) -> list[str]:
    """Return which guards can't run here, and why, as far as that is known before they are needed.

    Args:
        hooks: The hooks.
        root: The workspace's folder.
        level: How well programs are confined.
    """
    guards = [(hook, _obstacle(hook, root, level)) for hook in hooks if hook.event in _GUARDS and not hook.fault]
    return [f"the {hook.event} hook {inarch.shorten(hook.command, 80)} is off: {why}" for hook, why in guards if why]


def _obstacle(hook: Hook, root: str, level: int) -> str:
    if hook.confined and level < SURE_LEVEL:
        return f"programs are confined at level {level} only here"
    search = os.environ.get("PATH", os.defpath)
    try:
        argv = inarch.user_command(hook.argv, root=root, brought=hook.brought, beside=hook.folder, path=search)
    except inarch.ToolFailed as error:
        return error.message
    return "" if os.access(Path(root, argv[0]), os.X_OK) else f"{argv[0]} can't be started"
