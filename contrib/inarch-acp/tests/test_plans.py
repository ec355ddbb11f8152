"""Plans, questions and lists of what is to be done, in an editor."""

from __future__ import annotations

from typing import Any

PROFILE = """
[profiles.plans]
extends = "default"
plugins = ["sandbox-fs", "sqlite-store", "openai-compatible", "acp", "plan"]
"""
TODOS = [{"content": "look", "status": "completed"}, {"content": "write", "status": "in_progress"}]
CREATE = ("create_file", {"file_path": "x.txt", "content": "x"})


def choosing(option: str) -> Any:
    """Return what chooses an option, whatever is asked."""

    async def answer(options: Any) -> str:
        return option

    return answer


async def test_a_plan_is_approved_and_the_mode_follows(desk: Any, say: Any, replies: Any) -> None:
    plan = replies.calling(("present_plan", {"plan": "# One file"}))
    desk.model.script = {"make": [plan, replies.calling(CREATE), replies.text("made")]}
    desk.configure(PROFILE)
    async with desk.editor("--profile", "plans", "--approve", "plan") as (editor, connection, _):
        session = await desk.new(connection)
        editor.answer = choosing("once+edits")
        await connection.prompt(session_id=session, prompt=say("make"))
        (asked,) = editor.asked
        assert "# One file" in str(asked) and {"once", "once+edits"} <= {one.option_id for one in asked.options}
        assert editor.of(session, "current_mode_update")[-1].current_mode_id == "edits"
        assert (desk.root / "x.txt").exists()


async def test_a_question_that_is_answered_in_own_words_is_left_to_the_next_prompt(
    desk: Any, say: Any, replies: Any
) -> None:
    question = ("ask_user", {"questions": [{"question": "Which?", "choices": ["this", "that"]}]})
    desk.model.script = {"go": [replies.calling(question), replies.text("well?")], "neither": [replies.text("fine")]}
    desk.configure(PROFILE)
    async with desk.editor("--profile", "plans", "--approve", "all") as (editor, connection, _):
        session = await desk.new(connection)
        editor.answer = choosing("none")
        await connection.prompt(session_id=session, prompt=say("go"))
        (asked,) = editor.asked  # no mode answers for the person
        assert "Which?" in str(asked.tool_call.content) and asked.options[-1].kind == "reject_once"
        assert "the next prompt" in str(desk.model.server.requests[-1].json["messages"][-1])
        assert (await connection.prompt(session_id=session, prompt=say("neither"))).stop_reason == "end_turn"


async def test_a_list_is_the_editors_plan_and_a_question_has_its_choices(desk: Any, say: Any, replies: Any) -> None:
    question = ("ask_user", {"questions": [{"question": "Which?", "choices": ["this", "that"]}]})
    desk.model.script = {"go": [replies.calling(("write_todos", {"todos": TODOS})), replies.calling(question),
                                replies.text("well")]}  # fmt: skip
    desk.configure(PROFILE)
    async with desk.editor("--profile", "plans") as (editor, connection, _):
        session = await desk.new(connection)
        editor.answer = choosing("1")
        await connection.prompt(session_id=session, prompt=say("go"))
        (plan,) = editor.of(session, "plan")
        assert [(one.content, one.status) for one in plan.entries] == [
            ("look", "completed"),
            ("write", "in_progress"),
        ]
        assert [one.name for one in editor.asked[0].options[:2]] == ["this", "that"]
        assert "that" in str(desk.model.server.requests[-1].json["messages"][-1])
