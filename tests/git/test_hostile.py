"""Repositories made to run something, and names made to be taken for something else."""

from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Place

pytestmark = pytest.mark.once

Marker = Callable[[str], str]

POISONS = {
    "fsmonitor": "[core]\n\tfsmonitor = {program}\n",
    "fsmonitor-2": "[core]\n\tfsmonitor = {program}\n\tfsmonitorHookVersion = 2\n",
    "hooks": "[core]\n\thooksPath = {folder}\n",
    "external": "[diff]\n\texternal = {program}\n",
    "diff-driver": '[diff "x"]\n\tcommand = {program}\n',
    "textconv": '[diff "x"]\n\ttextconv = {program}\n\tcachetextconv = true\n',
    "filter": '[filter "x"]\n\tclean = {program}\n\tsmudge = {program}\n\trequired = true\n',
    "filter-process": '[filter "x"]\n\tprocess = {program}\n\trequired = true\n',
    "filter-with-equals": '[filter "a=b"]\n\tclean = {program}\n',
    "alias": "[alias]\n\tstatus = !{program}\n\tcommit = !{program}\n\tlog = !{program}\n",
    "pager": "[core]\n\tpager = {program}\n[pager]\n\tlog = {program}\n\tstatus = {program}\n\tshow = {program}\n",
    "editor": "[core]\n\teditor = {program}\n[sequence]\n\teditor = {program}\n",
    "signing": "[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = {program}\n[log]\n\tshowSignature = true\n",
    "ssh-signing": '[commit]\n\tgpgSign = true\n[gpg]\n\tformat = ssh\n[gpg "ssh"]\n\tprogram = {program}\n',
    "ssh": "[core]\n\tsshCommand = {program}\n\tgitProxy = {program}\n\taskPass = {program}\n",
    "credentials": "[credential]\n\thelper = !{program}\n",
    "submodules": "[diff]\n\tsubmodule = log\n[status]\n\tsubmoduleSummary = true\n"
    '[submodule "s"]\n\tupdate = !{program}\n',
    "maintenance": "[gc]\n\tauto = 1\n[maintenance]\n\tauto = true\n",
    "hook-by-name": '[hook "x"]\n\tcommand = {program}\n\tevent = pre-commit\n\tevent = post-commit\n',
    "include": "[include]\n\tpath = more\n",
    "worktree": "[core]\n\tworktree = /\n",
    "bare": "[core]\n\tbare = true\n",
    "names-of-files": "[core]\n\tattributesFile = /etc/passwd\n\texcludesFile = /etc/shadow\n"
    "[mailmap]\n\tfile = /etc/passwd\n[diff]\n\torderFile = /nowhere\n",
    "partial-clone": "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n"
    '[remote "origin"]\n\tpromisor = true\n\turl = ext::{program} %S\n[protocol "ext"]\n\tallow = always\n',
}


ALONE = ("filter", "filter-process", "filter-with-equals", "include", "worktree", "bare", "partial-clone")
"""These change what the tools answer, or what else of the configuration counts."""


def test_nothing_that_a_repository_configures_is_run(repo: Place, marker: Marker) -> None:
    _nothing_is_run(repo, marker, *(poison for poison in POISONS if poison not in ALONE))


@pytest.mark.parametrize("poison", ALONE)
def test_nothing_of_one_kind_is_run(repo: Place, marker: Marker, poison: str) -> None:
    _nothing_is_run(repo, marker, poison)


def _nothing_is_run(repo: Place, marker: Marker, *poisons: str) -> None:
    program = marker(poisons[0])
    repo.put(".gitattributes", "*.txt diff=x filter=x\n*.eq filter=a=b\n")
    repo.put("old.txt", "old\n")
    repo.git("add", ".")
    repo.git("commit", "-q", "-m", "second")
    hook = repo.put("hooks/pre-commit", f"#!/bin/sh\n{program}\n")
    for name in ("post-commit", "post-index-change", "reference-transaction", "commit-msg", "pre-auto-gc"):
        repo.put(f"hooks/{name}", hook.read_text()).chmod(0o755)
    hook.chmod(0o755)
    with (repo.root / ".git/config").open("a") as config:
        config.writelines(POISONS[poison].format(program=program, folder=repo.root / "hooks") for poison in poisons)
    repo.put(".git/more", f"[core]\n\tfsmonitor = {program}\n")
    repo.put("a.txt", "one\nTWO\n")
    repo.put("x.eq", "equal\n")
    repo.put("plain", "plain\n")
    assert "a.txt" in str(repo.data("git_status")["changed"])
    assert "+TWO" in repo.data("git_diff")["diff"]
    assert repo.data("git_diff", staged=True)["diff"] == ""
    assert len(repo.data("git_log")["commits"]) == 2
    assert "+old" in repo.data("git_show", revision="HEAD")["diff"]
    assert "+TWO" in str(repo.data("git_changes")["files"]) and "+old" in str(repo.data("git_changes", commit="HEAD"))
    assert len(repo.data("git_blame", file_path="a.txt")["lines"]) == 2
    assert repo.commit("plain")["files"] == ["plain"]
    refused = repo.call("git_commit", paths=["a.txt", "x.eq"], message="x").error
    assert (refused is None) != (poisons[0].startswith("filter")), refused
    if refused is not None:
        assert "filter" in refused.message


