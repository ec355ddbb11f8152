"""agents: tasks for agents with their own context, tools and model, within the caller's rights."""

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
    """Return `task` if there is an agent, and `merge_task` if one has a work tree."""
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
    """Return the rewriter that adds the files of a change to a merge, and that of limits, if an agent needs them."""
    from inarch_plugins.agents.agent_files import read_agents

    agents, rewriters = read_agents(context).values(), list[inarch.Rewriter]()
    if any(agent.has_tree for agent in agents):
        from inarch_plugins.agents.merge_task import Merges

        rewriters.append(Merges(context.state_dir))
    if any(agent.limit.is_needed for agent in agents):
        from inarch_plugins.agents.tool_lists import Limits

        rewriters.append(Limits())
    return rewriters


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> Iterable[inarch.ContextSource]:
    """Return the source that passes a prompt to the agent named by its `@name`, and reports errors in files."""
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

    merging = "Merge the change of an agent from its work tree."
    return [
        inarch.SlashCommand("agents", "List the agents that can be given work.", show, at_once=True),
        inarch.SlashCommand("merge", merging, merge, "[CHANGE]", complete=names),
    ]


@inarch.hookimpl
def inarch_checks(context: inarch.PluginContext) -> Iterable[inarch.SelfCheck]:
    """Return the check of agent files for `inarch doctor`."""

    def look() -> Iterable[inarch.Finding]:
        from inarch_plugins.agents.agent_list import findings

        return findings(context)

    return [inarch.SelfCheck("agents", look)]
