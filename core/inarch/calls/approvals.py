"""Questions to the user about the calls of one batch.

An answer is bound to the call that will run and lasts as long as its scope says.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from attrs import define, evolve, field

from inarch.calls.grants import LASTING, Grants, covering, narrowed
from inarch.contract.capabilities import Isolated, Triable, Trial, able
from inarch.contract.errors import ErrorCode, InarchError, PluginError, StoreError
from inarch.contract.events import ErrorHappened
from inarch.contract.front_ends import FrontEnd
from inarch.contract.guard import guarded
from inarch.contract.ports import Tracer
from inarch.contract.records import ApprovalScope, ChosenRights, ToolCall, ToolError
from inarch.contract.workspaces import Workspace
from inarch_sdk.modes import COPY
from inarch_sdk.result_text import NO_ANSWER, USER_DENIED

if TYPE_CHECKING:
    from inarch.calls.call_interventions import Approvers
    from inarch.calls.live_call import LiveCall
    from inarch.contract.approval_records import Approval, ApprovalRequest
    from inarch.journal.journal import Journal
    from inarch.plugins.registration import Bound

LONGEST_REASON = 1_000
"""Characters of an approver's reason."""
FULL = 3
"""The level of a whole sandbox."""
MOST_ROUNDS = 10
"""Times that Inarch asks again about one batch after changes."""

Prepare = Callable[["LiveCall", Mapping[str, object]], str | None]
"""Function that gives a call changed arguments, validates and judges it. It returns what is wrong with them."""


