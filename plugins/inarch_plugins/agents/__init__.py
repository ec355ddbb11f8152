"""agents: work handed to agents with contexts, tools and models of their own, within what the caller may do."""

from __future__ import annotations

from collections.abc import Iterable

import inarch
from inarch_plugins.agents.agents import Settings


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings class."""
    return Settings


@inarch.hookimpl
def inarch_tools(context: inarch.PluginContext) -> Iterable[inarch.Tool]:
    """Return the tool that hands work over, where there is an agent, and the one that merges what comes of it."""
    from inarch_plugins.agents.agent_files import read_agents

    if not (agents := read_agents(context)):
        return ()
    from inarch_plugins.agents.tasks import Tasks

    tools = [Tasks(agents, context).tool()]
    if any(agent.has_tree for agent in agents.values()):
        from inarch_plugins.agents.merge_task import Merges

        tools.append(Merges(context.state_dir).tool())
    return tools


@inarch.hookimpl
def inarch_rewriters(context: inarch.PluginContext) -> Iterable[inarch.Rewriter]:
    """Return what names the files of a change that is to be merged, where it may be."""
    from inarch_plugins.agents.agent_files import read_agents

    if not any(agent.has_tree for agent in read_agents(context).values()):
        return ()
    from inarch_plugins.agents.merge_task import Merges

    return [Merges(context.state_dir)]


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> Iterable[inarch.ContextSource]:
    """Return what hands a prompt to the agent whose `@name` it begins with, and tells what is wrong with files."""
    from inarch_plugins.agents.mentions import Mentioned

    return [Mentioned(context)]


@inarch.hookimpl
def inarch_slash_commands(context: inarch.PluginContext) -> Iterable[inarch.SlashCommand]:
    """Return `/agents` and `/merge`."""
    plugin = context

    def show(words: str) -> str:
        from inarch_plugins.agents.agent_list import listed

        return listed(plugin)

    async def merge(words: str, context: inarch.SlashContext) -> str:
        from inarch_plugins.agents.agent_list import merged

        return await merged(words, plugin, context)

    def names(words: str) -> Iterable[tuple[str, str]]:
        from inarch_plugins.agents.agent_list import offered

        return offered(plugin)

    merging = "Bring in what an agent did in a work tree of its own."
    return [
        inarch.SlashCommand("agents", "List the agents that can be given work.", show, at_once=True),
        inarch.SlashCommand("merge", merging, merge, "[CHANGE]", complete=names),
    ]


@inarch.hookimpl
def inarch_checks(context: inarch.PluginContext) -> Iterable[inarch.SelfCheck]:
    """Return what `inarch doctor` tells of agents' files."""

    def look() -> Iterable[inarch.Finding]:
        from inarch_plugins.agents.agent_list import findings

        return findings(context)

    return [inarch.SelfCheck("agents", look)]
