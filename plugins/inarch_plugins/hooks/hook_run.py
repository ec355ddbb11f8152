"""Run of one hook: its command and input, in or outside the sandbox, and its result."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from attrs import evolve, field, frozen

import inarch
from inarch_plugins.hooks.hook_config import Hook
from inarch_plugins.hooks.hook_rights import NO_RIGHTS, HookRights, withheld
from inarch_plugins.hooks.hook_state import HookState, situation_now

Record = Callable[[str, Mapping[str, Any]], None]
KEPT = 4_000
"""Most characters of each output stream in the event of a run."""
_MOST_OUTPUT = 1_000_000
_MISSING = re.compile(r"can't open file '[^']*': \[Errno 2\]|^\S*sh: 0: (?:can't|cannot) open ", re.MULTILINE)
"""Errors of Python and of a shell for a missing script. Both exit with 2, the code of an objection."""
_HINT = "the sandbox denied it: "
_MODES = {"edits": "acceptEdits", "auto": "auto", "review": "auto", "all": "bypassPermissions",
          "bypass": "bypassPermissions", "plan": "plan", "none": "dontAsk"}  # fmt: skip
"""Approval modes, and Claude Code's names for them. Source: https://code.claude.com/docs/en/hooks, November 2026."""
DECISIONS = {"allow": "allow", "approve": "allow", "ask": "ask", "deny": "deny", "block": "deny"}
"""Decisions of a hook on a call, in its terms and in Inarch's."""
_USUAL = ("PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy")
"""The user's variables that a hook with given rights has."""
SURE_LEVEL = 2
"""Lowest sandbox level that enforces all limits of a program."""


@frozen
class HookResult:
    """Result of a hook: exit code (None if killed or not run), output, and `data` if the output is a JSON object.

    `fault` says why it is ignored. `is_error` is set if the hook failed by itself. The call then goes on.
    """

    exit_code: int | None = None
    output: str = ""
    errors: str = ""
    data: Mapping[str, Any] = field(factory=dict)
    fault: str = ""
    is_error: bool = False

    @property
    def is_absent(self) -> bool:
        """Return whether the hook could not give its result."""
        return bool(self.fault) and not self.is_error

    @property
    def blocks(self) -> bool:
        """Return whether its exit code denies."""
        return self.exit_code == 2 and not self.fault

    @property
    def stops(self) -> bool:
        """Return whether it ends the turn."""
        return self.data.get("continue") is False and not self.fault

    @property
    def specific(self) -> Mapping[str, Any]:
        """Fields for its event."""
        said = self.data.get("hookSpecificOutput")
        return said if isinstance(said, dict) else {}

    @property
    def replacement(self) -> object:
        """What takes the place of a result's data, None for nothing; the second name is the former one for MCP."""
        return self.specific.get("updatedToolOutput", self.specific.get("updatedMCPToolOutput"))

    @property
    def wanted(self) -> object:
        """Its decision on a call, in its own terms."""
        return self.specific.get("permissionDecision", self.data.get("decision"))

    def text(self, key: str) -> str:
        """Return a text field for its event, else of the whole result."""
        said = self.specific.get(key, self.data.get(key))
        return said if isinstance(said, str) else ""


@frozen
class Place:
    """Environment of a hook's run.

    Args:
        cancelled: Set when the result is no longer needed.
        writes: Workspace paths that a confined hook may change.
        answer: The model's last text, if the turn is about to end.
    """

    workspace: inarch.Workspace
    record: Record
    state: HookState
    cancelled: threading.Event = field(factory=threading.Event)
    writes: tuple[str, ...] = ()
    call_id: str = ""
    answer: str = ""
    situation: inarch.Situation | None = field(factory=situation_now.get)

    @property
    def session_id(self) -> str:
        """The session."""
        return "" if self.situation is None else self.situation.turn.session_id


def run_hook(hook: Hook, given: Mapping[str, Any], place: Place, is_shown: bool = True) -> HookResult:
    """Run a hook and record the run. It always returns within the hook's time limit.

    Raises:
        Cancelled: The result is no longer needed.
    """
    if not place.state.take_turn(hook):
        return HookResult()
    began = time.monotonic()
    root = place.workspace.root
    env = {"CLAUDE_PROJECT_DIR": root, "INARCH_PROJECT_DIR": root}
    env |= {"CLAUDE_PLUGIN_ROOT": hook.bundle} if hook.bundle else {}
    data = json.dumps({**_common(hook, place), **given}).encode()
    if hook.is_async and not hook.fault:
        return _in_background(hook, data, env, place)
    timed_out = False
    try:
        if hook.fault:
            raise inarch.ToolFailed("validation", hook.fault)
        run = _run_confined if hook.confined else _run_plain
        ended = run(hook, data, env, place)
        timed_out = ended[3]
        said = _parsed(ended, hook, _lack(ended, hook, place))
    except inarch.ToolFailed as error:
        said = HookResult(fault=f"was not run: {error.message}{f' ({error.remedy})' if error.remedy else ''}")
    told = _event_data(hook, said, place, timed_out, round(time.monotonic() - began, 3))
    if said.is_error or (said.is_absent and is_shown):
        told["notice"] = missed(hook, said)
    elif notice := _notice(hook, said):
        told["notice"] = notice
    place.record("ran", told)
    return said


