"""`/merge`: the person brings in what an agent did in a work tree of its own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import inarch
from inarch_agents.changes import kept_changes
from inarch_agents.listing import waiting
from inarch_agents.merging import NAME


async def merged(words: str, plugin: inarch.PluginContext, context: inarch.SlashContext) -> str:
    """Merge the change of this name; without one, list those that wait."""
    name, _, rest = words.partition(" ")
    if not name:
        return "\n".join(waiting(plugin)) or "no change waits for a merge"
    given = {"change": name, **({"conflicts": rest.strip()} if rest.strip() else {})}
    done = await context.call(NAME, given)
    if done.error is not None:
        return f"{done.error.message}\n{done.error.remedy}".strip()
    marked = [f"both sides are in {path}, with marks" for path in done.data.get("conflicts_marked", ())]
    return "\n".join([*(f"merged {path}" for path in done.data["merged"]), *marked]) or "there was nothing to change"


def offered(plugin: inarch.PluginContext) -> Iterable[tuple[str, str]]:
    """Return the changes that wait, each with what was asked."""
    return [(one.name, f"{one.agent}: {one.task}") for one in kept_changes(Path(plugin.state_dir), plugin.root)]
