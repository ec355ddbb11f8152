"""goal: work goes on until a check command or a judge says that the goal is met, within limits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import inarch

if TYPE_CHECKING:
    from inarch_plugins.goal.record import Goal

_TEXT, _COUNT = {"type": "string"}, {"type": "integer", "minimum": 0}
_SCHEMAS: dict[str, tuple[str, dict[str, Any]]] = {
    "set": (
        "A goal was set, changed or resumed.",
        {"text": _TEXT, "check": _TEXT, "max_cost_usd": _TEXT, "max_turns": _COUNT, "is_new": {"type": "boolean"}},
    ),
    "judged": ("A goal was judged.", {"turn": _COUNT, "met": _TEXT, "evidence": _TEXT, "next": _TEXT}),
    "ended": ("A goal has ended.", {"status": _TEXT, "turns": _COUNT, "cost_usd": _TEXT, "text": _TEXT}),
}


class Goals:
    """Goals of the sessions of one composition: their guard, tracer, context source and session extension."""

    name = "goal"
    most_holds = 400  # two for each of the most rounds, since news of processes hold, too
    timeout_s = 86_400.0

    def __init__(self, context: inarch.PluginContext) -> None:
        self.context = context
        self._of: dict[str, Goal] = {}

    def open(self, access: inarch.SessionAccess) -> Goal:
        """Return the session's goal, read from its events once."""
        goal = self._of.get(access.session_id)
        if goal is None:
            from inarch_plugins.goal.record import read_goal

            goal = self._of[access.session_id] = read_goal(access)
        return goal

    async def gather(self, situation: inarch.Situation) -> None:
        """Begin the goal's work with the turn that its command submitted."""
        goal = self._of.get(situation.turn.session_id)
        if goal is not None and goal.pending is not None:
            data, goal.pending = goal.pending, None
            goal.recorder = situation.record
            situation.record("set", data)

    async def hold(self, ending: inarch.Ending) -> str | None:
        """Hold the turn until the goal is met or a limit is reached."""
        turn = ending.situation.turn
        goal = self._of.get(turn.session_id)
        if goal is None or not goal.is_active_in(turn.id):
            return None
        from inarch_plugins.goal.guard import hold

        try:
            return await hold(goal, ending)
        except Exception:  # otherwise the turn would end as if the goal were met
            ending.conclude("failed", "the goal could not be judged")
            raise

    def saw(self, event: inarch.Event) -> None:
        """Follow the goal of the event's session."""
        goal = self._of.get(event.session_id)
        if goal is not None:
            goal.take(event)

    def summary(self, turn_id: str) -> str | None:
        """Record the end of a goal whose turn ended at another limit; report its state."""
        goal = next((one for one in self._of.values() if one.turn_id == turn_id), None)
        if goal is None:
            return None
        if goal.is_active_in(turn_id):
            limit = "its turn ended at a limit of the profile"
            goal.end(*(("failed", "its turn failed") if goal.failed else ("limited", limit)))
        return goal.told()

    def close(self) -> None:
        """Do nothing: everything is recorded."""


_known: WeakValueDictionary[int, Goals] = WeakValueDictionary()
"""Goals by the context of their run: guard, tracer, source and command are registered apart and share them."""


def _goals(context: inarch.PluginContext) -> Goals:
    known = _known.get(id(context))
    if known is None or known.context is not context:
        known = _known[id(context)] = Goals(context)
    return known


@inarch.hookimpl
def inarch_end_guards(context: inarch.PluginContext) -> Iterable[inarch.EndGuard]:
    """Return the guard that holds a turn until its goal is met."""
    return [_goals(context)]


@inarch.hookimpl
def inarch_tracers(context: inarch.PluginContext) -> Iterable[inarch.Tracer]:
    """Return the tracer that follows cost, changes and processes."""
    return [_goals(context)]


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> Iterable[inarch.ContextSource]:
    """Return the source that begins a goal."""
    return [_goals(context)]


@inarch.hookimpl
def inarch_session_extensions(context: inarch.PluginContext) -> Iterable[inarch.SessionExtension]:
    """Return the extension with the session's goal."""
    return [inarch.SessionExtension("goal", "The session's goal.", _goals(context).open)]


@inarch.hookimpl
def inarch_events(context: inarch.PluginContext) -> Iterable[inarch.EventKind]:
    """Return the events of goals."""
    return [
        inarch.EventKind(name, help, {"type": "object", "properties": properties, "required": [*properties]})
        for name, (help, properties) in _SCHEMAS.items()
    ]


@inarch.hookimpl
def inarch_slash_commands(context: inarch.PluginContext) -> Iterable[inarch.SlashCommand]:
    """Return `/goal`."""

    async def run(words: str, context: inarch.SlashContext) -> str:
        from inarch_plugins.goal.command import goal_command

        return await goal_command(words, context)

    words = "[--check CMD] [--max-cost USD] [--turns N] TEXT | pause | resume | edit TEXT | budget USD | clear"
    return [inarch.SlashCommand("goal", "Work until a goal is met; alone: show its state.", run, words,
                                at_once=True, asks=True)]  # fmt: skip
