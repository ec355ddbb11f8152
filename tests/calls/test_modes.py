"""Every approval mode over every kind of call: what runs, what is asked, what is denied."""

from __future__ import annotations

from typing import Any

import pytest

from inarch.calls.policy import judge
from inarch.calls.rules import RulesPolicy
from inarch.config.grants import CommandGrant, Rule
from inarch.contract.records import Category, Effects, PluginContext, ToolCall, Verdict
from inarch.plugins.registration import Bound
from inarch_sdk.modes import COPY, MODES
from inarch_sdk.tool_decorator import FunctionTool, tool


class Policy:
    name = "policy"

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict

    def judge(self, call: Any, tool: Any) -> Verdict:
        return self.verdict


def made(category: Category, effects: Effects, confirmed: bool = False) -> FunctionTool:
    @tool(name="execute_command", category=category, effects=effects, requires_confirmation=confirmed)
    def act(command: str = "pytest -x") -> str:
        """Act."""
        return command

    return act


READS, WRITES = Effects(reads=frozenset({"a"})), Effects(writes=frozenset({"a"}))
EVERYTHING, UNKNOWN, NOTHING = Effects(writes=frozenset({""})), Effects(exclusive=True), Effects()
RUNS = ("execute_command",)
GRANTS = {"test": CommandGrant("test", ("pytest", "*"))}
HELD = ("files", "undo")
KEPT = (*HELD, COPY)
KINDS: dict[str, tuple[FunctionTool, list[Any]]] = {
    "reads a file": (made("file", READS), []),
    "searches, undeclared": (made("search", UNKNOWN), []),
    "writes a file": (made("file", WRITES), []),
    "writes files, undeclared": (made("file", UNKNOWN), []),
    "runs a read-only command": (made("command", NOTHING), []),
    "runs a command": (made("command", EVERYTHING), []),
    "commits": (made("git", WRITES), []),
    "wants confirmation": (made("other", NOTHING, True), []),
    "a policy asks": (made("file", READS), [Policy(Verdict("ask", "careful"))]),
    "a policy denies": (made("file", READS), [Policy(Verdict("deny", "never"))]),
    "a rule allows": (made("git", WRITES, True), [RulesPolicy([Rule("*", "allow")])]),
    "a rule asks": (made("file", READS), [RulesPolicy([Rule("*", "ask")])]),
    "a rule denies": (made("file", READS), [RulesPolicy([Rule("*", "deny"), Rule("*", "allow")])]),
    "granted command": (
        made("command", EVERYTHING),
        [RulesPolicy((), commands=GRANTS, runners=RUNS)],
    ),
    "granted, a rule asks": (
        made("command", EVERYTHING),
        [
            RulesPolicy(
                [Rule("*", "ask")],
                commands=GRANTS,
                runners=("execute_command",),
            )
        ],
    ),
    "a policy asks the person": (made("file", READS), [Policy(Verdict("ask", "you", person=True))]),
    "the person and a rule": (
        made("file", READS),
        [RulesPolicy([Rule("*", "ask")]), Policy(Verdict("ask", "you", person=True))],
    ),
    "the person, a wide rule": (
        made("command", READS),
        [RulesPolicy([Rule("*", "allow")]), Policy(Verdict("ask", "you", person=True))],
    ),
    "the person, a rule for it": (
        made("command", READS),
        [RulesPolicy([Rule("*", "allow", {"command": "pytest *"})]), Policy(Verdict("ask", "you", person=True))],
    ),
    "the person, granted": (
        made("command", EVERYTHING),
        [RulesPolicy((), commands=GRANTS, runners=RUNS), Policy(Verdict("ask", "you", person=True))],
    ),
    "held, the mode asks": (made("command", UNKNOWN), [Policy(Verdict("allow", held=HELD))]),
    "held, the person": (made("command", UNKNOWN), [Policy(Verdict("ask", "you", person=True, held=HELD))]),
    "held, and a person": (
        made("command", UNKNOWN),
        [Policy(Verdict("ask", "you", person=True, held=HELD)), Policy(Verdict("ask", "me", person=True))],
    ),
    "held, and a rule asks": (
        made("command", UNKNOWN),
        [Policy(Verdict("ask", "you", person=True, held=HELD)), RulesPolicy([Rule("*", "ask")])],
    ),
    "held, not here": (made("command", UNKNOWN), [Policy(Verdict("ask", "you", person=True, held=("undo", "moon")))]),
    "held, confirmed": (made("command", NOTHING, True), [Policy(Verdict("allow", held=HELD))]),
    "another tool writes": (made("other", WRITES), []),
    "another tool, undeclared": (made("other", UNKNOWN), []),
    "another tool, protected": (made("other", Effects(writes=frozenset({"sub/.git/x"}))), []),
    "another tool, confirmed": (made("other", WRITES, True), []),
    "another tool, programs": (made("other", Effects(writes=frozenset({"a"}), programs=True)), []),
    "granted, a policy denies": (
        made("command", EVERYTHING),
        [
            RulesPolicy((), commands=GRANTS, runners=RUNS),
            Policy(Verdict("deny", "no")),
        ],
    ),
}
#                              none     plan     ask      edits    auto     review   all      bypass
TABLE = {
    "reads a file": "            allow    allow    allow    allow    allow    allow    allow    allow",
    "searches, undeclared": "    allow    allow    allow    allow    allow    allow    allow    allow",
    "writes a file": "           deny     deny     ask      allow    allow    allow    allow    allow",
    "writes files, undeclared": "deny     deny     ask      ask      ask      ask      allow    allow",
    "runs a read-only command": "allow    allow    allow    allow    allow    allow    allow    allow",
    "runs a command": "          deny     deny     ask      ask      ask      ask      allow    allow",
    "commits": "                 deny     deny     ask      ask      ask      ask      allow    allow",
    "wants confirmation": "      deny     ask      ask      ask      ask      ask      allow    allow",
    "a policy asks": "           deny     ask      ask      ask      ask      ask      allow    allow",
    "a policy denies": "         deny     deny     deny     deny     deny     deny     deny     deny",
    "a rule allows": "           allow    deny     allow    allow    allow    allow    allow    allow",
    "a rule asks": "             deny     ask      ask      ask      ask      ask      allow    allow",
    "a rule denies": "           deny     deny     deny     deny     deny     deny     deny     deny",
    "granted command": "         allow    deny     allow    allow    allow    allow    allow    allow",
    "granted, a rule asks": "    deny     deny     ask      ask      ask      ask      allow    allow",
    "granted, a policy denies": "deny     deny     deny     deny     deny     deny     deny     deny",
    "a policy asks the person": "deny     ask      ask      ask      ask      ask      ask      allow",
    "the person and a rule": "   deny     ask      ask      ask      ask      ask      ask      allow",
    "the person, a wide rule": " deny     ask      ask      ask      ask      ask      ask      allow",
    "the person, a rule for it": "allow    allow    allow    allow    allow    allow    allow    allow",
    "the person, granted": "     allow    deny     allow    allow    allow    allow    allow    allow",
    "another tool writes": "     deny     deny     ask      allow    allow    allow    allow    allow",
    "another tool, undeclared": "deny     deny     ask      ask      ask      ask      allow    allow",
    "another tool, protected": " deny     deny     ask      ask      ask      ask      allow    allow",
    "another tool, confirmed": " deny     deny     ask      ask      ask      ask      allow    allow",
    "another tool, programs": "  deny     deny     ask      ask      ask      ask      allow    allow",
    "held, the mode asks": "     deny     deny     ask      ask      allow    allow    allow    allow",
    "held, the person": "        deny     deny     ask      ask      allow    allow    allow    allow",
    "held, and a person": "      deny     deny     ask      ask      ask      ask      ask      allow",
    "held, and a rule asks": "   deny     deny     ask      ask      ask      ask      ask      allow",
    "held, not here": "          deny     deny     ask      ask      ask      ask      ask      allow",
    "held, confirmed": "         deny     ask      ask      ask      ask      ask      allow    allow",
}


