"""Explanation of why a call would run, ask or be denied, layer by layer, without running anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from attrs import field, frozen

from inarch.calls.call_checks import Preparation
from inarch.calls.grants import Grants, ProjectGrants, covering
from inarch.calls.live_call import LiveCall
from inarch.calls.policy import Judgement, Opinion, judge, opinions_of, question
from inarch.calls.remedies import key_for, lifting_key, remedy_of_unasked, rule_about
from inarch.calls.rules import RulesPolicy
from inarch.contract.errors import InarchError
from inarch.contract.ids import new_id
from inarch.contract.ports import Policy, Tool
from inarch.contract.records import Effects, ToolCall, ToolError

if TYPE_CHECKING:
    from inarch.config.grants import Rule
    from inarch.plugins.composition import Bound
    from inarch_sdk.modes import ApproveMode


@frozen
class Explanation:
    """Decision about a call, and the answer of each layer.

    Args:
        call: The call, its arguments repaired.
        decision: The decision; `invalid` calls reach no policy.
        reason: Why.
        by: Source of the decision: `mode`, `confirmation`, `policy`, or `project` for a stored approval.
        effects: Effects that the call declares.
        shape: Calls that a lasting approval would cover, in words.
        opinions: The answers of all policies.
        question: The question before the mode or an approval answers it; empty for none.
        rules: The rules that match.
        holds: The one of them that applies.
        approved: Whether an approval stored for the project covers the call.
        allows: Configuration that would let it run without a question.
        forbids: Configuration that would deny it.
    """

    call: ToolCall
    decision: Literal["allow", "ask", "deny", "invalid"]
    reason: str = ""
    by: str = "mode"
    effects: Effects = field(factory=Effects)
    shape: str = ""
    opinions: tuple[Opinion, ...] = ()
    question: str = ""
    rules: tuple[Rule, ...] = ()
    holds: Rule | None = None
    approved: bool = False
    allows: str = ""
    forbids: str = ""


def explain(
    name: str,
    arguments: Mapping[str, Any],
    *,
    tools: Mapping[str, Bound[Tool]],
    policies: Sequence[Bound[Policy]],
    mode: ApproveMode,
    root: str,
    kept: Callable[[], frozenset[str]] = frozenset,
    grants: ProjectGrants | None = None,
) -> Explanation:
    """Explain a call; `grants` of None leaves out the project's approvals, `kept` is as in `judge`."""
    from inarch.journal.journal import Journal
    from inarch_sdk.memory_store import MemoryStore

    # The same steps as for a real call, on a journal that is not stored.
    preparation = Preparation(tools, root)
    bound = tools.get(name)
    call = ToolCall(new_id(), "", "", name, preparation.repaired(bound, arguments)[0], origin="user")
    live = LiveCall(call, bound, Journal(MemoryStore(), call.id))
    error = preparation.checked(live)
    if error is not None:
        return Explanation(call, "invalid", _told(error), "validation")
    tool = live.tool.value
    live.judgement = judge(call, tool, live.effects, mode, policies, kept)
    opinions = tuple(opinions_of(call, tool, policies))
    asked = question(tool, live.effects, opinions)
    approved = _approved(live, grants)
    own = next((bound.value for bound in policies if isinstance(bound.value, RulesPolicy)), RulesPolicy(()))
    decision, reason, by = _outcome(live.judgement, approved, mode)
    granting = next((said.verdict.reason for said in opinions if said.grants), "")
    return Explanation(
        call=call,
        decision=decision,
        reason=reason or granting or "there is nothing to ask",
        by=by,
        effects=live.effects,
        shape=live.shape.words,
        opinions=opinions,
        question=asked.reason if asked is not None else "",
        rules=tuple(own.matching(call, tool)),
        holds=own.strictest(call, tool),
        approved=approved,
        allows=_allowing(live, decision),
        forbids="" if decision == "deny" else rule_about(call, tool, "deny"),
    )


def _approved(live: LiveCall, grants: ProjectGrants | None) -> bool:
    """Return whether a project approval covers a call; if so, give the call the rights chosen with it."""
    try:
        live.choose({})
    except InarchError:
        pass
    return covering(live, Grants(project=grants)) is not None


def _outcome(
    judgement: Judgement, approved: bool, mode: ApproveMode
) -> tuple[Literal["allow", "ask", "deny"], str, str]:
    if judgement.decision == "ask" and approved and not judgement.by_policy:
        return "allow", f"{judgement.reason}, and it was approved for this project", "project"
    if judgement.passed:
        return "allow", f"{judgement.reason}, and the approval mode {mode} answers yes", "mode"
    return judgement.decision, judgement.reason, judgement.by


def _allowing(live: LiveCall, decision: str) -> str:
    """Return what would let a call run without a question; "" if only another rule or policy could."""
    assert live.judgement is not None
    if decision == "ask":
        return remedy_of_unasked(live)
    if decision != "deny" or live.judgement.is_rule:
        return ""
    # The mode none denies what it would have to ask about.
    by_policy = live.judgement.by in ("policy", "person")
    key = lifting_key(live) or ("" if by_policy else key_for(live.call, live.tool.value))
    return f"add to the configuration:\n{key}" if key else ""


def _told(error: ToolError) -> str:
    return f"{error.message} ({error.remedy})" if error.remedy else error.message
