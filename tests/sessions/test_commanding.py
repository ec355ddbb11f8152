"""Slash commands at a front end that is not ours: the application runs them, whoever took the line."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

import inarch
from inarch.testing import says, scripted_app

PLUGIN = """
import asyncio
import inarch

async def note(words, context):
    made = await context.call("write_file", {"file_path": "NOTE.md", "content": words})
    if not made.success:
        return f"no note: {made.error.message}"
    context.show("written\\x1b[2J")
    context.submit(f"what about {words}?")
    return f"noted in {context.session_id}, {context.columns} wide"

async def waits(words, context):
    context.show("waiting")
    await asyncio.Event().wait()

async def does(words, context):
    if words == "call":
        await context.call("write_file", {"file_path": "NOTE.md", "content": words})
    elif words == "record":
        context.record("kind", {})
    elif words == "submit":
        context.submit("do it")
    return [(f"{words}-done", "")]

def breaks(words):
    raise ValueError("broken")

def places(words, context):
    if words.startswith("bad"):
        raise ValueError("broken")
    return [("note", context.session_id), ("todo", "TODO.md")] if " " not in words else []

async def later(words):
    return [(f"{words}-later", 1)]

@inarch.hookimpl
def inarch_slash_commands(context):
    return [
        inarch.SlashCommand("note", "Write a note.", note, "TEXT", complete=places),
        inarch.SlashCommand("waits", "Wait.", waits, complete=later),
        inarch.SlashCommand("breaks", "Break.", breaks),
        inarch.SlashCommand("does", "Do.", breaks, complete=does),
    ]
"""


@define
class Page:
    """A front end of somebody: it has a list of what it shows, and answers every question alike."""

    decision: str = "approve"
    name: str = "page"
    shown: list[str] = field(factory=list)
    asked: list[str] = field(factory=list)

    def show(self, event: inarch.Event) -> None:
        """Show what failed."""
        if event.kind == "error":
            self.shown.append(f"{event.data['plugin']}: {event.data['message']}")

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        self.asked += [one.call.name for one in batch]
        return [inarch.Approval(one.call.id, self.decision) for one in batch]  # type: ignore[arg-type]

    def close(self) -> None:
        """Do nothing."""


@pytest.fixture
def page() -> Page:
    return Page()


@pytest.fixture
def app(tmp_path: Path, page: Page) -> Any:
    plugin = tmp_path / "jotting.py"
    plugin.write_text(PLUGIN)
    (tmp_path / "root").mkdir()
    app, _ = scripted_app([says("well")], tmp_path / "root", files=(str(plugin),), front_end=page, journal=True)
    with app:
        yield app


def kinds(app: inarch.App, session: inarch.Session) -> list[str]:
    return [event.kind for event in app.store.load(session.id)]


def test_a_command_works_as_at_the_terminal(app: inarch.App, page: Page, tmp_path: Path) -> None:
    session = app.session()
    prompts = asyncio.run(app.command(session, "/note milk", page.shown.append, 33))
    assert (tmp_path / "root" / "NOTE.md").read_text() == "milk"
    assert page.shown == ["written\\x1b[2J", f"noted in {session.id}, 33 wide"]
    assert (page.asked, prompts) == (["write_file"], ("what about milk?",))
    (call,) = [event.data["call"] for event in app.store.load(session.id) if event.data.get("call")]
    assert call["origin"] == "slash"
    assert kinds(app, session)[-1] == "command.ran"
    asyncio.run(session.run(prompts[0]))
    page.shown.clear()
    assert asyncio.run(app.command(session, "/undo", page.shown.append)) == ()
    assert "NOTE.md" in page.shown[-1] and not (tmp_path / "root" / "NOTE.md").exists()


def test_a_denied_call_is_told_by_the_command(app: inarch.App, page: Page, tmp_path: Path) -> None:
    page.decision = "deny"
    assert asyncio.run(app.command(app.session(), "/note milk", page.shown.append)) == ()
    assert "the user denied write_file" in page.shown[0]
    assert not (tmp_path / "root" / "NOTE.md").exists()


def test_a_plugin_that_fails_is_an_event_and_submits_nothing(app: inarch.App, page: Page) -> None:
    session = app.session()
    assert asyncio.run(app.command(session, "/breaks", page.shown.append)) == ()
    (said,) = page.shown
    assert said.startswith("jotting: ") and "broken" in said
    assert kinds(app, session)[-2:] == ["error", "command.ran"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("/naot milk", "there is no command /naot (did you mean '/note'?)"),
        ("hello", "there is no command /"),
        ("/retry now", "/retry: unknown argument 'now'"),
        ("/clear", "this command works only in a conversation at a terminal"),
    ],
)
def test_what_the_person_has_to_be_told_is_raised(app: inarch.App, page: Page, line: str, complaint: str) -> None:
    session = app.session()
    with pytest.raises(inarch.UsageError) as error:
        asyncio.run(app.command(session, line, page.shown.append))
    assert complaint in str(error.value)
    assert page.shown == []
    session.state.journal.flush()
    assert kinds(app, session)[-1] == "command.ran"


def test_a_cancel_ends_the_command_and_is_recorded(app: inarch.App) -> None:
    session = app.session()

    async def go() -> None:
        waiting = asyncio.Event()
        task = asyncio.create_task(app.command(session, "/waits", lambda text: waiting.set()))
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(go())
    (ran,) = [event.data for event in app.store.load(session.id) if event.kind == "command.ran"]
    assert ran["result"] == "cancelled"


def test_a_commands_own_completions_are_offered(app: inarch.App, page: Page) -> None:
    session = app.session()

    def offered(line: str) -> list[tuple[str, str]]:
        return [*asyncio.run(app.completions(session, line))]

    assert ("note", "Write a note.") in offered("/no")
    assert offered("/note ") == offered("/note to") == [("note", session.id), ("todo", "TODO.md")]
    assert offered("/note todo x") == offered("/note bad") == offered("/breaks ") == offered("/nothing ") == []
    assert offered("/waits so") == [("so-later", "1")]
    assert offered("/retry ")[0][0] == "undo"
    assert offered("/undo ") == []
    asyncio.run(app.command(session, "/note milk", page.shown.append))
    assert kinds(app, session).count("command.ran") == 1  # offering records nothing


def test_what_is_only_completed_does_nothing(app: inarch.App, page: Page) -> None:
    session = app.session()
    assert [*asyncio.run(app.completions(session, "/does nothing"))] == [("nothing-done", "")]
    for words in ("call", "record", "submit"):
        assert [*asyncio.run(app.completions(session, f"/does {words}"))] == []
    assert not page.asked and not Path(app.config.root, "NOTE.md").exists()
    assert kinds(app, session) == []
