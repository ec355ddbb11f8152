"""`inarch try`: shows what a command would change before it changes anything."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click
from attrs import define, field

from inarch import Approval, ApprovalRequest, Event, InarchError, PlannedCall, ToolResult, UsageError, escape
from inarch.commands import (
    ANSWERED,
    CANCELLED,
    FAILED,
    USAGE,
    compose_given,
    composing_options,
    interrupts,
    say,
    say_remedy,
)
from inarch.output import print_json
from inarch_plugins.sandbox_fs.commands.tool import COMMAND

if TYPE_CHECKING:
    from inarch import App
    from inarch.capabilities import Trial


@click.command("try", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--yes", is_flag=True, help="Apply what was seen, without a question.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object; it asks nothing.")
@composing_options
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def try_command(command: tuple[str, ...], yes: bool, as_json: bool, **given: Any) -> int:
    """Run COMMAND in a copy of the workspace and show what it would change.

    On a terminal, Inarch then asks whether to apply exactly that. Exit code 1 says that the command
    failed, 2 that it can't be tried.
    """
    asks = not (yes or as_json) and sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    if " " in command[0] and command[1:]:
        remedy = "quote the whole command or nothing of it, and write flags before it"
        raise UsageError(f"{shlex.quote(command[0])} is not the name of a program", remedy)
    line = command[0] if len(command) == 1 else shlex.join(command)
    # A dry run that no user can accept leaves no session behind.
    flags: dict[str, Any] = {} if yes or asks else {"store": "memory"}
    app = compose_given(given, **flags)
    person = Trier(lambda: yes or (asks and click.confirm("Apply this?", default=False)), shows=not as_json)
    try:
        result = asyncio.run(_run(app, line, person))
    except asyncio.CancelledError:
        return CANCELLED
    if as_json:
        print_json({**person.data, "applied": result.success})
    return _ended(person, result)


def _ended(person: Trier, result: ToolResult) -> int:
    if person.trial is None:
        problem = person.problem or result.error
        say("error", f"can't be tried: {problem.message if problem else 'it needs no approval'}")
        say_remedy((problem.remedy or "") if problem else "")
        return USAGE
    if not person.trial.applies:
        say("note", "nothing was applied; run the command itself if you want it")
    if person.agreed and result.error is not None:
        say("error", result.error.message)
        say_remedy(result.error.remedy or "")
        return FAILED
    return FAILED if person.data.get("exit_code") else ANSWERED


async def _run(app: App, line: str, person: Trier) -> ToolResult:
    loop = asyncio.get_running_loop()
    try:
        if COMMAND not in app.composition.tools:
            raise UsageError("this profile has no tool that runs commands", "name a profile with sandbox-fs")
        scheduler = app.session().state.scheduler
        task = loop.create_task(scheduler.run("", [PlannedCall(COMMAND, {"command": line})], "user", person=person))
        with interrupts(lambda _: loop.call_soon_threadsafe(task.cancel)):
            (call,) = await task
        assert call.result is not None
        return call.result
    finally:
        await app.aclose()


@define(eq=False)
class Trier:
    """Tries a call, shows what it would change, and lets it run only if `agrees` says so.

    It is asked about calls that need no approval too: none may run before it was seen.
    """

    agrees: Callable[[], bool]
    shows: bool = True
    trial: Trial | None = field(init=False, default=None)
    problem: InarchError | None = field(init=False, default=None)
    agreed: bool = field(init=False, default=False)
    name: str = field(init=False, default="try")
    asks_always: bool = field(init=False, default=True)

    @property
    def data(self) -> dict[str, Any]:
        """Return the dry run as plain data."""
        return dict(self.trial.data) if self.trial is not None else {}

    def show(self, event: Event) -> None:
        """Do nothing."""

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        """Try each call; a call that can't be tried is denied."""
        return [Approval(one.call.id, "approve" if await self._seen(one) else "deny") for one in batch]

    async def _seen(self, request: ApprovalRequest) -> bool:
        if request.trial is None:
            self.problem = InarchError("this machine has no copies of a workspace", "`inarch doctor` says why")
            return False
        try:
            self.trial = await request.trial()
        except InarchError as error:
            self.problem = error
            return False
        if self.shows:
            for line in self.trial.lines:
                click.echo(escape(line, keep_newlines=False))
        self.agreed = self.trial.applies and self.agrees()
        return self.agreed

    def close(self) -> None:
        """Do nothing."""
