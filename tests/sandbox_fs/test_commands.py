from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch_plugins.sandbox_fs.commands.classification import classify
from inarch_plugins.sandbox_fs.commands.git_rules import GIT, SETTINGS
from inarch_plugins.sandbox_fs.commands.kinds import KINDS
from inarch_plugins.sandbox_fs.commands.programs import PROGRAMS
from inarch_plugins.sandbox_fs.commands.runners import RUNNERS
from inarch_plugins.sandbox_fs.commands.tool import ExecuteCommand

from .reference_tables import row, runner_line

ROOT = "/home/me/project"
RULES = {rule.name: rule for rule in (*PROGRAMS, *GIT)}


LINES = Path(__file__).with_name("command_lines.txt")
DOCS = Path(__file__).parents[2] / "docs" / "reference" / "commands.md"


NOT_AT_ONCE = ("asked", "none")


def grant(*argv: str, **more: Any) -> Any:
    return SimpleNamespace(argv=argv, **{"writes": ("",), "network": False, "env": (), "stdin": False, **more})


def examples() -> Iterator[tuple[str, bool, str]]:
    """Yield of each line of the file of examples the rule, whether it takes the line, and the line."""
    rule = ""
    for line in LINES.read_text(encoding="utf-8").splitlines()[1:]:
        if line.startswith(("+ ", "- ")):
            yield rule, line[0] == "+", line[2:]
        else:
            rule = line


def test_every_rule_takes_its_examples_and_refuses_the_others() -> None:
    seen = set()
    for name, is_taken, line in examples():
        seen.add((name, is_taken))
        found = classify(line, root=ROOT)
        if not is_taken:
            assert found.tier in NOT_AT_ONCE and found.reason, line
        elif name in RULES:
            assert (found.tier, found.rule, found.reason) == ("read-only", name, ""), line
            assert not found.rights.writes and not found.rights.executes and not found.rights.network
        else:
            assert (found.tier, found.rule) == ("workspace", name), line
            assert (found.rights.writes, found.rights.executes, found.rights.network) == (("",), True, False)
    assert {(name, True) for name in (*RULES, *(runner.pattern for runner in RUNNERS))} <= seen
    assert {(rule.name, False) for rule in RULES.values() if rule.options} <= seen


FORBIDDEN = """
    -exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from --files0-from --compress-program
    --output --ext-diff --textconv --no-index --exec-path --work-tree --open-files-in-pager --dereference-recursive
    --pid --follow=name --in-place --recurse-submodules --show-signature --contents --set --magic-file --exclude-from
    --from-file --to-file --stdin --pre --random-source --uncompress
"""


def test_the_tables_are_well_formed_and_have_nothing_that_writes_starts_or_leads_outside() -> None:
    for rule in RULES.values():
        assert len(rule.options.split()) == len(rule.table), f"{rule.name}: an option stands there twice"
        kinds = [option.kind for option in rule.table.values()] + [one.kind for one in rule.expected(frozenset())]
        assert all(kind in KINDS or "|" in kind or kind in ("", "skip") for kind in kinds), kinds
        assert {*rule.instead_of_first.split(), *rule.optional_with.split()} <= set(rule.table)
        assert set(FORBIDDEN.split()).isdisjoint(rule.table)


words = st.text(st.sampled_from([*"-=./abcfonrLRO0129:~%(){}$!*?"]), max_size=10)


@given(st.sampled_from(sorted(RULES)), st.lists(words, max_size=5))
def test_whatever_is_taken_names_nothing_outside(name: str, rest: list[str]) -> None:
    found = classify([*RULES[name].words, *rest], root=ROOT)
    assert found.tier in ("read-only", "asked", "none", "workspace")
    if found.tier != "read-only":
        return
    assert not any(word.startswith("/") or ".." in word.split("/") for word in found.paths)
    known = {"-", "--", *RULES[found.rule].forced}
    for word in found.words[len(RULES[found.rule].words) :]:
        assert word in known or not word.startswith("--") or word.partition("=")[0] in RULES[found.rule].table or (
            "--" in found.words or RULES[found.rule].style in ("free", "find") or _is_a_value(word, found.words)
        )  # fmt: skip


def _is_a_value(word: str, given_words: tuple[str, ...]) -> bool:
    return given_words[given_words.index(word) - 1].startswith("-")


