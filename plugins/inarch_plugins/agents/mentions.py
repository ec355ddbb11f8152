"""`@name …` at the start of a prompt: the named agent gets the rest of the prompt."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import inarch
from inarch_plugins.agents.agent_files import read_agents
from inarch_plugins.agents.agents import TREES
from inarch_plugins.agents.tasks import NAME, callers_tools

_MENTION = r"@([A-Za-z0-9][A-Za-z0-9_-]*)\s+(\S.*)"

_MANY = 3


class Mentioned:
    """Context source that plans the `task` call for a prompt."""

    name = "agents"

    def __init__(self, context: inarch.PluginContext) -> None:
        self._context = context
        self._is_told = False

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        """Return the call. Report errors in agent files once, and changes of interrupted tasks when found."""
        prompt = situation.turn.content.strip()
        found = re.fullmatch(_MENTION, prompt, re.DOTALL) if prompt.startswith("@") else None
        tools = frozenset(spec.name for spec in situation.tools)
        callers_tools.set(tools)
        notes = await _taken_up(Path(self._context.state_dir)) if self._context.state_dir else []
        if NAME not in tools or (found is None and self._is_told):
            return inarch.Contribution(notes=tuple(notes)) if notes else None
        agents = read_agents(self._context)
        if not self._is_told:
            self._is_told = True
            faults = [one.fault for one in agents.values() if one.fault]
            notes += faults if len(faults) < _MANY else [f"{len(faults)} agent files are invalid, see inarch doctor"]
        if found is None or found[1] not in agents:
            return inarch.Contribution(notes=tuple(notes)) if notes else None
        call = inarch.PlannedCall(NAME, {"agent": found[1], "prompt": found[2]})
        return inarch.Contribution(calls=(call,), notes=tuple(notes))


async def _taken_up(state: Path) -> list[str]:
    """Store the changes of interrupted tasks in their work trees, and describe them. Usually there are none."""
    if not (state / TREES).is_dir() or not any((state / TREES).iterdir()):
        return []
    from inarch_plugins.agents.agent_list import told
    from inarch_plugins.agents.trees import take_up

    changes, faults = await asyncio.to_thread(take_up, state)
    return [*(f"a task was interrupted: {told(change)}" for change in changes), *faults]
