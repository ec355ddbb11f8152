"""Reviews of one session: what was judged before, what it cost, and when the user must be asked instead."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import deque
from decimal import Decimal
from typing import TYPE_CHECKING

from attrs import define, evolve, field

import inarch
from inarch_plugins.reviewer.judgement import VERSION, Unclear, prompt_of, read_answer

if TYPE_CHECKING:
    from inarch_plugins.reviewer import Settings

IN_A_ROW, IN_A_TURN = 3, 10
"""Denials after which the user is asked."""
FAILURES = 2
"""Failed requests after which a turn asks the user alone."""
LISTED = 20
_UNCLEAR = "it could not be judged: "


@define(eq=False)
class Reviews:
    """Reviews of one session."""

    settings: Settings
    most_usd: Decimal | None = None
    denials: deque[tuple[inarch.ToolCall, str]] = field(factory=lambda: deque(maxlen=LISTED))
    _spent: Decimal = Decimal(0)
    _dearest: Decimal = Decimal(0)
    _failed: int = 0
    _in_a_row: int = 0
    _in_turn: int = 0
    _known: dict[str, inarch.Approval | str] = field(factory=dict)

    def begin(self, most_usd: Decimal | None) -> None:
        """Begin a turn."""
        self.most_usd, self._spent, self._dearest = most_usd, Decimal(0), Decimal(0)
        self._failed = self._in_a_row = self._in_turn = 0

    def forget_approvals(self) -> None:
        """Judge calls anew that were approved: they may do something else by now."""
        kept = ((key, said) for key, said in self._known.items() if getattr(said, "outcome", "") == "deny")
        self._known = dict(kept)

    async def decide(self, request: inarch.ApprovalRequest, situation: inarch.Situation) -> inarch.Approval | str:
        """Return the judgement of a call; a text if the user must decide."""
        # A new message of the user makes a new question.
        said_last, call = situation.prompts[-1:], request.call
        parts = [VERSION, call.name, call.arguments, request.may_give, len(situation.prompts), said_last]
        key = hashlib.sha256(json.dumps(parts, sort_keys=True, default=repr).encode()).hexdigest()
        said = self._known.get(key)
        if said is None:
            said = await self._judged(request, situation)
            if isinstance(said, inarch.Approval) or not said.startswith(_UNCLEAR):
                self._known[key] = said
        return self._counted(request, said)

    def _counted(self, request: inarch.ApprovalRequest, said: inarch.Approval | str) -> inarch.Approval | str:
        if isinstance(said, str) or said.outcome == "approve":
            self._in_a_row = 0
            return said if isinstance(said, str) else evolve(said, call_id=request.call.id)
        said = evolve(said, call_id=request.call.id)
        self._in_a_row, self._in_turn = self._in_a_row + 1, self._in_turn + 1
        self.denials.append((request.call, said.reason))
        if self._in_a_row < IN_A_ROW and self._in_turn < IN_A_TURN:
            return said
        many = f"{self._in_a_row} in a row" if self._in_a_row >= IN_A_ROW else f"{self._in_turn} in this turn"
        self._in_a_row = 0
        return evolve(said, reason=f"too many calls were denied, {many}; the last: {said.reason}", ends_turn=True)

    async def _judged(self, request: inarch.ApprovalRequest, situation: inarch.Situation) -> inarch.Approval | str:
        if self._failed >= FAILURES:
            return f"{_UNCLEAR}the reviewer failed {self._failed} times in this turn"
        if self.most_usd is not None and self._spent + self._dearest >= self.most_usd:
            share = f"${self.most_usd.normalize():f}"
            return f"{_UNCLEAR}reviews of this turn may cost {share}, and ${self._spent} is spent"
        try:
            asked = prompt_of(request, situation, self.settings.model or situation.decision_model)
        except Unclear as error:
            return f"{_UNCLEAR}{error}"
        try:
            async with asyncio.timeout(self.settings.seconds):
                reply = await situation.ask(asked)
            cost = reply.usage.cost_usd or Decimal(0)
            self._spent, self._dearest = self._spent + cost, max(self._dearest, cost)
            return read_answer(reply, request)
        except TimeoutError:
            why = f"no answer within {self.settings.seconds:g} s"
        except Unclear as error:
            why = str(error)
        except inarch.InarchError as error:
            why = error.message
        self._failed += 1
        return f"{_UNCLEAR}{why}"
