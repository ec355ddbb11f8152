"""What people are told of the agents there are."""

from __future__ import annotations

from collections.abc import Iterator

import inarch
from inarch_agents.agents import Agent
from inarch_agents.reading import read_agents


def listed(context: inarch.PluginContext) -> str:
    """Return the agents with what they may do and where they come from."""
    agents = sorted(read_agents(context).values(), key=lambda one: one.name)
    return "\n".join(line for agent in agents for line in _lines(agent)) or "there are no agents"


def _lines(agent: Agent) -> Iterator[str]:
    if agent.fault:
        yield f"{agent.name}: can't be given work: {agent.fault}"
        return
    yield f"{agent.name}: {' '.join(agent.description.split())}"
    tools = "all tools of who asks" if agent.tools is None else ", ".join(agent.tools) or "no tools"
    yield f"  {'only reads; ' if agent.only_reads else ''}{tools}; model: {agent.model or 'of who asks'}"
    yield f"  {agent.source}" + "".join(f"; hides {path}" for path in agent.hides)


def findings(context: inarch.PluginContext) -> Iterator[inarch.Finding]:
    """Yield a finding for every file that is wrong, and one for the others."""
    agents = sorted(read_agents(context).values(), key=lambda one: one.name)
    for agent in agents:
        if agent.fault:
            yield inarch.Finding("agents", "wrong", agent.fault, "see docs/how-to/agents.md")
    if names := [agent.name for agent in agents if not agent.fault]:
        yield inarch.Finding("agents", "fine", f"agents: {', '.join(names)}")
