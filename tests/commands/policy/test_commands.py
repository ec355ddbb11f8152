"""`inarch policy` and the proposals of `inarch config init`, as the real program."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from inarch_sdk.modes import NAMES

pytestmark = pytest.mark.once

Run = Callable[..., "subprocess.CompletedProcess[str]"]
RULES = """\
[commands.test]
argv = ["pytest", "*"]
[[rules]]
tool = "write_file"
path = "docs/**"
decision = "allow"
[[rules]]
tool = "*"
path = "secret/**"
decision = "deny"
reason = "not yours"
"""
FAULTY = """\
[[rules]]
tool = "write_fiel"
decision = "deny"
[[rules]]
tool = "write_file"
match = { contents = "*" }
decision = "ask"
[[rules]]
tool = "execute_command"
match = { command = "pytest | tee *" }
decision = "allow"
[[rules]]
tool = "delete_file"
path = "/etc/*"
decision = "deny"
[[rules]]
tool = "move_file"
decision = "deny"
[[rules]]
tool = "move_*"
path = "src/**"
decision = "ask"
expires = 2020-01-01
[[rules]]
tool = "move_file"
decision = "allow"
"""


@pytest.fixture
def user_file(environ: dict[str, str]) -> Path:
    path = Path(environ["XDG_CONFIG_HOME"]) / "inarch" / "config.toml"
    path.parent.mkdir(parents=True)
    return path


def test_list_shows_every_layer_with_its_place(cli: Run, user_file: Path) -> None:
    user_file.write_text(RULES)
    done = cli("policy", "list", "--approve", "edits")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "mode  edits  (--approve)"
    assert f'  the rule tool = "*", path = "secret/**" says deny: not yours  ({user_file}:7)' in lines
    assert f"  test  pytest …  ({user_file}:1)" in lines
    data = json.loads(cli("policy", "list", "--json").stdout)
    assert [rule["decision"] for rule in data["rules"]] == ["allow", "deny"]
    assert (data["mode"]["approve"], data["commands"][0]["argv"], data["approvals"]) == ("ask", ["pytest", "*"], [])


def explained(cli: Run, *words: str) -> dict[str, object]:
    done = cli("policy", "explain", "--json", *words)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_explain_says_which_layer_said_what(cli: Run, user_file: Path) -> None:
    user_file.write_text(RULES)
    allowed = explained(cli, "write_file", '{"path": "docs/a", "content": "x"}')
    assert (allowed["decision"], allowed["arguments"]) == ("allow", {"file_path": "docs/a", "content": "x"})
    assert str(allowed["reason"]).startswith('the rule tool = "write_file"')
    asked = explained(cli, "write_file", '{"file_path": "a", "content": "x"}')
    assert (asked["decision"], asked["by"], asked["shape"]) == ("ask", "mode", "write_file on a")
    assert "--approve edits" in str(asked["allows"])
    denied = explained(cli, "write_file", '{"file_path": "secret/a", "content": "x"}')
    assert (denied["decision"], denied["by"], denied["allows"]) == ("deny", "policy", "")
    invalid = explained(cli, "write_file", "{}")
    assert (invalid["decision"], invalid["policies"]) == ("invalid", [])
    text = cli("policy", "explain", "write_file", '{"file_path": "secret/a", "content": "x"}').stdout
    assert f"rule at {user_file}:7" in text and "not yours" in text


def test_explain_says_what_each_mode_would_do(cli: Run) -> None:
    for line in ("mkdir a", "git push", "ls", "cat ../a"):
        modes = explained(cli, line)["modes"]
        assert isinstance(modes, dict) and list(modes) == list(NAMES)
        for mode in ("ask", "auto", "all", "none"):
            decision = explained(cli, line, "--approve", mode)["decision"]
            assert {"allow": "runs", "ask": "asks", "deny": "denies"}[str(decision)] == modes[mode].split()[0]
    text = cli("policy", "explain", "git push").stdout
    assert "\n  modes: none, plan: denies · ask, edits, auto, review, all: asks · bypass: runs\n" in text
    assert explained(cli, "write_file", "{}")["modes"] == {}


def test_explain_says_which_command_of_a_line_a_rule_is_about(cli: Run, user_file: Path) -> None:
    rules = [f'[[rules]]\ntool = "execute_command"\nmatch = {{ command = "{words} *" }}\ndecision = "{decision}"\n'
             for words, decision in (("mkdir", "allow"), ("touch", "ask"))]  # fmt: skip
    user_file.write_text("".join([RULES, *rules]))
    told = explained(cli, "mkdir a && touch a/b 2>&1; pytest -q | wc -l")
    parts = [(part["command"], [rule["decision"] for rule in part["rules"]]) for part in told["parts"]]
    assert parts == [("mkdir a", ["allow"]), ("touch a/b", ["ask"]), ("pytest -q", []), ("wc -l", [])]
    assert explained(cli, "pytest -q")["parts"] == explained(cli, "ls > a")["parts"] == []
    text = cli("policy", "explain", "mkdir a && pytest -q | wc -l").stdout
    assert f"  part 1, mkdir a: rule at {user_file}:12: " in text
    assert "  part 2, pytest -q: granted by [commands.test]\n  part 3, wc -l: no rule\n" in text
    text = cli("policy", "explain", "cd src && mkdir a; touch b").stdout  # what allows is meant for the root
    assert f"  part 1, mkdir a: no rule\n  part 2, touch b: rule at {user_file}:16: " in text
    assert "  part 1" not in cli("policy", "explain", "ls | wc -l").stdout


def test_what_explain_names_allows_the_call(cli: Run, user_file: Path) -> None:
    lines = (("make all",), ("make all | tail -3",), ("mkdir -p a && make all 2>&1",), ("make > log",))
    for words in (*lines, ("write_file", '{"file_path": "a", "content": "x"}')):
        user_file.write_text("")
        key = str(explained(cli, *words)["allows"]).partition("\n")[2]
        user_file.write_text(key)
        assert explained(cli, *words)["decision"] == "allow", key
        if words in lines:
            assert explained(cli, "make install")["decision"] == "ask", key


def test_what_explain_names_denies_the_call_and_no_other(cli: Run, user_file: Path) -> None:
    for line in ("ls a", "ls | wc -l", "grep '[a-z]*' a", "ls > a*"):
        user_file.write_text("")
        key = str(explained(cli, line)["forbids"])
        user_file.write_text(key)
        assert (explained(cli, line)["decision"], explained(cli, "ls b")["decision"]) == ("deny", "allow"), key


def test_the_rules_are_tested(cli: Run, user_file: Path) -> None:
    user_file.write_text(RULES)
    done = cli("policy", "test")
    assert (done.returncode, done.stdout) == (0, "2 rules, 0 faults; 0 cases, 0 with unexpected decisions\n")
    user_file.write_text(FAULTY)
    done = cli("policy", "test")
    assert done.returncode == 1
    faults = [line.removeprefix(f"{user_file}:") for line in done.stdout.splitlines()]
    assert faults[0].startswith("1: there is no tool 'write_fiel'; did you mean 'write_file'?")
    assert faults[1].startswith("4: no matching tool has an argument 'contents'; did you mean 'content'?")
    assert faults[2].startswith("8: no command can match 'pytest | tee *'")
    assert faults[3].startswith("12: no path can match '/etc/*'")
    assert faults[4] == "19: it expired on 2020-01-01"
    assert faults[5] == f"24: the rule at {user_file}:16 is stricter, so this one never decides"
    assert faults[6] == "7 rules, 6 faults; 0 cases, 0 with unexpected decisions"


def test_cases_are_judged(cli: Run, user_file: Path, project: Path) -> None:
    user_file.write_text(RULES)
    (project / "cases.toml").write_text(
        '[[cases]]\ncommand = "pytest -x"\nexpected = "allow"\n'
        '[[cases]]\ntool = "write_file"\narguments = { file_path = "secret/x", content = "" }\nexpected = "deny"\n'
    )
    assert cli("policy", "test", "cases.toml").returncode == 0
    (project / "cases.json").write_text(
        json.dumps([{"tool": "write_file", "arguments": {"file_path": "a", "content": ""}, "expected": "allow"}])
    )
    done = cli("policy", "test", "cases.json")
    assert done.returncode == 1
    assert "case 1: write_file" in done.stdout and "expected allow, got ask: it changes a" in done.stdout
    assert cli("policy", "test", "cases.json", "--approve", "edits").returncode == 0


@pytest.mark.parametrize(
    "text", ["", "[[cases]]\ncommand = 1\nexpected = 'allow'", "[[cases]]\ncommand = 'a'", "x = ["]
)
def test_a_file_that_is_none_of_cases(cli: Run, project: Path, text: str) -> None:
    (project / "cases.toml").write_text(text)
    done = cli("policy", "test", "cases.toml")
    assert done.returncode == 2 and "cases.toml" in done.stderr
    assert cli("policy", "test", "nowhere.toml").returncode == 2


def test_one_word_that_is_no_tool_is_a_command(cli: Run) -> None:
    assert cli("policy", "explain", "ls").stdout.startswith('execute_command {"command": "ls"}\nallow')
    assert "there is no tool 'write_fil'" in cli("policy", "explain", "write_fil").stdout


def test_revoking(cli: Run) -> None:
    assert cli("policy", "revoke", "all").stdout == "nothing was approved for this project\n"
    done = cli("policy", "revoke", "abc")
    assert done.returncode == 2 and "inarch policy list" in done.stderr
