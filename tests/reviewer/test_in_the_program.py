"""The reviewer through the command line: exit codes, JSON, and what a person reads."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from inarch.testing import HttpReply, HttpRequest, HttpServer
from inarch_testing.http_server import sse_reply

from ..chat_completions.wire import call, calls, says
from ..running.program import Run, cli, environ, passes, probed, project
from .conftest import answer, verdict

__all__ = ["cli", "environ", "passes", "probed", "project"]
pytestmark = [pytest.mark.needs("confinement"), pytest.mark.needs("git")]


def service(commands: Sequence[str], judgement: HttpReply) -> HttpServer:
    """Return a server of a model that runs commands, and of one that judges them."""
    left = [sse_reply(calls(call(0, f"c{n}", "execute_command", json.dumps({"command": one}))))
            for n, one in enumerate(commands)]  # fmt: skip

    def reply(request: HttpRequest) -> HttpReply:
        if request.json["model"] == "judge":
            return judgement
        return left.pop(0) if left and request.json.get("tools") else sse_reply(says("done"))

    return HttpServer([reply])


def run(cli: Run, environ: dict[str, str], server: HttpServer, *words: str) -> subprocess.CompletedProcess[str]:
    file = Path(environ["XDG_CONFIG_HOME"]) / "inarch" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        'may_allow = ["reviewer", "reviewer:git"]\n[profiles.default]\n'
        'plugins = ["...", "reviewer", "openai-compatible"]\nmodel = "openai-compatible/main"\napprove = "auto"\n'
        f'[plugins.openai-compatible]\nbase_url = "{server.url}/v1"\ninput_price = 1\noutput_price = 10\n'
        '[plugins.reviewer]\nmodel = "openai-compatible/judge"\n'
    )
    return cli(*words, "stage a.txt")


@pytest.fixture
def repository(project: Path) -> Path:
    (project / "a.txt").write_text("one\n")
    if not (project / ".git").exists():
        subprocess.run(["git", "init", "-q", str(project)], check=True)
    return project


def staged(project: Path) -> str:
    words = ["git", "-C", str(project), "diff", "--cached", "--name-only"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(("first", "code"), [("touch b", 3), ("ls", 4)])
def test_denials_end_the_turn(cli: Run, environ: dict[str, str], repository: Path, first: str, code: int) -> None:
    commands = [first, "git add -f a.txt", "git add -f .", "git add -f -A", "git add -f -u"]
    with service(commands, answer(verdict("deny", reason="not today"))) as server:
        ran = run(cli, environ, server, "--output", "json")
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["exit"], staged(repository)) == (code, code, ""), ran.stderr
    assert [one["layer"] for one in told["denied"]] == ["reviewer", "reviewer", "headless"]
    assert "not today" in told["denied"][0]["reason"] and told["turn"]["limit"] == ("denials" if code == 3 else None)


def test_the_screen_says_what_was_approved(cli: Run, environ: dict[str, str], repository: Path) -> None:
    with service(["git add -f a.txt"], answer(verdict())) as server:
        ran = run(cli, environ, server)
    assert "note: reviewer approved Run git add -f a.txt: risk low: as asked" in ran.stderr


def test_the_screen_says_what_could_not_be_judged(cli: Run, environ: dict[str, str], repository: Path) -> None:
    with service(["git add -f a.txt"], answer("Sure!")) as server:
        ran = run(cli, environ, server)
    assert ran.returncode == 4 and staged(repository) == ""
    assert "reviewer: it could not be judged: the answer is not the one object" in ran.stderr
