"""The tool `task`: let an agent do a task in its own session, and return its result."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from attrs import evolve

import inarch
from inarch_plugins.agents.agents import BUILT_IN, Agent, settings_of
from inarch_plugins.agents.tool_lists import limits

if TYPE_CHECKING:
    from inarch_plugins.agents.changes import Change

NAME = "task"
_LONGEST_MESSAGE = 1_000
_MOST_DESCRIPTIONS, _SHORT = 16_000, 120
"""Most characters of all descriptions in a request, and of each if they have more."""
LEAST_WINDOW = 10_000
"""Smallest window in tokens. A smaller one leaves too little room for an agent's answer."""
MOST_DIFF = 8_000
"""Most characters of a change in its task's result."""
callers_tools: ContextVar[frozenset[str] | None] = ContextVar("inarch_agents_callers_tools", default=None)
"""Tools of the running turn's session. The context source sets them, and its calls run in the same context."""
_PLANS = frozenset({"present_plan"})
"""Tools of an approval mode, which no child session has."""
_APART = "give the task in a session, from a prompt"
LOOKS = inarch.Effects(reads=frozenset({""}))
CHANGES = inarch.Effects(exclusive=True)
_DESCRIPTION = "Give a task to an agent. It does not see this conversation. Read-only agents run in parallel. Agents: "
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["agent", "prompt"],
    "additionalProperties": False,
    "properties": {
        "agent": {"type": "string"},
        "prompt": {"type": "string", "minLength": 1},
        "session": {"type": "string", "description": "The session of an earlier result, to continue it."},
    },
}


class Tasks:
    """The tool that gives tasks to agents."""

    def __init__(self, agents: Mapping[str, Agent], plugin: inarch.PluginContext) -> None:
        self._agents, self._plugin, self._room = agents, plugin, Room(settings_of(plugin).together)

    def tool(self) -> inarch.Tool:
        """Return the tool. Its description names the agents."""
        properties = _SCHEMA["properties"]
        agent = {**properties["agent"], "enum": sorted(self._agents)}
        schema = {**_SCHEMA, "properties": {**properties, "agent": agent}}
        made = inarch.tool(
            name=NAME, input_schema=schema, effects=self._effects, check=self._check, timeout_s=0.0,
            least_window=LEAST_WINDOW, title="Give {agent} a task: {prompt}",
        )(self.task)  # fmt: skip
        usable = [(one, " ".join(one.description.split())) for _, one in sorted(self._agents.items()) if not one.fault]
        most = _SHORT if sum(len(text) for _, text in usable) > _MOST_DESCRIPTIONS else _MOST_DESCRIPTIONS
        texts = (f"{one.name}{_how(one)}: {inarch.shorten(text, most)}" for one, text in usable)
        made.description = _DESCRIPTION + "; ".join(texts)
        return made

    async def task(self, agent: str, prompt: str, context: inarch.ToolContext, session: str = "") -> inarch.ToolResult:
        """Have an agent do a task."""
        asked = self._usable(agent)
        given = {"model": asked.model, "effort": asked.effort, "max_iterations": asked.max_iterations}
        settings = {name: value for name, value in given.items() if value}
        there, limit = _there(), asked.limit
        if there is None and limit.is_needed:
            raise inarch.ToolFailed("permission", f"{asked.source}: the limits of its tools can't be kept here", _APART)
        tools, missing = asked.tools(there)
        missing = missing if asked.source != BUILT_IN else []
        job = inarch.ChildTask(agent, prompt, asked.instructions, tools, settings, session)
        before = limits.set((*limits.get(), limit) if limit.is_needed else limits.get())
        try:
            return _with_missing(await self._run(asked, job, context), missing)
        finally:
            limits.reset(before)

    async def _run(self, asked: Agent, job: inarch.ChildTask, context: inarch.ToolContext) -> inarch.ToolResult:
        agent = asked.name
        try:
            if not (asked.only_reads or asked.has_tree):
                return _result(agent, await context.child(job))
            async with self._room.of(context.turn_id):
                if not asked.has_tree:
                    return _result(agent, await context.child(job))
                return await self._in_tree(job, context)
        except inarch.ToolFailed as error:
            message = error.message[:_LONGEST_MESSAGE]  # it may repeat a `session` of any length
            raise inarch.ToolFailed(error.code, f"{asked.source}: {message}", error.remedy) from None

    async def _in_tree(self, job: inarch.ChildTask, context: inarch.ToolContext) -> inarch.ToolResult:
        """Run the task in a work tree. Its change is stored even if the task fails."""
        from inarch_plugins.agents.trees import begin

        plugin = self._plugin
        brought = plugin.brought.names() if plugin.brought is not None else ()
        path = plugin.environ.get("PATH", "")
        tree = await asyncio.to_thread(begin, context.state, context.workspace, job.name, job.prompt, brought, path)
        try:
            done = await context.child(evolve(job, root=str(tree.place), saw=tree.saw))
        except inarch.ToolFailed:
            await asyncio.to_thread(tree.drop if not tree.session else tree.end)
            raise
        except BaseException:
            tree.leave()  # no time to store the change now: the next prompt does
            raise
        try:
            change = await asyncio.to_thread(tree.end)
        except OSError as error:
            kept = f"the change can't be stored: {error.strerror} (the work tree stays at {tree.place})"
            raise inarch.ToolFailed("execution", kept, "free disk space: the next start stores the change") from error
        return _with_change(_result(job.name, done), change)

    def _effects(self, arguments: Mapping[str, Any]) -> inarch.Effects:
        agent = self._agents.get(str(arguments.get("agent")))
        return LOOKS if agent is not None and (agent.only_reads or agent.has_tree) else CHANGES

    def _check(self, arguments: Mapping[str, Any], context: inarch.ToolContext) -> None:
        self._usable(arguments["agent"])

    def _usable(self, name: str) -> Agent:
        """Return the agent with this name."""
        if fault := self._agents[name].fault:
            raise inarch.ToolFailed("validation", fault, "fix the file, or do the task without this agent")
        return self._agents[name]


