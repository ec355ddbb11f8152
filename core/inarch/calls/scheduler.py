"""Scheduler from the calls of a reply to their results: validate, judge, ask once, run in order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from attrs import define, evolve, field

from inarch.calls.approvals import Approvals
from inarch.calls.attempt import LONGEST_RESULT, MOST
from inarch.calls.call_checks import Preparation
from inarch.calls.call_order import edges
from inarch.calls.context import Doors, Surroundings
from inarch.calls.grants import Grants
from inarch.calls.live_call import LiveCall
from inarch.calls.offered_tools import called, is_offered
from inarch.calls.policy import Judgement, judge, promises_kept
from inarch.calls.rules import RulesPolicy
from inarch.calls.runner import Runner
from inarch.calls.secrets import Secrets
from inarch.contract.call_events import CallsDone
from inarch.contract.capabilities import AsksAlways, HasAdded, able
from inarch.contract.errors import InarchError
from inarch.contract.events import ErrorHappened
from inarch.contract.front_ends import FrontEnd
from inarch.contract.ports import Policy, Situation, Tool, Tracer
from inarch.contract.records import CallOrigin, CallPart, PlannedCall, ToolCall, ToolError
from inarch.contract.workspaces import Workspace
from inarch.plugins.registration import DeclaredEvents
from inarch_sdk.modes import BYPASS, ApproveMode, rank
from inarch_sdk.result_text import named_note

if TYPE_CHECKING:
    from inarch.calls.before_images import Keeper
    from inarch.calls.call_interventions import Intervening
    from inarch.contract.interventions import Approver, Reviewer, Rewriter
    from inarch.journal.journal import Journal
    from inarch.plugins.registration import Bound


@define(eq=False, repr=False)
class Executor:
    """One batch in progress; `calls` are the scheduled ones, `batch` all calls of the reply."""

    calls: Sequence[LiveCall]
    batch: Sequence[LiveCall]
    runner: Runner
    journal: Journal
    before: Sequence[ToolCall] = ()
    _ready: deque[LiveCall] = field(init=False, factory=deque)
    _waits_for: dict[str, int] = field(init=False, factory=dict)
    _followers: dict[str, list[LiveCall]] = field(init=False, factory=dict)
    _running: dict[asyncio.Task[None], LiveCall] = field(init=False, factory=dict)

    async def run(self) -> None:
        """Return when every call has ended.

        Raises:
            asyncio.CancelledError: The caller was cancelled; running calls have been stopped, others not started.
        """
        for live in self.calls:
            # Counts of unfinished predecessors, so that an end does not scan the whole batch.
            self._waits_for[live.call.id] = len(live.call.after)
            for waited in live.call.after:
                self._followers.setdefault(waited, []).append(live)
            if not live.call.after:
                self._ready.append(live)
        try:
            while self._ready or self._running:
                await self._start_ready()
                await self._take_ended()
        finally:
            await self._stop_running()

    def earlier(self) -> Sequence[ToolCall]:
        """Return the turn's finished calls."""
        return (*self.before, *(live.call for live in self.batch if live.is_done))

    async def _start_ready(self) -> None:
        """Start ready calls while there is room; the journal has their `executing` before anything runs."""
        # Calls that are ready now start together: their events are made durable once.
        room = min(MOST - len(self._running), len(self._ready))
        starting = [live for live in (self._ready.popleft() for _ in range(room)) if self._may_start(live)]
        if not starting:
            return
        may_change = any(live.has_effects for live in starting)
        for live in starting:
            live.go("executing", self.runner.announces(live))
        # Only a change must not outlive its record if the power fails: a call that reads need not wait for the disk.
        if may_change:
            await self.journal.sync()
        else:
            self.journal.flush()
        if len(starting) == 1 and not self._running and not self._ready:
            # No other call could run at the same time, so no task is needed.
            await self.runner.run(starting[0], self.earlier)
            self._release(starting[0])
            return
        for live in starting:
            self._running[asyncio.get_running_loop().create_task(self.runner.run(live, self.earlier))] = live

    def _may_start(self, live: LiveCall) -> bool:
        if live.is_still_approved():
            return True
        live.fail(ToolError("denied", f"the arguments of {live.call.name} are not those that were approved"))
        self._release(live)
        return False

    async def _take_ended(self) -> None:
        if not self._running or (self._ready and len(self._running) < MOST):
            return
        done, _ = await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
        for task in [one for one in self._running if one in done]:
            live = self._running.pop(task)
            task.result()  # a fault of the kernel, or a journal that cannot be written, ends the batch
            self._release(live)

    def _release(self, live: LiveCall) -> None:
        for follower in self._followers.pop(live.call.id, ()):
            self._waits_for[follower.call.id] -= 1
            if not self._waits_for[follower.call.id]:
                self._ready.append(follower)

    async def _stop_running(self) -> None:
        interrupted = False
        for task in self._running:
            task.cancel()
        while not all(task.done() for task in self._running):
            try:
                await asyncio.wait(self._running)
            except asyncio.CancelledError:
                interrupted = True
        for task in self._running:
            if not task.cancelled():
                task.exception()
        if interrupted:
            raise asyncio.CancelledError


