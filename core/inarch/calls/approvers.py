"""Plugins that answer questions about calls before the user, as far as the user's own configuration lets them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from attrs import evolve, frozen

from inarch.calls.call_order import changes_protected
from inarch.contract.approval_records import Approval
from inarch.contract.errors import InarchError
from inarch.contract.guard import guarded
from inarch.contract.interventions import patience_of
from inarch.contract.records import ChosenRights
from inarch_sdk.bounds import fault_of

if TYPE_CHECKING:
    from inarch.calls.live_call import LiveCall
    from inarch.contract.approval_records import ApprovalRequest
    from inarch.contract.interventions import Approver, Decided
    from inarch.contract.ports import Situation
    from inarch.plugins.composition import Bound

Answer = tuple[str, Literal["", "approve", "deny", "ask", "stop"], str, ChosenRights]
"""Plugin, outcome, reason and rights; an empty outcome if no approver says anything."""


@frozen(eq=False, repr=False)
class Approvers:
    """Approvers of one batch, asked in order; the first answer counts.

    Args:
        parts: The approvers.
        may_allow: Plugins whose approval counts, and `PLUGIN:RIGHT` for each right that they may give.
        situation: Returns the turn's situation for a plugin.
        kept: Returns the promises that the workspace keeps.
    """

    parts: Sequence[Bound[Approver]]
    may_allow: Collection[str]
    situation: Callable[[str], Situation]
    kept: Callable[[], frozenset[str]]

    async def answer(self, live: LiveCall, request: ApprovalRequest, *, is_persons: bool) -> Answer:
        """Return the first answer. With `is_persons`, no approver may approve the call."""
        for part in self.parts:
            may_give = None if is_persons else self._may_give(live, part.plugin)
            said = await self._asked(part, evolve(request, may_give=may_give))
            if isinstance(said, str):
                return part.plugin, "ask", said, {}
            if said is not None and said.outcome == "deny":
                return part.plugin, "stop" if said.ends_turn else "deny", said.reason, {}
            if said is not None and (may_give is None or not set(said.rights or ()) <= set(may_give)):
                return part.plugin, "ask", "only the user may approve it, or may give these rights", {}
            if said is not None:
                return part.plugin, "approve", said.reason, said.rights or {}
        return "", "", "", {}

    def _may_give(self, live: LiveCall, plugin: str) -> tuple[str, ...] | None:
        """Return the rights that an approver may give a call, None if it may not approve the call at all."""
        judgement = live.judgement
        assert judgement is not None
        is_open = live.effects.exclusive or live.effects.programs or changes_protected(live.effects)
        is_bounded = judgement.by == "mode" and not is_open
        is_held = bool(judgement.reviewable) and self.kept() >= judgement.reviewable
        if plugin not in self.may_allow or not (is_bounded or is_held):
            return None
        offered = live.offer.rights if live.offer is not None else ()
        return tuple(right.name for right in offered if f"{plugin}:{right.name}" in self.may_allow)

    async def _asked(self, part: Bound[Approver], request: ApprovalRequest) -> Decided:
        late = asyncio.timeout(patience_of(part.value))
        try:
            async with late:
                with guarded(part.plugin, "approver", passes=()):
                    said = await part.value.decide(request, self.situation(part.plugin))
        except (InarchError, TimeoutError) as error:
            return f"it could not be judged: {'it took too long' if late.expired() else error}"
        reason = said.reason if isinstance(said, Approval) else said
        is_known = not isinstance(said, Approval) or said.outcome in ("approve", "deny")
        is_whole = not isinstance(said, Approval) or isinstance(said.rights or {}, Mapping)
        if said is None or (isinstance(reason, str) and is_known and is_whole and not fault_of(reason)):
            return said
        return f"it could not be judged: {said!r:.200} is not an answer"
