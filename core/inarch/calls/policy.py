"""May this call run? The approve mode, every policy and the tool's own wish, strictest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from inarch.calls.call_order import changes_protected
from inarch.calls.rules import RulesPolicy
from inarch.contract.errors import InarchError, PluginError
from inarch.contract.guard import guarded
from inarch.contract.ports import Policy, Tool
from inarch.contract.records import Category, Effects, ToolCall, Verdict

if TYPE_CHECKING:
    from inarch.plugins.composition import Bound

ApproveMode = Literal["ask", "edits", "all", "plan", "none"]
By = Literal["mode", "confirmation", "policy", "person"]

EDITING: frozenset[Category] = frozenset({"file", "other"})
"""Categories whose bounded writes the mode `edits` lets through."""

READING: frozenset[Category] = frozenset({"search", "nav", "trace"})
"""Categories that only look: a call of theirs with unknown effects is not asked about."""


class Judgement(NamedTuple):
    """What is to happen with a call.

    Args:
        decision: The answer.
        reason: Why it is asked or denied.
        by: Who asks or denies; `person` where nothing but a person's own answer, rule or grant can say yes.
        passed: Whether the mode let it through unasked.
        is_rule: Whether it is the user's own rules that ask or deny; beside `person`, whether another policy asks, too.
        remedy: What to do instead, as the policy says.
    """

    decision: Literal["allow", "ask", "deny"]
    reason: str = ""
    by: By = "mode"
    passed: bool = False
    is_rule: bool = False
    remedy: str = ""

    @property
    def by_policy(self) -> bool:
        """Whether a policy asks: then what was approved for good does not answer."""
        return self.by == "policy" or (self.by == "person" and self.is_rule)


class Opinion(NamedTuple):
    """What one policy said of a call; `is_rules` where the policy is the user's own rules and grants."""

    plugin: str
    policy: str
    verdict: Verdict
    is_rules: bool

    @property
    def grants(self) -> bool:
        """Whether it takes a question away: for any policy but the user's own, allow means "nothing against it"."""
        return self.is_rules and self.verdict.decision == "allow" and bool(self.verdict.reason)


def judge(
    call: ToolCall, tool: Tool, effects: Effects, mode: ApproveMode, policies: Sequence[Bound[Policy]]
) -> Judgement:
    """Return what is to happen with a call; the strictest of mode, policies and tool holds.

    A rule that allows takes away the mode's and the tool's question, never a policy's. Mode `all` answers every
    question with yes but one that only a person may answer, mode `none` with no; a deny is a deny in every mode.
    In mode `plan` no rule and no approval lets a call run that may change something.
    """
    # After a deny the others are not asked: nothing they say could let the call run.
    opinions = list(_until_denied(opinions_of(call, tool, policies)))
    denied = next((said for said in opinions if said.verdict.decision == "deny"), None)
    if denied is not None:
        return Judgement("deny", denied.verdict.reason, "policy", is_rule=denied.is_rules, remedy=denied.verdict.remedy)
    # Whatever rules allow: what may run while there is work to do may not while it is planned.
    if mode == "plan" and (reason := _changing(tool, effects)):
        return Judgement("deny", f"{reason}, and the approve mode is plan")
    asked = question(tool, effects, opinions)
    if asked is None:
        # A grant can answer what only a person may: the call then runs as after their own yes.
        named = any(said.grants and said.verdict.person for said in opinions)
        return Judgement("allow", by="person" if named else "mode")
    if mode == "all" and asked.by != "person":
        return Judgement("allow", asked.reason, asked.by, passed=True)
    if mode == "edits" and asked.by == "mode" and is_edit(tool, effects):
        return Judgement("allow", asked.reason, asked.by, passed=True)
    if mode == "none":
        return Judgement("deny", f"{asked.reason}, and the approve mode is none", asked.by, remedy=asked.remedy)
    return asked


def question(tool: Tool, effects: Effects, opinions: Sequence[Opinion]) -> Judgement | None:
    """Return what there is to ask about a call that nobody denies, before any mode answers; None for nothing."""
    asking = [said for said in opinions if said.verdict.decision == "ask"]
    others = next((said for said in asking if not said.verdict.person), None)
    persons = next((said.verdict for said in asking if said.verdict.person), None)
    # It goes first: no mode answers what only a person may, so no other question must hide it.
    if persons is not None and not any(said.grants and said.verdict.person for said in opinions):
        return Judgement("ask", persons.reason, "person", is_rule=others is not None, remedy=persons.remedy)
    if others is not None:
        return Judgement("ask", others.verdict.reason, "policy", is_rule=others.is_rules)
    # The user has answered in the configuration, also what the tool itself would ask.
    if any(said.grants for said in opinions):
        return None
    if tool.requires_confirmation:
        return Judgement("ask", f"{tool.name} wants to be confirmed", "confirmation")
    reason = _changing(tool, effects)
    return Judgement("ask", _with_remarks(reason, opinions)) if reason else None


def _changing(tool: Tool, effects: Effects) -> str:
    """Return what a call may change, empty where it only looks."""
    if effects.writes:
        return f"it changes {_listed(effects.writes)}{' and runs programs' if effects.programs else ''}"
    if effects.exclusive and tool.category not in READING:
        return "what it changes is not known beforehand"
    return "it runs a program" if effects.programs else ""


def _with_remarks(reason: str, opinions: Sequence[Opinion]) -> str:
    """Add what policies that have nothing against a call say of it, such as a command's tier."""
    remarks = [said.verdict.reason for said in opinions if said.verdict.decision == "allow" and said.verdict.reason]
    return "; ".join([reason, *remarks])


def is_edit(tool: Tool, effects: Effects) -> bool:
    """Whether all that a call does is to change what it names, outside protected names: what the mode `edits` means."""
    bounded = not effects.exclusive and not effects.programs
    return tool.category in EDITING and bounded and bool(effects.writes) and not changes_protected(effects)


def _listed(paths: frozenset[str]) -> str:
    some = sorted(path or "the whole workspace" for path in paths)
    return ", ".join(some[:3]) + (f" and {len(some) - 3} more" if len(some) > 3 else "")


def opinions_of(call: ToolCall, tool: Tool, policies: Sequence[Bound[Policy]]) -> Iterator[Opinion]:
    """Ask every policy about a call, one after the other."""
    for bound in policies:
        verdict = _verdict(call, tool, bound)
        yield Opinion(bound.plugin, bound.value.name, verdict, isinstance(bound.value, RulesPolicy))


def _until_denied(opinions: Iterator[Opinion]) -> Iterator[Opinion]:
    for said in opinions:
        yield said
        if said.verdict.decision == "deny":
            return


def _verdict(call: ToolCall, tool: Tool, bound: Bound[Policy]) -> Verdict:
    try:
        with guarded(bound.plugin, "policy", passes=()):
            verdict = bound.value.judge(call, tool)
            if not isinstance(verdict, Verdict) or verdict.decision not in ("allow", "ask", "deny"):
                raise PluginError(f"plugin {bound.plugin!r} gave no verdict but {verdict!r}", plugin=bound.plugin)
    except InarchError as error:
        return Verdict("deny", f"a policy that fails denies: {error.message}")
    return verdict
