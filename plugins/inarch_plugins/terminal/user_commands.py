"""The `!command` of a conversation: the person's own command, through the same scheduler as the model's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from attrs import define

from inarch import Approval, ApprovalRequest, Event, PlannedCall, StoreError, ToolResult, escape
from inarch.commands import say, say_remedy

if TYPE_CHECKING:
    from inarch import FrontEnd, RightsOffer, Session

_OUTSIDE_TURNS = ""
MOST_LINES = 100
"""The last lines of a cancelled command that are shown."""
SEEN = "the model sees this with your next prompt"


@define(eq=False)
class Typed:
    """Answers for who typed a command themselves: it may use the network and `.git`, and what they let it before."""

    front_end: FrontEnd | None
    name: str = "typed"

    def show(self, event: Event) -> None:
        """Do nothing: the session's front end shows it."""

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        """Say yes where there are rights to choose, with those that need no more words; else ask as always."""
        left = [request for request in batch if request.rights is None]
        asked = await self.front_end.approve(left) if left and self.front_end is not None else ()
        return [*asked, *(_with_all(one.call.id, one.rights) for one in batch if one.rights is not None)]

    def close(self) -> None:
        """Do nothing."""


def _with_all(call_id: str, offer: RightsOffer) -> Approval:
    chosen = {right.name: () for right in offer.rights if not right.takes}
    return Approval(call_id, "approve", rights={**offer.chosen, **chosen})


async def run_command(
    session: Session, command: str, write: Callable[[str], object], *, is_typed: bool = False
) -> None:
    """Run a command line, show what it wrote, and record that it ran; a cancel stops it.

    Args:
        session: Where it runs; its output is in the context of the session's next turn.
        command: The words, for no shell.
        write: Shows text that is made harmless already.
        is_typed: Whether a person typed it at a prompt just now: then that is their yes.
    """
    if not command:
        say("error", "give a command after the !, such as !ls")
        return
    runners = [*session.state.parts.runners]
    if not runners:
        say("error", "no tool of this profile runs commands")
        return
    journal = session.state.journal
    calls = [PlannedCall(runners[0], {"command": command})]
    came: list[str] = []  # what it wrote so far: a cancelled one has no other output

    def saw(event: Event) -> None:
        if event.kind == "call.output" and not event.turn_id:
            came.append(event.data["text"])

    journal.listeners.append(saw)
    try:
        scheduler = session.state.scheduler
        person = Typed(scheduler.front_end) if is_typed else None
        (call,) = await scheduler.run(_OUTSIDE_TURNS, calls, "user", person=person)
    except asyncio.CancelledError:
        shown, ending = _tail("".join(came)), "cancelled"
        write(escape(shown).rstrip("\n") + "\n" if shown.strip() else "")
        say("note", f"the command was cancelled; {SEEN}")
    else:
        if call.result is None:
            raise AssertionError("a finished call has a result")
        shown, ending = _output(call.result)
        write(escape(shown).rstrip("\n") + "\n" if shown.strip() else "")
        if call.result.error is None:
            say("note", f"{ending}; {SEEN}" if ending else SEEN)
    finally:
        journal.listeners.remove(saw)
    session.record_command("!", command, f"{shown.rstrip()}\n({ending})".strip() if ending else shown)
    try:
        journal.flush()  # no turn may follow that would do it
    except StoreError as error:
        say("error", str(error))


def _tail(text: str) -> str:
    lines = text.rstrip().splitlines()
    left = len(lines) - MOST_LINES
    return "\n".join([f"… {left:,} lines before …", *lines[left:]] if left > 0 else lines)


def _output(result: ToolResult) -> tuple[str, str]:
    """Return what a command wrote and how it ended, if not well; why it did not run is said here."""
    if result.error is not None:
        say("error", result.error.message)
        say_remedy(result.error.remedy)
        return "", f"it did not run: {result.error.message}"
    data = result.data if isinstance(result.data, dict) else {}
    ending = str(data.get("note") or "") or (f"exit code {data['exit_code']}" if data.get("exit_code") else "")
    return str(data.get("output", "")), ending
