"""`execute_command`: one program without a shell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from inarch import ChosenRights, Effects, Ran, Rights, RightsOffer, ToolContext, ToolFailed
from inarch_sandbox_fs.commands.policy import COMMAND

if TYPE_CHECKING:
    from inarch_sandbox_fs.commands.classification import Classified
    from inarch_sandbox_fs.commands.granting import Grants

DEFAULT_S = 60
LONGEST_S = 600
MOST_CHARACTERS = 4_000_000
"""Characters of output that are kept; of more, the middle is dropped."""
_LAST = 2_000
_READS = Effects(reads=frozenset({""}))
_SHOWS_SECRETS = Effects(reads=frozenset({""}), programs=True)
_UNKNOWN = Effects(exclusive=True)

_DESCRIPTION = (
    "Run one program without a shell: no pipes, redirections, variables or patterns. These run at once: ls cat head"
    " tail wc grep find sort uniq cut stat du diff file nl, sed -n '1,9p', git status diff log show blame grep"
    " ls-files. Tests and builds (pytest, npm test, make, …) are asked about."
)
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "command": {"type": "string", "minLength": 1, "description": "Such as: grep -rn 'def main' src"},
        "timeout_s": {"type": "number", "minimum": 1, "maximum": LONGEST_S, "default": DEFAULT_S},
    },
    "required": ["command"],
    "additionalProperties": False,
}


@define(eq=False, repr=False)
class ExecuteCommand:
    """The tool; it knows the user's `[commands.NAME]`."""

    root: str
    grants: Grants
    name: str = field(init=False, default=COMMAND)
    category: Any = field(init=False, default="command")
    input_schema: Mapping[str, Any] = field(init=False, default=_SCHEMA)
    output_schema: Mapping[str, Any] | None = field(init=False, default=None)
    timeout_s: float = field(init=False, default=LONGEST_S + 30.0)  # the command's own limit ends it well before
    max_retries: int = field(init=False, default=0)
    requires_confirmation: bool = field(init=False, default=False)
    receives_secrets: bool = field(init=False, default=False)

    @property
    def description(self) -> str:
        """What it does, and what the user has granted."""
        from shlex import join

        granted = [join(grant.argv[:-1]) + " …" if grant.argv[-1] == "*" else join(grant.argv)
                   for grant in list(self.grants.values())[:10]]  # fmt: skip
        return f"{_DESCRIPTION} The user has granted: {'; '.join(granted)}." if granted else _DESCRIPTION

    def effects(self, arguments: Mapping[str, Any]) -> Effects:
        """Reading everything in the read-only tier, what a grant declares, else unknown."""
        found = self._classified(arguments)
        if found.tier == "read-only":
            return _SHOWS_SECRETS if found.reason else _READS
        writes = frozenset(found.rights.writes)
        # A grant that declares nothing may write everything: then nothing is known either.
        return Effects(reads=_READS.reads, writes=writes, programs=True) if _is_declared(found) else _UNKNOWN

    def shape(self, arguments: Mapping[str, Any]) -> str | None:
        """Return the words for which an "always" counts, such as `pytest …`."""
        found = self._classified(arguments)
        if not found.shape:
            return None
        from shlex import join

        return join(found.shape) + ("" if found.is_exact else " …")

    def allowed_by(self, arguments: Mapping[str, Any]) -> str:
        """Return the lines of configuration that would allow a command of no tier; empty where nothing does."""
        return self._classified(arguments).allowed_by

    def rights(self, arguments: Mapping[str, Any], chosen: ChosenRights) -> RightsOffer | None:
        """Return what a person can let the command do in the question about it.

        Raises:
            ToolFailed: What was chosen can't be.
        """
        from inarch_sandbox_fs.commands.choosing import offered

        return offered(self._classified(arguments), self.root, chosen)

    def check(self, arguments: Mapping[str, Any], context: ToolContext) -> None:
        """Fail where a command of no tier names a program that is not there: nobody is asked about it in vain.

        Raises:
            ToolFailed: It does.
        """
        found = self._classified(arguments)
        find = getattr(context.workspace, "find_program", None)
        if found.tier != "asked" or find is None:
            return
        try:
            find(found.argv[0])
        except ToolFailed as error:
            raise ToolFailed("denied", f"{found.reason}, and {error}", found.remedy) from None

    def run(self, arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
        """Run the command and return its output.

        Raises:
            ToolFailed: It is in no tier, can't be started, or took too long.
        """
        found = self._classified(arguments)
        if found.tier == "none" or (found.tier == "asked" and context.rights is None):
            remedies = [found.remedy, found.allowed_by and f"or let the user add\n{found.allowed_by}"]
            raise ToolFailed("denied", found.reason, "; ".join(filter(None, remedies)))
        timeout_s = float(arguments.get("timeout_s") or DEFAULT_S)
        argv, rights, left_out = _prepared(found, context)
        ran = context.workspace.run(
            argv, rights, timeout_s=timeout_s, merged=True, on_output=_shown_by(context.emit)
        )  # fmt: skip
        text, is_cut = _cut(ran.output.decode("utf-8", "replace"))
        if ran.timed_out:
            raise _too_slow(found, timeout_s, text)
        return {
            "argv": list(ran.argv),
            "exit_code": ran.exit_code,
            "output": text,
            "level": ran.level,
            "tier": found.tier,
            "note": _note(ran, found, is_cut, left_out),
        }

    def _classified(self, arguments: Mapping[str, Any]) -> Classified:
        from inarch_sandbox_fs.commands.classification import classify  # the tables cost what many sessions never use

        command = arguments.get("command")
        return classify(command if isinstance(command, str) else "", self.grants, self.root)


def _is_declared(found: Classified) -> bool:
    return found.tier == "granted" and "" not in found.rights.writes


def _prepared(found: Classified, context: ToolContext) -> tuple[tuple[str, ...], Rights, str]:
    """Return the words and rights with which a command runs, and what it leaves out, after a look at the workspace."""
    from inarch_sandbox_fs.commands import looking, secret_files
    from inarch_sandbox_fs.commands.choosing import put_together
    from inarch_sandbox_fs.commands.runners import is_known

    looking.require_inside(context.workspace, found.rule, found.paths)
    if found.tier == "read-only":
        argv, left_out = found.argv, ""
        if found.options_end and not found.reason:
            argv, left_out = secret_files.passing_over(
                found.rule, found.argv, found.options_end, context.workspace.root
            )
        if found.argv[0] != "git" or found.rule == "git --version":
            return argv, found.rights, left_out
        return argv, Rights(env=looking.without_filters(context.workspace)), left_out
    # What the user allows beyond the workspace is for the program they meant, not for one that the workspace brings.
    rights = put_together(found, context.rights or {})
    runs_workspace = found.tier == "workspace" or (is_known(found.argv[0]) and not rights.home)
    folders = looking.own_folders(context.workspace) if runs_workspace else ()
    program = looking.own_program(context.workspace, found.argv[0], folders)
    env = {**looking.own_variables(context.workspace.root, folders), **looking.passed_on(found.passes)}
    left_out = ""
    if found.tier == "asked" or context.rights:
        rights, left_out = looking.without_orders(context.workspace, found.argv, rights)
    return (program, *found.argv[1:]), evolve(rights, env={**env, **rights.env}), left_out


def _shown_by(emit: Callable[[str], None]) -> Callable[[bytes], None]:
    """Return what decodes pieces of output, whose characters may be cut between two of them."""
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def show(piece: bytes) -> None:
        text = decoder.decode(piece)
        if text:
            emit(text)

    return show


def _cut(text: str) -> tuple[str, bool]:
    left = len(text) - MOST_CHARACTERS
    if left <= 0:
        return text, False
    head = MOST_CHARACTERS * 3 // 4
    return f"{text[:head]}\n… {left} characters left out …\n{text[head + left :]}", True


def _too_slow(found: Classified, timeout_s: float, text: str) -> ToolFailed:
    from shlex import join

    last = text[-_LAST:].strip()
    said = f"; its last output was\n{last}" if last else " and wrote nothing"
    remedy = "run less of it" if timeout_s >= LONGEST_S else f"run less of it, or give timeout_s up to {LONGEST_S}"
    return ToolFailed("timeout", f"{join(found.words)} did not finish within {timeout_s:g} s{said}", remedy)


def _note(ran: Ran, found: Classified, is_cut: bool, left_out: str) -> str | None:
    notes = [*ran.notes, *filter(None, [left_out])]
    if ran.signal:
        notes.append(f"killed by {_signal_name(ran.signal)}")
    if ran.exit_code:
        notes += [f"exit code {ran.exit_code}: {found.exits[ran.exit_code]}"] if ran.exit_code in found.exits else []
    if ran.truncated or is_cut:
        notes.append("the middle of the output was dropped")
    return "; ".join(notes) or None


def _signal_name(number: int) -> str:
    import signal

    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