@given(st.text(max_size=60))
def test_any_text_is_classified(text: str) -> None:
    found = classify(text, root=ROOT)
    assert found.tier in ("read-only", "workspace", "asked", "none")
    assert (found.argv == ()) == (found.tier == "none") and (found.tier != "none" or found.reason)


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        (f"cat {ROOT}/src/a.py", "use 'src/a.py'"),
        (f"ls {ROOT}/", "use '.'"),
        ("cat src/../a.py", "use 'a.py'"),
        ("cat ../x", "give a path relative to the workspace root"),
        (f"pytest {ROOT}/tests", "use 'tests'"),
        ("ls --al", "--all"),
        ("rm -rf build", "delete_file"),
        ("git commit -m x", "git_commit"),
        ("grpe x a", "grep"),
        ("python -c 'print(1)'", "python FILE"),
        ("FOO=1 pytest", "leave the variables out"),
        ("ls > x", "the call returns it"),
        ("ls | mkdir x", "use create_file"),
        ("cat", "name the file"),
    ],
)
def test_a_refusal_says_what_to_do(line: str, remedy: str) -> None:
    found = classify(line, root=ROOT)
    assert found.tier in NOT_AT_ONCE
    assert remedy in found.remedy, found


@pytest.mark.parametrize(
    "line", ["rm -rf build", "find . -delete", "git push", "curl -fsS 'http://x/?a=\"b\"'", "a.b/c d"]
)
def test_the_lines_of_a_refusal_would_allow_the_command(line: str) -> None:
    found = classify(line, root=ROOT)
    assert found.tier == "asked"
    (argv,) = (table["argv"] for table in tomllib.loads(found.allowed_by)["commands"].values())
    assert argv == shlex.split(line)
    (name,) = tomllib.loads(found.allowed_by)["commands"]
    allowed = classify(line, {name: grant(*argv)}, ROOT)
    assert (allowed.tier, allowed.argv) == ("granted", tuple(argv))


def test_a_grant_takes_its_words_and_with_a_star_any_further_ones() -> None:
    grants = {"t": grant("pytest", "-q", "*", writes=("build/",), network=True, env=("TOKEN",)), "x": grant("mk", "it")}
    found = classify("pytest -q tests/a.py -x", grants, ROOT)
    assert (found.tier, found.rule, found.passes) == ("granted", "[commands.t]", ("TOKEN",))
    assert (found.rights.writes, found.rights.executes, found.rights.network) == (("build/",), True, True)
    assert classify("pytest -q", grants, ROOT).tier == "granted"
    assert classify("pytest -x -q", grants, ROOT).tier == "workspace"
    assert classify("mk it", grants, ROOT).tier == "granted"
    assert classify("mk it now", grants, ROOT).tier == "asked"
    assert classify("pytest -q ../../x", grants, ROOT).tier == "none"
    assert classify("pytest -q --rootdir=/etc", grants, ROOT).tier == "none"
    assert classify("ls", {"ls": grant("ls")}, ROOT).tier == "read-only"
    assert classify("cat /etc/hosts", {"hosts": grant("cat", "/etc/hosts")}, ROOT).tier == "granted"
    assert classify("find . -delete", {"any": grant("find", "*")}, ROOT).tier == "granted"
    assert classify("find /etc", {"any": grant("find", "*")}, ROOT).tier == "none"


@pytest.mark.parametrize(
    "line",
    [
        "pytest ../other",
        "pytest --rootdir=/etc",
        "python ../x.py",
        "make -C /tmp",
        "make -C../x",
        "pytest -c/etc/x",
        "./../x",
        "npm test --prefix=..",
    ],
)
def test_the_arguments_of_tests_and_builds_stay_inside(line: str) -> None:
    assert classify(line, root=ROOT).tier == "none"


@pytest.mark.parametrize(
    ("line", "shape"),
    [
        ("pytest -q tests", "pytest …"),
        ("python -m pytest -x", "python -m pytest …"),
        ("npm run test:unit -- --x", "npm run test:unit …"),
        ("make -j4 test", "make -j4 test"),
        ("python 'my file.py' --x", "python 'my file.py' …"),
        ("./run.sh --all", "./run.sh …"),
        ("ls -la", "ls -la"),
        ("rm  x 'a b'", "rm x 'a b'"),
        ("a > b", "sh -c 'a > b'"),
        ("a|'b c' 2>&1", "a | 'b c' 2>&1"),
        ("cd x&&pytest -q", "cd x && pytest -q"),
        ("FOO=1 pytest", "FOO=1 pytest"),
    ],
)
def test_the_shape_says_what_always_would_cover(line: str, shape: str | None) -> None:
    assert ExecuteCommand(ROOT, {}).shape({"command": line}) == shape


