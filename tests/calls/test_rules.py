from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inarch.calls.call_order import normalised
from inarch.calls.rules import RulesPolicy, path_matches
from inarch.config.grants import Rule
from inarch.contract.records import Effects, ToolCall
from inarch_sdk.tool_decorator import tool

Kitchen = Any


def _effects(arguments: Any) -> Effects:
    return Effects(writes=frozenset({arguments["file_path"]}))


@tool(category="file", effects=_effects)
def edit(file_path: str, content: str = "") -> str:
    """Edit a file."""
    return "edited"


@tool(category="command")
def execute(command: str, context: Any = None) -> str:
    """Run a command."""
    return "ran"


def _rule(tool: str, decision: Any, **rest: Any) -> Rule:
    return Rule(tool=tool, decision=decision, **rest)


def _judge(rules: list[Rule], value: Any, now: datetime | None = None, **arguments: Any) -> str:
    moment = now or datetime(2030, 1, 1, tzinfo=UTC)
    call = ToolCall("id", "", "turn", value.name, arguments)
    return RulesPolicy(rules, lambda: moment).judge(call, value).decision


def test_the_strictest_rule_that_matches_holds() -> None:
    rules = [_rule("edit", "allow"), _rule("ed*", "deny", path="secret/**"), _rule("*", "ask", path="src/**")]
    assert _judge(rules, edit, file_path="docs/x") == "allow"
    assert _judge(rules, edit, file_path="src/x") == "ask"
    assert _judge(rules, edit, file_path="./secret//x") == "deny"


def test_a_rule_that_denies_needs_one_path_and_one_that_allows_needs_all() -> None:
    @tool(effects=lambda arguments: Effects(writes=frozenset(arguments["paths"])))
    def both(paths: list[str]) -> None:
        """Touch paths."""

    call = ToolCall("id", "", "turn", "both", {"paths": ["src/a", "etc/b"]})
    assert RulesPolicy([_rule("*", "deny", path="etc/**")]).judge(call, both).decision == "deny"
    assert RulesPolicy([_rule("*", "allow", path="etc/**")]).judge(call, both).reason == ""
    assert RulesPolicy([_rule("*", "allow", path="**")]).judge(call, both).reason != ""


def test_a_change_of_a_whole_folder_counts_as_one_of_what_lies_in_it() -> None:
    deny = [_rule("*", "deny", path="src/secret/*.key")]
    assert _judge(deny, edit, file_path="src/") == "deny"
    assert _judge(deny, edit, file_path="") == "deny"
    assert _judge(deny, edit, file_path="docs/") == "allow"
    assert _judge([_rule("*", "deny", path="*.key")], edit, file_path="docs/") == "deny"


def test_a_call_of_unknown_effects_is_not_allowed_by_its_paths() -> None:
    rules = RulesPolicy([_rule("*", "allow", path="**")])

    @tool
    def unknown(file_path: str, context: Any = None) -> None:
        """Do anything."""

    assert rules.judge(ToolCall("id", "", "turn", "unknown", {"file_path": "a"}), unknown).reason == ""


@pytest.mark.parametrize(
    ("path", "glob", "wanted"),
    [
        ("src/a.py", "src/*.py", True),
        ("src/d/a.py", "src/*.py", False),
        ("src/d/a.py", "src/**/*.py", True),
        ("src/a.py", "src/**/*.py", True),
        ("src/d/a.py", "src/**", True),
        ("src/d/a.py", "src/", True),
        ("src/d/a.py", "./src/d", True),
        ("deep/down/.env", ".env", True),
        ("deep/x.env", "*.env", True),
        ("a.env/b", "*.env", True),
        ("environment", "*.env", False),
        ("srcs/a", "src/**", False),
        ("a1", "a[0-9]", True),
        ("ab", "a[!0-9]", True),
        ("a+b", "a+b", True),
    ],
)
def test_path_globs(path: str, glob: str, wanted: bool) -> None:
    assert path_matches(path, glob) is wanted


@given(
    st.text("ab/", max_size=12),
    st.lists(st.sampled_from(("a", "b", "/", "*", "?", "**", "**/", "/**/", "[!a]")), min_size=1).map("".join),
)
@example("xaxy/xy", "**/x**/y")
@example("ab/b", "***/b")
def test_globs_find_what_trying_every_split_finds(path: str, glob: str) -> None:
    one = "/" not in glob.strip("/")
    wanted = re.sub(r"\*{3,}", "**", glob.strip("/") if one else normalised(glob))
    pieces = path.split("/")
    tried = pieces if one else ["/".join(pieces[:count]) for count in range(1, len(pieces) + 1)]
    assert path_matches(path, glob) is any(_fits(text, wanted) for text in tried)


def _fits(text: str, glob: str, begins: bool = True) -> bool:
    if not glob:
        return not text
    if begins and glob.startswith("**/"):
        rests = [text, *(text[at + 1 :] for at, char in enumerate(text) if char == "/")]
        return any(_fits(rest, glob[3:]) for rest in rests)
    if glob.startswith("*"):
        width = 2 if glob.startswith("**") else 1
        reach = len(text) if width == 2 else len(text.partition("/")[0])
        return any(_fits(text[at:], glob[width:], False) for at in range(reach + 1))
    if glob.startswith("[!a]"):
        return text[:1] not in ("", "a", "/") and _fits(text[1:], glob[4:], False)
    fits = text[:1] not in ("", "/") if glob[0] == "?" else text[:1] == glob[0]
    return fits and _fits(text[1:], glob[1:], glob[0] == "/")


def test_an_expired_rule_does_not_count() -> None:
    noon = datetime(2030, 5, 5, 12, tzinfo=UTC)
    assert _judge([_rule("*", "deny", expires=date(2030, 5, 3))], edit, now=noon, file_path="a") == "allow"
    assert _judge([_rule("*", "deny", expires=date(2030, 5, 7))], edit, now=noon, file_path="a") == "deny"


def test_an_allowing_rule_takes_the_question_away_but_never_a_denial(kitchen: Kitchen) -> None:
    allow = RulesPolicy([_rule("e*", "allow")])
    parts = [kitchen.part("edit", file_path="a"), kitchen.part("execute", command="x")]
    done = kitchen.run(kitchen.scheduler(edit, execute, approve="ask", policies=[allow]), *parts)
    assert [call.status for call in done] == ["success", "success"]
    both = [allow, RulesPolicy([_rule("edit", "deny", reason="frozen")])]
    done = kitchen.run(kitchen.scheduler(edit, execute, approve="all", policies=both), *parts)
    assert [call.status for call in done] == ["error", "success"]
    assert done[0].result.error.message == 'edit is denied: the rule tool = "edit" says deny: frozen'
