"""Rules and grants over command lines: compared by words, never by text; and what rules keep from searches."""

from __future__ import annotations

import tomllib
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.calls.explanation import command_table
from inarch.calls.rules import RulesPolicy, canonical, words_of
from inarch.config.grants import CommandGrant, Rule
from inarch.contract.records import Effects, ToolCall, Verdict
from inarch_sdk.joined_commands import split_line
from inarch_sdk.tool_decorator import tool

Kitchen = Any


RUNS = ("execute_command",)


@tool(category="command", effects=Effects(exclusive=True))
def execute_command(command: str, context: Any = None) -> str:
    """Run a command."""
    return f"ran {command}"


@tool(category="search", effects=lambda arguments: Effects(reads=frozenset({arguments.get("path", "")})))
def search_files(context: Any, pattern: str, path: str = "") -> Any:
    """Search."""
    found = context.workspace.search(pattern, path)
    files = context.workspace.walk()
    return {"hits": [hit.path for hit in found.hits], "files": list(files.paths), "notes": list(found.notes)}


def call(command: str) -> ToolCall:
    return ToolCall("id", "", "turn", "execute_command", {"command": command})


def verdict(rules: list[Rule], command: str, **commands: tuple[str, ...]) -> str:
    grants = {name: CommandGrant(name, argv) for name, argv in commands.items()}
    found = RulesPolicy(rules, commands=grants, runners=RUNS).judge(call(command), execute_command)
    return found.decision if found.decision != "allow" else f"allow {found.reason}".strip()


@pytest.mark.parametrize(
    ("argv", "command", "granted"),
    [
        (("pytest", "-q"), "pytest -q", True),
        (("pytest", "-q"), "'pytest'   \"-q\"", True),
        (("pytest", "-q"), "pytest -q -x", False),
        (("pytest", "-q"), "pytest", False),
        (("pytest", "*"), "pytest", True),
        (("pytest", "*"), "pytest -q 'a b'", True),
        (("pytest", "*"), "pytestx -q", False),
        (("pytest", "*"), "pytest -q; rm -rf .", False),
        (("pytest", "*"), "pytest $(rm x)", False),
        (("pytest", "*"), "pytest -q\nrm x", False),
        (("pytest", "*"), "/bin/pytest", False),
        (("python", "-m", "pytest", "*"), "python -m pytest x", True),
        (("python", "-m", "pytest", "*"), "python -m", False),
        (("python", "-m", "pytest", "*"), "python '-m pytest' x", False),
    ],
)
def test_grants(argv: tuple[str, ...], command: str, granted: bool) -> None:
    assert verdict([], command, test=argv) == ("allow granted by [commands.test]" if granted else "allow")


def test_a_grant_takes_the_question_away_and_a_rule_wins_over_it(kitchen: Kitchen) -> None:
    grants = {"test": CommandGrant("test", ("pytest", "*"))}
    parts = [kitchen.part("execute_command", command="pytest -x"), kitchen.part("execute_command", command="make")]
    scheduler = kitchen.scheduler(
        execute_command, approve="ask", policies=[RulesPolicy((), commands=grants, runners=RUNS)]
    )
    assert [one.status for one in kitchen.run(scheduler, *parts)] == ["success", "error"]
    asks = RulesPolicy([Rule("*", "ask", match={"command": "pytest *"})], commands=grants, runners=RUNS)
    scheduler = kitchen.scheduler(execute_command, approve="ask", policies=[asks])
    assert [one.status for one in kitchen.run(scheduler, *parts)] == ["error", "error"]


@pytest.mark.parametrize(
    ("glob", "command", "matched"),
    [
        ("pytest *", "pytest -x", True),
        ("pytest *", "pytest", True),
        ("pytest *", '"pytest" -x', True),
        ("pytest *", "pytest\t-x", True),
        ("pytest *", "pytest -x | sh", False),
        ("pytest *", "pytest -x\nsh", False),
        ("pytest *", "pytest\\ -x", False),
        ("pytest *", "pytestify", False),
        ("git commit -m 'a b'", 'git commit -m "a b"', True),
        ("git commit -m a b", 'git commit -m "a b"', False),
    ],
)
def test_a_rule_that_allows_compares_words(glob: str, command: str, matched: bool) -> None:
    allowed = verdict([Rule("execute_command", "allow", match={"command": glob})], command)
    assert allowed.startswith("allow the rule") is matched


@pytest.mark.parametrize(
    "command", ["rm -rf x", "'rm' -rf x", "r''m -rf x", "rm  -rf  x", "rm -rf x | cat", "rm -rf $X"]
)
def test_a_rule_that_denies_is_not_talked_round(command: str) -> None:
    assert verdict([Rule("*", "deny", match={"command": "rm *"})], command, rm=("rm", "*")) == "deny"


