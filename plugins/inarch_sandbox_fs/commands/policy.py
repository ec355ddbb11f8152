"""What needs no question because the answer is no, and commands of no tier, which only a person can let run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from inarch import Tool, ToolCall, Verdict
from inarch_sandbox_fs.paths import PROTECTED, is_protected

if TYPE_CHECKING:
    from inarch_sandbox_fs.commands.classification import Classified
    from inarch_sandbox_fs.commands.granting import Grants

COMMAND = "execute_command"
LONGEST_S = 600
"""Seconds that a command may take."""
_CHANGING = frozenset({"write_file", "create_file", "patch_source_file", "apply_patch", "move_file", "delete_file"})


@define(eq=False, repr=False)
class SandboxPolicy:
    """Denies what this plugin's tools never do, asks a person about commands that no tier knows.

    What it allows with a reason the kernel asks about.
    """

    root: str
    grants: Grants
    name: str = field(init=False, default="sandbox-fs")

    def judge(self, call: ToolCall, tool: Tool) -> Verdict:
        """Return deny with a reason, or allow."""
        if call.name == COMMAND:
            return self._command(call.arguments.get("command"))
        if call.name in _CHANGING:
            for path in sorted(tool.effects(call.arguments).writes):
                if is_protected(path):
                    return Verdict("deny", f"{path} is protected: {PROTECTED}")
        return Verdict("allow")

    def _command(self, command: object) -> Verdict:
        if not isinstance(command, str):
            return Verdict("allow")  # the schema has refused it
        from inarch_sandbox_fs.commands.classification import classify

        return verdict_on(classify(command, self.grants, self.root))


def verdict_on(found: Classified) -> Verdict:
    """Return the verdict on a command line."""
    if found.tier == "none":
        return Verdict("deny", f"{found.reason}; {found.remedy}" if found.remedy else found.reason)
    if found.tier == "asked":
        return Verdict("ask", found.reason, person=True, remedy=found.remedy)
    # Any other "ask" of a policy could not be answered by the user's own rules; the kernel asks, for the effects
    # are unknown, and shows this reason.
    return Verdict("allow", found.reason)
