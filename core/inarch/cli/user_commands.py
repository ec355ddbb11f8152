"""The `!command` of a conversation: the person's own command, through the same scheduler as the model's."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from inarch.cli.failure import say, say_remedy
from inarch.cli.interrupts import interrupts
from inarch.cli.terminal import escape
from inarch.contract.errors import StoreError
from inarch.contract.events import CommandRan
from inarch.contract.records import PlannedCall, ToolResult

if TYPE_CHECKING:
    from asyncio import Runner

    from inarch.sessions.session import Session

_OUTSIDE_TURNS = ""


def run_command(session: Session, runner: Runner, command: str) -> None:
    """Run a command line, show what it wrote, and record that it ran; Ctrl-C stops it."""
    try:
        result = runner.run(_called(session, command))
    except asyncio.CancelledError:
        say("note", "the command was cancelled")
        return
    journal = session.conversation.journal
    shown = _shown(result)
    sys.stdout.write(escape(shown).rstrip("\n") + "\n" if shown.strip() else "")
    sys.stdout.flush()
    journal.record(CommandRan("!", command, shown))
    try:
        journal.flush()  # no turn may follow that would do it
    except StoreError as error:
        say("error", str(error))


async def _called(session: Session, command: str) -> ToolResult:
    loop = asyncio.get_running_loop()
    calls = [PlannedCall("execute_command", {"command": command})]
    task = loop.create_task(session.conversation.scheduler.run(_OUTSIDE_TURNS, calls, "user"))
    with interrupts(lambda: loop.call_soon_threadsafe(task.cancel)):
        (call,) = await task
    if call.result is None:
        raise AssertionError("a finished call has a result")
    return call.result


def _shown(result: ToolResult) -> str:
    """Return what a command wrote, or why it did not run; what else there is to know is said beside it."""
    if result.error is not None:
        say("error", result.error.message)
        say_remedy(result.error.remedy)
        return ""
    data = result.data if isinstance(result.data, dict) else {}
    if data.get("note") or data.get("exit_code"):
        say("note", str(data.get("note") or f"exit code {data['exit_code']}"))
    return str(data.get("output", ""))