@pytest.mark.parametrize("kind", KINDS)
def test_modes(kind: str) -> None:
    value, policies = KINDS[kind]
    call = ToolCall("id", "", "turn", value.name, {"command": "pytest -x"})
    bound = [Bound("tested", policy, PluginContext("tested", "/")) for policy in policies]
    effects = value.effects(call.arguments)
    found = [judge(call, value, effects, one.name, bound, lambda: frozenset(KEPT)).decision for one in MODES]
    assert found == TABLE[kind].split()
    assert found[2:] == sorted(found[2:], key=["deny", "ask", "allow"].index)  # each lets all run that one before does
    if not any(isinstance(policy, Policy) and policy.verdict.held for policy in policies):
        assert judge(call, value, effects, "auto", bound).decision == found[4]  # nothing is kept
    if value.category == "file" and found[5] == "allow" != found[2]:
        assert judge(call, value, effects, "review", bound).decision == "ask"  # this is not a copy


def test_what_a_policy_has_to_say_of_a_call_stands_in_the_question() -> None:
    value = made("command", EVERYTHING)
    call = ToolCall("id", "", "turn", value.name, {"command": "pytest"})
    policies = [Bound("p", Policy(Verdict("allow", "a test runner: workspace tier")), PluginContext("p", "/"))]
    found = judge(call, value, EVERYTHING, "ask", policies)
    assert found.reason == "it changes the whole workspace; a test runner: workspace tier"
