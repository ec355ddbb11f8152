"""Hook configuration: `hooks.json` of the user and of a trusted project, and `.claude/settings.json` if enabled."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any

from attrs import Factory, define, evolve, field, frozen

import inarch
from inarch.command_lines import NeedsShell, split_command
from inarch_lib.bundles import HOOKS, enabled
from inarch_plugins.hooks.hook_files import CLAUDE, FILE, LOCAL, PROJECTS
from inarch_plugins.hooks.hook_rights import NO_RIGHTS, HookRights
from inarch_plugins.hooks.permission_rules import Rule, read_rules

EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure",
    "Notification", "SubagentStart", "SubagentStop", "Stop", "PreCompact", "PostCompact", "SessionEnd",
)  # fmt: skip
"""Events that run hooks."""
_NOT_HERE = frozenset({
    "Setup", "UserPromptExpansion", "PermissionDenied", "PostToolBatch", "StopFailure", "TaskCreated", "TaskCompleted",
    "TeammateIdle", "InstructionsLoaded", "ConfigChange", "CwdChanged", "FileChanged", "DirectoryAdded",
    "MessageDisplay", "WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult",
})  # fmt: skip
"""Claude Code's other events. Source: the changelog of github.com/anthropics/claude-code, 2.1.316, November 2026."""
_OTHER_TYPES = ("prompt", "agent", "http", "mcp_tool")
DEFAULT_S, LONGEST_S = 60.0, 600.0
AT_END_S = 5.0
"""Seconds for a hook at the end of a session, because the user is waiting to leave."""
_USERS_KEYS = ("read", "confine", "rights")
_MOST = 200
_NAMES = re.compile(r"[\w ,|-]*", re.ASCII)
"""Matchers of only these characters are lists of whole names. Others are patterns searched in a name.

Source: https://code.claude.com/docs/en/hooks, "Matcher patterns", November 2026.
"""


@frozen
class Hook:
    """One command for one event.

    Args:
        matcher: Searched in the tool's name (Claude Code's or Inarch's) or the session's start; None matches all.
        argv: Its words, or a shell with the command line if it needs one.
        is_users: Whether it is in the user's own file. Only such a hook may allow a call.
        confined: Whether it runs in the sandbox.
        folder: The folder of the user's file, for relative programs and files.
        brought: The files of the trusted project; None if the project is not trusted.
        on_failure: Treatment of a call if the hook cannot judge it: "ask", "allow" or "deny".
        condition: The permission rule of `if`: the hook runs only for calls that it may cover.
        is_async: Whether the turn does not wait for it.
        once: Whether it runs once a session.
        rights: Rights beyond the usual ones, from the user's file.
        bundle: The folder of the bundle that brings it. It is then the `folder`, too.
    """

    event: str
    matcher: re.Pattern[str] | None
    command: str
    argv: tuple[str, ...]
    timeout_s: float
    source: str
    is_users: bool
    confined: bool
    folder: str = ""
    brought: inarch.KeptFolder | None = field(default=None, eq=False)
    on_failure: str = "ask"
    fault: str = ""
    condition: Rule | None = None
    is_async: bool = False
    once: bool = False
    rights: HookRights = NO_RIGHTS
    bundle: str = ""

    @property
    def shown(self) -> str:
        """The command as users read it: without the folder of its bundle."""
        return self.command.replace(self.bundle, "${CLAUDE_PLUGIN_ROOT}") if self.bundle else self.command

    def matches(self, *names: str) -> bool:
        """Return whether the matcher matches one of these names."""
        if self.matcher is None:
            return True
        found = self.matcher.fullmatch if _NAMES.fullmatch(self.matcher.pattern) else self.matcher.search
        return any(map(found, names))

    def __str__(self) -> str:
        where = f" {self.matcher.pattern}" if self.matcher is not None else ""
        return f"{self.event}{where}: {self.shown} ({self.source}{'' if self.confined else ', not confined'})"


