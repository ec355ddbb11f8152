"""`execute_command`: one program, or a line of them, without a shell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from attrs import define, evolve, field

from inarch import Effects, Tool, ToolCall, ToolFailed, Verdict
from inarch.capabilities import TriesPrograms, able
from inarch_lib.staging.copies import change_of
from inarch_plugins.sandbox_fs.paths import PROTECTED, is_protected
from inarch_plugins.sandbox_fs.schemas import LONGEST_S

if TYPE_CHECKING:
    from inarch import ChosenRights, RightsOffer, ToolContext, Workspace
    from inarch.capabilities import Trial
    from inarch_plugins.sandbox_fs.commands.classified import Classified
    from inarch_plugins.sandbox_fs.commands.command_grants import Grants
    from inarch_plugins.sandbox_fs.commands.trial import Tried


COMMAND = "execute_command"
_CHANGING = frozenset({"write_file", "create_file", "patch_source_file", "apply_patch", "move_file", "delete_file"})


@define(eq=False, repr=False)
class SandboxPolicy:
    """Policy that denies what this plugin's tools never do and asks about commands that no tier knows.

    If it allows with a reason, the kernel asks a person.
    """

    root: str
    grants: Grants
    name: str = "sandbox-fs"
    commands: str = COMMAND
    """Tool whose commands it judges."""

    def judge(self, call: ToolCall, tool: Tool) -> Verdict:
        """Return deny with a reason, or allow."""
        command = call.arguments.get("command")
        if call.name == self.commands and isinstance(command, str):  # otherwise the schema has refused it
            from inarch_plugins.sandbox_fs.commands.classification import classify

            return _verdict_on(classify(command, self.grants, self.root), self.root)
        if call.name in _CHANGING:
            for path in sorted(tool.effects(call.arguments).writes):
                if is_protected(path):
                    return Verdict("deny", f"{path} is protected: {PROTECTED}")
        return Verdict("allow")


_HELD = ("files", "network", "processes", "devices", "undo")


def _verdict_on(found: Classified, root: str) -> Verdict:
    """Return the verdict on a command line."""
    from inarch_plugins.sandbox_fs.commands.crossings import changes_repository, crossing, is_reviewable

    if found.tier == "none":
        return Verdict("deny", f"{found.reason}; {found.remedy}" if found.remedy else found.reason)
    in_copy, is_open = bool(change_of(root)), found.tier in ("asked", "workspace")
    is_beyond = is_open and bool(crossing(found, root, in_copy=in_copy))  # it looks into files that may be keys
    of_copy = ("copy",) if in_copy and changes_repository(found) else ()
    held = (*_HELD, *of_copy) if is_open and not is_beyond else ()
    reviewable = _HELD if is_beyond and is_reviewable(found, root) else ()
    if found.tier == "asked":
        return Verdict("ask", found.reason, True, found.remedy, held, reviewable, _plain(found.reason))
    # The user's own rules could not answer any other "ask" of a policy. The kernel asks, because the effects are
    # unknown, and shows this reason.
    return Verdict("allow", found.reason, held=held, reviewable=reviewable, why=_plain(found.reason))


_PLAIN = {
    r"\S+ runs code of the workspace \(workspace tier\)": "it runs the project's own code",
    r"(\S+) is in no tier of commands": r"no rule allows \1 without a question",
    r"it needs a shell: the command has (.+) at position \d+": r"\1 is for a shell, so Inarch cannot judge the parts",
    r"part \d+, (.+?): ": r"in \1: ",
}


def _plain(reason: str) -> str:
    """Return a reason without the names of tiers, for the question."""
    for pattern, words in _PLAIN.items():
        reason = re.sub(pattern, words, reason)
    return reason


DEFAULT_S = 60
_READS = Effects(reads=frozenset({""}))
_SHOWS_SECRETS = Effects(reads=frozenset({""}), programs=True)
_UNKNOWN = Effects(exclusive=True)

_DESCRIPTION = (
    "Run a program, or several joined by | && || ; (also 2>&1, >/dev/null, a leading cd FOLDER &&). These run at once,"
    " in pipes too: ls cat head tail wc grep find sort uniq cut stat du diff file nl, sed -n '1,9p', git status diff"
    " log show blame grep ls-files. These ask first: tests, builds (pytest, make, …), shell syntax (variables, globs,"
    " redirections)."
)
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "command": {"type": "string", "minLength": 1, "description": "Such as: grep -rn def src | head -5"},
        "timeout_s": {"type": "number", "minimum": 1, "maximum": LONGEST_S, "default": DEFAULT_S},
        "in_process": {"type": "string", "description": "ID of a process of start_process: share its localhost"},
    },
    "required": ["command"],
    "additionalProperties": False,
}


class FindsPrograms(Protocol):
    """Workspace that can find a program by name."""

    def find_program(self, name: str) -> str:
        """Return its path."""
        ...


@define(eq=False, repr=False)
class ExecuteCommand:
    """Tool that runs commands; it knows the user's `[commands.NAME]`."""

    root: str
    grants: Grants
    _tried: dict[str, tuple[Any, Tried]] = field(init=False, factory=dict)
    name: str = field(init=False, default=COMMAND)
    title: str = field(init=False, default="Run {command}")
    category: Any = field(init=False, default="command")
    input_schema: Mapping[str, Any] = field(init=False, default=_SCHEMA)
    output_schema: Mapping[str, Any] | None = field(init=False, default=None)
    timeout_s: float = field(init=False, default=LONGEST_S + 30.0)  # the command's own limit ends it well before
    max_retries: int = field(init=False, default=0)
    requires_confirmation: bool = field(init=False, default=False)
    receives_secrets: bool = field(init=False, default=False)

    @property
    def description(self) -> str:
        """Return what it does, and what the user has granted."""
        from shlex import join

        granted = [join(grant.argv[:-1]) + " …" if grant.argv[-1] == "*" else join(grant.argv)
                   for grant in list(self.grants.values())[:10]]  # fmt: skip
        return f"{_DESCRIPTION} The user has granted: {'; '.join(granted)}." if granted else _DESCRIPTION

    def effects(self, arguments: Mapping[str, Any]) -> Effects:
        """Return reads in the read-only tier and for refused commands, a grant's declared effects, else unknown."""
        found = self._classified(arguments)
        if found.tier in ("read-only", "none"):
            return _SHOWS_SECRETS if found.tier == "read-only" and found.reason else _READS
        writes = frozenset(found.rights.writes)
        # A grant that declares nothing may write everything, so its effects are unknown, too.
        return Effects(reads=_READS.reads, writes=writes, programs=True) if _is_declared(found) else _UNKNOWN

    def shape(self, arguments: Mapping[str, Any]) -> str | None:
        """Return the words that an "always" covers, such as `pytest …`."""
        found = self._classified(arguments)
        if not found.shape:
            return None
        if found.parts:
            return found.text
        from shlex import join

        return join(found.shape) + ("" if found.is_exact else " …")

    def asking(self, arguments: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the indexes of a line's commands that need an approval each."""
        found = self._classified(arguments)
        return tuple(place for place, part in enumerate(found.commands) if part.tier != "read-only" or part.reason)

    def allowed_by(self, arguments: Mapping[str, Any]) -> str:
        """Return the configuration lines that would allow a command of no tier; empty if there are none."""
        return self._classified(arguments).allowed_by

    def rights(self, arguments: Mapping[str, Any], chosen: ChosenRights) -> RightsOffer | None:
        """Return the rights that a person can give the command in the question."""
        from inarch_plugins.sandbox_fs.commands.rights_choice import offered

        return offered(self._classified(arguments), self.root, chosen, loopback=self._has_loopback(arguments))

    def _has_loopback(self, arguments: Mapping[str, Any]) -> bool:
        """Return whether it runs in a network with loopback only."""
        return bool(arguments.get("in_process"))

    def check(self, arguments: Mapping[str, Any], context: ToolContext) -> None:
        """Raise for a command of no tier whose program does not exist, before a person is asked in vain."""
        found = self._classified(arguments)
        workspace = able(context.workspace, FindsPrograms)
        for one in found.commands:
            if one.tier != "asked" or workspace is None or (found.parts and "/" in one.argv[0]):
                continue  # an earlier command may make a program of the workspace
            try:
                workspace.find_program(one.argv[0])
            except ToolFailed as error:
                raise ToolFailed("denied", f"{found.reason}, and {error}", found.remedy) from None

    def run(self, arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
        """Run the command and return its output."""
        from inarch_plugins.sandbox_fs.commands.pipelines import run

        found = self.allowed(arguments, context)
        asked, tried = self._tried.pop(context.call_id, (None, None))
        if tried is not None:
            try:
                if asked == _what(arguments, context) and tried.applies:
                    return tried.apply(context)
            finally:
                tried.drop()
        timeout_s = float(arguments.get("timeout_s") or DEFAULT_S)
        return run(found, context, timeout_s, in_process=str(arguments.get("in_process") or ""))

    def tries(self, workspace: Workspace) -> bool:
        """Return whether commands can be tried in a copy of this workspace."""
        able_to = able(workspace, TriesPrograms)
        return able_to is not None and not able_to.trial_problem()

    def try_(self, arguments: Mapping[str, Any], context: ToolContext) -> Trial:
        """Run the command in a copy of the workspace and return what it would change."""
        from inarch_plugins.sandbox_fs.commands.trial import attempt

        found = self.allowed(arguments, context)
        if arguments.get("in_process"):
            raise ToolFailed("permission", "it shares a process's network, and a dry run has none", "run it instead")
        _, earlier = self._tried.pop(context.call_id, (None, None))
        if earlier is not None:
            earlier.drop()
        tried = attempt(found, context, self._classified({"command": "git ls-files -z"}))
        self._tried[context.call_id] = _what(arguments, context), tried

        def drop() -> None:
            self._tried.pop(context.call_id, None)
            tried.drop()

        return evolve(tried.trial(), drop=drop)

    def allowed(self, arguments: Mapping[str, Any], context: ToolContext) -> Classified:
        """Return the classification of a command that was approved.

        Raises:
            ToolFailed: Its tier is `none`, which no approval allows.
        """
        found = self._classified(arguments)
        if found.tier == "none":
            remedies = [found.remedy, found.allowed_by and f"or let the user add\n{found.allowed_by}"]
            raise ToolFailed("denied", found.reason, "; ".join(filter(None, remedies)))
        return found

    def _classified(self, arguments: Mapping[str, Any]) -> Classified:
        from inarch_plugins.sandbox_fs.commands.classification import (
            classify,  # the tables cost time that many sessions never need
        )

        command = arguments.get("command")
        return classify(command if isinstance(command, str) else "", self.grants, self.root)


def _what(arguments: Mapping[str, Any], context: ToolContext) -> tuple[dict[str, Any], dict[str, Any]]:
    return dict(arguments), dict(context.rights or {})


def _is_declared(found: Classified) -> bool:
    return found.tier == "granted" and "" not in found.rights.writes