def _common(hook: Hook, place: Place) -> dict[str, str]:
    """Return the input that every hook gets."""
    mode, agent = place.state.modes.get(place.session_id, ""), place.state.children.get(place.session_id)
    return {
        "session_id": place.session_id, "transcript_path": place.state.transcript(place.situation, place.answer),
        "cwd": place.workspace.root, "permission_mode": _MODES.get(mode, "default"), "hook_event_name": hook.event,
        **({} if agent is None else {"agent_id": place.session_id, "agent_type": agent}),
    }  # fmt: skip


def _in_background(hook: Hook, data: bytes, env: Mapping[str, str], place: Place) -> HookResult:
    """Start a hook for which nothing waits; its output does not count. The end of the session ends it."""
    run = _run_confined if hook.confined else _run_plain
    workspace = place.situation.workspace if place.situation is not None else place.workspace

    def go(closing: threading.Event) -> object:
        return run(hook, data, env, evolve(place, workspace=workspace, cancelled=closing, writes=()))

    is_started = place.state.start(go)
    said = HookResult(fault="" if is_started else "was not run: too many hooks run in the background")
    place.record("ran", _event_data(hook, said, place, False, 0.0))
    return said


def _lack(ended: Ended, hook: Hook, place: Place) -> HookRights | None:
    """Return the rights whose lack made a confined hook fail, and note them for the question at the turn's end."""
    code, _, err, *_ = ended
    if not hook.confined:
        return None
    root, home = place.workspace.root, place.state.home
    found = withheld(code, err.decode("utf-8", "replace"), root, home)
    if found:
        place.state.lacking[hook.source] = place.state.lacking.get(hook.source, NO_RIGHTS) | found
    return found


def missed(hook: Hook, said: HookResult) -> str:
    """Describe which hook failed, and why."""
    return f"the {hook.event} hook {inarch.shorten(hook.shown, 80)} {said.fault}"


def _notice(hook: Hook, said: HookResult) -> str:
    """Return what the user reads about a run that did not fail."""
    message, name = said.data.get("systemMessage"), f"the {hook.event} hook {inarch.shorten(hook.shown, 80)}"
    return f"{name} says: {inarch.shorten(message, 500)}" if isinstance(message, str) and message else ""


def _event_data(hook: Hook, said: HookResult, place: Place, timed_out: bool, seconds: float) -> dict[str, Any]:
    ended = said.fault or (f"exit {said.exit_code}" if said.exit_code is not None else "killed")
    ended = "in the background" if hook.is_async and not said.fault else ended
    output = "" if said.data.get("suppressOutput") is True else said.output[:KEPT]
    words = f"{hook.event}: {hook.command[:200]}: {ended}"
    return {
        "text": words,
        "event": hook.event, "command": hook.command[:KEPT], "source": hook.source, "exit_code": said.exit_code,
        "duration_s": seconds, "output": output, "errors": said.errors[:KEPT], "confined": hook.confined,
        "timed_out": timed_out, "call_id": place.call_id, "fault": said.fault,
    }  # fmt: skip


def _resolved(hook: Hook, place: Place, path: str | None) -> tuple[tuple[str, ...], str]:
    """Return a hook's words and working directory."""
    root = place.workspace.root
    argv = inarch.user_command(words_of(hook, root), root=root, brought=hook.brought, beside=hook.folder, path=path)
    if hook.brought is None or hook.event == "PreToolUse":
        folders = [one for one in inarch.named_folders(argv, root) if one != "." or hook.brought is None]
        if folders:
            raise inarch.ToolFailed("permission", f"it names the folder {folders[0]}, but trust covers files only")
    return argv, root if hook.brought is not None or _users_files(argv, hook) else hook.folder


def _users_files(argv: tuple[str, ...], hook: Hook) -> tuple[str, ...]:
    """Return the words that name files next to the user's own file."""
    return tuple(word for word in argv if hook.folder and word.startswith(f"{hook.folder}/"))


def words_of(hook: Hook, root: str) -> tuple[str, ...]:
    """Return a hook's words. Without a shell, Inarch replaces the folder's variable in them."""
    return tuple(re.sub(r"\$\{(?:CLAUDE|INARCH)_PROJECT_DIR\}", lambda _: root, word) for word in hook.argv)


