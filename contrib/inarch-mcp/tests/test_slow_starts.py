"""Servers that start slowly: the time limit, what it remembers, and what a terminal and a call show."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from inarch_mcp.mcp_settings import LONGEST_START_S, START_S, Server
from inarch_mcp.server_start import Place

HOSTILE = Path(__file__).with_name("hostile_server.py")
SLOW = (
    "import sys, time, runpy; time.sleep(3); sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
)


def test_downloaders_get_more_time_slow_starts_are_remembered_and_the_setting_wins(tmp_path: Path) -> None:
    place = Place(str(tmp_path), "", cache=str(tmp_path))
    plain, loader, fixed = Server(command="x"), Server(command="/usr/bin/npx"), Server(command="npx", connect_s=3.0)
    assert place.start_limit_s("a", plain) == START_S
    assert place.start_limit_s("a", loader) == LONGEST_START_S
    for server in (plain, loader, fixed):
        place.keep_start("a", server, 15.0)
    assert place.start_limit_s("a", plain) == 45.0 and place.start_limit_s("a", fixed) == 3.0
    place.keep_start("a", plain, 45.0)
    assert place.start_limit_s("a", plain) == LONGEST_START_S
    with pytest.raises(ValueError, match="above 0"):
        Server(command="x", connect_s=0.0)


def test_a_terminal_shows_a_slow_first_start_and_a_later_call_reports_it(ground: Any) -> None:
    argv = ["-I", "-c", SLOW, str(HOSTILE), str(ground.hostile), ""]
    folder = ground.home / ".config" / "inarch"
    folder.mkdir(parents=True)
    lines = [
        '[profiles.default]\nplugins = ["sandbox-fs", "sqlite-store", "offline", "mcp"]\nmodel = "offline/extractive"',
        f"[plugins.mcp.servers.slow]\ncommand = '{sys.executable}'\nargs = {argv!r}\nconnect_s = 60.0",
    ]
    (folder / "config.toml").write_text("\n".join(lines))
    ours, theirs = os.openpty()
    command = [sys.executable, "-P", "-m", "inarch", "tools", "call", "slow_ok", "{}", "--approve", "all"]
    done = subprocess.run(
        command, cwd=ground.root, env=ground.environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs
    )
    os.close(theirs)
    said = os.read(ours, 65_536).decode()
    os.close(ours)
    assert "starting MCP server 'slow' (first start), for up to 60 s" in said and done.returncode == 0, said
    app = ground.app({"slow": {"command": sys.executable, "args": argv, "connect_s": 60.0}})
    app.close()  # its tools are listed; the next call starts it again
    again = ground.app({"slow": {"command": sys.executable, "args": argv, "connect_s": 60.0}})
    shown: list[str] = []
    called = asyncio.run(again.session().call_tool("slow_ok", {}, shown.append))
    assert called.success and "starting MCP server 'slow'" in "".join(shown)
