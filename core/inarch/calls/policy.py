"""May this call run? The approve mode, every policy and the tool's own wish, strictest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from inarch.calls.rules import RulesPolicy
from inarch.contract.doors import guarded
from inarch.contract.errors import InarchError, PluginError
from inarch.contract.ports import Policy, Tool
from inarch.contract.records import Category, Effects, ToolCall, Verdict

if TYPE_CHECKING:
    from inarch.plugins.composition import Bound

ApproveMode = Literal["ask", "edits", "all", "none"]
By = Literal["mode", "confirmation", "policy"]

READING: frozenset[Category] = frozenset({"search", "nav", "trace"})
"""Categories that only look: a call of theirs with unknown effects is not asked about."""


class Judgement(NamedTuple):
    """What is to happen with a call. `by` says who asks or denies; `passed` that a mode let it through unasked."""

    decision: Literal["allow", "ask", "deny"]
    reason: str = ""
    by: By = "mode"
    passed: bool = False


class _Opinions(NamedTuple):
    """What the policies said: their strictest verdict, and whether a rule grants the call."""

    strictest: Verdict
    granted: bool


def judge(
    call: ToolCall, tool: Tool, effects: Effects, mode: ApproveMode, policies: Sequence[Bound[Policy]]
) -> Judgement:
    """Return what is to happen with a call; the strictest of mode, policies and tool holds.

    A rule that allows takes away the mode's and the tool's question, never a policy's. Mode `all` answers every
    question with yes, mode `none` with no; a deny is a deny in every mode.
    """
    opinions = _asked_policies(call, tool, policies)
    if opinions.strictest.decision == "deny":
        return Judgement("deny", opinions.strictest.reason, "policy")
    asked = _question(tool, effects, opinions)
    if asked is None:
        return Judgement("allow")
    if mode == "all":
        return Judgement("allow", asked.reason, asked.by, passed=True)
    if mode == "edits" and asked.by == "mode" and _edits_files(tool, effects):
        return Judgement("allow", asked.reason, asked.by, passed=True)
    if mode == "none":
        return Judgement("deny", f"{asked.reason}, and the approve mode is none", asked.by)
    return asked


def _question(tool: Tool, effects: Effects, opinions: _Opinions) -> Judgement | None:
    if opinions.strictest.decision == "ask":
        return Judgement("ask", opinions.strictest.reason, "policy")
    if opinions.granted:
        return None
    if tool.requires_confirmation:
        return Judgement("ask", f"{tool.name} wants to be confirmed", "confirmation")
    if effects.writes:
        return Judgement("ask", f"it changes {_listed(effects.writes)}")
    if effects.exclusive and tool.category not in READING:
        return Judgement("ask", "what it changes is not known beforehand")
    return None


def _edits_files(tool: Tool, effects: Effects) -> bool:
    return tool.category == "file" and not effects.exclusive


def _listed(paths: frozenset[str]) -> str:
    some = sorted(path or "the whole workspace" for path in paths)
    return ", ".join(some[:3]) + (f" and {len(some) - 3} more" if len(some) > 3 else "")


def _asked_policies(call: ToolCall, tool: Tool, policies: Sequence[Bound[Policy]]) -> _Opinions:
    strictest, granted = Verdict("allow"), False
    for bound in policies:
        verdict = _verdict(call, tool, bound)
        if verdict.decision == "deny":
            return _Opinions(verdict, False)
        if verdict.decision == "ask" and strictest.decision == "allow":
            strictest = verdict
        # Only the user's own rules can take a question away; for any other policy allow means "nothing against it".
        if isinstance(bound.value, RulesPolicy) and verdict.decision == "allow" and verdict.reason:
            granted = True
    return _Opinions(strictest, granted)


def _verdict(call: ToolCall, tool: Tool, bound: Bound[Policy]) -> Verdict:
    try:
        with guarded(bound.plugin, "policy", passes=()):
            verdict = bound.value.judge(call, tool)
            if not isinstance(verdict, Verdict) or verdict.decision not in ("allow", "ask", "deny"):
                raise PluginError(f"plugin {bound.plugin!r} gave no verdict but {verdict!r}", plugin=bound.plugin)
    except InarchError as error:
        return Verdict("deny", f"a policy that fails denies: {error.message}")
    return verdict
