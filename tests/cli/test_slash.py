from __future__ import annotations

from asyncio import Runner
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import frozen

from inarch.calls.grants import Grants, ProjectGrants
from inarch.cli.slash import SlashCommands
from inarch.config.approvals import ProjectApproval, approvals_of, keep_approval
from inarch.contract.errors import UsageError
from inarch.contract.ids import utc_now
from inarch.testing import says, scripted_app

PARTS = str(Path(__file__).with_name("parts.py"))


@frozen
class Talk:
    """The commands of a conversation, and the events that its journal told of."""

    slash: SlashCommands
    events: list[tuple[str, dict[str, object]]]


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    app, _ = scripted_app([says("hello")], tmp_path, files=(PARTS,))
    events: list[tuple[str, dict[str, object]]] = []
    with Runner() as runner:
        journal = app.session().conversation.journal
        journal.listeners.append(lambda event: events.append((event.kind, dict(event.data))))
        yield Talk(SlashCommands(app.composition.slash_commands, journal, runner, Grants()), events)
        runner.run(app.aclose())


@pytest.mark.parametrize(("line", "shown"), [("/again a  b", "again a  b"), ("/slow x", "slow x"), ("/again", "again")])
def test_a_plugins_command_is_run_shown_and_recorded(
    talk: Talk, capsys: pytest.CaptureFixture[str], line: str, shown: str
) -> None:
    assert talk.slash.took(line)
    assert capsys.readouterr().out.strip() == shown
    ((kind, data),) = talk.events
    assert kind == "command.ran"
    assert f"/{data['name']} {data['arguments']}".strip() == line
    assert str(data["result"]).strip() == shown
    journal = talk.slash.journal
    assert [event.kind for event in journal.store.load(journal.session_id)] == ["session.started", "command.ran"]


def test_a_command_that_fails_is_one_error_and_the_conversation_goes_on(talk: Talk) -> None:
    assert talk.slash.took("/spoil")
    assert [kind for kind, _ in talk.events] == ["error", "command.ran"]
    assert talk.events[0][1]["plugin"] == "parts"
    assert "spoilt milk" in str(talk.events[0][1]["message"])
    assert not talk.slash.is_over


def test_help_lists_the_kernels_commands_and_the_plugins(talk: Talk, capsys: pytest.CaptureFixture[str]) -> None:
    assert talk.slash.took("/help")
    words = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    own = ["/approve", "/compact", "/context", "/help", "/quit"]
    assert words == [*own, "/memory", "/again", "/slow", "/spoil", "!COMMAND"]


def test_an_unknown_command_is_told_with_the_nearest_and_quit_ends(
    talk: Talk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert talk.slash.took("/agian now")
    assert "did you mean '/again'?" in capsys.readouterr().err
    assert talk.slash.took("/quit") and talk.slash.is_over


@pytest.mark.parametrize("line", ["", "hello /again", "/etc/hosts says what?", "// why", "/"])
def test_other_lines_are_prompts(talk: Talk, line: str) -> None:
    assert not talk.slash.took(line)
    assert talk.events == []


def test_approve_lists_and_takes_back_what_the_session_may(talk: Talk, capsys: pytest.CaptureFixture[str]) -> None:
    def said(line: str) -> str:
        assert talk.slash.took(line)
        return capsys.readouterr().out

    assert said("/approve") == "in this session\n  nothing\nin this project\n  nothing\n"
    assert said("/approve revoke") == "nothing was approved\n"
    talk.slash.grants.shapes["k"] = "pytest …"
    talk.slash.grants.tools.add("write_file")
    assert said("/approve list").split("\n")[1:3] == ["  every call of write_file", "  pytest …"]
    assert said("/approve revoke all").count("revoked for this session") == 2
    assert talk.slash.grants.listed() == ()
    with pytest.raises(UsageError, match="not known"):
        talk.slash.took("/approve everything please")


def test_approve_takes_back_what_was_approved_for_the_project(
    talk: Talk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grants = talk.slash.grants
    grants.project = ProjectGrants(str(tmp_path), tmp_path / "state", {})
    for key in ("0123456789", "abcdefghij"):
        approval = ProjectApproval(key[:8], "execute_command", f"pytest {key} …", key, "inarch 1", "s", utc_now())
        keep_approval(str(tmp_path), approval, tmp_path / "state")
        grants.shapes[key] = approval.shape
    assert talk.slash.took("/approve revoke 01234567") and set(grants.shapes) == {"abcdefghij"}
    assert talk.slash.took("/approve")
    assert "  abcdefgh  pytest abcdefghij …" in capsys.readouterr().out and len(_ids(tmp_path)) == 1
    with pytest.raises(UsageError, match="01234567"):
        talk.slash.took("/approve revoke 01234567")
    assert talk.slash.took("/approve revoke all") and _ids(tmp_path) == []


def _ids(root: Path) -> list[str]:
    return [one.id for one in approvals_of(str(root), root / "state")]
