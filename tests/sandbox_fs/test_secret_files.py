"""What the read-only tier shows of files that hold secrets: nothing unasked, whole or in pieces."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inarch.calls.policy import judge
from inarch.contract.records import PluginContext, ToolCall
from inarch.journal.redactor import Redactor
from inarch.plugins.registration import Bound
from inarch_plugins.sandbox_fs.commands import secret_files
from inarch_plugins.sandbox_fs.commands.tool import ExecuteCommand, SandboxPolicy

SECRET = "hunter2-0f9c"
KEY = f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n-----END PRIVATE KEY-----\n"
HOLDING = {".env": f"PASSWORD={SECRET}\n", "a/.env.local": f"TOKEN={SECRET}\n", "prod.env": f"X={SECRET}\n",
           "a/id_ed25519": KEY, "key.pem": KEY}  # fmt: skip
ASKED = (
    "cat .env", "od -c .env", "cut -c 1-3 .env", "grep -o . .env", "head -c 20 a/.env.local", "tail prod.env",
    "nl ./.env", "sed -n 1p a/id_ed25519", "tac key.pem", "cat README.md .env", "grep -f .env README.md",
    "diff .env .env.example", "cmp -b .env README.md", "sort .ENV", "comm .env README.md", "uniq .env",
    "git show HEAD:.env", "git diff -- .env", "git blame .env", "git log -p -- .env", "git log -L 1,2:.env",
    "git cat-file -p HEAD:a/.env.local", "git grep -o . -- prod.env", "grep -r x .env",
)  # fmt: skip
FREE = (
    "ls -la .env", "wc -c .env", "stat .env", "find . -name .env", "sha256sum .env", "git ls-files .env", "du .env",
    "cat .env.example", "cat README.md", "cat certificate.pem", "grep env README.md", "grep .env README.md",
    "grep -rn PASSWORD", "git log -- README.md", "git grep PASSWORD", "ls .venv", "cat a/environment.py",
)  # fmt: skip


@pytest.fixture
def session(open_files: Any, tmp_path: Path) -> Iterator[Any]:
    """A repository in which files with secrets are tracked, and files like them that hold none."""
    opened = open_files(tmp_path)
    for path, text in HOLDING.items():
        opened.put(path, text)
    for path in (".env.example", "README.md", "a/environment.py"):
        opened.put(path, "PASSWORD=\n")
    opened.put("certificate.pem", "-----BEGIN CERTIFICATE-----\nPASSWORD\n")
    tool = ExecuteCommand(str(tmp_path), {})
    context = PluginContext("sandbox-fs", str(tmp_path), opened.settings, {})
    opened.scheduler.tools[tool.name] = Bound("sandbox-fs", tool, context)
    yield opened


def is_asked(root: Path, command: str, mode: Any = "ask") -> bool:
    tool = ExecuteCommand(str(root), {})
    call = ToolCall("id", "", "turn", tool.name, {"command": command})
    context = PluginContext("sandbox-fs", str(root), None)
    policies = [Bound("sandbox-fs", SandboxPolicy(str(root), {}), context)]
    judged = judge(call, tool, tool.effects(call.arguments), mode, policies)
    assert judged.decision in ("allow", "ask"), judged
    return judged.decision == "ask"


@pytest.mark.parametrize("command", ASKED)
def test_a_command_that_could_show_a_file_of_secrets_is_asked_about(session: Any, command: str) -> None:
    assert is_asked(session.folder, command)
    assert is_asked(session.folder, command, "edits")


@pytest.mark.parametrize("command", FREE)
def test_one_that_could_not_is_not(session: Any, command: str) -> None:
    assert not is_asked(session.folder, command)


def pieces(text: str) -> str:
    """Put together what may have been shown in pieces."""
    return re.sub(r"[^A-Za-z0-9-]|\b\d+:", "", text)


@pytest.mark.parametrize(
    "command",
    ["grep -rn -o '[A-Z0-9a-z=-]*'", "grep -rh -o . .", "grep -rho '.' --include='*env*' --include='*.md' .",
     "grep -rh . -- .", "grep -d recurse -ho . .", "grep -rh -e -- .", "diff -r a .", "diff -rN a other"],
)  # fmt: skip
def test_searches_pass_over_files_of_secrets_and_say_so(session: Any, command: str) -> None:
    session.put("other/x")
    found = session.data("execute_command", command=command)
    assert "hunter2" not in pieces(found["output"])
    assert secret_files.LEFT_OUT in found["note"]


@pytest.mark.needs("git")
@pytest.mark.parametrize("command", ["git grep -o -h .", "git grep -o -h . -- .", "git grep -h -e . HEAD"])
def test_git_grep_passes_over_them_too(session: Any, command: str) -> None:
    git = ("git", "-c", "user.name=A", "-c", "user.email=a@b.invalid")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "x")):
        subprocess.run((*git, *words), cwd=session.folder, check=True, env={"GIT_CONFIG_GLOBAL": "/dev/null"})
    found = session.data("execute_command", command=command)
    assert "hunter2" not in pieces(found["output"]) and "PASSWORD" in pieces(found["output"])
    assert secret_files.LEFT_OUT in found["note"]


@pytest.mark.parametrize("command", ["od -c link", "cat below/link", "grep -o . link"])
def test_a_link_to_a_file_of_secrets_has_to_be_replaced_by_its_name(session: Any, command: str) -> None:
    (session.folder / "link").symlink_to(".env")
    (session.folder / "below").mkdir()
    (session.folder / "below/link").symlink_to("../link")
    error = session.error("execute_command", command=command)
    assert (error.code, error.remedy) == ("permission", "name .env")


IN_PIECES = ("od -c {}", "cut -c 1-3 {}", "grep -o . {}", "head -c 20 {}", "tail -c 20 {}", "cmp -b {} README.md",
             "cat {} | cut -c 1-3", "sort {} | cat | od -c", "grep -n : {} | grep -o .", "grep -r : {} | head -c 9",
             "diff -y {} README.md", "cd a && cat config.yaml | cut -c 1")  # fmt: skip
SEARCHED = (
    "grep -ro . .",
    "grep -rho .",
    "grep -o -r -f README.md",
    "git grep -o PASSWORD",
    "grep -rn : . | cut -d: -f1",
)


def test_what_takes_a_file_with_a_known_value_apart_is_asked_about(session: Any) -> None:
    known = Redactor.from_environ({"API_TOKEN": "q7Rk2-xx81-Lmn0-PPq4"})
    paths = ("config.yaml", "link")
    commands = [*(command.format(path) for command in IN_PIECES for path in paths), *SEARCHED]
    (session.folder / "link").symlink_to("config.yaml")

    def asked_with(text: str) -> list[str]:
        session.put("config.yaml", text)
        session.put("a/config.yaml", text)
        return [command for command in commands if is_asked(session.folder, command)]

    assert asked_with("token: none\n") == []
    assert asked_with(f"token: {known.value('‹secret:API_TOKEN›')}\n") == commands
    for command in (
        "cat config.yaml",
        "grep -rn token .",
        "wc config.yaml",
        "head -n 1 config.yaml",
        "cut -c 1 README.md",
    ):
        assert not is_asked(session.folder, command), command
