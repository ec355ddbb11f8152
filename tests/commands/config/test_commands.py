"""`inarch config` as the real program, with and without a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from inarch.config.layers import VERSION

from ...running.program import PROGRAM

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def user_file(environ: dict[str, str]) -> Path:
    path = Path(environ["XDG_CONFIG_HOME"]) / "inarch" / "config.toml"
    path.parent.mkdir(parents=True)
    return path


@pytest.fixture
def cloned(project: Path) -> Path:
    """The project with a configuration and instructions of its own."""
    (project / ".inarch").mkdir()
    (project / ".inarch" / "config.toml").write_text("[profiles.default]\nmax_iterations = 300\n# \u202e\n")
    (project / "AGENTS.md").write_text("Use tabs.\n")
    return project


def test_show_says_where_each_value_comes_from(cli: Run, user_file: Path) -> None:
    user_file.write_text(
        'profile = "work"\n[profiles.work]\nmodel = "offline"\n[plugins.offline]\napi_key = "sekrit"\n'
        '[[rules]]\ntool = "delete_file"\ndecision = "deny"\nexpires = 2099-01-01\n'
    )
    done = cli("config", "show", "--origin", "--approve", "none", INARCH_MAX_TOKENS="5")
    rows = {line.split(" = ")[0]: line.partition("  # ")[2] for line in done.stdout.splitlines() if line}
    assert rows["profile"] == f"{user_file}:1"
    assert rows["model"] == f"{user_file}:3"
    assert (rows["approve"], rows["max_tokens"], rows["store"]) == ("--approve", "INARCH_MAX_TOKENS", "built-in")
    assert "sekrit" not in done.stdout
    data = json.loads(cli("config", "show", "--json").stdout)
    assert (data["profile"]["name"], data["trusted"]) == ("work", False)
    assert data["origins"]["profiles.work.model"] == {"source": str(user_file), "line": 3}
    assert data["rules"][0]["expires"] == "2099-01-01"
    assert "sekrit" not in json.dumps(data)


def test_check_prints_every_problem(cli: Run, user_file: Path) -> None:
    assert cli("config", "check").returncode == 0
    user_file.write_text('x = 1\n[profiles.default]\nmodle = "a"\napprove = "no"\n[plugins.jsonl-logger]\nnope = 1\n')
    done = cli("config", "check", INARCH_MODLE="x")
    assert done.returncode == 2
    lines = done.stdout.splitlines()
    assert [line.split(": ")[0] for line in lines[:4]] == [
        f"{user_file}:1",
        f"{user_file}:3",
        f"{user_file}:4",
        "INARCH_MODLE",
    ]
    assert "plugins.jsonl-logger.nope" in lines[4]
    problems = json.loads(cli("config", "check", "--json").stdout)
    assert problems[1] == {
        "source": str(user_file),
        "line": 3,
        "key": "profiles.default.modle",
        "message": "unknown key",
        "remedy": "did you mean 'model'?",
    }


def test_check_says_nothing_else_of_a_plugin_with_a_wrong_setting(cli: Run, user_file: Path) -> None:
    user_file.write_text("[plugins.sandbox-fs]\nnope = 1\n[plugins.sqlite-store]\nnope = 1\n")
    done = cli("config", "check")
    assert done.returncode == 2
    keys = [line.split(": ")[1] for line in done.stdout.splitlines()]
    assert sorted(keys) == ["plugins.sandbox-fs.nope", "plugins.sqlite-store.nope"]
    missing = cli("config", "check", "-p", "no:sandbox-fs").stdout
    assert "no plugin provides the workspace 'sandbox-fs' (take -p no:sandbox-fs away)" in missing


def test_a_table_of_a_built_in_plugin_alone_is_for_an_installed_one(cli: Run, user_file: Path) -> None:
    user_file.write_text('[plugins.terminal]\ntheme = "dark"\n')
    assert "for no plugin" not in cli("config", "check").stderr + cli("what is this?").stderr


def test_check_tells_of_granted_variables_that_load_code(cli: Run, user_file: Path) -> None:
    user_file.write_text(
        '[commands.build]\nargv = ["make"]\nenv = ["CI", "LD_PRELOAD"]\n'
        '[isolation.x]\nenv = ["NODE_OPTIONS", "NODE_ENV"]\n'
    )
    done = cli("config", "check")
    assert done.returncode == 0, done.stderr
    told = [line for line in done.stderr.splitlines() if "can load code" in line]
    assert [re.findall(r"(\S+)\.env: (\S+)", line) for line in told] == [
        [("commands.build", "LD_PRELOAD")],
        [("isolation.x", "NODE_OPTIONS")],
    ]
    assert all(f"{user_file}:" in line for line in told)
    assert "can load code" not in cli("config", "check", "--quiet").stderr


def test_init_writes_once(cli: Run, environ: dict[str, str]) -> None:
    path = Path(environ["XDG_CONFIG_HOME"]) / "inarch" / "config.toml"
    assert cli("config", "init").stdout == f"wrote {path}\n"
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("# mine\n")
    again = cli("config", "init")
    assert (again.returncode, path.read_text()) == (2, "# mine\n")
    assert "--force" in again.stderr
    assert cli("config", "init", "--force").returncode == 0
    assert "[profiles.default]" in path.read_text()


def test_schema_is_a_schema(cli: Run) -> None:
    document = json.loads(cli("config", "schema").stdout)
    jsonschema.Draft202012Validator.check_schema(document)
    assert "agents" in document["properties"]["plugins"]["properties"]
    assert document["properties"]["version"]["const"] == VERSION
    assert "model" in document["properties"]["profiles"]["additionalProperties"]["properties"]


def test_trust_needs_an_answer(cli: Run, cloned: Path) -> None:
    done = cli("config", "trust")
    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert "max_iterations = 300" in done.stdout
    assert "AGENTS.md" in done.stdout
    assert "\u202e" not in done.stdout
    assert json.loads(cli("config", "show", "--json").stdout)["trusted"] is False


def test_trust_and_revoke(cli: Run, cloned: Path) -> None:
    before = cli("config", "show", "--json")
    assert json.loads(before.stdout)["profile"]["max_iterations"] == 50
    assert "max_iterations" in before.stderr
    assert cli("config", "trust", "--yes").returncode == 0
    after = json.loads(cli("config", "show", "--json").stdout)
    assert (after["trusted"], after["profile"]["max_iterations"], after["notes"]) == (True, 300, [])
    assert "already" in cli("config", "trust").stdout
    (cloned / "AGENTS.md").write_text("Obey.\n")
    changed = cli("config", "show", "--json")
    assert json.loads(changed.stdout)["trusted"] is False
    assert "AGENTS.md changed since" in changed.stderr
    assert "AGENTS.md" in cli("config", "trust", "--yes").stdout
    assert "no longer trusted" in cli("config", "trust", "--revoke").stdout
    assert json.loads(cli("config", "show", "--json").stdout)["trusted"] is False


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1), ("\n", 1), ("\x03", 130)])
def test_trust_asks_on_a_terminal(cloned: Path, environ: dict[str, str], answer: str, code: int) -> None:
    pid, terminal = pty.fork()
    if pid == 0:  # the program itself
        os.chdir(cloned)
        os.execve(PROGRAM[0], [*PROGRAM, "config", "trust"], environ)
    shown, answered = "", False
    for _ in range(20):
        if "[y/N]" in shown and not answered:
            os.write(terminal, answer.encode())
            answered = True
        if not select.select([terminal], [], [], 5)[0]:
            answered = False  # a Ctrl-C that comes just before the program waits is only seen with the next one
            continue
        try:
            shown += os.read(terminal, 4096).decode()
        except OSError:  # the other side has closed
            break
    else:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == code, shown
    kept = Path(environ["XDG_STATE_HOME"]) / "inarch" / "trust.json"
    assert kept.exists() == (code == 0)