def _home_files(hook: Hook, home: str) -> dict[str, str]:
    """Return the files in the user's home folder that their own command line names, for a private home."""
    named = re.findall(r"(?<![\w/])(?:~|\$HOME|\$\{HOME\})/([^\s\"';|&<>()]+)", " ".join(hook.argv))
    places = ((name, os.path.realpath(f"{home}/{name}")) for name in named)
    return {name: place for name, place in places if Path(place).is_file()}


Ended = tuple[int | None, bytes, bytes, bool, bool]
"""Exit code, output, errors, whether it timed out, whether its output was too long."""
Files = tuple[IO[bytes], ...]


def _run_confined(hook: Hook, data: bytes, env: Mapping[str, str], place: Place) -> Ended:
    level = place.workspace.confinement().level
    if level < SURE_LEVEL:
        raise inarch.ToolFailed("permission", f"the sandbox reaches only level {level} here")
    argv, cwd = _resolved(hook, place, None)
    reads, workspace, home = _users_files(argv, hook), place.workspace, place.state.home
    reads = (hook.bundle,) if hook.bundle else reads
    if place.session_id and (transcript := place.state.transcript(place.situation, place.answer)):
        reads = (*reads, transcript)
    if cwd != place.workspace.root:
        argv = ("sh", "-c", 'cd "$0" 2>/dev/null || cd / && exec "$@"', cwd, *argv)
    rights = inarch.Rights(
        writes=place.writes, executes=True, env=env, reads=reads, home=_home_files(hook, home) if hook.is_users else {}
    )
    if given := place.state.rights_of(hook):
        # The user was asked about these rights, so they do not end where those of the call do.
        workspace = place.situation.workspace if given.write and place.situation is not None else workspace
        writes = ("",) if "." in given.write else rights.writes
        env = {**env, "HOME": home, **{name: os.environ[name] for name in _USUAL if name in os.environ}}
        outside = given.outside(home)
        rights = evolve(rights, writes=writes, writes_outside=outside, network=given.network, env=env, home={})
    ran = workspace.run(argv, rights, stdin=data, timeout_s=hook.timeout_s, cancelled=place.cancelled)
    return ran.exit_code, ran.output, ran.errors, ran.timed_out, ran.truncated


def _run_plain(hook: Hook, data: bytes, env: Mapping[str, str], place: Place) -> Ended:
    """Run the user's hook outside the sandbox, in its own process group, and kill the group at the end."""
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
    """Wait until a process ends or writes too much, and kill its group. Return whether it timed out."""
    end, timed_out = time.monotonic() + seconds, False
    try:
        while process.poll() is None and not timed_out and not _is_much(*files):
            if cancelled.wait(0.01):
                raise inarch.Cancelled("the hook is no longer needed")
            timed_out = time.monotonic() > end
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return timed_out


def _is_much(*files: IO[bytes]) -> bool:
    return any(os.fstat(file.fileno()).st_size > _MOST_OUTPUT for file in files)


def _parsed(ended: Ended, hook: Hook, lacks: HookRights | None) -> HookResult:
    code, out, err, timed_out, truncated = ended
    output, errors = (data.decode("utf-8", "replace").strip() for data in (out, err))
    fault, data, is_error = "", {}, False
    if timed_out:
        fault = f"did not end within {hook.timeout_s:g} s"
    elif truncated and code in (0, None):
        fault = "wrote too much output"
    elif code is None:
        fault = "was killed"
    elif lacks is not None:
        can = f'"rights" in your own hooks.json can give it {lacks}' if lacks else 'only "confine": false can allow it'
        fault = f"failed with exit code {code}: {inarch.shorten(errors, 200)} ({_HINT}{can})"
    elif code in (126, 127) or (code == 2 and _MISSING.search(errors)):
        fault = f"could not start its program: {inarch.shorten(errors, 200)}"
    elif code not in (0, 2):
        # A non-blocking error, shown to the user: https://code.claude.com/docs/en/hooks (exit codes), October 2026.
        fault, is_error = f"failed with exit code {code}: {inarch.shorten(errors, 200)}".removesuffix(": "), True
    elif code == 0 and output.startswith("{"):
        try:
            data = json.loads(output)
        except (ValueError, RecursionError) as error:
            fault = f"printed invalid JSON: {error}"
    said = HookResult(code, output, errors, data if isinstance(data, dict) else {}, fault, is_error)
    if hook.event == "PreToolUse" and said.wanted not in (None, "", *DECISIONS):
        return evolve(said, fault=f"returned the unknown decision {said.wanted!r:.100}")
    return said
