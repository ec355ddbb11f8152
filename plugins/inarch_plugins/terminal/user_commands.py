"""The `!command` of a conversation: the user's own command, run by the same scheduler as the model's calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from attrs import define

from inarch import Approval, ApprovalRequest, Event, PlannedCall, StoreError, ToolResult, escape
from inarch.commands import say, say_remedy

if TYPE_CHECKING:
    from inarch import FrontEnd, Session

_OUTSIDE_TURNS = ""
MOST_LINES = 100
"""Lines shown of the output of a cancelled command, counted from its end."""
SEEN = "the model sees this with your next prompt"


@define(eq=False)
class Typed:
    """Approves a command that the user typed: with network and `.git` access, and rights they granted it before."""

    front_end: FrontEnd | None
    name: str = "typed"

    def show(self, event: Event) -> None:
        """Do nothing; the session's front end shows the event."""

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        """Approve if the call offers rights, with all that need no values; otherwise ask as usual."""
        left = [request for request in batch if request.rights is None]
        asked = await self.front_end.approve(left) if left and self.front_end is not None else ()
        answers = [*asked]
        for at, offer in ((one.call.id, one.rights) for one in batch if one.rights is not None):
            every = {right.name: () for right in offer.rights if not right.takes}
            answers.append(Approval(at, "approve", rights={**offer.chosen, **every}))
        return answers

    def close(self) -> None:
        """Do nothing."""


async def run_command(
    session: Session, command: str, write: Callable[[str], object], *, is_typed: bool = False
) -> None:
    """Run a command line, show its output and record it; cancelling stops the command."""
    if not command:
        say("error", "give a command after the !, such as !ls")
        return
    runners = [*session.state.parts.runners]
    if not runners:
        say("error", "this profile has no tool that runs commands")
        return
    journal = session.state.journal
    calls = [PlannedCall(runners[0], {"command": command})]
    came: list[str] = []  # output so far; a cancelled command has no other

    def saw(event: Event) -> None:
        if event.kind == "call.output" and not event.turn_id:
            came.append(event.data["text"])

    journal.listeners.append(saw)
    try:
        scheduler = session.state.scheduler
        person = Typed(scheduler.front_end) if is_typed else None
        (call,) = await scheduler.run(_OUTSIDE_TURNS, calls, "user", person=person)
    except asyncio.CancelledError:
        lines = "".join(came).rstrip().splitlines()
        left = len(lines) - MOST_LINES
        shown = "\n".join([f"… {left:,} lines before …", *lines[left:]] if left > 0 else lines)
        ending = "cancelled"
        write(escape(shown).rstrip("\n") + "\n" if shown.strip() else "")
        say("note", f"the command was cancelled; {SEEN}")
    else:
        assert call.result is not None
        shown, ending = _output(call.result)
        write(escape(shown).rstrip("\n") + "\n" if shown.strip() else "")
        if call.result.error is None:
            say("note", f"{ending}; {SEEN}" if ending else SEEN)
    finally:
        journal.listeners.remove(saw)
    session.record_command("!", command, f"{shown.rstrip()}\n({ending})".strip() if ending else shown)
    try:
        journal.flush()  # no turn may follow that would flush it
    except StoreError as error:
        say("error", str(error))


def _output(result: ToolResult) -> tuple[str, str]:
    """Return a command's output and how it ended if it failed; print the reason if it did not run."""
    if result.error is not None:
        say("error", result.error.message)
        say_remedy(result.error.remedy)
        return "", f"it did not run: {result.error.message}"
    data = result.data if isinstance(result.data, dict) else {}
    ending = str(data.get("note") or "") or (f"exit code {data['exit_code']}" if data.get("exit_code") else "")
    return str(data.get("output", "")), ending
