"""Plugin interventions in one call: rewrites, answers in the user's place as far as the user's configuration lets them,
and additions to its result."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from attrs import define, evolve, frozen

from inarch.calls.attempt import LONGEST_RESULT
from inarch.calls.call_order import changes_protected
from inarch.calls.policy import READING
from inarch.contract.approval_records import Approval
from inarch.contract.errors import InarchError
from inarch.contract.events import ErrorHappened
from inarch.contract.guard import Door, blame, guarded
from inarch.contract.interventions import MOST_TEXT, Review, Reviewer, Rewrite, Rewriter, patience_of
from inarch.contract.other_events import CallReviewed, CallRewritten
from inarch.contract.ports import Tool
from inarch.contract.records import ChosenRights, Effects, ToolCall, Verdict
from inarch.plugins.registration import Bound
from inarch_sdk.bounds import fault_of
from inarch_sdk.short_data import measured, shortened

if TYPE_CHECKING:
    from inarch.calls.live_call import LiveCall
    from inarch.calls.runner import Runner
    from inarch.contract.approval_records import ApprovalRequest
    from inarch.contract.interventions import Approver, Decided
    from inarch.contract.ports import Situation

_DECISIONS = ("", "allow", "ask", "deny", "stop")


@frozen
class SaidBefore:
    """A rewriter's decision about a call in the form of a policy, weighed with all other policies."""

    name: str
    verdict: Verdict

    def judge(self, call: ToolCall, tool: Tool) -> Verdict:
        """Return the decision."""
        return self.verdict


@define(eq=False, repr=False)
class Intervening:
    """Interventions of plugins, called one after the other.

    Inarch records a failure with its call. If a rewriter fails, the call needs the user's approval.
    """

    runner: Runner
    may_allow: tuple[str, ...]

    async def rewrite(
        self, live: LiveCall, part: Bound[Rewriter], prepare: Callable[[LiveCall, Any], str | None]
    ) -> None:
        """Let a rewriter change a call; `prepare` gives it the arguments or returns what is wrong with them."""
        # Hooks start programs. Nothing may be written: the user has not been asked yet.
        looking = Effects(reads=live.effects.reads, programs=True)
        said = await self._asked(live, part, part.value.rewrite, "rewriter", looking)
        if said is None:
            return
        if not isinstance(said, Rewrite) or said.decision not in _DECISIONS or fault_of(said.arguments):
            self._tell(
                live, part, "rewriter", blame(part.plugin, "rewriter", f"did not return a Rewrite but {said!r:.200}")
            )
            return
        given = None
        if said.arguments is not None:
            given = live.journal.redactor.redact(dict(said.arguments))
            if (wrong := prepare(live, given)) is not None:
                error = blame(part.plugin, "rewriter", f"gave {live.call.name} wrong arguments: {wrong}")
                self._tell(live, part, "rewriter", error)
                given = None
            else:
                live.rewritten_by = live.rewritten_by or part.plugin
        decision = "" if said.decision == "allow" and part.plugin not in self.may_allow else said.decision
        reason = shortened(live.journal.redactor.text(str(said.reason)), "", MOST_TEXT)
        if given is None and not decision:
            return
        live.record(
            CallRewritten(
                live.call.id, live.call.name, part.plugin, part.value.name, given, decision, reason, said.person
            )
        )
        # An allow answers only the mode's question; a deny or an ask counts from every rewriter.
        if decision == "allow":
            live.allowed_by = live.allowed_by or f"{part.plugin} allows it{f': {reason}' if reason else ''}"
        elif decision:
            live.stop = (part.plugin, reason) if decision == "stop" else live.stop
            stricter = "deny" if decision == "stop" else decision
            why = f"{part.plugin}: {reason}" if reason else f"{part.plugin} says so"
            if stricter == "ask" and said.person:
                live.needs_person = live.needs_person or why
            verdict = Verdict(stricter, why)
            live.said = (*live.said, Bound(part.plugin, SaidBefore(part.value.name, verdict), part.context))

    async def review(self, live: LiveCall, part: Bound[Reviewer]) -> None:
        """Let a reviewer add to the result of a call that has ended."""
        declared = live.effects
        anything = declared.exclusive and live.tool.value.category not in READING
        # Formatters change the call's own files, and undo reverts that with the call.
        mending = None if anything else Effects(declared.reads, declared.writes, programs=True)
        said = await self._asked(live, part, part.value.review, "reviewer", mending)
        review = said if isinstance(said, Review) else Review(said or "")
        fault = fault_of([review.text, review.data])
        if not isinstance(review.text, str) or fault or type(review.stop) is not bool:
            self._tell(live, part, "reviewer", blame(part.plugin, "reviewer", f"did not return text but {said!r:.200}"))
            return
        if not review.text and not review.stop and review.data is None:
            return
        text = shortened(live.journal.redactor.text(review.text), "", MOST_TEXT)
        data = live.journal.redactor.redact(review.data)
        data = shortened(data, "", LONGEST_RESULT * 2 // 3) if measured(data) > LONGEST_RESULT else data
        live.record(CallReviewed(live.call.id, live.call.name, part.plugin, part.value.name, text, review.stop, data))
        if review.stop:
            live.stop = live.stop or (part.plugin, text)
        live.add(part.plugin, text, data)

    async def _asked(
        self, live: LiveCall, part: Bound[Any], method: Callable[..., Any], door: Door, effects: Effects | None
    ) -> Any:
        """Return a plugin's answer, or None after a failure, which is recorded."""
        try:
            return await self.runner.ask(live, part, method, door, effects)
        except InarchError as error:
            self._tell(live, part, door, error)
        return None

    def _tell(self, live: LiveCall, part: Bound[Any], door: Door, error: InarchError) -> None:
        what = f"{door} {part.value.name!r} was skipped for {live.call.name}"
        live.record(ErrorHappened(f"{what}: {error.message}", error.remedy, part.plugin, door, live.call.id))
        if door == "rewriter":  # it might have denied the call
            absent = f"{part.plugin}: rewriter {part.value.name!r} could not judge this call"
            live.needs_person = live.needs_person or absent


Answer = tuple[str, Literal["", "approve", "deny", "ask", "stop"], str, ChosenRights]
"""Plugin, outcome, reason and rights; an empty outcome if no approver says anything."""


@frozen(eq=False, repr=False)
class Approvers:
    """Approvers of one batch, asked in order; the first answer counts.

    `may_allow` has the plugins whose approval counts, and `PLUGIN:RIGHT` for each right that they may give.
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
