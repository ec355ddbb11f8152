"""Commands as they really run: each case once as it is and once with every layer of the operating system left off."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from .shells import Shell


def test_a_command_returns_its_output_and_exit_code(shell: Shell) -> None:
    shell.files.put("a.txt", "b\na\n")
    found = shell("sort a.txt")
    assert found["argv"][1:] == ["a.txt"] and found["argv"][0].endswith("/sort")
    assert (found["exit_code"], found["output"], found["tier"], found["note"]) == (0, "a\nb\n", "read-only", None)
    assert shell("grep -n a a.txt")["output"] == "2:a\n"
    missing = shell("grep x a.txt")
    assert (missing["exit_code"], missing["note"]) == (1, "exit code 1: nothing matched")
    failed = shell("cat b.txt")
    assert failed["exit_code"] == 1 and "No such file" in failed["output"]


def test_output_is_shown_while_it_comes_and_bytes_that_are_no_text_are_replaced(shell: Shell) -> None:
    shell.files.put("a.txt", "ä€😀\n".encode() * 20_000 + b"\xff\n")
    output = shell("cat a.txt")["output"]
    assert output == "ä€😀\n" * 20_000 + "\ufffd\n"
    assert "".join(shell.live).startswith("ä€😀\n" * 10_000)


def test_nothing_outside_is_read_through_links_and_fifos_do_not_hang(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hidden\n")
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "one").write_text("hidden\n")
    (shell.folder / "out").symlink_to(tmp_path / "secret")
    (shell.folder / "dir").symlink_to(tmp_path / "secrets")
    shell.files.put("a.txt", "x\n")
    os.mkfifo(shell.folder / "fifo")
    for command in ("cat out", "cat dir/one", "grep -r hidden dir", "wc out", "ls dir", "find dir/", "diff a.txt out"):
        assert shell.error(command).code == "permission", command
    assert shell.error("cat fifo").code == "validation"
    for command in ("grep -r hidden .", "find . -type f", "du -a", "ls -lR", "diff -r . ."):
        assert "hidden" not in shell(command, timeout_s=20)["output"], command


def poisoned(shell: Shell, tmp_path: Path, place: str) -> Path:
    """Make a repository whose configuration names programs wherever git takes one; return what they would write."""
    trace = tmp_path / "trace"
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{trace}'\ncat\n")
    evil.chmod(0o755)
    for file in ("a.txt", "folder/a.txt"):
        shell.files.put(file, "one\n")
    shell.files.put(".gitattributes", "* filter=x.y diff=z\n")
    shell.git("init", "-q")
    shell.git("add", "-A")
    shell.git("commit", "-qm", "first")
    shell.git("worktree", "add", "-q", "../linked")
    for key in (
        "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.alternateRefsCommand", "gpg.program",
        "diff.external", "diff.z.command", "diff.z.textconv", "filter.x.y.clean", "filter.x.y.smudge",
        "filter.x.y.process", "pager.log", "pager.diff", "gpg.ssh.program", "trailer.x.command",
    ):  # fmt: skip
        shell.git("config", key, str(evil))
    shell.git("config", "filter.x.y.required", "true")
    shell.git("config", "format.pretty", "%H %G?")
    shell.git("config", "log.showSignature", "true")
    shell.git("config", "status.submoduleSummary", "true")
    shell.git("config", "core.hooksPath", str(tmp_path))
    shell.git("config", "core.worktree", "/etc")
    for hook in ("post-index-change", "reference-transaction", "pre-auto-gc"):
        (tmp_path / hook).symlink_to(evil)
    shell.files.put(f"{place}/a.txt", "two\n")
    return trace


@pytest.mark.needs("git")
@pytest.mark.parametrize("place", [".", "folder", "../linked"])
def test_a_poisoned_repository_starts_nothing(shell: Shell, open_files: Any, tmp_path: Path, place: str) -> None:
    trace = poisoned(shell, tmp_path, place)
    shell = Shell(open_files((shell.folder / place).resolve()), {})
    assert shell("git status -s")["output"] == " M a.txt\n"
    assert "-one\n+two\n" in shell("git diff")["output"]
    assert "first" in shell("git log -p")["output"]
    assert "+one" in shell("git show")["output"]
    assert "two" in shell("git blame a.txt")["output"]
    assert shell("git grep -n two")["output"] == "a.txt:1:two\n"
    for command in ("git branch -vv", "git ls-files -m", "git diff --cached", "git describe --always", "git tag"):
        assert shell(command)["exit_code"] == 0, command
    assert not trace.exists(), trace.read_text()


def test_a_repository_that_reaches_outside_is_refused(shell: Shell, tmp_path: Path) -> None:
    assert shell.error("git status").code == "not_found"
    shell.files.put("../other/.git/HEAD", "ref: refs/heads/main\n")
    shell.files.put(".git", "gitdir: ../other/.git\n")
    assert shell.error("git status").code == "permission"


@pytest.mark.needs("git")
def test_the_repository_is_not_changed_by_looking(shell: Shell) -> None:
    shell.files.put("a.txt", "one\n")
    shell.git("init", "-q")
    shell.git("add", "-A")
    shell.git("commit", "-qm", "first")
    os.utime(shell.folder / "a.txt", (1, 1))
    before = (shell.folder / ".git" / "index").read_bytes()
    assert shell("git status --porcelain")["output"] == ""
    assert (shell.folder / ".git" / "index").read_bytes() == before
    assert shell("git diff")["output"] == ""


def test_what_no_tier_has_does_not_run_even_without_the_policy(shell: Shell) -> None:
    error = shell.error("rm a.txt")
    assert error.code == "denied" and "[commands.rm]" in error.remedy


def test_a_command_that_takes_too_long_is_an_error_with_its_last_lines(make_shell: Any) -> None:
    shell = make_shell()
    shell.files.put("slow.py", "import time\nprint('so far', flush=True)\ntime.sleep(60)\n")
    error = shell.error(f"{Path(sys.executable).name} slow.py", timeout_s=2)
    assert error.code == "timeout" and "so far" in error.message and "timeout_s" in error.remedy


def test_a_projects_own_environment_runs_its_tests(make_shell: Any) -> None:
    shell = make_shell()
    subprocess.run((sys.executable, "-m", "venv", "--without-pip", ".venv"), cwd=shell.folder, check=True)
    (packages,) = (shell.folder / ".venv" / "lib").glob("python*/site-packages")
    # What a person would have installed: a package of its own that brings a command.
    (packages / "checks.py").write_text("def main():\n    import tests_of_mine\n    print('1 passed')\n")
    program = shell.folder / ".venv" / "bin" / "pytest"
    program.write_text(f"#!{shell.folder}/.venv/bin/python\nimport sys\nsys.path.insert(0, '.')\n"
                       "import checks\nsys.exit(checks.main())\n")  # fmt: skip
    program.chmod(0o755)
    (packages / "pytest.py").write_text("import checks, sys\nsys.path.insert(0, '.')\nchecks.main()\n")
    shell.files.put("tests_of_mine.py", "assert 1 + 1 == 2\nopen('written', 'w').write('yes')\n")
    for command in ("pytest", ".venv/bin/pytest -q", ".venv/bin/python -m pytest", "python -m pytest"):
        found = shell(command)
        assert (found["exit_code"], found["output"], found["tier"]) == (0, "1 passed\n", "workspace"), (command, found)
        assert found["argv"][0].startswith(str(shell.folder / ".venv/bin"))
        (shell.folder / "written").unlink()
    shell.files.put("run.sh", "pytest && python -c 'import sys; print(sys.prefix)'\n")
    assert shell("sh run.sh")["output"] == f"1 passed\n{shell.folder}/.venv\n"


def test_a_grant_runs_what_it_names_with_its_variables(make_shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PASSED", "on")
    monkeypatch.setenv("KEPT", "back")
    argv = ("env", "*")
    shell = make_shell(show=SimpleNamespace(argv=argv, writes=(), network=False, env=("PASSED",), stdin=False))
    found = shell("env")
    assert "PASSED=on" in found["output"] and "KEPT" not in found["output"]
    assert found["tier"] == "granted"


def test_a_grant_is_for_the_users_program_not_for_one_the_workspace_brings(make_shell: Any) -> None:
    shell = make_shell(env=SimpleNamespace(argv=("env",), writes=(), network=True, env=(), stdin=False))
    shell.files.put(".venv/bin/env", "#!/bin/sh\necho mine\n").chmod(0o755)
    assert "mine" not in shell("env")["output"]


@pytest.mark.needs("git")
def test_settings_that_lie_outside_are_named(make_shell: Callable[..., Shell], tmp_path: Path) -> None:
    shell = make_shell()
    if shell.files.workspace.confinement().level < 2:
        pytest.skip("nothing keeps git from reading them here")
    shell.git("init", "-q")
    outside = tmp_path / "outside.conf"
    outside.write_text("[user]\nname = A\n")
    shell.git("config", "include.path", str(outside))
    error = shell.error("git status")
    assert error.code == "permission" and f"includes {outside}" in error.message
    assert "take the [include] out of .git/config" in error.remedy
    shell.git("config", "include.path", "../shared.conf")
    shell.files.put("shared.conf", "[user]\nname = A\n")
    assert shell("git status --porcelain")["output"] == "?? shared.conf\n"
