"""Commands as they really run: each case once as it is and once with every layer of the operating system left off."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from .shells import Shell


def test_output_is_shown_while_it_comes_and_bytes_that_are_no_text_are_replaced(shell: Shell) -> None:
    shell.files.put("a.txt", "ä€😀\n".encode() * 20_000 + b"\xff\n")
    output = shell("cat a.txt")["output"]
    assert output == "ä€😀\n" * 20_000 + "\ufffd\n"
    assert "".join(shell.live).startswith("ä€😀\n" * 10_000)


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
