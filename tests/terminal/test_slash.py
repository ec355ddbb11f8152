from __future__ import annotations

import asyncio
from asyncio import Runner
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from attrs import frozen

from inarch import AnsweredBy, ProviderNote, Usage
from inarch.calls.grants import Grants, ProjectGrants
from inarch.config.approvals import Approvals, ProjectApproval
from inarch.contract.errors import StoreError
from inarch.contract.ids import utc_now
from inarch.plugins.discovery import own_names
from inarch.program.chat_launch import Launched
from inarch.program.composer import Options
from inarch.testing import says, scripted_app
from inarch_plugins.terminal.slash.talk import SlashCommands
from inarch_plugins.terminal.slash.talk import Talk as Conversation

PARTS = str(Path(__file__).parents[1] / "running" / "parts.py")


@frozen
class Talk:
    """The commands of a conversation, and the events that its journal told of."""

    slash: SlashCommands
    events: list[tuple[str, dict[str, object]]]
    runner: Runner
    shown: list[str]

    def took(self, line: str) -> bool:
        """Run a line if it is a command."""
        self.shown.clear()
        if SlashCommands.takes(line):
            self.runner.run(self.slash.run(line))
            return True
        return False

    @property
    def said(self) -> str:
        """What the last command wrote."""
        return "".join(self.shown)

    @property
    def grants(self) -> Grants:
        """What was approved."""
        return self.slash.talk.session.state.scheduler.grants


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    app, _ = scripted_app([says("hello")], tmp_path, files=(PARTS,))
    events: list[tuple[str, dict[str, object]]] = []
    with Runner() as runner:
        session = app.session()
        session.state.journal.listeners.append(lambda event: events.append((event.kind, dict(event.data))))
        shown: list[str] = []
        slash = SlashCommands(Conversation(app, session, Launched(Options()), shown.append, lambda: 100))
        yield Talk(slash, events, runner, shown)
        runner.run(app.aclose())


@pytest.mark.parametrize(("line", "shown"), [("/again a  b", "again a  b"), ("/slow x", "slow x"), ("/again", "again")])
def test_a_plugins_command_is_run_shown_and_recorded(talk: Talk, line: str, shown: str) -> None:
    assert talk.took(line)
    assert talk.said.strip() == shown
    ((kind, data),) = talk.events
    assert kind == "command.ran"
    assert f"/{data['name']} {data['arguments']}".strip() == line
    assert str(data["result"]).strip() == shown
    journal = talk.slash.talk.session.state.journal
    assert [event.kind for event in journal.store.load(journal.session_id)] == ["session.started", "command.ran"]


def test_a_command_that_fails_is_one_error_and_the_conversation_goes_on(talk: Talk) -> None:
    assert talk.took("/spoil")
    assert [kind for kind, _ in talk.events] == ["error", "command.ran"]
    assert talk.events[0][1]["plugin"] == "parts"
    assert "spoilt milk" in str(talk.events[0][1]["message"])
    assert not talk.slash.talk.is_over


def test_help_lists_the_kernels_commands_and_the_plugins(talk: Talk) -> None:
    assert talk.took("/help")
    words = [line.split()[0] for line in talk.said.splitlines() if not line.startswith(" ")]
    own = [f"/{name}" for kind, name in sorted(own_names()) if kind == "slash_commands"]
    assert len(own) == 24
    assert words[: len(own)] == own and words[-5:] == ["/again", "/slow", "/spoil", "!COMMAND", "@PATH"]
    assert {"/memory", "/skills", "/commands", "/processes"} <= set(words)


