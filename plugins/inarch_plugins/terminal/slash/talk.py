"""State of a conversation that slash commands use: its application, its session and its output."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from attrs import define, field

from inarch import ConfigError, Event, InarchError, StoreError, UsageError, split_slash_command
from inarch.commands import ANSWERED, CANCELLED, FAILED, USAGE, say
from inarch_plugins.terminal.notifications import Settings

if TYPE_CHECKING:
    from inarch import App, Launch, Session
    from inarch_plugins.terminal.slash.models import Offer

RELYING = ("auto", "review", "all")
"""Approval modes in which commands run unasked because the sandbox holds them."""
_talk: ContextVar[Talk | None] = ContextVar("inarch_terminal_talk", default=None)


@define(eq=False, repr=False)
class Talk:
    """A conversation, which may switch to another session or profile."""

    app: App
    session: Session
    launch: Launch
    write: Callable[[str], object]
    columns: Callable[[], int]
    settings: Settings = field(factory=Settings)
    restyled: Callable[[], object] = field(default=lambda: None)
    send: Callable[[str], object] = field(default=lambda sequence: None)
    switched: Callable[[], object] = field(default=lambda: None)
    next_prompts: list[str] = field(factory=list)
    listed_models: list[str] = field(factory=list)
    is_over: bool = False
    models: dict[str, Offer] = field(factory=dict)

    @contextmanager
    def here(self) -> Iterator[None]:
        """Make this the conversation of the commands that run in this context, in this task."""
        token = _talk.set(self)
        try:
            yield
        finally:
            _talk.reset(token)

    def relies_on(self) -> str:
        """Return the sandbox's level for the status line, if the mode lets commands run because of it."""
        if self.session.approve not in RELYING or not self.app.parts.tools.runners:
            return ""
        try:
            return f"·L{self.app.workspace.confinement().level}"
        except InarchError:
            return ""

    @property
    def is_overtaken(self) -> bool:
        """Return whether another process continued the session, so that this one can no longer store events."""
        try:
            self.keep()
        except StoreError:
            return True
        return False

    def go_on_with(self, session: Session) -> None:
        """Switch to another session of the application; report events of this one that cannot be stored."""
        if self.session.state.turns or self.session.is_kept:
            self.flush(self.session)
        self.session = session
        self.switched()

    def keep(self) -> None:
        """Flush the journal to the store, if the session has turns."""
        if self.session.state.turns or self.session.is_kept:
            self.session.state.journal.flush()

    async def recompose(self, launch: Launch, *, with_grants: bool) -> Sequence[str]:
        """Compose a new application and continue the same session; after an error everything stays as it was."""
        app = await asyncio.to_thread(launch.compose)
        old, grants = self.app, self.session.state.scheduler.grants
        self.keep()
        known = self.session.is_kept
        app.parts.storage.take(old.parts.storage)
        try:
            session = app.session(self.session.id if known else None)
        except BaseException:
            old.parts.storage.take(app.parts.storage)
            await app.aclose()
            raise
        self.app, self.session, self.launch, self.models = app, session, launch, {}
        if with_grants:
            now = session.state.scheduler.grants
            now.shapes, now.rights, now.tools, now.everything = (
                grants.shapes, grants.rights, grants.tools, grants.everything
            )  # fmt: skip
        await old.aclose()
        self.switched()
        before = set(left_out(old))
        return [line for line in left_out(app) if line not in before]

    @staticmethod
    def flush(session: Session) -> None:
        """Flush the journal of a session to the store, and report an error."""
        try:
            session.state.journal.flush()
        except StoreError as error:
            say("error", str(error))


def talk_here() -> Talk:
    """Return the conversation in which a slash command was typed."""
    talk = _talk.get()
    if talk is None:
        raise UsageError("this command works only in a conversation at a terminal", "type it in inarch chat")
    return talk


def left_out(app: App) -> list[str]:
    """Return a line for each thing that the composition ignored or refused."""
    refused = [f"plugin {one.name!r} was refused: {one.reason} ({one.remedy})" for one in app.composition.refused]
    return [*app.ignored, *refused]


@define(eq=False, repr=False)
class SlashCommands:
    """Runs lines that are slash commands."""

    talk: Talk

    @staticmethod
    def takes(line: str) -> bool:
        """Return whether a line is a command, known or unknown."""
        return split_slash_command(line) is not None

    def runs_at_once(self, line: str) -> bool:
        """Return whether a line is a command that may run during a turn."""
        name, _ = split_slash_command(line) or ("", "")
        bound = self.talk.app.composition.slash_commands.get(name)
        return bound is not None and bound.value.at_once

    async def run(self, line: str) -> int:
        """Run a command and return its exit code.

        Errors are reported; cancelling ends only the command.
        """
        talk, shown, code = self.talk, list[str](), ANSWERED
        app, (name, words) = talk.app, split_slash_command(line) or ("", "")

        def show(text: str) -> None:
            shown.append(text)
            talk.write(f"{text}\n")

        def hear(event: Event) -> None:
            nonlocal code
            code = FAILED if event.kind == "error" else code  # errors of a plugin's command are recorded, not raised

        journal = talk.session.state.journal
        journal.listeners.append(hear)
        try:
            with talk.here():
                talk.next_prompts += await app.command(talk.session, line, show, talk.columns())
        except InarchError as error:
            code = USAGE if isinstance(error, (UsageError, ConfigError)) else FAILED
            shown.append(str(error))
            say("error", str(error))
        except asyncio.CancelledError:
            code = CANCELLED
            shown.append("cancelled")
            say("note", f"/{name} was cancelled")
        finally:
            journal.listeners.remove(hear)
        if talk.app is not app:  # the new application has its own journal
            talk.session.record_command(name, words, shown[-1] if shown else "")
            talk.flush(talk.session)
        return code
