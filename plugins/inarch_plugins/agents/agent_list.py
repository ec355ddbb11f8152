"""Text output for agents and changes: `/agents`, `/merge` and `inarch doctor`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import inarch
from inarch_plugins.agents.agent_files import read_agents
from inarch_plugins.agents.agents import Agent
from inarch_plugins.agents.changes import FOLDER, Change, kept_changes
from inarch_plugins.agents.merge_task import NAME


def listed(context: inarch.PluginContext) -> str:
    """List the agents with their rights and sources, and the changes that wait for a merge."""
    agents = sorted(read_agents(context).values(), key=lambda one: one.name)
    lines = [line for agent in agents for line in _lines(agent)] or ["there are no agents"]
    return "\n".join([*lines, *waiting(context)])


def waiting(context: inarch.PluginContext) -> list[str]:
    """Return a line for each unmerged change of this project."""
    if not context.state_dir or not Path(context.state_dir, FOLDER).is_dir():
        return []
    return [told(change) for change in kept_changes(Path(context.state_dir), context.root)]


def told(change: Change) -> str:
    """Describe a change that can be merged."""
    many = len(change.files)
    what = f"change {change.name} of {change.agent}, {many} file{'' if many == 1 else 's'}: {change.task}"
    return f"{what}\n  /merge {change.name} merges it, its patch is {change.patch}"


def _lines(agent: Agent) -> Iterator[str]:
    if agent.fault:
        yield f"{agent.name}: can't be given work: {agent.fault}"
        return
    yield f"{agent.name}: {' '.join(agent.description.split())}"
    tools = "all tools of its caller" if agent.grants is None else ", ".join(map(str, agent.grants)) or "no tools"
    tools += f" without {', '.join(map(str, agent.denies))}" if agent.denies else ""
    how = ("only reads; " if agent.only_reads else "") + ("in a work tree; " if agent.has_tree else "")
    yield f"  {how}{tools}; model: {agent.model or 'same as its caller'}"
    yield f"  {agent.source}" + "".join(f"; hides {path}" for path in agent.hides)


def findings(context: inarch.PluginContext) -> Iterator[inarch.Finding]:
    """Yield a finding for every invalid file, and one for the valid ones."""
    agents = sorted(read_agents(context).values(), key=lambda one: one.name)
    for agent in agents:
        if agent.fault:
            yield inarch.Finding("agents", "wrong", agent.fault, "see docs/how-to/agents.md")
    if lines := tuple(f"{agent.source}: {remark}" for agent in agents for remark in agent.remarks):
        yield inarch.Finding("agents", "note", "agent files with parts that have another meaning here", lines=lines)
    if names := [agent.name for agent in agents if not agent.fault]:
        yield inarch.Finding("agents", "fine", f"agents: {', '.join(names)}")


async def merged(words: str, plugin: inarch.PluginContext, context: inarch.SlashContext) -> str:
    """Merge the named change. Without a name, list the changes that wait."""
    name, _, rest = words.partition(" ")
    if not name:
        return "\n".join(waiting(plugin)) or "no change waits for a merge"
    given = {"change": name, **({"conflicts": rest.strip()} if rest.strip() else {})}
    done = await context.call(NAME, given)
    if done.error is not None:
        return f"{done.error.message}\n{done.error.remedy}".strip()
    marked = [f"{path} has conflict markers" for path in done.data.get("conflicts_marked", ())]
    return "\n".join([*(f"merged {path}" for path in done.data["merged"]), *marked]) or "there was nothing to change"


def offered(plugin: inarch.PluginContext) -> Iterable[tuple[str, str]]:
    """Return the changes that wait, each with its task."""
    return [(one.name, f"{one.agent}: {one.task}") for one in kept_changes(Path(plugin.state_dir), plugin.root)]