@pytest.mark.parametrize("command", ["cat .env", "cat ./.env", "cat src/../.env", "head --file=.env", "cat 'x/.env'"])
def test_a_rule_that_denies_a_path_is_about_the_words_of_commands_too(command: str) -> None:
    assert verdict([Rule("*", "deny", path=".env")], command) == "deny"
    assert verdict([Rule("*", "deny", path=".env")], "cat environ") == "allow"


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zl", "Zp"]), max_size=8), min_size=1))
def test_what_the_tokenizer_reads_is_written_in_one_way(words: list[str]) -> None:
    text = canonical(("x", *words))
    assert words_of(call(text), execute_command) == ("x", *words)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8), min_size=1))
def test_the_table_that_is_proposed_grants_the_very_command(words: list[str]) -> None:
    (table,) = tomllib.loads(command_table(words))["commands"].values()
    assert CommandGrant("x", tuple(table["argv"])).covers(words)


@pytest.mark.parametrize("command", ["pytest -x", "make 'a b'", "find . -name '*'", "echo '*' '[a]'", "./run.sh"])
def test_the_key_that_headless_names_allows_the_call(kitchen: Kitchen, command: str) -> None:
    part = kitchen.part("execute_command", command=command)
    (denied,) = kitchen.run(kitchen.scheduler(execute_command, approve="ask", policies=[RulesPolicy(())]), part)
    _, _, key = denied.result.error.remedy.partition("\n")
    found = tomllib.loads(key)
    rules = [Rule(**table) for table in found.get("rules", ())]
    grants = {name: CommandGrant(name, tuple(table["argv"])) for name, table in found.get("commands", {}).items()}
    policy = RulesPolicy(rules, commands=grants, runners=RUNS)
    (done,) = kitchen.run(kitchen.scheduler(execute_command, approve="ask", policies=[policy]), part)
    assert done.status == "success"


def test_a_search_passes_over_what_a_rule_is_about_and_says_only_that(kitchen: Kitchen) -> None:
    for name in (".env", "a.py", "sub/.env"):
        kitchen.file(name, b"x")
    rules = RulesPolicy([Rule("search_files", "deny", path=".env")])
    scheduler = kitchen.scheduler(search_files, policies=[rules])
    (done,) = kitchen.run(scheduler, kitchen.part("search_files", pattern="x"))
    assert done.result.data["hits"] == ["a.py"] and done.result.data["files"] == ["a.py"]
    assert done.result.data["notes"] == ["files that a rule is about are left out"]
    (done,) = kitchen.run(scheduler, kitchen.part("search_files", pattern="x", path="sub/.env"))
    assert done.result.error.code == "denied"
    elsewhere = [RulesPolicy([Rule("search_files", "deny", path="secret/**")])]
    (done,) = kitchen.run(
        kitchen.scheduler(search_files, policies=elsewhere), kitchen.part("search_files", pattern="x", path="sub/")
    )
    assert done.result.data["notes"] == []
    (done,) = kitchen.run(kitchen.scheduler(search_files), kitchen.part("search_files", pattern="x"))
    assert len(done.result.data["hits"]) == 3 and done.result.data["notes"] == []


def test_a_tool_that_reads_folders_can_not_open_what_a_rule_keeps_from_it(kitchen: Kitchen) -> None:
    @tool(category="nav", effects=Effects(reads=frozenset({""})))
    def index(context: Any) -> str:
        """Read everything."""
        return str(context.workspace.read("sub/.env").data)

    kitchen.file("sub/.env", b"x")
    scheduler = kitchen.scheduler(index, policies=[RulesPolicy([Rule("*", "ask", path=".env")])])
    (done,) = kitchen.run(scheduler, kitchen.part("index"))
    assert done.result.error.code == "permission"
    expired = RulesPolicy([Rule("*", "deny", path=".env", expires=date(2020, 1, 1))])
    (done,) = kitchen.run(kitchen.scheduler(index, policies=[expired]), kitchen.part("index"))
    assert done.status == "success"


def test_a_command_that_reads_folders_is_asked_about(kitchen: Kitchen) -> None:
    @tool(name="execute_command", category="command", effects=Effects(reads=frozenset({""})))
    def reading(command: str) -> str:
        """Run."""
        return command

    rules = [Rule("*", "deny", path="*.key")]
    asked = RulesPolicy(rules).judge(call("grep -r x ."), reading)
    assert (asked.decision, asked.reason) == ("ask", 'it may read files that the rule for "*.key" is about')
    grants = {"grep": CommandGrant("grep", ("grep", "*"))}
    assert RulesPolicy(rules, commands=grants, runners=RUNS).judge(call("grep -r x ."), reading).decision == "allow"


