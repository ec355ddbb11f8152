"""A plugin's slash command uses the conversation: it calls tools as a model does, shows text, submits a prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.program.chat_launch import Launched
from inarch.program.composer import Options
from inarch.testing import says, scripted_app
from inarch_plugins.replay import replay
from inarch_plugins.terminal.slash.talk import SlashCommands, Talk

NOTING = str(Path(__file__).with_name("noting.py"))
MODES = pytest.mark.parametrize("mode", ["in-process", "process"])


class Person:
    """Answers every question alike."""

    name = "person"

    def __init__(self, decision: str) -> None:
        self.decision = decision
        self.asked: list[inarch.ApprovalRequest] = []

    def show(self, event: inarch.Event) -> None:
        """Show nothing."""

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        """Give the same answer to each call."""
        self.asked += batch
        return [inarch.Approval(request.call.id, self.decision) for request in batch]  # type: ignore[arg-type]

    def close(self) -> None:
        """Do nothing."""


def typed(root: Path, mode: str, lines: Sequence[str], then: Callable[[Talk], Awaitable[object]], **more: Any) -> str:
    """Type lines into a conversation, look at it, and return what was shown."""
    root.mkdir(exist_ok=True)
    shown: list[str] = []

    async def go() -> None:
        config = {"isolation": {"noting": {"mode": mode}}}
        options = {"journal": True, "files": (NOTING,), "config": config, **more}
        app, _ = scripted_app([says("well")], root, **options)
        try:
            talk = Talk(app, app.session(), Launched(Options()), shown.append, lambda: 100)
            for line in lines:
                await SlashCommands(talk).run(line)
            await then(talk)
        finally:
            await app.aclose()

    asyncio.run(go())
    return "".join(shown)


@MODES
def test_it_calls_a_tool_shows_text_and_submits_a_prompt(tmp_path: Path, mode: str) -> None:
    root = tmp_path / "root"
    person = Person("approve")

    async def look(talk: Talk) -> None:
        assert (root / "NOTE.md").read_text() == "milk\n"
        assert talk.next_prompts == ["what do you say to milk?"]
        events = talk.app.store.load(talk.session.id)
        (call,) = [event.data["call"] for event in events if event.data.get("call")]
        assert (call["name"], call["origin"]) == ("write_file", "slash")
        kinds = [event.kind for event in events]
        order = ["approval.asked", "approval.given", "file.changing", "file.changed", "call.result", "command.ran"]
        assert [kind for kind in kinds if kind in order] == order

    assert typed(root, mode, ["/note milk"], look, front_end=person) == "written\nnoted\n"
    (asked,) = person.asked
    assert asked.call.name == "write_file"


def test_what_it_changed_can_be_undone_and_is_replayed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    ids: list[str] = []

    async def look(talk: Talk) -> None:
        await talk.session.run(talk.next_prompts.pop())
        assert (root / "NOTE.md").exists()
        ids.append(talk.session.id)

    flags = {"approve": "all"}
    typed(root, "in-process", ["/note milk"], look, flags=flags)
    report = asyncio.run(replay(ids[0], root=root, files=(NOTING,), config={}))
    assert report.same, report.first_difference

    async def gone(talk: Talk) -> None:
        assert not (root / "NOTE.md").exists()

    (root / "NOTE.md").unlink()
    assert "NOTE.md" in typed(root, "in-process", ["/note milk", "/undo"], gone, flags=flags)


WRONG = """
import inarch

async def submits(words, context):
    context.submit("first")
    context.submit(" " if words == "empty" else 1)

async def breaks(words, context):
    context.submit("never run")
    raise ValueError("broken")

async def unknown(words, context):
    return str((await context.call("no_such_tool", {})).error.code)

def plain(words, context=None):
    context.show("now")
    return "then"

@inarch.hookimpl
def inarch_slash_commands(context):
    more = inarch.SlashCommand("tells", "x", unknown, words="[WHAT]", at_once=True)
    return [more, *(inarch.SlashCommand(one.__name__, "x", one) for one in (submits, breaks, unknown, plain))]
"""


@MODES
@pytest.mark.parametrize(
    ("line", "shown", "result"),
    [
        ("/submits empty", "", "the submitted prompt is empty"),
        ("/submits number", "", "must be str, not int"),
        ("/breaks", "", "broken"),
        ("/unknown", "not_found\n", "not_found"),
        ("/plain", "now\nthen\n", "then"),
        ("/tells", "not_found\n", "not_found"),
    ],
)
def test_what_goes_wrong_is_told_and_submits_nothing(
    tmp_path: Path, mode: str, line: str, shown: str, result: str
) -> None:
    (tmp_path / "noting.py").write_text(WRONG)

    async def look(talk: Talk) -> None:
        assert talk.next_prompts == []
        (ran,) = [event for event in talk.app.store.load(talk.session.id) if event.kind == "command.ran"]
        assert result in ran.data["result"]

    assert typed(tmp_path / "root", mode, [line], look, files=(str(tmp_path / "noting.py"),)) == shown


@MODES
def test_help_tells_what_may_follow_a_name_and_such_a_command_runs_beside_a_turn(tmp_path: Path, mode: str) -> None:
    (tmp_path / "noting.py").write_text(WRONG)

    async def look(talk: Talk) -> None:
        assert [SlashCommands(talk).runs_at_once(line) for line in ("/tells", "/plain", "/help", "/undo", "/x")] == [
            True, False, True, False, False,
        ]  # fmt: skip

    files = (str(tmp_path / "noting.py"),)
    assert typed(tmp_path / "root", mode, ["/help tells"], look, files=files) == "/tells [WHAT]  x\n"
