"""Every approval mode over every kind of call: what runs, what is asked, what is denied."""

from __future__ import annotations

from typing import Any

import pytest

from inarch.calls.policy import judge
from inarch.calls.rules import RulesPolicy
from inarch.config.grants import CommandGrant, Rule
from inarch.contract.records import Category, Effects, PluginContext, ToolCall, Verdict
from inarch.plugins.composition import Bound
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
#                              ask      edits    all      plan     none
TABLE = {
    "reads a file": "            allow    allow    allow    allow    allow",
    "searches, undeclared": "    allow    allow    allow    allow    allow",
    "writes a file": "           ask      allow    allow    deny     deny",
    "writes files, undeclared": "ask      ask      allow    deny     deny",
    "runs a read-only command": "allow    allow    allow    allow    allow",
    "runs a command": "          ask      ask      allow    deny     deny",
    "commits": "                 ask      ask      allow    deny     deny",
    "wants confirmation": "      ask      ask      allow    ask      deny",
    "a policy asks": "           ask      ask      allow    ask      deny",
    "a policy denies": "         deny     deny     deny     deny     deny",
    "a rule allows": "           allow    allow    allow    deny     allow",
    "a rule asks": "             ask      ask      allow    ask      deny",
    "a rule denies": "           deny     deny     deny     deny     deny",
    "granted command": "         allow    allow    allow    deny     allow",
    "granted, a rule asks": "    ask      ask      allow    deny     deny",
    "granted, a policy denies": "deny     deny     deny     deny     deny",
    "a policy asks the person": "ask      ask      ask      ask      deny",
    "the person and a rule": "   ask      ask      ask      ask      deny",
    "the person, a wide rule": " ask      ask      ask      ask      deny",
    "the person, a rule for it": "allow    allow    allow    allow    allow",
    "the person, granted": "     allow    allow    allow    deny     allow",
    "another tool writes": "     ask      allow    allow    deny     deny",
    "another tool, undeclared": "ask      ask      allow    deny     deny",
    "another tool, protected": " ask      ask      allow    deny     deny",
    "another tool, confirmed": " ask      ask      allow    deny     deny",
    "another tool, programs": "  ask      ask      allow    deny     deny",
}


@pytest.mark.parametrize("kind", KINDS)
def test_modes(kind: str) -> None:
    value, policies = KINDS[kind]
    call = ToolCall("id", "", "turn", value.name, {"command": "pytest -x"})
    bound = [Bound("tested", policy, PluginContext("tested", "/")) for policy in policies]
    modes = ("ask", "edits", "all", "plan", "none")
    effects = value.effects(call.arguments)
    found = [judge(call, value, effects, mode, bound).decision for mode in modes]  # type: ignore[arg-type]
    assert found == TABLE[kind].split()


def test_what_a_policy_has_to_say_of_a_call_stands_in_the_question() -> None:
    value = made("command", EVERYTHING)
    call = ToolCall("id", "", "turn", value.name, {"command": "pytest"})
    policies = [Bound("p", Policy(Verdict("allow", "a test runner: workspace tier")), PluginContext("p", "/"))]
    found = judge(call, value, EVERYTHING, "ask", policies)
    assert found.reason == "it changes the whole workspace; a test runner: workspace tier"