@pytest.mark.parametrize("says", ["[commands.x]\nargv = [1]", "", None, ZeroDivisionError()])
def test_what_lifts_a_denial_is_what_the_tool_says(kitchen: Kitchen, says: Any) -> None:
    class Own:
        """A tool that knows what its own policy denies."""

        name, description, category, input_schema, output_schema = "own", "", "command", {"type": "object"}, None
        timeout_s, max_retries, requires_confirmation, receives_secrets = 1.0, 0, False, False

        def effects(self, arguments: Any) -> Effects:
            return Effects()

        def run(self, arguments: Any, context: Any) -> None: ...

        def allowed_by(self, arguments: Any) -> Any:
            if isinstance(says, Exception):
                raise says
            return says

    class Never:
        name = "never"

        def judge(self, call: Any, tool: Any) -> Verdict:
            return Verdict("deny", "never")

    (done,) = kitchen.run(kitchen.scheduler(Own(), policies=[Never()]), kitchen.part("own"))
    told = "do it another way"
    if isinstance(says, str) and says:
        told += f"; a user who wants it adds to the configuration:\n{says}"
    assert done.result.error.remedy == told


@tool(category="command", effects=lambda arguments: _effects_of_words(arguments["command"]))
def careful_command(command: str) -> str:
    """Run a command; `ls` and `wc` only read."""
    return f"ran {command}"


careful_command.name = "execute_command"


class Careful:
    """The tool, and which commands of a line it frees."""

    def __getattr__(self, name: str) -> Any:
        return getattr(careful_command, name)

    def asking(self, arguments: Any) -> tuple[int, ...]:
        parts = split_line(arguments["command"]).parts
        return tuple(place for place, part in enumerate(parts) if _effects_of_words(canonical(part.words)).exclusive)


def _effects_of_words(command: str) -> Effects:
    return Effects(reads=frozenset({""})) if command.split()[0] in ("ls", "wc", "cat") else Effects(exclusive=True)


def of_line(rules: list[Rule], command: str, **commands: tuple[str, ...]) -> Verdict:
    grants = {name: CommandGrant(name, argv) for name, argv in commands.items()}
    return RulesPolicy(rules, commands=grants, runners=RUNS).judge(call(command), Careful())


@pytest.mark.parametrize(
    ("command", "granted"),
    [
        ("pytest -q | wc -l", True),
        ("pytest -q 2>&1 | wc -l", True),
        ("pytest -q 2>&1", True),
        ("ls && pytest -q; npm ci", True),
        ("pytest -q; rm x", False),
        ("pytest -q | tee x", False),
        ("cd sub && pytest -q", False),
        ("ls | wc", False),
        ("pytest -q > x", False),
        ("pytest -q &", False),
    ],
)
def test_a_line_is_granted_where_each_of_its_commands_is_or_only_reads(command: str, granted: bool) -> None:
    for rules, tables in (
        ([], {"test": ("pytest", "*"), "npm": ("npm", "ci")}),
        ([Rule("*", "allow", match={"command": "npm *"})], {"test": ("pytest", "*")}),
    ):
        found = of_line(rules, command, **tables)
        assert (found.decision, bool(found.reason), found.person) == ("allow", granted, granted)


@pytest.mark.parametrize(
    "command", ["ls; rm x", "ls | rm x", "ls && 'rm' x", "cd sub && rm x", "pytest && ls || rm", "rm x 2>/dev/null"]
)
def test_a_rule_that_denies_is_about_each_command_of_a_line(command: str) -> None:
    rules = [Rule("*", "deny", match={"command": "rm *"})]
    assert of_line(rules, command, rm=("rm", "*"), t=("pytest", "*")).decision == "deny"
    assert of_line(rules, command.replace("rm", "ls"), t=("pytest", "*")).decision == "allow"


@pytest.mark.parametrize("glob", ["docs", "docs/**", "/docs", "docs/a"])
@pytest.mark.parametrize(
    "command", ["cd /w/p/docs && cat a", "cd /w/p && cat docs/a", "cat /w/p/docs/a", "ls; cat --f=/w/p//docs/a",
                "cd /w/p/x && cat /w/p/docs/a", "cd docs && cat a | wc -l"]
)  # fmt: skip
def test_a_rule_for_a_path_holds_however_the_path_is_written(glob: str, command: str) -> None:
    policy = RulesPolicy([Rule("*", "deny", path=glob)], runners=RUNS, root="/w/p")
    assert policy.judge(call(command), Careful()).decision == "deny"
    assert policy.judge(call(command.replace("docs", "src")), Careful()).decision != "deny"
