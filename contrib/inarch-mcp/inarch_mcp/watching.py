"""What belongs to the connections beside the tools: who closes them, and who asks about a changed definition."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define

import inarch
from inarch_mcp.catalog import Catalog


@define(eq=False, repr=False)
class Watch:
    """Tells what was noticed of servers, brings their new tools, and closes the connections with the application."""

    catalog: Catalog
    name: str = "mcp"

    def saw(self, event: inarch.Event) -> None:
        """Take no note: nothing of a turn concerns it."""

    def summary(self, turn_id: str) -> str | None:
        """Say what servers changed while the turn ran."""
        return self.catalog.news() or None

    def new_tools(self) -> Sequence[inarch.Tool]:
        """Return the tools that servers have listed since this was last asked."""
        return self.catalog.new_tools()

    def remarks(self) -> Sequence[str]:
        """Return what there is to say before anything runs: servers and tools that were left out or changed."""
        return tuple(self.catalog.remarks)

    def close(self) -> None:
        """End every connection."""
        self.catalog.hub.close()


@define(eq=False, repr=False)
class ChangedDefinitions:
    """A policy that asks about tools whose definition is not the one that was agreed to, whatever a rule allows."""

    catalog: Catalog
    name: str = "mcp-changed-definitions"

    def judge(self, call: inarch.ToolCall, tool: inarch.Tool) -> inarch.Verdict:
        """Ask about a changed tool; have nothing against any other."""
        why = self.catalog.changed.get(call.name)
        return inarch.Verdict("ask", why) if why else inarch.Verdict("allow")