@define
class Hooks:
    """Hooks in the order of the files, and the errors in those files."""

    hooks: list[Hook] = Factory(list)
    told: list[str] = Factory(list)
    unsupported: list[str] = Factory(list)
    permissions: list[Rule] = Factory(list)
    is_off: bool = field(init=False, default=False)
    _rights: list[tuple[str, HookRights]] = field(init=False, factory=list)
    _brought: inarch.KeptFolder | None = None
    _confine: bool = field(init=False, default=True)
    _reads: tuple[str, ...] = field(init=False, default=())

    def of(self, event: str) -> tuple[Hook, ...]:
        """Return the hooks for an event."""
        return tuple(hook for hook in self.hooks if hook.event == event)

    def take(self, data: bytes, source: str, *, is_users: bool) -> None:
        """Add the hooks of a file. Report errors and use the rest."""
        try:
            tables = json.loads(data.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            self.miss(source, f"is not JSON: {error}")
            return
        if not isinstance(tables, dict) or not isinstance(tables.get("hooks", {}), dict):
            self.miss(source, 'must be an object with "hooks", an object of events')
            return
        self._take_keys(tables, source, is_users)
        if misplaced := [key for key in tables if key != "hooks" and _plain(key) in {"hooks", *map(_plain, EVENTS)}]:
            self.miss(source, f'{misplaced[0]} must be in the object "hooks"')
        self.permissions += read_rules(tables.get("permissions"), source, is_users)
        if tables.get("disableAllHooks") is True:
            self.is_off = self.is_off or is_users
            # A project turns off its own hooks alone: those of this file and of the files before.
            self.hooks = [hook for hook in self.hooks if hook.source.startswith("/")]
            self.unsupported.append(f"{source}: disableAllHooks turns {'all' if is_users else 'its'} hooks off")
            return
        for event, groups in tables.get("hooks", {}).items():
            self.hooks += self._read(event, groups, source, is_users)
        if len(self.hooks) > _MOST:
            del self.hooks[_MOST:]
            self.miss(source, f"only the first {_MOST} hooks are used")

    def miss(self, source: str, why: str) -> None:
        """Report a file that cannot be read. It may contain a guard, so every call now needs approval."""
        self.told.append(f"{source}: {why}")
        self.hooks.append(_missing(source, why, None))

    def wants(self, tool: str) -> bool:
        """Return whether the user enabled the files of another tool."""
        return tool in self._reads

    def _take_keys(self, tables: Mapping[str, Any], source: str, is_users: bool) -> None:
        for key in _USERS_KEYS:
            if key in tables and not is_users:
                self.told.append(f"{source}: {key} is ignored, only your own {FILE} may set it")
        if not is_users:
            return
        confine, reads = tables.get("confine", self._confine), tables.get("read", list(self._reads))
        if not isinstance(confine, bool):
            self.told.append(f"{source}: confine must be true or false, so true is used")
        self._confine = confine is not False
        if not isinstance(reads, list) or any(name != "claude" for name in reads):
            self.miss(source, 'read must be a list, and "claude" is its only valid entry')
        self._reads = ("claude",) if isinstance(reads, list) and "claude" in reads else ()
        rights = tables.get("rights", {})
        try:
            self._rights += [(pattern, HookRights.of(given)) for pattern, given in rights.items()]
        except (AttributeError, TypeError, ValueError) as error:
            self.told.append(f"{source}: rights must be an object of commands: {error}")

    def _read(self, event: str, groups: Any, source: str, is_users: bool) -> Iterator[Hook]:
        if event in _NOT_HERE:
            self.unsupported.append(f"{source}: {event}: Inarch has no such event")
            return
        if event not in EVENTS:
            self.told.append(f"{source}: {event}: unknown event, use one of {', '.join(EVENTS)}")
            if _plain(event) == _plain("PreToolUse"):
                yield _missing(source, f"{event} is not an event", None)
            return
        if event == "PermissionRequest":
            self.unsupported.append(f"{source}: {event}: its hooks run, but only you decide")
        for group in groups if isinstance(groups, list) else [None]:
            try:
                if not isinstance(group, dict) or not isinstance(group.get("hooks"), list):
                    raise ValueError('must be a list of objects with "hooks", a list')
                matcher = _matcher(group.get("matcher"))
            except ValueError as error:
                yield from self._missed(event, source, error, None)
                continue
            for one in group["hooks"]:
                kind = one.get("type") if isinstance(one, dict) else None
                if kind in _OTHER_TYPES and event != "PreToolUse":
                    self.unsupported.append(f'{source}: {event}: hooks of the type "{kind}" are not run')
                    continue
                try:
                    yield self._hook(event, matcher, one, source, is_users)
                except ValueError as error:
                    yield from self._missed(event, source, error, matcher)

    def _missed(self, event: str, source: str, error: ValueError, matcher: re.Pattern[str] | None) -> Iterator[Hook]:
        """Report an error in an event's hooks, and yield a placeholder for a guard among them."""
        self.told.append(f"{source}: {event}: {error}")
        if event == "PreToolUse":
            yield _missing(source, str(error), matcher)

    def _hook(self, event: str, matcher: re.Pattern[str] | None, one: Any, source: str, is_users: bool) -> Hook:
        if not isinstance(one, dict) or one.get("type", "command") != "command":
            raise ValueError(f'{one!r:.100} is not a hook of the type "command"')
        command, timeout = one.get("command"), one.get("timeout", AT_END_S if event == "SessionEnd" else DEFAULT_S)
        if not isinstance(command, str) or not command.strip():
            raise ValueError(f'{one!r:.100} has no "command"')
        if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not timeout > 0:
            raise ValueError(f"{command:.100}: timeout must be a number of seconds above 0")
        on_failure = one.get("on_failure", "ask")
        if on_failure not in ("ask", "allow", "deny"):
            raise ValueError(f'{command:.100}: on_failure must be "ask", "allow" or "deny"')
        if on_failure != "ask" and not is_users:
            self.told.append(f"{source}: on_failure is ignored, only your own {FILE} may set it")
            on_failure = "ask"
        argv, condition = _argv(command, one.get("args")), one.get("if")
        given = [rights for pattern, rights in self._rights if fnmatchcase(command, pattern)]
        return Hook(
            event=event, matcher=matcher, command=" ".join([command, *argv[1:]]) if "args" in one else command,
            argv=argv, timeout_s=min(float(timeout), LONGEST_S),
            source=source, is_users=is_users, confined=self._confine or not is_users,
            folder=str(Path(source).parent) if is_users else "", brought=self._brought, on_failure=on_failure,
            condition=Rule.parse(condition) if isinstance(condition, str) else None,
            is_async=one.get("async") is True, once=one.get("once") is True,
            rights=given[0] if given else NO_RIGHTS,
        )  # fmt: skip


def read_hooks(context: inarch.PluginContext) -> Hooks:
    """Return the active hooks, the user's first."""
    found, user, brought = Hooks(brought=context.brought), context.user, context.brought
    if user is not None and os.path.lexists(place := user.place(FILE)):
        try:
            data = user.read(FILE)
            if data is None:
                raise inarch.ToolFailed("not_found", f"{place} is a link to a missing file")
            found.take(data, place, is_users=True)
        except inarch.ToolFailed as error:
            found.miss(place, f"not read: {error.message}")
    if found.wants("claude") and (home := context.environ.get("HOME")):
        try:
            found.take(Path(place := f"{home}/{CLAUDE}").read_bytes(), place, is_users=True)
        except FileNotFoundError:
            pass
        except OSError as error:
            found.miss(place, f"not read: {error.strerror}")
    if brought is not None:  # the project's files as trusted
        for name in (PROJECTS, *([CLAUDE, LOCAL] if found.wants("claude") else [])):
            if (data := brought.read(name)) is not None:
                found.take(data, name, is_users=False)
            elif name in brought.names(str(PurePosixPath(name).parent)):
                found.miss(name, "is not as it was when the project was trusted")
    for one in enabled(context.state_dir, brought):
        if HOOKS in one.names():
            before = len(found.hooks)
            if one.is_whole:
                root = json.dumps(str(one.top))[1:-1]
                data = (one.read(HOOKS) or b"").replace(b"${CLAUDE_PLUGIN_ROOT}", root.encode())
                found.take(data, one.place(HOOKS), is_users=False)
            else:
                found.miss(one.place(HOOKS), "belongs to a bundle that has changed since it was added")
            found.hooks[before:] = [
                evolve(hook, folder=str(one.top), bundle=str(one.top)) for hook in found.hooks[before:]
            ]
    if found.is_off:
        found.hooks.clear()
    return found


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _missing(source: str, why: str, matcher: re.Pattern[str] | None) -> Hook:
    """Return a placeholder for a guard that cannot be read."""
    file = FILE if source.startswith("/") else source  # a long path would be cut before its end
    return Hook("PreToolUse", matcher, f"of {file}", (), DEFAULT_S, source, False, True, fault=why)


def _matcher(pattern: Any) -> re.Pattern[str] | None:
    """Return the pattern of a matcher, or None if it matches all."""
    if pattern is None or pattern in ("", "*"):
        return None
    try:
        if not isinstance(pattern, str) or len(pattern) > 1_000:
            raise TypeError("it must be a string of at most 1,000 characters")
        if _NAMES.fullmatch(pattern):
            pattern = "|".join(filter(None, map(str.strip, re.split("[|,]", pattern))))
        return re.compile(pattern) if pattern else None
    except (re.error, TypeError, RecursionError, OverflowError) as error:
        raise ValueError(f"matcher {pattern!r:.100} is not a pattern: {error}") from error


def _argv(command: str, args: Any) -> tuple[str, ...]:
    """Return the words that run a command: with `args` the program and exactly these, without a shell."""
    if args is None:
        return _words(command)
    if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
        raise ValueError(f"{command:.100}: args must be a list of strings")
    return (command, *args)


def _words(command: str) -> tuple[str, ...]:
    """Return the words of a command line, or a shell that runs it if splitting is not enough."""
    try:
        return split_command(command)
    except NeedsShell:
        return ("sh", "-c", command)
    except inarch.ToolFailed as error:
        raise ValueError(f"{command!r:.100}: {error.message}") from None