def test_a_marker_would_show_what_ran(repo: Place, tmp_path: Path) -> None:
    """The poison is real: the user's own git does run it."""
    program = tmp_path / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    repo.git("config", "core.fsmonitor", str(program))
    repo.git("status")
    assert (tmp_path / "ran").exists()


def test_a_missing_object_of_a_partial_clone_is_not_fetched(repo: Place, marker: Marker) -> None:
    with (repo.root / ".git/config").open("a") as config:
        config.write(POISONS["partial-clone"].format(program=marker("ext")))
    blob = repo.git("rev-parse", "HEAD:a.txt").strip()
    (repo.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    repo.put("a.txt", "changed\n")
    error = repo.error("git_diff")
    assert error.code == "execution"


def test_an_include_outside_the_workspace_tells_nothing(repo: Place, home: Path) -> None:
    (home / "secret").write_text("[token]\n\tvalue = very-secret\n")
    repo.git("config", "include.path", str(home / "secret"))
    result = repo.call("git_status")
    assert "very-secret" not in str(result)
    if result.error is not None:  # where the kernel confines git
        assert (result.error.code, ".git/config" in result.error.remedy) == ("permission", True)


def test_no_line_of_a_file_gets_out_by_an_error(repo: Place) -> None:
    repo.git("config", "blame.ignoreRevsFile", "/etc/passwd")
    error = repo.error("git_blame", file_path="a.txt")
    assert "ignoreRevsFile" in error.message
    assert "root" not in str(error)


def test_a_configuration_that_is_none_is_named(repo: Place) -> None:
    with (repo.root / ".git/config").open("a") as config:
        config.write("[broken\n")
    error = repo.error("git_status")
    assert (error.code, "correct .git/config" in error.remedy) == ("execution", True)


NAMES = [
    "-dash",
    "--all",
    ":(top)a",
    ":!x",
    "*.txt",
    "with space",
    'quo"te',
    "new\nline",
    "\nfirst",
    "tab\t",
    "é",
    "\u202etxt.exe",
    "a -> b",
]


def test_a_strange_name_is_that_file_and_nothing_else(repo: Place) -> None:
    for name in (*NAMES, "other.txt"):
        repo.put(name, "strange\n")
    assert repo.data("git_status")["untracked"] == sorted([*NAMES, "other.txt"], key=str.encode)
    assert repo.commit(*NAMES)["files"] == sorted(NAMES, key=str.encode)
    for name in (*NAMES, "a.txt"):
        repo.put(name, "stranger\n")
    assert [one["path"] for one in repo.data("git_status")["changed"]] == sorted([*NAMES, "a.txt"], key=str.encode)
    for name in NAMES:
        diff = repo.data("git_diff", paths=[name])["diff"]
        assert diff.count("+stranger") == 1 and "-two" not in diff
        assert len(repo.data("git_log", paths=[name])["commits"]) == 1
        assert repo.data("git_blame", file_path=name)["lines"][0]["text"] == "stranger"
    assert repo.git("status", "--porcelain", "other.txt") == "?? other.txt\n"


def test_a_name_that_is_not_utf_8_is_told(repo: Place) -> None:
    repo.put(b"caf\xe9.txt", "x\n")
    status = repo.data("git_status")
    assert status["untracked"] == ["caf\ufffd.txt"]
    assert "not UTF-8" in status["note"]


def test_a_message_and_an_author_are_only_text(repo: Place) -> None:
    repo.put("a.txt", "x\n")
    message = "-m --amend $(touch x) `touch x`\n\n--author=Eve <eve@example.com>\n\u202e\x1b[31m"
    repo.commit("a.txt", message=message)
    repo.git(
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "x",
        "--author",
        "Eve\x01 <a\x02@b>",
        "--date",
        "@99999999999999 +9999",
        fails=True,
    )
    assert repo.git("log", "--format=%B", "-1", "HEAD", "--", "a.txt").rstrip("\n") == message
    assert repo.data("git_log", paths=["a.txt"])["commits"][0]["subject"] == message.split("\n")[0]
    assert not (repo.root / "x").exists()
