"""Policy that asks the user before writes to files that control other tools."""

from __future__ import annotations

from inarch.contract.ports import Tool
from inarch.contract.records import ToolCall, Verdict
from inarch_lib.staging.steering_names import steers
from inarch_sdk.modes import COPY


class AskAboutSteering:
    """Policy that asks the user before a tool writes files that other tools obey, except in a copy or `bypass`."""

    name = "steering-files"

    def judge(self, call: ToolCall, tool: Tool) -> Verdict:
        """Ask if a call declares to write such a file."""
        writes = sorted(tool.effects(call.arguments).writes)
        found = [f"{path} {what}" for path in writes if (what := steers(path))]
        if not found:
            return Verdict("allow")
        remedy = "change it in a separate call" if len(writes) > 1 else ""
        return Verdict("ask", "; ".join(found[:3]), person=True, remedy=remedy, held=(COPY,))
