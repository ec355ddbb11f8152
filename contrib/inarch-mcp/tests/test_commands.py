"""`inarch mcp list` and `inarch mcp accept`: what they show of servers, and what they agree to."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from click.testing import CliRunner, Result
from inarch_mcp.mcp_command import mcp
from inarch_mcp.mcp_settings import Server, Settings

import inarch


class Shell:
    """Calls the command as the command line does."""

    def __init__(self, ground: Any) -> None:
        table = ground.server()
        bad = Server(**{**table, "args": tuple(table["args"])})
        off, gone = Server(command="x", enabled=False), Server(command="no-such-program-anywhere")
        self.context = inarch.PluginContext(
            "mcp",
            str(ground.root),
            Settings(servers={"bad": bad, "off": off, "gone": gone}),
            cache_dir=str(ground.home / "cache"),
            state_dir=str(ground.home / "state"),
            environ=ground.environ,
        )

    def call(self, *words: str) -> Result:
        return CliRunner().invoke(mcp, words, obj=self.context)


def test_list_shows_every_server_and_accept_agrees_to_what_changed(ground: Any) -> None:
    shell = Shell(ground)
    assert "bad · not asked yet\n" in shell.call("list").output
    first = shell.call("list", "--refresh").output
    assert "bad · 15 tools (asked now) · hostile 6.6.6\\x1b[2J · protocol " in first
    assert "off · off\n" in first
    assert "gone · failed: there is no program no-such-program-anywhere\n" in first
    (ground.hostile / "description").write_text("Says something else.")
    assert "changed: ok" in shell.call("list", "--refresh").output
    rows = {row["name"]: row for row in json.loads(shell.call("list", "--json").output)}
    assert rows["bad"]["notes"] == ["changed: ok"] and rows["bad"]["log"].endswith("bad.log")
    accepted = shell.call("accept")
    assert "bad: 1 changed definition accepted\n" in accepted.output
    assert "gone: it has not listed its tools" in accepted.output
    assert shell.call("accept", "bad").output == "bad: 0 changed definitions accepted\n"
    assert "changed: ok" not in shell.call("list").output


def test_what_is_no_server_or_command_is_refused(ground: Any) -> None:
    shell = Shell(ground)
    wrong = shell.call("accept", "nobody")
    assert isinstance(wrong.exception, inarch.UsageError) and "'nobody'" in str(wrong.exception)
    assert shell.call("listen").exit_code == 2


@pytest.mark.parametrize("words", [("list",), ("list", "--json")])
def test_without_servers_the_list_is_empty(ground: Any, words: tuple[str, ...]) -> None:
    shell = Shell(ground)
    shell.context = inarch.PluginContext("mcp", str(ground.root), Settings())
    said = shell.call(*words).output
    assert json.loads(said) == [] if "--json" in words else "[plugins.mcp.servers.NAME]" in said


def test_a_command_starts_no_server_while_it_is_loaded(ground: Any) -> None:
    folder = ground.home / ".config" / "inarch"
    folder.mkdir(parents=True)
    profile = (
        '[profiles.default]\nplugins = ["sandbox-fs", "sqlite-store", "offline", "mcp"]\nmodel = "offline/extractive"'
    )
    lines = [
        profile,
        "[plugins.mcp.servers.bad]",
        *(f"{key} = {json.dumps(it)}" for key, it in ground.server().items()),
    ]
    (folder / "config.toml").write_text("\n".join(lines))
    for words, started in ((["list"], 0), (["list", "--refresh"], 1)):
        command = [sys.executable, "-P", "-m", "inarch", "mcp", *words]
        subprocess.run(command, cwd=ground.root, env=ground.environ, stdin=subprocess.DEVNULL, check=True)
        assert len(ground.pids()) == started
