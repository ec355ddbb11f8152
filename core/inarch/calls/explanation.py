"""Why a call would run, be asked about or be denied: every layer's word, without running anything."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from attrs import field, frozen

from inarch.calls.call_checks import Preparation
from inarch.calls.command_words import canonical, is_command, words_of
from inarch.calls.grants import Grants, ProjectGrants, covering
from inarch.calls.live_call import LiveCall
from inarch.calls.policy import ApproveMode, Judgement, Opinion, is_edit, judge, opinions_of, question
from inarch.calls.rules import RulesPolicy
from inarch.contract.capabilities import SaysWhatAllows, able
from inarch.contract.errors import InarchError
from inarch.contract.guard import guarded
from inarch.contract.ids import new_id
from inarch.contract.ports import Policy, Tool
from inarch.contract.records import Effects, ToolCall, ToolError
from inarch_sdk.steering_files import steers

if TYPE_CHECKING:
    from inarch.calls.live_call import LiveCall
    from inarch.calls.policy import Judgement
    from inarch.config.grants import Rule
    from inarch.plugins.composition import Bound


def remedy_of_unasked(live: LiveCall) -> str:
    """Return what would have let a call run without a question: a flag, or the table or rule to add."""
    by = live.judgement.by if live.judgement is not None else "mode"
    if by == "policy":
        return "run with --approve all"
    key = lifting_key(live) or key_for(live.call, live.tool.value)
    if by == "person":
        instead = live.judgement.remedy if live.judgement is not None else ""
        if live.needs_person is not None:
            return instead
        return f"{f'{instead}; or ' if instead else ''}let the user add to the configuration:\n{key}"
    flag = "run with --approve edits, or " if by == "mode" and is_edit(live.tool.value, live.effects) else ""
    return f"{flag}add to the configuration:\n{key}"


def remedy_of_denied(live: LiveCall, judgement: Judgement) -> str:
    """Return what to do about a call that a policy or the approve mode denies."""
    if judgement.reason.endswith("the approve mode is plan"):
        return "only look for now, and say in a plan what is to be done; the person decides when that begins"
    if judgement.by != "policy" or "the approve mode is none" in judgement.reason:
        return "run with --approve ask to be asked"
    key = "" if judgement.is_rule else lifting_key(live)
    return f"do it another way; a user who wants it adds to the configuration:\n{key}" if key else "do it another way"


def lifting_key(live: LiveCall) -> str:
    """Return the TOML that lifts a denial of a tool's own policy, as the tool's `allowed_by` says; empty for none."""
    tool = able(live.tool.value, SaysWhatAllows)
    if tool is None:
        return ""
    try:
        with guarded(live.tool.plugin, "tool", passes=()):
            key = tool.allowed_by(live.call.arguments)
    except InarchError:
        return ""
    return key if isinstance(key, str) else ""


def key_for(call: ToolCall, tool: Tool) -> str:
    """Return the TOML that lets a call run without a question."""
    words = words_of(call, tool)
    if words is None:
        return rule(call.name, {}, path=next(filter(steers, sorted(tool.effects(call.arguments).writes)), ""))
    if "*" in words:  # in [commands.NAME] it would stand for any further words
        return rule_about(call, tool, "allow")
    return command_table(words)


def rule_about(call: ToolCall, tool: Tool, decision: str) -> str:
    """Return the TOML of a rule about this very command, or about every call of another tool."""
    words = words_of(call, tool)
    if not is_command(call, tool):
        return rule(call.name, {}, decision)
    text = call.arguments["command"].strip() if words is None else canonical(words)
    return rule(call.name, {"command": re.sub(r"[*?[]", r"[\g<0>]", text)}, decision)


def command_table(words: Sequence[str]) -> str:
    """Return the TOML that grants one command, named after its program."""
    name = re.sub(r"[^A-Za-z0-9_-]", "-", words[0].rpartition("/")[2]) or "command"
    return f"[commands.{name}]\nargv = {json.dumps(list(words), ensure_ascii=False)}"


def rule(tool: str, match: Mapping[str, Any], decision: str = "allow", path: str = "") -> str:
    """Return the TOML of a rule about a tool's calls."""
    pairs = ", ".join(f"{name} = {json.dumps(glob, ensure_ascii=False)}" for name, glob in match.items())
    lines = ["[[rules]]", f"tool = {json.dumps(tool)}", *([f"match = {{{pairs}}}"] if match else [])]
    lines += [f"path = {json.dumps(path, ensure_ascii=False)}"] if path else []
    return "\n".join([*lines, f"decision = {json.dumps(decision)}"])


@frozen
class Explanation:
    """What would happen with a call, and what each layer said.

    Args:
        call: The call, its arguments repaired.
        decision: What would happen; `invalid` calls reach no policy.
        reason: Why.
        by: Whose word it is: `mode`, `confirmation`, `policy`, or `project` for a kept approval.
        effects: What the call declares.
        shape: What a lasting approval would cover, in words.
        opinions: What every policy said.
        question: What there is to ask, before the mode or an approval answers; empty for nothing.
        rules: The rules that match.
        holds: The one of them that holds.
        approved: Whether an approval kept for the project covers the call.
        allows: What would let it run without a question.
        forbids: What would deny it.
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
    grants: ProjectGrants | None = None,
) -> Explanation:
    """Explain a call; `grants` of None leaves out what was approved for the project."""
    from inarch.journal.journal import Journal
    from inarch_sdk.memory_store import MemoryStore

    preparation = Preparation(tools, root)
    bound = tools.get(name)
    call = ToolCall(new_id(), "", "", name, preparation.repaired(bound, arguments)[0], origin="user")
    live = LiveCall(call, bound, Journal(MemoryStore(), call.id))
    error = preparation.checked(live)
    if error is not None:
        return Explanation(call, "invalid", _told(error), "validation")
    tool = live.tool.value
    live.judgement = judge(call, tool, live.effects, mode, policies)
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
    """Whether an approval kept for the project covers a call, which gets the rights that were chosen with it."""
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
        return "allow", f"{judgement.reason}, and the approve mode {mode} answers yes", "mode"
    return judgement.decision, judgement.reason, judgement.by


def _allowing(live: LiveCall, decision: str) -> str:
    """Return what would let a call run without a question; nothing where only another rule or policy could."""
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
