"""Start of the application, its session and its view, while the input line is already visible."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from attrs import evolve, frozen

from inarch import Approval, ApprovalRequest, Event, InarchError
from inarch_plugins.terminal.abilities import has_glyphs
from inarch_plugins.terminal.notifications import Settings

if TYPE_CHECKING:
    from inarch import Launch
    from inarch_plugins.terminal.conversation.call_question import ApprovalKeys
    from inarch_plugins.terminal.conversation.screen import Screen
    from inarch_plugins.terminal.rendering import View
    from inarch_plugins.terminal.slash.talk import Talk

_FIGURES = frozenset({"session.started", "turn.ended", "model.replied", "model.switched"})


def compose_talk(launch: Launch, front_end: ScreenFrontEnd) -> tuple[Talk, list[str]]:
    """Compose the application and open its session, with the first screen's lines. Do not call it in the event loop."""
    from inarch_plugins.terminal.first_screen import session_lines
    from inarch_plugins.terminal.slash.talk import Talk

    app = launch.compose(front_end)
    try:
        session = launch.session(app)
    except InarchError:
        app.close()
        raise
    talk = Talk(app, session, launch, sys.stdout.write, lambda: 80, app.config.settings("terminal", Settings))
    return talk, list(session_lines(app, keys="Shift-Tab"))


def model_of(talk: Talk) -> str:
    """Return the full name of the current model, if known; this may take half a second."""
    try:
        return talk.app.choice().full_name
    except InarchError:
        return talk.app.config.profile.model


async def look_at_models(talk: Talk) -> None:
    """Let the service list its models, at most once a day, and warn if the conversation's model will be retired."""
    with suppress(InarchError):
        if (retiring := await talk.app.models.look(talk.app.choice())) is not None:
            talk.write(f"note: {retiring[0]}; {retiring[1]}\n")


def new_view(talk: Talk, model: str, *, colours: bool, stream: TextIO) -> View:
    """Return the view of a session, with its usage so far."""
    from inarch_plugins.terminal.rendering import View

    config = talk.app.config

    @cache
    def window(model: str) -> int | None:
        try:
            return talk.app.choice(model).limits.context_tokens
        except InarchError:
            return None

    view = View(
        colours=colours,
        glyphs=has_glyphs(stream),
        model=model,
        profile=config.profile.name,
        window=window,
        opened_by="Ctrl-O shows them",
        titled=False,
        around=lambda: {"mode": talk.session.approve + talk.relies_on(), **place_of(config.root)},
        settings=talk.settings,
    )
    view.name_calls(talk.app.parts.tools.titled)
    if talk.session.state.turns:
        from inarch import to_data
        from inarch_sdk.snapshots import scan

        total = to_data(talk.session.state.ledger.total())
        session_id = talk.session.id
        for event in scan(talk.app.store, session_id, talk.app.kept.contents(session_id).before_last):
            if event.kind in _FIGURES:
                said = evolve(event, data={**event.data, "session": total}, line="")
                view.saw(said if event.kind == "turn.ended" else event)
        view.finished(80)  # these events were shown when they happened
    return view


def place_of(root: str) -> dict[str, str]:
    """Return the folder's name, and the branch if Git's files say it."""
    at = Path(root)
    try:
        git = next((folder / ".git" for folder in (at, *at.parents) if (folder / ".git").exists()), at)
        if git.is_file():  # a work tree names its folder
            git = git.parent / git.read_text("utf-8").partition("gitdir:")[2].strip()
        head = (git / "HEAD").read_text("utf-8").strip()
    except (OSError, ValueError):
        head = ""
    return {"folder": at.name, "branch": head.removeprefix("ref: refs/heads/")[: None if "/" in head else 8]}


@frozen(eq=False)
class ScreenFrontEnd:
    """Passes events to the screen, approvals to the question, and messages of plugins to the queue."""

    screen: Screen
    asking: ApprovalKeys
    wake: Callable[[], object]
    figured: Callable[[], object]
    name: str = "conversation"

    def show(self, event: Event) -> None:
        """Queue an event for drawing; callable from any thread."""
        self.screen.put(event)
        if event.kind in _FIGURES or event.kind == "command.ran":
            self.figured()
        if event.kind == "input.waiting" and event.data["by"]:
            self.wake()

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        """Ask about a batch of calls."""
        return await self.asking.ask(batch)

    def close(self) -> None:
        """Do nothing; the conversation closes the screen."""
