"""Explanation of why a call would run, ask or be denied, and what would let it run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from attrs import field, frozen

from inarch.calls.call_checks import Preparation
from inarch.calls.grants import Grants, ProjectGrants, covering
from inarch.calls.live_call import LiveCall
from inarch.calls.policy import Judgement, Opinion, is_edit, judge, opinions_of, question
from inarch.calls.rules import RulesPolicy, canonical, is_command, words_of
from inarch.contract.capabilities import SaysWhatAllows, able
from inarch.contract.errors import InarchError
from inarch.contract.guard import guarded
from inarch.contract.ids import new_id
from inarch.contract.ports import Policy, Tool
from inarch.contract.records import Effects, ToolCall, ToolError
from inarch_lib.staging.steering_names import steers
from inarch_sdk.result_text import HELD_REMEDY

if TYPE_CHECKING:
    from inarch.config.grants import Rule
    from inarch.plugins.registration import Bound
    from inarch_sdk.modes import ApproveMode


@frozen
class Explanation:
    """Decision about a call, and the answer of each layer.

    `invalid` calls reach no policy. `by` may also be `project`, for a stored approval. `question` is asked before the
    mode or an approval answers it; `holds` is the one of the matching `rules` that applies. `allows` and `forbids` are
    lines of configuration.
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
    with suppress(InarchError):
        live.choose({})
    approved = covering(live, Grants(project=grants)) is not None
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
        forbids="" if decision == "deny" else _rule_about(live, "deny"),
    )


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
    key = _lifting_key(live) or ("" if live.judgement.by in ("policy", "person") else _key_for(live))
    return f"add to the configuration:\n{key}" if key else ""


def _told(error: ToolError) -> str:
    return f"{error.message} ({error.remedy})" if error.remedy else error.message


def denied(live: LiveCall, judgement: Judgement) -> ToolError:
    """Return the error of a call that a policy or the approval mode denies."""
    message = f"{live.call.name} is denied: {judgement.reason}"
    return ToolError("denied", message, _remedy_of_denied(live, judgement))


def remedy_of_unasked(live: LiveCall, kept: frozenset[str] = frozenset()) -> str:
    """Return what would have let a call run without a question: a table or rule to add, then a mode.

    `kept` are the promises that the workspace keeps.
    """
    assert live.judgement is not None
    held = live.judgement.held
    return _narrow_remedy(live, live.judgement) + (f"\n{HELD_REMEDY}" if held and kept >= held else "")


def _narrow_remedy(live: LiveCall, judgement: Judgement) -> str:
    by, instead = judgement.by, judgement.remedy
    if by == "policy":
        return "run with --approve all"
    if by == "person" and live.needs_person is not None:
        return instead
    key = _lifting_key(live) or _key_for(live)
    if by == "person":
        return f"{f'{instead}; or ' if instead else ''}let the user add to the configuration:\n{key}"
    flag = "run with --approve edits, or " if by == "mode" and is_edit(live.tool.value, live.effects) else ""
    return f"{flag}add to the configuration:\n{key}"


def _remedy_of_denied(live: LiveCall, judgement: Judgement) -> str:
    """Return what to do about a call that a policy or the approval mode denies."""
    if judgement.denied_in == "plan":
        return "only read for now, and propose the changes in a plan; the user decides when to start"
    if judgement.by != "policy" or judgement.denied_in == "none":
        return "run with --approve ask to be asked"
    key = "" if judgement.is_rule else _lifting_key(live)
    return f"do it another way; a user who wants it adds to the configuration:\n{key}" if key else "do it another way"


def _lifting_key(live: LiveCall) -> str:
    """Return the TOML that lifts a denial by a tool's own policy, as its `allowed_by` says; empty for none."""
    tool = able(live.tool.value, SaysWhatAllows)
    if tool is None:
        return ""
    try:
        with guarded(live.tool.plugin, "tool", passes=()):
            key = tool.allowed_by(live.call.arguments)
    except InarchError:
        return ""
    return key if isinstance(key, str) else ""


def _key_for(live: LiveCall) -> str:
    """Return the TOML that lets a call run without a question."""
    words = words_of(live.call, live.tool.value)
    if words is None:
        return _rule(live.call.name, "", "allow", next(filter(steers, sorted(live.effects.writes)), ""))
    if "*" in words:  # in [commands.NAME] it would match any further words
        return _rule_about(live, "allow")
    return command_table(words)


def _rule_about(live: LiveCall, decision: str) -> str:
    """Return the TOML of a rule for exactly this command, or for every call of another tool."""
    words = words_of(live.call, live.tool.value)
    if not is_command(live.call, live.tool.value):
        return _rule(live.call.name, "", decision)
    return _rule(
        live.call.name, live.call.arguments["command"].strip() if words is None else canonical(words), decision
    )


def command_table(words: Sequence[str]) -> str:
    """Return the TOML that grants one command, named after its program."""
    name = re.sub(r"[^A-Za-z0-9_-]", "-", words[0].rpartition("/")[2]) or "command"
    return f"[commands.{name}]\nargv = {json.dumps(list(words), ensure_ascii=False)}"


def _rule(tool: str, command: str, decision: str, path: str = "") -> str:
    glob = re.sub(r"[*?[]", r"[\g<0>]", command)  # fnmatch has no other escape
    lines = ["[[rules]]", f"tool = {json.dumps(tool)}"]
    lines += [f"match = {{command = {json.dumps(glob, ensure_ascii=False)}}}"] if command else []
    lines += [f"path = {json.dumps(path, ensure_ascii=False)}"] if path else []
    return "\n".join([*lines, f"decision = {json.dumps(decision)}"])