def _how(agent: Agent) -> str:
    return " (in a work tree: call merge_task afterwards)" if agent.has_tree else " (reads)" if agent.only_reads else ""


def _there() -> frozenset[str] | None:
    """Return the tools that a child may have; None if they are unknown."""
    there = callers_tools.get()
    return None if there is None else there - _PLANS


def _with_missing(result: inarch.ToolResult, missing: Sequence[str]) -> inarch.ToolResult:
    """Add the tools of the agent's file that its caller lacks."""
    return evolve(result, data={**result.data, "tools_left_out": [*missing]}) if missing else result


def _result(agent: str, done: inarch.ChildTurn) -> inarch.ToolResult:
    """Return the result for the model: the answer, the changes and the usage."""
    turn, usage = done.turn, done.turn.usage
    data = {
        "agent": agent,
        "answer": turn.content,
        "status": turn.status,
        "files_changed": list(done.files),
        "tokens": usage.input_tokens + usage.output_tokens,
        **({"tokens_estimated": True} if usage.estimated else {}),
        "cost_usd": None if usage.cost_usd is None else str(usage.cost_usd),
        "session": done.session_id,
    }
    if turn.status == "done" or turn.content:
        return inarch.ToolResult(True, data if turn.limit is None else {**data, "stopped_by": turn.limit})
    why = turn.error or (f"it reached {turn.limit}" if turn.limit else f"its turn is {turn.status}")
    return inarch.ToolResult(False, data, inarch.ToolError("execution", f"{agent} did not answer: {why}"))


def _with_change(result: inarch.ToolResult, change: Change | None) -> inarch.ToolResult:
    """Add the change that waits for a merge. Its files are not in the workspace yet."""
    data = {**result.data, "files_changed": [] if change is None else [*change.files]}
    if change is not None:
        text = change.text(change.files).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        data |= {
            "change": change.name, "merged": False, "patch": str(change.patch), "diff": cut(text),
            "note": f"the files here are unchanged: merge_task(change={change.name!r}) merges the change",
        }  # fmt: skip
    return evolve(result, data=data)


def cut(text: str) -> str:
    """Return the beginning of a long diff."""
    return text if len(text) <= MOST_DIFF else f"{text[:MOST_DIFF]}\n… {len(text) - MOST_DIFF:,} more characters"


class Room:
    """Limit of the tasks that run at the same time in one turn.

    Each turn has its own limit. Otherwise an agent that starts tasks would wait for the slot that it occupies.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._gates: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def of(self, turn_id: str) -> AsyncIterator[None]:
        """Wait for a free slot in a turn, and occupy it."""
        gate = self._gates.setdefault(turn_id, asyncio.Semaphore(self._most))
        async with gate:
            yield
