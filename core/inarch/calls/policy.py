"""Decision whether a call may run: approval mode, every policy and the tool's own wish, strictest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from inarch.calls.call_order import changes_protected
from inarch.calls.rules import RulesPolicy
from inarch.contract.errors import InarchError, PluginError
from inarch.contract.guard import guarded
from inarch.contract.ports import Policy, Tool
from inarch.contract.records import Category, Effects, ToolCall, Verdict
from inarch_sdk.modes import COPY, REVIEW, ApproveMode

if TYPE_CHECKING:
    from inarch.contract.workspaces import Workspace
    from inarch.plugins.registration import Bound

By = Literal["mode", "confirmation", "policy", "person"]

EDITING: frozenset[Category] = frozenset({"file", "other"})
"""Categories whose bounded writes the mode `edits` allows."""

READING: frozenset[Category] = frozenset({"search", "nav", "trace"})
"""Read-only categories: their calls with unknown effects do not ask."""


class Judgement(NamedTuple):
    """Decision about a call.

    `by` is the source of the question or denial: `person` if only the user's own answer, rule or grant can allow it.
    `is_rule` means that the user's own rules ask or deny, or with `person`, that another policy also asks.
    `passed_in` is the mode that allowed the call, `denied_in` the mode that denied it. `why` is the reason in the
    question.

    `held` and `reviewable` name promises of the workspace. If it keeps all of `held`, the modes `auto` and `all` allow
    the call. If it keeps all of `reviewable`, an approver may answer. An empty set allows neither.
    """

    decision: Literal["allow", "ask", "deny"]
    reason: str = ""
    by: By = "mode"
    passed_in: ApproveMode | Literal[""] = ""
    is_rule: bool = False
    remedy: str = ""
    denied_in: Literal["", "plan", "none"] = ""
    held: frozenset[str] = frozenset()
    reviewable: frozenset[str] = frozenset()
    why: str = ""

    @property
    def passed(self) -> bool:
        """Whether the mode let it through without asking."""
        return bool(self.passed_in)

    @property
    def by_policy(self) -> bool:
        """Whether a policy asks; then a permanent approval does not answer."""
        return self.by == "policy" or (self.by == "person" and self.is_rule)


class Opinion(NamedTuple):
    """Answer of one policy about a call; `is_rules` if the policy is the user's own rules and grants."""

    plugin: str
    policy: str
    verdict: Verdict
    is_rules: bool

    @property
    def grants(self) -> bool:
        """Whether it removes a question. For any policy but the user's own, allow means "no objection"."""
        return self.is_rules and self.verdict.decision == "allow" and bool(self.verdict.reason)


def judge(
    call: ToolCall,
    tool: Tool,
    effects: Effects,
    mode: ApproveMode,
    policies: Sequence[Bound[Policy]],
    kept: Callable[[], frozenset[str]] = frozenset,
) -> Judgement:
    """Return the decision about a call; the strictest of mode, policies and tool holds.

    A rule that allows removes the mode's and the tool's question, never a policy's. Mode `auto` answers what the
    sandbox holds with yes, and so does mode `review` in a copy. Mode `all` answers that and every question that not
    only the user may answer, mode `bypass` every question. Mode `none` answers with no. A deny holds in every mode. In
    mode `plan`, no rule and no approval allows a call that may change something. `kept` returns the promises that the
    workspace keeps here.
    """
    opinions = []
    for said in opinions_of(call, tool, policies):
        if said.verdict.decision == "deny":  # none of the others could let the call run
            return Judgement("deny", said.verdict.reason, "policy", is_rule=said.is_rules, remedy=said.verdict.remedy)
        opinions.append(said)
    # Regardless of rules: a call allowed while working may not run while planning.
    if mode == "plan" and (reason := _changing(tool, effects)):
        return Judgement("deny", f"{reason}, and the approval mode is plan", denied_in="plan")
    asked = question(tool, effects, opinions)
    if asked is None:
        # A grant can answer what only the user may: the call then runs as if the user had just approved it.
        named = any(said.grants and said.verdict.person for said in opinions)
        return Judgement("allow", by="person" if named else "mode")
    is_edited = mode in ("edits", "auto", REVIEW) and asked.by == "mode" and is_edit(tool, effects)
    is_edited = is_edited and (mode != REVIEW or COPY in kept())
    if mode == "bypass" or (mode == "all" and asked.by != "person") or is_edited:
        return Judgement("allow", asked.reason, asked.by, passed_in=mode)
    answers = mode == REVIEW or (mode in ("auto", "all") and COPY not in asked.held)
    if answers and asked.held and kept() >= asked.held:
        return Judgement("allow", f"{asked.reason}; the sandbox holds it", asked.by, passed_in=mode)
    if mode == "none":
        reason = f"{asked.reason}, and the approval mode is none"
        return Judgement("deny", reason, asked.by, remedy=asked.remedy, denied_in="none")
    return asked