def test_git_runs_with_settings_that_start_nothing() -> None:
    found = classify("git --no-pager log -p --oneline", root=ROOT)
    assert found.argv == (
        "git", "--no-pager", "--no-optional-locks", "log", "--no-ext-diff", "--no-textconv",
        "--ignore-submodules=dirty", "-p", "--oneline",
    )  # fmt: skip
    env = found.rights.env
    assert (env["GIT_DIR"], env["GIT_WORK_TREE"], env["GIT_OPTIONAL_LOCKS"]) == (".git", ".", "0")
    given_settings = {
        env[f"GIT_CONFIG_KEY_{n}"]: env[f"GIT_CONFIG_VALUE_{n}"] for n in range(int(env["GIT_CONFIG_COUNT"]))
    }
    assert given_settings == SETTINGS


def test_effects_reads_for_the_read_only_tier_and_unknown_for_the_others() -> None:
    tool = ExecuteCommand(ROOT, {"t": grant("tox")})
    assert tool.effects({"command": "ls"}) == inarch.Effects(reads=frozenset({""}))
    for line in ("pytest", "tox", "rm x", "a | b"):
        assert tool.effects({"command": line}) == inarch.Effects(exclusive=True)
    assert isinstance(tool, inarch.Tool)
    assert "tox" in tool.description


def test_the_reference_has_the_tables_as_they_are() -> None:
    rows = DOCS.read_text(encoding="utf-8").splitlines()
    expected = [*map(row, RULES.values()), *map(runner_line, RUNNERS)]
    assert [one for one in expected if one not in rows] == []
    tables = rows[rows.index("## Read-only tier") :]
    assert sum(one.startswith("| `") for one in tables) == len(RULES)
    assert len(tables) - tables.index("```text") - 2 == len(RUNNERS)


@pytest.mark.parametrize(
    "name",
    ["LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONSTARTUP", "PATH", "GIT_DIR", "GIT_SSH_COMMAND", "BASH_ENV",
     "NODE_OPTIONS", "ENV", "IFS", "HOME", "npm_config_script_shell", "http_proxy", "PERL5OPT", "RUBYOPT", "ld_preload",
     "JAVA_TOOL_OPTIONS", "RUSTC_WRAPPER", "MAKEFLAGS", "CC", "LESSOPEN", "PAGER", "DYLD_INSERT_LIBRARIES",
     "MANPAGER", "HGEDITOR", "PYTEST_ADDOPTS", "GH_BROWSER", "SUDO_ASKPASS", "PYTEST_PLUGINS", "GOCACHEPROG", "GOAUTH",
     "_PYTHON_SYSCONFIGDATA_NAME", "RIPGREP_CONFIG_PATH", "HGRCPATH", "KUBECONFIG", "AWS_CONFIG_FILE", "ANSIBLE_CONFIG",
     "PYLINTRC", "MPLBACKEND", "ZDOTDIR", "RSYNC_RSH", "GCC_EXEC_PREFIX", "COMPILER_PATH", "CMAKE_TOOLCHAIN_FILE",
     "OMP_TOOL_LIBRARIES", "JULIA_LOAD_PATH", "GTK_MODULES", "QT_PLUGIN_PATH"],
)  # fmt: skip
def test_a_variable_that_says_which_code_runs_is_refused_wherever_it_stands(name: str) -> None:
    for line in (f"{name}=x pytest", f"A=1 {name}=x ls", f"'{name}'=x true", f"env {name}=x git push",
                 f"/usr/bin/env -i -u B A=1 {name}=x ls", f"env -S '{name}=x ls'", f"B=1 env {name}=x ls"):  # fmt: skip
        found = classify(line, root=ROOT)
        assert (found.tier, found.allowed_by) == ("none", "") and f"{name} can't be set" in found.reason


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("git push origin main", True), ("npm publish", True), ("python3 -m pip --version", True), ("make stash", True),
        ("./deploy.sh", True), ("git stash", True), ("env A=1 true", True), ("git commit -m publish", True),
        ("python3 '-cimport os'", False), ("python3 -IBEsc x", False), ("perl -E x", False), ("perl -ne x", False),
        ("env -S 'sh -c x'", False), ("env '-Ssh x'", False), ("ssh h 'sh x'", False), ("rbash x", False),
        ("yash x", False), ("env tclsh x", False), ("nice python3.11 -Sc1", False), ("node -pe 1", False),
    ],
)  # fmt: skip
def test_what_is_never_kept_for_good_are_shells_and_code(line: str, kept: bool) -> None:
    from inarch.command_lines import split_command
    from inarch_plugins.sandbox_fs.commands.shells import can_be_kept

    assert can_be_kept(split_command(line)) == kept
