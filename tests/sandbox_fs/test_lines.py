"""Lines of several commands: how they are judged, and how they run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch import Piped, Rights
from inarch.calls.rules import RulesPolicy
from inarch.config.grants import CommandGrant, Rule
from inarch.contract.records import ToolCall
from inarch_plugins.sandbox_fs.commands.classification import classify
from inarch_plugins.sandbox_fs.commands.rights_choice import offered
from inarch_plugins.sandbox_fs.commands.tool import ExecuteCommand

from .shells import Shell

ROOT = "/home/me/project"
GRANTS: Any = {"t": SimpleNamespace(argv=("tox", "*"), writes=("",), network=False, env=(), stdin=False)}


@pytest.mark.parametrize(
    ("line", "tier"),
    [
        ("git log --oneline | head -5", "read-only"),
        ("grep -rn foo src | wc -l", "read-only"),
        ("ls && cat README.md", "read-only"),
        ("cat a | sort | uniq -c | sort -rn | head", "read-only"),
        ("find . -name '*.py' | grep -v test | tail -n 3", "read-only"),
        ("cd src && ls && cat a.py", "read-only"),
        (f"cd {ROOT} && git log | cat", "read-only"),
        (f"cd {ROOT}/src && wc -l a.py", "read-only"),
        ("ls 2>/dev/null", "read-only"),
        ("git diff | cat", "read-only"),
        ("git log --oneline | cut -c1-7", "read-only"),
        ("pytest -q 2>&1 | tail -20", "workspace"),
        ("cd backend && pytest -q", "workspace"),
        ("tox -q | tail", "granted"),
        ("cd backend && tox -q", "workspace"),  # what is granted is granted in the root
        ("pytest; ./run", "asked"),
        ("cat a | ./run", "asked"),
        ("python main.py | head", "asked"),
        ("echo x | make -f -", "asked"),
        ("echo x | make --file=-", "asked"),
        ("echo x | just -f-", "asked"),
        ("make -f - | head", "workspace"),  # nothing is piped into it
        ("ls | xargs rm", "asked"),
        ("cd copy && git status", "asked"),
        ("cd copy && ls | git log", "asked"),
        ("cat | ls", "none"),
        ("ls; cat", "none"),
        ("cd .. && ls", "none"),
        ("cd /etc && ls", "none"),
        ("cd ../project && ls", "none"),
        ("cd src && cat ../../x", "none"),
        ("cd src && cat /etc/passwd", "none"),
        ("LD_PRELOAD=x ls | cat", "none"),
        ("ls | env PYTHONPATH=x python3 a.py", "none"),
        ("sed -n 1p a > b", "asked"),
        ("uniq a b | cat", "asked"),
        ("ls | uniq - b", "asked"),
    ],
)
def test_lines_and_their_tiers(line: str, tier: str) -> None:
    found = classify(line, GRANTS, ROOT)
    assert found.tier == tier
    assert tier == "none" or (tier == "read-only") == (not found.rights.executes and not found.rights.writes)
    assert tier in ("read-only", "granted") or found.reason


@pytest.mark.parametrize(
    "line",
    ["git log -p | cut -c1-3", "git show | od -c", "git diff | cat | head -c 9", "git grep KEY | grep -o .",
     "git log -p | grep --color=always .", "git grep -o . HEAD", "git grep --color=always . HEAD -- a",
     "git blame a | tail -c 2", "git show HEAD | sort | cut -b 1", "git log -L1,9:a | cmp -l - b", "cat .env | head",
     "ls; cat .env", "cd config && cat .env"],
)  # fmt: skip
def test_secrets_are_not_shown_in_pieces_or_behind_others(line: str) -> None:
    found = classify(line, root=ROOT)
    assert found.tier == "read-only" and "secrets" in found.reason
    assert ExecuteCommand(ROOT, {}).effects({"command": line}).programs


@given(st.sampled_from(["git log", "git diff", "git show", "git log -p --oneline"]),
       st.sampled_from(["-S{}", "-S {}", "-G{}", "-G {}", "-L/{}/,+1:a", "-L 1,/{}/:a", "-L :{}:a", "-L '^/{}/:a'"]),
       st.sampled_from(["", " HEAD", " -- src"]), st.sampled_from(["q", "q7", "API_TOKEN=Z", "1"]))  # fmt: skip
def test_a_pattern_is_not_tried_on_what_the_repository_once_held(
    git: str, option: str, rest: str, pattern: str
) -> None:
    line = f"{git if '-L' not in option else 'git log'} {option.format(pattern)}{rest}"
    found = classify(line, root=ROOT)
    assert found.tier == "read-only" and "secrets" in found.reason
    assert ExecuteCommand(ROOT, {}).effects({"command": line}).programs


@pytest.mark.parametrize(
    ("line", "is_asked"),
    [
        ("git grep x HEAD~1", True), ("git grep -c -e x HEAD -- src", True), ("git grep -q --cached x", True),
        ("git grep x a --", True), ("git blame -L /x/,+1 a", True), ("git grep x", False), ("git grep x a", False),
        ("git grep x -- a HEAD", False), ("git log -L 1,+5:a", False), ("git blame -L1,5 a", False),
        ("git log --grep=x", False),
    ],
)  # fmt: skip
def test_git_searches_unasked_what_is_in_the_work_tree(line: str, is_asked: bool, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\n")
    found = classify(line, root=str(tmp_path))
    assert (found.tier, bool(found.reason)) == ("read-only", is_asked)


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("tox -q | tail -3", True),
        ("cat a | tox -q && tox -p", True),
        ("tox -q; git log -p | cut -c1-3", False),
        ("tox -q | FOO=1 sort", False),
        ("tox -q | grep -o -f .env", False),
        ("tox -q; cat .env", False),
        ("tox -q | make -f -", False),
        ("tox -q; make", False),
    ],
)
def test_a_grant_answers_only_for_its_own_command_of_a_line(line: str, left: bool) -> None:
    policy = RulesPolicy((), commands={"t": CommandGrant("t", ("tox", "*"))}, runners=("execute_command",), root=ROOT)
    call = ToolCall("id", "", "turn", "execute_command", {"command": line})
    found = policy.judge(call, ExecuteCommand(ROOT, GRANTS))
    assert (bool(found.reason), found.person) == (left, left)


FEEDABLE = {
    "repl": CommandGrant("repl", ("python3",)),
    "stdin": CommandGrant("stdin", ("bash", "-s"), stdin=True),
    "make": CommandGrant("make", ("make", "-f", "-")),
    "types": CommandGrant("types", ("mypy", "src")),
    "sql": CommandGrant("sql", ("psql", "*")),
    "test": CommandGrant("test", ("pytest", "*"), stdin=True),
}
HARMLESS = ("ls -la", "cat a", "echo 'import os'", "head -1 a", "sort -r a")


@pytest.mark.parametrize("tool", ["execute_command", "start_process"])
@given(st.lists(st.sampled_from([*HARMLESS, *(" ".join(one.argv).replace(" *", " x") for one in FEEDABLE.values())]),
                min_size=1, max_size=4),
       st.lists(st.sampled_from([" | ", " 2>&1 | ", " && ", "; "]), min_size=3, max_size=3))  # fmt: skip
def test_what_is_granted_is_asked_about_if_another_command_feeds_it(
    tool: str, commands: list[str], joints: list[str]
) -> None:
    line = commands[0] + "".join(joint + command for joint, command in zip(joints, commands[1:], strict=False))
    fed = [command for joint, command in zip(joints, commands[1:], strict=False) if "|" in joint]
    may = not any(command.startswith(("python3", "make", "mypy")) for command in fed)
    call = ToolCall("id", "", "turn", tool, {"command": line})
    rules = [Rule("*", "allow", match={"command": command}) for command in ("python3", "make -f -")]
    for own in ((), rules):
        policy = RulesPolicy(own, commands=FEEDABLE, runners=(tool,), root=ROOT)
        found = classify(line, FEEDABLE, ROOT)
        said = policy.judge(call, ExecuteCommand(ROOT, FEEDABLE))
        silent = found.tier == "read-only" and not found.reason
        assert silent or (found.tier in ("read-only", "granted") and said.person) == may, (found, said)
        if not may:
            assert not said.reason and found.tier in ("asked", "workspace")
            assert "stdin = true" in found.allowed_by


@pytest.mark.parametrize(
    ("line", "lasting"),
    [
        ("echo 1 | python3", False),
        ("curl a.example | node", False),
        ("cat a | timeout 5 perl", False),
        ("echo x | make -f -", False),
        ("cat a | awk -f -", False),
        ("cat a | sh", False),
        ("cat a | python3 -m json.tool", True),
        ("cat a | python3 main.py", True),
        ("npm ci | cat -", True),
    ],
)
def test_code_out_of_a_pipe_is_not_approved_for_good(line: str, lasting: bool) -> None:
    offer = offered(classify(line, root=ROOT), ROOT, {})
    assert offer is not None and offer.lasting == lasting


def test_commands_are_joined_by_real_pipes_and_end_as_in_a_shell(shell: Shell) -> None:
    shell.files.put("a.txt", "b\na\nb\n")
    found = shell("sort a.txt | uniq -c | sort -rn | head -1")
    assert (found["output"].split(), found["exit_code"], found["note"]) == (["2", "b"], 0, None)
    assert [one["exit_code"] for one in found["parts"]] == [0, 0, 0, 0] and found["tier"] == "read-only"
    found = shell("grep x a.txt | wc -l")
    assert (found["output"], found["exit_code"]) == ("0\n", 1)
    assert found["note"] == "part 1, grep x a.txt: exit code 1: nothing matched"
    found = shell("grep x a.txt && ls || echo no; echo end")
    assert (found["output"], found["exit_code"]) == ("no\nend\n", 0)
    assert "part 2, ls: did not run" in found["note"]
    found = shell("true || ls")
    assert (found["output"], found["exit_code"]) == ("", 0)
    found = shell("false | true")
    assert found["exit_code"] == 1 and found["note"] == "part 1, false: exit code 1: as it always does"


def test_what_a_command_made_is_looked_at_before_the_next_one_runs(
    make_shell: Callable[..., Shell], tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("hidden\n")
    shell = make_shell(
        l=SimpleNamespace(argv=("sh", "link.sh"), writes=("",), network=False, env=(), stdin=False),
        s=SimpleNamespace(argv=("sh", "make.sh"), writes=("",), network=False, env=(), stdin=False),
        m=SimpleNamespace(argv=("./made",), writes=("",), network=False, env=(), stdin=False),
    )
    shell.files.put("link.sh", "ln -s ../secret out\n")
    failed = shell.error("sh link.sh && cat out")
    assert failed.code == "permission" and "part 2, cat out" in failed.message and "have run" in failed.message
    shell.files.put("make.sh", "printf '#!/bin/sh\\necho new\\n' > made\nchmod +x made\n")
    assert shell("sh make.sh && ./made")["output"] == "new\n"


READS, BUILDS = Rights(), Rights(writes=("",), executes=True)


def test_each_command_has_its_own_rights_and_no_others(workspace: Any, tmp_path: Path) -> None:
    write = "open('made-by-%s', 'w').close()"
    allowed = Piped(("python3", "-c", write % "first"), BUILDS)
    refused = Piped(("/usr/bin/env", "touch", "made-by-second"), READS)
    ran = workspace.run_piped([allowed, refused])
    assert ran.ended[0] == (0, 0) and ran.ended[1][0] != 0
    root = Path(workspace.root)
    assert (root / "made-by-first").exists() and not (root / "made-by-second").exists()


def test_each_program_of_a_pipeline_has_a_home_that_no_other_one_reaches(workspace: Any) -> None:
    plant = Piped(("sh", "-c", 'echo "$HOME"; echo planted > "$HOME/.npmrc"; echo x > "$TMPDIR/t"'), BUILDS)
    look = 'read other; cat "$other/.npmrc" "$HOME/.npmrc" "$other/tmp/t"; echo x > "$other/.npmrc"; ls "$other"'
    ran = workspace.run_piped([plant, Piped(("sh", "-c", look), BUILDS)])
    assert ran.ended[0] == (0, 0) and ran.ended[1][0] != 0 and not ran.output
    assert not Path(workspace.root, ".npmrc").exists()


def test_what_a_line_returns_is_as_documented(make_shell: Callable[..., Shell]) -> None:
    shell = make_shell(p=SimpleNamespace(argv=("python3", "-c", "*"), writes=(), network=False, env=(), stdin=True))
    # One piece at a time: the two of a pipe write at once.
    home = "python3 -c 'import os; os.write(1, os.environb[b\"HOME\"] + bytes([10]))'"
    found = shell(f"{home} >&2 | {home}; {home}")
    first, second, third = found["output"].splitlines()
    assert len({first, second, third}) == 3 and found["exit_code"] == 0
    found = shell("ls no 2>&1  >/dev/null; false||'true' >>/dev/null; false && ls|wc -l;")
    assert found["argv"] == ["ls no 2>&1 >/dev/null; false || true >/dev/null; false && ls | wc -l"]
    assert [one["exit_code"] for one in found["parts"]] == [2, 1, 0, 1] and found["exit_code"] == 1
    for passed_over in ("part 5, ls: did not run", "part 6, wc -l: did not run"):
        assert passed_over in found["note"]
    assert "parts" not in shell("ls") and "parts" in shell("ls 2>/dev/null")
