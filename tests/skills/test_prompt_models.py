"""The model that a prompt file names: asked in its turn alone, recorded with it, and never one that isn't there."""

from __future__ import annotations

import pytest

from inarch.testing import says

from .desk import Desk, call

OTHER = "---\nmodel: scripted/other\nallowed-tools: Read\n---\nLook.\n"


def models(desk: Desk) -> list[str]:
    """Whom each agent's turn began with."""
    turns = [event["turn"] for event in desk.of("turn.started")]
    return [turn["model"] for turn in turns if turn["type"] == "agent"]


def test_its_turn_alone_asks_that_model(desk: Desk) -> None:
    desk.write(".agents/commands/look.md", OTHER)
    desk.talk([says("done")] * 3, "one", "/look", "three")
    assert [request.model for request in desk.requests] == ["script", "other", "script"]
    assert models(desk) == ["scripted/script", "scripted/other", "scripted/script"]
    settings = [event["settings"]["model"] for event in desk.of("turn.started") if event["settings"]]
    assert settings == ["scripted/script", "scripted/other", "scripted/script"]
    assert not desk.of("model.switched")


@pytest.mark.parametrize("word", ["inherit", "opus", "haiku", "claude-sonnet-4-5", ""])
def test_words_of_other_programs_are_the_sessions_own(desk: Desk, word: str) -> None:
    desk.write(".agents/commands/look.md", f"---\nmodel: {word}\n---\nLook.\n")
    desk.talk([says("done")], "/look")
    assert models(desk) == ["scripted/script"]
    assert not desk.notes()
    assert ("is unknown here" in desk.command("/commands")) == (word not in ("inherit", ""))


WRONG = {
    "elsewhere/large": "no plugin provides the model 'elsewhere/large'",
    "gemini/gemini-9": "providers of this profile: ",
    "large-of-nobody": "no plugin provides the model 'large-of-nobody'",
}


@pytest.mark.parametrize("name", WRONG)
def test_one_that_is_not_there_is_told_and_nothing_runs(desk: Desk, name: str) -> None:
    desk.write(".agents/commands/look.md", f"---\nmodel: {name}\n---\nLook at !`ls` now.\n")
    desk.talk([says("done")], "/look", "go")
    (told,) = desk.said
    assert told.startswith("/look was not sent: ~/.agents/commands/look.md: ") and WRONG[name] in told
    assert "\n" not in told and len(desk.requests) == 1 and not desk.of("call.result") and not desk.of("skills.sent")


def test_what_is_no_name_leaves_the_file_out(desk: Desk) -> None:
    for number, name in enumerate(("a b", "[x, y]", "m" * 300)):
        desk.write(f".agents/commands/look{number}.md", f"---\nmodel: {name}\n---\nLook.\n")
    assert desk.command("/commands").count("skipped: model is ") == 3


def test_a_project_names_one_once_it_is_trusted(desk: Desk) -> None:
    desk.write("root/.agents/commands/look.md", OTHER)
    assert "no prompt files" in desk.command("/commands")
    desk.trust()
    desk.talk([says("done")], "/look")
    assert models(desk) == ["scripted/other"]


def test_what_it_calls_for_asks_its_model_too(desk: Desk) -> None:
    desk.write(".agents/commands/look.md", "---\nmodel: openai-compatible/other\n---\nLook at $1.\n")
    replies = [call("task", agent="explore", prompt="look"), {"content": "found"}, {"content": "well"}]
    _, asked = desk.program("/look a.txt", replies=replies)
    assert [request["model"] for request in asked] == ["other"] * 3
