"""End guards of a turn: plugins that are asked before it ends, hold it back, or conclude it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from attrs import define, evolve, field

from inarch.contract.capabilities import BoundsHolds, able
from inarch.contract.errors import InarchError
from inarch.contract.guard import blame, guarded
from inarch.contract.records import Message, PlannedCall, Text, ToolResult, Turn, TurnStatus
from inarch.turns.meter import LimitReached, Refused
from inarch.turns.run import TurnRun, result_of
from inarch_sdk.bounds import fault_of
from inarch_sdk.result_text import held_text
from inarch_sdk.short_data import shortened

if TYPE_CHECKING:
    from inarch.contract.interventions import EndGuard
    from inarch.plugins.composition import Bound


@define(eq=False, repr=False)
class EndGuards:
    """What the end guards have done in a turn: their vetoes, and the end that one of them chose."""

    run: TurnRun
    holds: int = 0
    own_holds: Counter[str] = field(factory=Counter)
    conclusion: tuple[TurnStatus, str, str] = ("done", "", "")

    async def are_holding(self, answer: str) -> bool:
        """Return whether the turn must continue; if so, tell its model why. Skip a guard that fails, with a note."""
        for guard in self.run.state.parts.end_guards:
            name, own = guard.value.name, able(guard.value, BoundsHolds)
            used, most = self.holds - self.own_holds.total(), self.run.state.config.profile.max_holds
            if own is not None and isinstance(own.most_holds, int):
                used, most = self.own_holds[name], own.most_holds
            if used >= most:
                continue
            try:
                reason = await self._reason(guard, answer)
            except InarchError as error:
                self.run.skipped(f"end guard {name!r}", error)
                continue
            self.run.check_stopped()
            if self.conclusion[0] != "done":
                return False
            if reason:
                self.holds += 1
                if own is not None:
                    self.own_holds[name] += 1
                    self.run.meter.iterations = 0
                hold(self.run, guard.plugin, name, reason)
                return True
        return False

    def concluded(self, answer: str) -> Turn:
        """Return the turn's final record: `done`, or as an end guard concluded."""
        status, guard, reason = self.conclusion
        error, limit = reason if status == "failed" else None, guard if status != "done" else None
        turn = self.run.ended(status, answer, error=error, limit=limit)
        return evolve(turn, unmet=False) if guard else turn

    def _conclude(self, guard: str, status: Literal["done", "limited", "failed"], reason: str) -> None:
        self.conclusion = (status, guard, self.run.state.journal.redactor.text(reason))

    async def _call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a call that the model does not see and return its result."""
        with suppress(Refused):
            await self.run.call([PlannedCall(tool, arguments)], "guard")
        return result_of(self.run.calls[-1])

    async def _reason(self, guard: Bound[EndGuard], answer: str) -> str:
        """Return why a guard holds the end back, "" if it does not.

        Raises:
            InarchError: It failed, or timed out.
        """
        from inarch.contract.interventions import LONGEST_HOLD_S, MOST_TEXT, Ending, patience_of

        conclude = partial(self._conclude, guard.value.name)
        situation = self.run.situation(guard.plugin)
        ending = Ending(situation, answer, tuple(self.run.calls), self.holds, self._call, conclude)
        patience = patience_of(guard.value, LONGEST_HOLD_S)
        late = asyncio.timeout(patience)
        try:
            async with late:
                with guarded(guard.plugin, "end guard", passes=(LimitReached,)):
                    reason: Any = await guard.value.hold(ending)
        except (InarchError, TimeoutError):
            if late.expired():
                raise blame(guard.plugin, "end guard", f"did not answer within {patience:g} s") from None
            raise
        if reason is None:
            return ""
        if not isinstance(reason, str) or fault_of(reason):
            raise blame(guard.plugin, "end guard", f"did not return a reason as text but {reason!r:.200}")
        return str(shortened(self.run.state.journal.redactor.text(reason.strip()), "", MOST_TEXT))


def hold(run: TurnRun, plugin: str, guard: str, reason: str) -> None:
    """Record why a turn goes on, and tell its model."""
    from inarch.contract.other_events import TurnHeld

    run.state.journal.record(TurnHeld(plugin, guard, reason), run.turn.id)
    run.messages.append(Message("user", (Text(held_text(plugin, reason)),)))