@define(eq=False, repr=False)
class Approvals:
    """Questions to a front end. Without a front end, every question is answered with no."""

    front_end: FrontEnd | None
    journal: Journal
    workspace: Workspace
    grants: Grants = field(factory=Grants)
    is_own: bool = False  # whether the user made these calls
    promises_kept: Callable[[], frozenset[str]] = frozenset  # as in `judge`
    tried: Callable[[LiveCall, Triable], Awaitable[Trial]] | None = None
    _trials: dict[str, Trial] = field(init=False, factory=dict)
    approvers: Approvers | None = None
    tracers: Sequence[Bound[Tracer]] = ()
    giving_up: str = ""  # why the turn ends without a user
    denials: str = ""  # the same, once there was no user to ask

    def passes(self, live: LiveCall) -> bool:
        """Return whether a lasting approval covers a call that needs one; if so, record and bind it.

        A project approval does not answer a policy's question: the approval is older.
        """
        try:
            scope = covering(live, self.grants)
        except StoreError as error:
            self.journal.record(ErrorHappened(error.message, error.remedy, door="store"), live.call.turn_id)
            return False
        if scope is None:
            return False
        if scope == "project" and live.judgement is not None and live.judgement.by_policy:
            if live.rights:
                live.choose({})  # the question starts without rights
            return False
        live.approved = live.digest
        self._record_answer(live, "approve", scope, "user", rights=live.rights)
        return True

    def is_left(self, live: LiveCall) -> bool:
        """Give a user's own call the rights they chose before, and leave the decision to the user."""
        with suppress(StoreError):
            covering(live, self.grants)
        return True

    def let_through(self, live: LiveCall, reason: str) -> None:
        """Record that the approval mode answered instead of the user."""
        self._record_answer(live, "approve", "once", "mode", reason)

    async def ask(self, batch: Sequence[LiveCall], prepare: Prepare) -> None:
        """Ask about calls that await approval until each is approved or has ended."""
        try:
            await self._ask(batch, prepare)
        finally:
            for trial in self._trials.values():  # those of approved calls are no longer among them
                trial.drop()

    async def _ask(self, batch: Sequence[LiveCall], prepare: Prepare) -> None:
        waiting = [live for live in batch if await self._is_left_open(live)]
        remarks: dict[str, str] = {}
        for _ in range(MOST_ROUNDS):
            if not waiting:
                return
            answers = await self._answers(waiting, remarks)
            if not answers:
                for live in waiting:
                    self._settle_unasked(live)
                return
            said = [(live, self._apply_answer(live, answers.get(live.call.id), prepare)) for live in waiting]
            remarks = {live.call.id: remark for live, remark in said if remark is not None}
            waiting = [live for live in waiting if live.call.id in remarks]
        for live in waiting:
            self._deny(live, f"{live.call.name} was changed {MOST_ROUNDS} times without an answer", "user")

    async def _is_left_open(self, live: LiveCall) -> bool:
        """Let approvers answer before the user; return whether the user must be asked."""
        if self.approvers is None:
            return True
        request, is_persons = self._request(live, _reason(live)), live.shape.key in self.grants.denied
        plugin, outcome, reason, rights = await self.approvers.answer(live, request, is_persons=is_persons)
        if not outcome:
            return True
        reason = self.journal.redactor.text(reason)[:LONGEST_REASON]
        if outcome == "approve" and (wrong := self._chosen(live, rights)) is not None:
            live.choose({})
            outcome, reason = "ask", f"it gave rights that can't be: {wrong}"
        self._record_answer(live, outcome, "once", "reviewer", reason, rights=live.rights, plugin=plugin)
        live.unreviewed = f"{plugin}: {reason}"
        if outcome == "approve":
            live.approved = live.digest
        elif outcome == "deny":
            message = f"{live.call.name} is denied by {live.unreviewed}"
            live.fail(ToolError("denied", message, "do it another way, or ask the user to allow it"))
        elif outcome == "stop":
            self.giving_up = reason
        return outcome in ("ask", "stop")

    async def _answers(self, waiting: Sequence[LiveCall], remarks: Mapping[str, str]) -> dict[str, Approval]:
        digests = tuple(live.digest for live in waiting)
        reasons = tuple(_reason(live, remarks.get(live.call.id, "")) for live in waiting)
        # An answer counts only for the arguments that were shown.
        for live, bound in zip(waiting, digests, strict=True):
            live.approved = bound
        from inarch.contract.approval_records import ApprovalAsked

        self.journal.record(
            ApprovalAsked(tuple(live.call.id for live in waiting), digests, reasons), waiting[0].call.turn_id
        )
        if self.front_end is None:
            return {}
        from inarch.calls.previews import remark_on

        requests = []
        for live, reason in zip(waiting, reasons, strict=True):
            request = self._request(live, reason, remarks.get(live.call.id, ""))
            trial = await self._trial(live)
            remark = self.journal.redactor.text(await remark_on(request.file, self.tracers))
            requests.append(evolve(request, trial=trial, remark=remark))
        self.journal.flush()  # The user may think for a long time, so store what led to the question first.
        return await self._from_front_end(self.front_end, requests, waiting[0].call.turn_id)

    async def _trial(self, live: LiveCall) -> Callable[[], Awaitable[Trial]] | None:
        """Return what tries a call; None if it waits for another call, or can't be tried here."""
        tool, tried = able(live.tool.value, Triable), self.tried
        if tool is None or tried is None or not live.is_first:
            return None
        try:
            with guarded(live.tool.plugin, "tool", passes=()):
                if not await asyncio.to_thread(tool.tries, self.workspace):
                    return None
        except InarchError:
            return None  # the question remains

        async def go() -> Trial:
            trial = await tried(live, tool)
            self._trials[live.call.id] = trial
            return evolve(trial, lines=tuple(self.journal.redactor.text("\n".join(trial.lines)).split("\n")))

        return go

    def _request(self, live: LiveCall, reason: str, remark: str = "") -> ApprovalRequest:
        from inarch.calls.previews import Files, preview  # most turns ask no question
        from inarch.contract.approval_records import ApprovalRequest
        from inarch_sdk.figures import call_title

        tool = live.tool.value
        files = Files(self.workspace, self.journal.redactor.text)
        shown, file = preview(live.call, tool, live.effects, files)
        if live.offer is not None and live.offer.may:  # at the top, so that it stays visible when there is little room
            first, *rest = shown.split("\n")
            if not first.startswith("$ "):  # words of a shell, not words that the tokenizer knows
                # a line end would look like one of Inarch's
                first, rest = "$ " + live.offer.words.replace("\n", "⏎"), []
            shown = "\n".join((first, *live.offer.may, *rest))
        shape = live.shape
        words = "" if live.offer is not None and live.offer.is_once else shape.words
        then, offer = "", live.offer
        if offer is not None and offer.usual and (found := self.workspace.confinement()).level < FULL:
            offer = evolve(offer, usual="", beyond=(f"the sandbox is not complete here: {found.reason}", *offer.beyond))
        if live.offer is not None and live.offer.approve:
            then = f"after approval the approval mode is {live.offer.approve}"
            reason = f"{reason}; {then}"
        title = call_title(live.call.name, live.call.arguments, tool)
        if file is not None and not file.argument:
            title = f"{'Create' if files.stat(file.path) is None else 'Edit'} {file.path}"
        asked = live.judgement.why or (live.judgement.by != "mode" and live.judgement.reason) if live.judgement else ""
        why = " ".join(_sentence(one, live.call) for one in (asked, *_circumstances(live), remark, then) if one)
        return ApprovalRequest(
            live.call, tool, reason, shown, words, file, offer, live.is_persons, shape.key, title=title, why=why
        )

    async def _from_front_end(
        self, front_end: FrontEnd, requests: Sequence[ApprovalRequest], turn_id: str
    ) -> dict[str, Approval]:
        try:
            with guarded(front_end.name, "front end", passes=()):
                answers: dict[str, Approval] = {}
                for answer in await front_end.approve(requests):
                    # The first answer to a call counts.
                    answers.setdefault(answer.call_id, answer)
                return answers
        except InarchError as error:
            plugin = error.plugin if isinstance(error, PluginError) else front_end.name
            self.journal.record(ErrorHappened(error.message, error.remedy, plugin, "front end"), turn_id)
            return {}

    def _apply_answer(self, live: LiveCall, answer: Approval | None, prepare: Prepare) -> str | None:
        """Apply one answer; return what to remark when the call is asked about again, None if it is settled."""
        if live.is_done:
            return None
        if answer is None:
            self._deny(live, NO_ANSWER.format(name=live.call.name), "user")
        # The approval was for other arguments or rights than those that would run now.
        elif live.digest != live.approved:
            live.approved = None
            self._deny(live, f"the arguments of {live.call.name} changed while it was asked about", "user")
        elif answer.outcome == "approve":
            return self._approved(live, answer)
        elif answer.outcome == "modify":
            return self._changed(live, answer, prepare)
        else:
            said = f": {answer.reason}" if answer.reason else ""
            self.grants.denied.add(live.shape.key)
            live.refused = not answer.reason.strip() if answer.ends_turn is None else answer.ends_turn
            self._deny(live, USER_DENIED.format(name=live.call.name) + said, "user", answer.reason)
        return None

    def _approved(self, live: LiveCall, answer: Approval) -> str | None:
        """Let a call run, or ask again if its rights differ from those of the answer."""
        if answer.rights is not None and self._chosen(live, answer.rights) is not None:
            return self._with_rights(live, answer)
        self._trials.pop(live.call.id, None)
        live.approved = live.digest
        live.then = live.offer.approve if live.offer is not None else ""
        scope, shape = narrowed(answer.scope, live), live.shape
        try:
            self.grants.remember(scope, shape, live.tool, self.journal.redactor.text(shape.words), live.rights)
        except StoreError as error:
            self.journal.record(ErrorHappened(error.message, error.remedy, door="store"), live.call.turn_id)
            # The session remembers it anyway, as recorded.
            scope = "shape"
        self._record_answer(live, "approve", scope, "user", answer.reason, rights=live.rights)
        return None

    def _changed(self, live: LiveCall, answer: Approval, prepare: Prepare) -> str | None:
        if answer.arguments is None and answer.rights is not None:
            return self._with_rights(live, answer)
        given = live.call.arguments if answer.arguments is None else answer.arguments
        self._record_answer(live, "modify", "once", "user", answer.reason, given)
        wrong = prepare(live, given)
        if wrong is not None:
            return f"the change is not valid: {wrong}"
        return None if live.is_done else ""

    def _with_rights(self, live: LiveCall, answer: Approval) -> str:
        # Stored as the reason: a replay reads no files and must ask the same question.
        wrong = self._chosen(live, answer.rights or {}) or answer.reason
        self._record_answer(live, "modify", "once", "user", wrong, rights=live.rights)
        return wrong

    def _chosen(self, live: LiveCall, rights: ChosenRights) -> str | None:
        """Give a call the chosen rights; return what is wrong, or None if it has exactly those rights."""
        if live.rights == dict(rights):
            return None
        try:
            live.choose(rights)
        except InarchError as error:
            return f"that can't be: {error.message}"
        return None if live.rights == dict(rights) else ""

    def _settle_unasked(self, live: LiveCall) -> None:
        """Settle a call when there is no front end to ask.

        A tool that only asks the user runs and finds no answer.
        """
        only_asks = live.is_persons and not live.has_effects and not (live.judgement and live.judgement.by_policy)
        if live.offer is not None and live.offer.unasked and only_asks:
            # It finds no rights, because nothing approved it.
            live.approved, live.judgement = None, live.judgement and live.judgement._replace(by="mode")
            self._record_answer(live, "approve", "once", "headless")
            return
        from inarch.calls.explanation import remedy_of_unasked  # few turns need it

        self.denials = self.giving_up
        message = f"{live.call.name} needs approval ({_reason(live)}) and there was no user to ask"
        held = live.judgement.held if live.judgement is not None else frozenset()
        kept = self.promises_kept() if held and COPY not in held else frozenset()
        self._deny(live, message, "headless", remedy=remedy_of_unasked(live, kept))

    def _deny(
        self, live: LiveCall, message: str, by: Literal["user", "headless"], reason: str = "", remedy: str = ""
    ) -> None:
        self._record_answer(live, "deny", "once", by, reason or message)
        instead = live.judgement.remedy if live.judgement is not None else ""
        code: ErrorCode = "unreviewed" if live.unreviewed and by == "headless" else "denied"
        live.fail(ToolError(code, message, remedy or instead or "ask the user how to continue, or do it another way"))

    def _record_answer(
        self,
        live: LiveCall,
        outcome: str,
        scope: ApprovalScope,
        by: str,
        reason: str = "",
        arguments: Mapping[str, object] | None = None,
        rights: ChosenRights | None = None,
        plugin: str = "",
    ) -> None:
        from inarch.contract.approval_records import ApprovalGiven

        kept = scope if scope in LASTING else "once"
        chosen = rights if rights or outcome == "modify" else None
        given = ApprovalGiven(live.call.id, outcome, kept, by, reason, arguments, chosen, live.then, plugin)
        self.journal.record(given, live.call.turn_id)


def _reason(live: LiveCall, remark: str = "") -> str:
    reason = live.judgement.reason if live.judgement is not None else ""
    reason = "; ".join([reason, *_circumstances(live)])
    return f"{reason} ({remark})" if remark else reason


def _sentence(text: str, call: ToolCall) -> str:
    """Return a text as a sentence; a program's name stays as it is written."""
    is_name = text.split()[0] in str(call.arguments.get("command", "")).split()
    return f"{text if is_name else text[0].upper() + text[1:]}."


def _circumstances(live: LiveCall) -> Iterator[str]:
    isolated = able(live.tool.value, Isolated)
    if isolated is not None:  # an isolated plugin itself declared what it changes, so that proves nothing
        yield isolated.isolated_bounds(live.effects)
    if live.rewritten:
        yield f"{live.rewritten_by} rewrote the call"
    if live.unreviewed:
        yield live.unreviewed