def test_an_unknown_command_is_reported_with_the_nearest_and_quit_ends(
    talk: Talk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert talk.took("/agian now")
    assert "did you mean '/again'?" in capsys.readouterr().err
    assert talk.took("/quit") and talk.slash.talk.is_over


def test_stats_and_context_say_what_the_cache_the_services_and_compactions_did(tmp_path: Path) -> None:
    usage = Usage(1_000, 5, cached_tokens=900, cost_usd=Decimal(0))
    repair = ProviderNote("left out max_tokens", repair=True)
    script = [[repair, AnsweredBy("script-8"), *says("yes", usage)] for _ in range(4)]

    async def go() -> None:
        app, _ = scripted_app(script, tmp_path)
        session, shown = app.session(), list[str]()
        for prompt in ("one", "two", "three"):
            await session.run(prompt)
        session.compact(1)
        await session.run("four")
        slash = SlashCommands(Conversation(app, session, Launched(Options()), shown.append, lambda: 100))
        for line in ("/stats", "/context"):
            await slash.run(line)
        said = "".join(shown)
        assert "from the cache: 90% of 4,000 input tokens" in said
        assert "scripted/script was answered by script-8" in said
        assert "repaired in replies: 4 × left out max_tokens" in said
        assert "context began anew before request 4: compaction (/compact)" in said
        await app.aclose()

    asyncio.run(go())


def test_approve_lists_and_takes_back_what_the_session_may(talk: Talk, capsys: pytest.CaptureFixture[str]) -> None:
    def said(line: str) -> str:
        assert talk.took(line)
        return talk.said

    assert said("/approve") == "in this session\n  nothing\nin this project\n  nothing\n"
    assert said("/approve revoke") == "nothing was approved\n"
    talk.grants.shapes["k"] = "pytest …"
    talk.grants.tools.add("write_file")
    assert said("/approve list").split("\n")[1:3] == ["  every call of write_file", "  pytest …"]
    assert said("/approve revoke all").count("revoked for this session") == 2
    assert talk.grants.listed() == ()
    assert talk.took("/approve everything please")
    assert "not known" in capsys.readouterr().err


def test_approve_takes_back_what_was_approved_for_the_project(
    talk: Talk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grants = talk.grants
    grants.project = ProjectGrants(str(tmp_path), tmp_path / "state", {})
    for key in ("0123456789", "abcdefghij"):
        approval = ProjectApproval(key[:8], "execute_command", f"pytest {key} …", key, "inarch 1", "s", utc_now())
        Approvals(str(tmp_path), tmp_path / "state").keep(approval)
        grants.shapes[key] = approval.shape
    assert talk.took("/approve revoke 01234567") and set(grants.shapes) == {"abcdefghij"}
    assert talk.took("/approve")
    assert "  abcdefgh  pytest abcdefghij …" in talk.said and len(_ids(tmp_path)) == 1
    assert talk.took("/approve revoke 01234567")
    assert "01234567" in capsys.readouterr().err
    assert talk.took("/approve revoke all") and _ids(tmp_path) == []


def _ids(root: Path) -> list[str]:
    return [one.id for one in Approvals(str(root), root / "state").known()]


def test_a_session_that_another_process_went_on_with_is_left_or_read_again(tmp_path: Path) -> None:
    model = [says("one"), says("two"), says("three"), says("four")]
    app, _ = scripted_app(model, tmp_path, journal=True)
    shown: list[str] = []
    with Runner() as runner:
        session = app.session()
        runner.run(session.run("first"))
        other = app.session(session.id)
        runner.run(other.run("from elsewhere"))
        talk = Conversation(app, session, Launched(Options()), shown.append, lambda: 100)
        with pytest.raises(StoreError, match="another process writes to it"):
            runner.run(session.run("from here"))

        runner.run(SlashCommands(talk).run(f"/resume {session.id}"))
        assert "from elsewhere" in "".join(shown)
        assert [turn.content for turn in talk.session.turns] == ["one", "two"]
        runner.run(talk.session.run("from here"))
        assert len(talk.session.turns) == 3

        talk.session = session
        runner.run(SlashCommands(talk).run("/clear"))
        assert talk.session.id != session.id
        runner.run(app.aclose())
