"""The policy about files that steer agents: each plugin that reads some brings it, so it holds wherever they count."""

from __future__ import annotations

from inarch.contract.ports import Tool
from inarch.contract.records import ToolCall, Verdict

FOLDERS = frozenset({".agents", ".claude"})
"""Folders whose files tell agents what to do: hooks, skills, agents, prompts."""
LOOKING = frozenset({"search", "nav", "trace"})
"""Categories of tools that change nothing."""


class AskAboutSteering:
    """Has a person asked, in every approve mode, before a tool writes what steers agents."""

    name = "steering-files"

    def judge(self, call: ToolCall, tool: Tool) -> Verdict:
        """Ask where a call declares to write below `.agents` or `.claude`."""
        writes = tool.effects(call.arguments).writes if tool.category not in LOOKING else frozenset()
        path = next((path for path in sorted(writes) if not FOLDERS.isdisjoint(path.casefold().split("/"))), None)
        if path is None:
            return Verdict("allow")
        return Verdict("ask", f"{path} tells agents what to do", person=True)