class Ended(NamedTuple):
    """End of a batch: its calls, all terminal, and the ids of those that could have changed something.

    `refused`: the user denied every one and wants the turn to end. `stopped`: the plugin that ends the turn, and why.
    `denials`: why it ends after too many denials by an approver, without a user to ask.
    """

    calls: tuple[ToolCall, ...] = ()
    effectful: frozenset[str] = frozenset()
    refused: bool = False
    stopped: tuple[str, str] | None = None
    denials: str = ""


@define(eq=False, repr=False, kw_only=True)
class Scheduler:
    """Scheduler of one session's calls, from models, strategies, slash commands and mentions alike.

    `policies` include the rules policy. `seen` has a hash of each file that the session last read or wrote; the
    scheduler updates it. Results of more than `output_limit` characters of JSON are stored as blobs and cut; None never
    cuts. `may_allow` has the plugins whose rewriters and approvers may answer the approval mode's question, by the
    user's configuration.
    """

    tools: dict[str, Bound[Tool]]
    policies: Sequence[Bound[Policy]] = ()
    approve: ApproveMode = "ask"
    front_end: FrontEnd | None = None
    journal: Journal
    workspace: Workspace
    seen: dict[str, str] = field(factory=dict)
    output_limit: int | None = LONGEST_RESULT
    grants: Grants = field(factory=Grants)
    keeper: Keeper | None = None
    events: DeclaredEvents = field(factory=DeclaredEvents)
    rewriters: Sequence[Bound[Rewriter]] = ()
    approvers: Sequence[Bound[Approver]] = ()
    reviewers: Sequence[Bound[Reviewer]] = ()
    may_allow: tuple[str, ...] = ()
    tracers: Sequence[Bound[Tracer]] = ()
    doors: Doors | None = None
    last: Ended = field(init=False, default=Ended())
    _closed: bool = field(init=False, default=False)
    preparation: Preparation = field(init=False)

    @preparation.default
    def _make_preparation(self) -> Preparation:
        several = able(self.workspace, HasAdded)
        return Preparation(self.tools, self.workspace.root, () if several is None else several.added)

    @cached_property
    def _runner(self) -> Runner:
        around = Surroundings(
            self.journal, self.workspace, self.seen, Secrets(self.journal.redactor, self.workspace), self.front_end,
            self.keeper, self.events.checked, self.doors,
        )  # fmt: skip
        return Runner(around, self.output_limit, self._review if self.reviewers else None)

    async def run(
        self,
        turn_id: str,
        calls: Sequence[CallPart | PlannedCall],
        origin: CallOrigin = "model",
        earlier: Sequence[ToolCall] = (),
        person: FrontEnd | None = None,
        situation: Callable[[str], Situation] | None = None,
    ) -> tuple[ToolCall, ...]:
        """Return the calls, all terminal, in call order; a tool's failure is a result, never an exception.

        `person` replaces the front end for calls that the user made, and is also asked about the rights that a tool
        offers. `situation` returns the turn's situation for a plugin; without it, no approver is asked.

        Raises:
            asyncio.CancelledError: The caller was cancelled; every call has ended and is in the journal.
            StoreError: A required journal cannot be written.
        """
        batch, approvals = self._batch(turn_id, calls, origin), self._approvals(person, situation)
        try:
            await self._run(batch, earlier, approvals)
        except asyncio.CancelledError:
            for live in batch:
                live.cancel()
            raise
        finally:
            self.last = Ended(
                tuple(live.call for live in batch),
                frozenset(live.call.id for live in batch if live.has_effects),
                bool(batch) and all(live.refused for live in batch),
                next((live.stop for live in batch if live.stop is not None), None),
                approvals.denials,
            )
            done = CallsDone(tuple(live.call.id for live in batch), origin, self.last.refused)
            if batch and all(live.is_done for live in batch):
                self.journal.record(done, turn_id or None)
        return self.last.calls

    def revoke_all(self) -> None:
        """Revoke the handles of every running call; each ends as cancelled."""
        self._runner.revoke_all()

    def close(self) -> None:
        """Revoke every running call; later calls end as cancelled. May be called twice."""
        self._closed = True
        self.revoke_all()

    def _batch(self, turn_id: str, calls: Sequence[CallPart | PlannedCall], origin: CallOrigin) -> list[LiveCall]:
        taken: set[str] = set()
        batch: list[LiveCall] = []
        for part in calls:
            # If two calls have one id, as some services send them, the second gets another.
            given, provider_id = (part.id, part.provider_id) if isinstance(part, CallPart) else ("", "")
            call_id = given if given and given not in taken else self.journal.clock.new_id()
            taken.add(call_id)
            name, given_arguments = called(part.name, part.arguments)
            bound = self.tools.get(name)
            if bound is not None and not is_offered(bound.value, self.approve):
                bound = None
            arguments, repaired = self.preparation.repaired(bound, given_arguments)
            if isinstance(part, CallPart) and part.called:
                repaired = (named_note(part.name, part.called), *repaired)
            call = ToolCall(call_id, provider_id, turn_id, name, arguments, origin=origin)
            batch.append(LiveCall(call, bound, self.journal, repaired=repaired))
        return batch

    def _approvals(self, person: FrontEnd | None, situation: Callable[[str], Situation] | None) -> Approvals:
        approvals = Approvals(
            person or self.front_end, self.journal, self.workspace, self.grants, person is not None,
            self._promises_kept, self._runner.tried, tracers=self.tracers,
        )  # fmt: skip
        # In a narrower mode the user wants to be asked.
        if self.approvers and situation is not None and rank(self.approve) >= rank("auto"):
            from inarch.calls.call_interventions import Approvers

            approvals.approvers = Approvers(self.approvers, self.may_allow, situation, self._promises_kept)
        return approvals

    async def _run(self, batch: Sequence[LiveCall], earlier: Sequence[ToolCall], approvals: Approvals) -> None:
        for live in batch:
            live.begin()
        for live in batch:
            if self._closed:
                live.cancel("cancelled: the session is closed")
            elif (error := self.preparation.checked(live)) is not None:
                live.fail(error)
            else:
                await self._rewrite(live)
                self._judge(live)
        if any(live.stop is not None for live in batch):
            for live in batch:
                live.cancel("cancelled before it ran: the turn is stopped")
        await self._approve([live for live in batch if not live.is_done], approvals)
        ready = [live for live in batch if not live.is_done]
        for live, waits in zip(ready, edges([live.effects for live in ready]), strict=True):
            if waits:
                live.call = evolve(live.call, after=tuple(ready[position].call.id for position in waits))
            live.go("scheduled")
        await Executor(ready, batch, self._runner, self.journal, earlier).run()
        for live in ready:
            if live.then and live.call.status == "success" and self.doors is not None:
                self.doors.set_approve(live.then)
        if any(live.has_effects for live in ready):
            self.journal.flush()  # the changes are known even if the process ends now

    def _judge(self, live: LiveCall) -> None:
        # Rewriters' answers are weighed like the verdict of any policy.
        policies = (*self.policies, *live.said)
        live.judgement = judge(live.call, live.tool.value, live.effects, self.approve, policies, self._promises_kept)
        if live.judgement.passed_in == BYPASS and live.judgement.by == "person":
            self._offer(live)
            if live.offer is not None and live.offer.is_once:  # it asks the user for an answer, not for a right
                live.judgement = live.judgement._replace(decision="ask", passed_in="")
        rules = (bound.value for bound in self.policies if isinstance(bound.value, RulesPolicy))
        live.hidden = tuple(glob for one in rules for glob in one.hidden(live.call, live.tool.value, live.effects))
        if live.allowed_by and live.judgement.decision == "ask" and live.judgement.by in ("mode", "confirmation"):
            live.judgement = Judgement("allow", live.allowed_by, live.judgement.by, passed_in=self.approve)
        if live.needs_person is not None and live.judgement.decision != "deny":  # no grant and no approval lifts it
            decision: Literal["ask", "deny"] = "deny" if self.approve == "none" else "ask"
            remedy = "let the user fix what is missing"
            live.judgement = Judgement(decision, live.needs_person, "person", is_rule=True, remedy=remedy)
        if live.judgement.decision == "deny":
            from inarch.calls.explanation import denied  # few turns need it

            live.fail(denied(live, live.judgement))

    def _promises_kept(self) -> frozenset[str]:
        return promises_kept(self.workspace, has_undo=self.keeper is not None)

    @cached_property
    def _intervening(self) -> Intervening:
        from inarch.calls.call_interventions import Intervening  # a profile without such plugins saves the import

        return Intervening(self._runner, self.may_allow)

    async def _rewrite(self, live: LiveCall) -> None:
        for part in self.rewriters if live.call.origin != "user" else ():
            await self._intervening.rewrite(live, part, self._take_rewrite)

    async def _review(self, live: LiveCall) -> None:
        for part in self.reviewers if live.call.origin != "user" else ():
            await self._intervening.review(live, part)

    def _take_rewrite(self, live: LiveCall, arguments: Mapping[str, object]) -> str | None:
        """Give a call that is not yet judged a plugin's arguments; return what is wrong with them, if anything."""
        before = live.call.arguments
        if (wrong := self._set_arguments(live, arguments)) is None:
            live.original = before if live.original is None else live.original
        return wrong

    def _set_arguments(self, live: LiveCall, arguments: Mapping[str, object]) -> str | None:
        """Give a call arguments and their effects; return what is wrong with them, and then keep the old ones."""
        before = live.call, live.effects
        live.call = evolve(live.call, arguments=self.preparation.repaired(live.bound, arguments)[0])
        if (error := self.preparation.checked(live)) is None:
            return None
        live.call, live.effects = before
        return error.message

    async def _approve(self, batch: Sequence[LiveCall], approvals: Approvals) -> None:
        asked: list[LiveCall] = []
        after = cache(lambda: edges([live.effects for live in batch]))  # most batches ask nothing
        for position, live in enumerate(batch):
            judgement = live.judgement
            assert judgement is not None
            is_asked = judgement.decision == "ask"
            if is_asked or approvals.is_own:
                self._offer(live)
            # A user's own call asks only about the rights that can be chosen with it.
            is_own = approvals.is_own and (live.offer is not None or able(approvals.front_end, AsksAlways) is not None)
            if judgement.passed and not is_own:
                approvals.let_through(live, judgement.reason)
            elif approvals.is_left(live) if is_own else is_asked and not approvals.passes(live):
                # The result of an earlier call of the batch is not known yet. Otherwise a needless question is avoided.
                live.is_first = not after()[position]
                if live.is_first and (error := await self._runner.refusal(live)) is not None:
                    live.fail(error)
                    continue
                live.go("awaiting_approval")
                asked.append(live)
        await approvals.ask(asked, self._change)

    def _offer(self, live: LiveCall) -> None:
        live.offer = None
        try:
            live.choose({})
        except InarchError as error:  # then there is no choice, but the question remains
            self.journal.record(ErrorHappened(error.message, error.remedy, live.tool.plugin, "tool"), live.call.turn_id)

    def _change(self, live: LiveCall, arguments: Mapping[str, object]) -> str | None:
        """Give a waiting call the user's arguments; return what is wrong with them, and then keep the old ones."""
        before = live.call.arguments
        if (wrong := self._set_arguments(live, arguments)) is not None:
            return wrong
        live.proposed = before if live.proposed is None else live.proposed
        self._judge(live)
        if not live.is_done:
            self._offer(live)
        return None
