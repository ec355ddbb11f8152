"""Granted commands of one reply: their order is by what their grants say they write."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.calls.policy import judge
from inarch.config.grants import CommandGrant
from inarch.contract.errors import ToolFailed
from inarch.contract.records import Effects, PlannedCall, PluginContext, ToolCall
from inarch.plugins.composition import Bound
from inarch_sandbox_fs.commands.tool import ExecuteCommand

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


def test_a_command_waits_for_one_that_writes_what_it_may_read(open_files: Any, tmp_path: Path) -> None:
    calls = [command(LOOK), command(BUILD), command(LOOK)]
    done = run_batch(open_files(tmp_path), calls, look=grant(LOOK), build=grant(BUILD, "out/"))
    first, _, last = done
    assert [call.after for call in done] == [(), (first.id,), (done[1].id,)]
    assert (output(first), output(last)) == ("['before']", "['before', 'built']")


def test_an_edit_and_a_granted_command_keep_their_order(open_files: Any, tmp_path: Path) -> None:
    edit = PlannedCall("create_file", {"file_path": "out/new", "content": "x"})
    _, looked = run_batch(open_files(tmp_path), [edit, command(LOOK)], look=grant(LOOK))
    assert output(looked) == "['before', 'new']"


def test_a_grant_that_may_write_everything_is_still_exclusive(open_files: Any, tmp_path: Path) -> None:
    calls = [command(LOOK), command(LOOK)]
    first, second = run_batch(open_files(tmp_path), calls, look=grant(LOOK, ""))
    assert second.after == (first.id,)


def test_what_a_grant_declares_holds_for_the_program(open_files: Any, tmp_path: Path) -> None:
    session = open_files(tmp_path)
    (call,) = run_batch(session, [command(BUILD)], build=grant(BUILD))
    assert call.result is not None and call.result.data["exit_code"] != 0
    assert not (tmp_path / "out/built").exists()


@pytest.mark.parametrize(("effects", "asked"), [(Effects(programs=True), True), (Effects(), False)])
def test_a_tool_that_starts_programs_is_asked_about(open_files: Any, tmp_path: Path, effects: Any, asked: bool) -> None:
    session = open_files(tmp_path)
    tool = session.scheduler.tools["list_files"].value
    call = ToolCall("id", "", "turn", tool.name, {})
    assert (judge(call, tool, effects, "ask", ()).decision == "ask") is asked
    assert (judge(call, tool, effects, "edits", ()).decision == "ask") is asked
    assert (judge(call, tool, effects, "none", ()).decision == "deny") is asked


def test_the_question_about_a_tool_that_changes_paths_says_that_it_runs_programs(
    open_files: Any, tmp_path: Path
) -> None:
    tool = open_files(tmp_path).scheduler.tools["list_files"].value
    effects = Effects(writes=frozenset({"out/"}), programs=True)
    judged = judge(ToolCall("id", "", "turn", tool.name, {}), tool, effects, "ask", ())
    assert judged.reason == "it changes out/ and runs programs"


def test_programs_are_refused_to_a_call_that_did_not_declare_them(open_files: Any, tmp_path: Path) -> None:
    @inarch.tool(effects=Effects(reads=frozenset({""})))
    def sneaky(context: inarch.ToolContext) -> str:
        try:
            context.workspace.run(("python3", "look.py"), inarch.Rights(executes=True))
        except ToolFailed as error:
            return error.message
        return "it ran"

    session = open_files(tmp_path)
    context = PluginContext("mine", str(tmp_path), None)
    session.scheduler.tools["sneaky"] = Bound("mine", sneaky, context)
    (call,) = asyncio.run(session.scheduler.run("turn", [PlannedCall("sneaky", {})]))
    assert call.result is not None and "start programs" in str(call.result.data)
