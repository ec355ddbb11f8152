"""Stand-ins for plugins' rewriters, approvers, reviewers and end guards."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING, Any

from attrs import define

from inarch import (
    Approval,
    ApprovalRequest,
    EndGuard,
    Ending,
    ModelRequest,
    PluginError,
    ProviderError,
    Review,
    Reviewer,
    Rewrite,
    Rewriter,
    Situation,
    Tool,
    ToolCall,
    ToolContext,
)
from inarch_plugins.replay.recorded_turns import rights_of
from inarch_plugins.replay.stand_ins import raise_skipped

if TYPE_CHECKING:
    from inarch_plugins.replay.player import Player
    from inarch_plugins.replay.recorded_turns import RecordedTurn


@define(eq=False, repr=False)
class RecordedRewriter:
    """Stand-in for a plugin's rewriter. It repeats the recorded rewrite or failure."""

    rewriter: Rewriter
    plugin: str
    player: Player

    @property
    def name(self) -> str:
        """The rewriter's name."""
        return self.rewriter.name

    async def rewrite(self, call: ToolCall, tool: Tool, context: ToolContext) -> Rewrite | None:
        """Return the recorded rewrite."""
        known = self.player.lineup.bind(context.call_id, call.name)  # the player has not seen its start yet
        said = known.said_by(self.plugin, "rewriter", self.name) if known is not None else None
        if said is None:
            return None
        data = self.player.copy.here(said.data)
        _raise_failed(said.kind, data)
        return Rewrite(
            data.get("arguments"), data.get("decision", ""), data.get("reason", ""), data.get("person", False)
        )


@define(eq=False, repr=False)
class RecordedApprover:
    """Stand-in for a plugin's approver. It repeats the recorded answer, and the requests that led to it."""

    approver: Any
    plugin: str
    player: Player

    @property
    def name(self) -> str:
        """The approver's name."""
        return str(self.approver.name)

    async def decide(self, request: ApprovalRequest, situation: Situation) -> Approval | str | None:
        """Return the recorded answer."""
        known, turn = self.player.lineup.call_of(request.call.id), self.player.turn
        if known is None or turn is None or not known.reviewed or known.reviewed[0].data["plugin"] != self.plugin:
            return None
        said = known.reviewed.pop(0)
        before = [one.seq for one in turn.events if one.kind == said.kind and one.data["by"] == "reviewer"]
        since = max((seq for seq in before if seq < said.seq), default=0)
        await _ask_again(turn, self.plugin, situation, since, said.seq)
        data = self.player.copy.here(said.data)
        reason = str(data["reason"])
        if data["outcome"] in ("approve", "deny"):
            return Approval(request.call.id, data["outcome"], reason=reason, rights=rights_of(data))
        return reason if data["outcome"] == "ask" else Approval(request.call.id, "deny", reason=reason, ends_turn=True)


async def _ask_again(turn: RecordedTurn, plugin: str, situation: Situation, since: float, until: float) -> None:
    """Repeat a plugin's requests between two event numbers."""
    for exchange in turn.asked_by(plugin):
        data = exchange.requested.data
        if since < exchange.requested.seq < until and data.get("attempt", 1) == 1:
            with suppress(ProviderError):
                await situation.ask(ModelRequest(data["model"], "", (), purpose=data["purpose"]))


@define(eq=False, repr=False)
class RecordedReviewer:
    """Stand-in for a plugin's reviewer. It repeats the recorded changes, additions or failure."""

    reviewer: Reviewer
    plugin: str
    player: Player

    @property
    def name(self) -> str:
        """The reviewer's name."""
        return self.reviewer.name

    async def review(self, call: ToolCall, tool: Tool, context: ToolContext) -> Review | None:
        """Return the recorded review."""
        known = self.player.lineup.call_of(context.call_id)
        if known is None:
            return None
        said = known.said_by(self.plugin, "reviewer", self.name)
        self.player.redo(known.mended_until(said), context.call_id)
        if said is None:
            return None
        data = self.player.copy.here(said.data)
        _raise_failed(said.kind, data)
        return Review(str(data["text"]), bool(data.get("stop")), data.get("data"))


def _raise_failed(kind: str, data: Mapping[str, Any]) -> None:
    """Raise the error with which the part failed, if it did."""
    if kind == "error":
        _, _, message = str(data["message"]).partition(": ")
        raise PluginError(
            message, plugin=str(data.get("plugin", "")), door=str(data.get("door", "")), remedy=str(data.get("remedy"))
        )


@define(eq=False, repr=False)
class RecordedGuard:
    """Stand-in for a plugin's end guard. It repeats the recorded decision."""

    guard: EndGuard
    plugin: str
    player: Player

    @property
    def name(self) -> str:
        """The guard's name."""
        return self.guard.name

    @property
    def most_holds(self) -> int | None:
        """The guard's own limit, None if it has none."""
        return getattr(self.guard, "most_holds", None)

    async def hold(self, ending: Ending) -> str | None:
        """Return the recorded reason to continue, if any."""
        turn = self.player.turn
        if turn is None:
            return None
        held = [event for event in turn.events if event.kind == "turn.held" and event.data["plugin"]]
        since = held[ending.held - 1].seq if 0 < ending.held <= len(held) else 0
        now = held[ending.held] if ending.held < len(held) else None
        until = now.seq if now is not None else inf
        if self.most_holds is not None:
            await self._act_again(turn, ending, since, until)
        raise_skipped(turn, f"end guard {self.name!r}", since, until)
        ended = turn.events[-1]
        if now is None and ended.kind == "turn.ended" and ended.data["turn"]["limit"] == self.name:
            ending.conclude(ended.data["turn"]["status"], str(self.player.copy.here(ended.data["turn"]["error"] or "")))
        mine = now is not None and (now.data["plugin"], now.data["guard"]) == (self.plugin, self.name)
        return str(self.player.copy.here(now.data["reason"])) if now is not None and mine else None

    async def _act_again(self, turn: RecordedTurn, ending: Ending, since: float, until: float) -> None:
        """Repeat the calls and requests of one decision of a guard that makes some."""
        for call in turn.calls:
            end = call.result_event
            if call.origin == "guard" and end is not None and since < end.seq < until:
                await ending.call(call.name, self.player.copy.here(call.arguments))
        await _ask_again(turn, self.plugin, ending.situation, since, until)
