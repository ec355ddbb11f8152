"""Granted commands of one reply: their order is by what their grants say they write."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from inarch.config.grants import CommandGrant
from inarch.contract.records import PlannedCall, PluginContext, ToolCall
from inarch.plugins.registration import Bound
from inarch_plugins.sandbox_fs.commands.tool import ExecuteCommand

LOOK, BUILD = "python3 look.py", "python3 build.py"


def run_batch(session: Any, calls: list[PlannedCall], **grants: CommandGrant) -> tuple[ToolCall, ...]:
    session.put("look.py", "import os; print(sorted(os.listdir('out')))")
    session.put("build.py", "open('out/built', 'w').close()")
    session.put("out/before")
    tool = ExecuteCommand(str(session.folder), grants)
    context = PluginContext("sandbox-fs", str(session.folder), session.settings, grants)
    session.scheduler.tools[tool.name] = Bound("sandbox-fs", tool, context)
    done: tuple[ToolCall, ...] = asyncio.run(session.scheduler.run("turn", calls))
    return done


def command(text: str) -> PlannedCall:
    return PlannedCall("execute_command", {"command": text})


def grant(text: str, *writes: str) -> CommandGrant:
    return CommandGrant("granted", tuple(text.split()), writes)


def output(call: ToolCall) -> str:
    assert call.result is not None and call.result.success, call.result
    return str(call.result.data["output"]).strip()


def test_granted_commands_that_write_nothing_run_together(open_files: Any, tmp_path: Path) -> None:
    session = open_files(tmp_path)
    done = run_batch(session, [command(LOOK)] * 3, look=grant(LOOK))
    assert [output(call) for call in done] == ["['before']"] * 3
    assert [call.after for call in done] == [()] * 3
    session.scheduler.journal.flush()
    told = [
        event.data.get("status") if event.kind == "call.state" else event.kind
        for event in session.store.load("session")
    ]
    assert told.count("executing") == 3
    assert "call.result" not in told[: len(told) - told[::-1].index("executing")]


def test_what_a_grant_declares_holds_for_the_program(open_files: Any, tmp_path: Path) -> None:
    session = open_files(tmp_path)
    (call,) = run_batch(session, [command(BUILD)], build=grant(BUILD))
    assert call.result is not None and call.result.data["exit_code"] != 0
    assert not (tmp_path / "out/built").exists()