def question(tool: Tool, effects: Effects, opinions: Sequence[Opinion]) -> Judgement | None:
    """Return the question about a call that no policy denies, before any mode answers; None for none."""
    asking = [said for said in opinions if said.verdict.decision == "ask"]
    others = next((said for said in asking if not said.verdict.person), None)
    persons = next((said.verdict for said in asking if said.verdict.person), None)
    held, reviewable = _promised(opinions, "held"), _promised(opinions, "reviewable")
    # It precedes other questions: no mode answers for the user, so none may hide it.
    if persons is not None and not any(said.grants and said.verdict.person for said in opinions):
        is_rule = others is not None
        return Judgement(
            "ask", persons.reason, "person", "", is_rule, persons.remedy, "", held, reviewable, _why(persons)
        )
    if others is not None:
        said, is_rule = others.verdict, others.is_rules
        return Judgement("ask", said.reason, "policy", "", is_rule, "", "", held, reviewable, _why(said))
    # The user has answered in the configuration, including the tool's own question.
    if any(said.grants for said in opinions):
        return None
    if tool.requires_confirmation:
        return Judgement("ask", f"{tool.name} wants to be confirmed", "confirmation", why="this tool always asks")
    if not (reason := _changing(tool, effects)):
        return None
    remarks = [said.verdict for said in opinions if said.verdict.decision == "allow" and said.verdict.reason]
    bounded = bool(effects.writes) and not effects.programs
    why = "; ".join(map(_why, remarks)) or ("" if bounded else reason)
    whole = "; ".join([reason, *(said.reason for said in remarks)])
    return Judgement("ask", whole, held=held, reviewable=reviewable, why=why)


def _why(said: Verdict) -> str:
    return said.why or said.reason


def promises_kept(workspace: Workspace, *, has_undo: bool) -> frozenset[str]:
    """Return the promises about programs that a workspace keeps, as tried on this machine."""
    kept = {promise for promise, broken in workspace.confinement().promises.items() if not broken}
    return frozenset(kept if has_undo or COPY in kept else kept - {"undo"})


def _promised(opinions: Sequence[Opinion], field: Literal["held", "reviewable"]) -> frozenset[str]:
    """Return the promises that these policies name for every question; empty if one names none."""
    asking = [getattr(said.verdict, field) for said in opinions if said.verdict.decision == "ask"]
    found = asking or list(filter(None, (getattr(said.verdict, field) for said in opinions)))
    return frozenset().union(*found) if all(found) else frozenset()


def _changing(tool: Tool, effects: Effects) -> str:
    """Return what a call may change; "" if it only reads."""
    if effects.writes:
        return f"it changes {_listed(effects.writes)}{' and runs programs' if effects.programs else ''}"
    if effects.exclusive and tool.category not in READING:
        return "its changes are not known beforehand"
    return "it runs a program" if effects.programs else ""


def is_edit(tool: Tool, effects: Effects) -> bool:
    """Return whether a call only changes the files it names, outside protected names, as mode `edits` requires."""
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


def _verdict(call: ToolCall, tool: Tool, bound: Bound[Policy]) -> Verdict:
    try:
        with guarded(bound.plugin, "policy", passes=()):
            verdict = bound.value.judge(call, tool)
            if not isinstance(verdict, Verdict) or verdict.decision not in ("allow", "ask", "deny"):
                raise PluginError(f"plugin {bound.plugin!r} gave no verdict but {verdict!r}", plugin=bound.plugin)
    except InarchError as error:
        return Verdict("deny", f"a policy that fails denies: {error.message}")
    return verdict
