"""`inarch acp` as an editor sees it: a real process, the protocol's own client, and a model on loopback."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from acp import RequestError, schema

WRONG = "*** Begin Patch\n*** Update File: b.txt\n@@\n-nowhere\n+x\n*** End Patch"
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 32).decode()


def choosing(*answers: str | None) -> Callable[[Any], Any]:
    """Answer questions one after the other; the last answer stands for all that follow."""
    left = list(answers)

    async def answer(options: list[schema.PermissionOption]) -> str | None:
        chosen = left.pop(0) if len(left) > 1 else left[0]
        assert chosen is None or chosen in [option.option_id for option in options]
        return chosen

    return answer


async def test_a_plugins_command_is_offered_asks_and_submits(desk: Any, say: Any, replies: Any) -> None:
    desk.model.script = {"again": [replies.text("I see.")]}
    async with desk.editor() as (editor, connection, _):
        session = await desk.new(connection)
        editor.answer = choosing("once")
        response = await connection.prompt(session_id=session, prompt=say("/jot milk"))
        assert response.stop_reason == "end_turn" and response.usage.total_tokens == 18
        assert (desk.root / "NOTE.md").read_text() == "milk"
        assert len(editor.asked) == 1
        said = editor.said(session)
        assert "jotted" in said and said.endswith("I see.")
        assert said.index("jotted") < said.index("`that` is all") < said.index("I see.")
        (offered,) = editor.of(session, "available_commands_update")
        (jot,) = [one for one in offered.available_commands if one.name == "jot"]
        assert (jot.description, jot.input.root.hint) == ("Jot something down.", "TEXT")
        assert "clear" not in [one.name for one in offered.available_commands]
        await connection.prompt(session_id=session, prompt=say("/undo"))
        assert not (desk.root / "NOTE.md").exists()


async def test_an_answer_is_streamed_and_the_session_is_listed(desk: Any, say: Any, replies: Any) -> None:
    thinking = replies.text("Hi ", "there.")
    thinking.chunks.insert(0, b"data: " + json.dumps(replies.piece({"reasoning_content": "hm"})).encode() + b"\n\n")
    desk.model.script = {"hello": [thinking], "endless": [replies.text("so far", finish="length")],
                         "evil": [replies.text("I can't", finish="content_filter")],
                         "look": [replies.calling(("read_file", {"file_path": "a.txt"}))] * 20}  # fmt: skip
    (desk.root / ".inarch").mkdir()
    (desk.root / ".inarch" / "config.toml").write_text('[profiles.default]\nmodel = "evil/m"\n')
    async with desk.editor() as (editor, connection, _):
        new = await connection.new_session(str(desk.root), mcp_servers=[])
        first = new.session_id
        assert [mode.id for mode in new.modes.available_modes] == ["none", "plan", "ask", "edits", "auto", "all"]
        assert {option.id: option.current_value for option in new.config_options} == {
            "mode": "ask", "model": "openai-compatible/m",
        }  # fmt: skip
        response = await connection.prompt(session_id=first, prompt=say("hello"))
        assert response.stop_reason == "end_turn"
        assert response.usage.total_tokens == 18
        said = editor.said(first)
        assert said.endswith("Hi there.")
        assert "not trusted" in said  # told as in the command line
        assert editor.said(first, "agent_thought_chunk") == "hm"
        (commands,) = editor.of(first, "available_commands_update")
        assert {one.name for one in commands.available_commands} >= {"undo", "context"}
        assert editor.of(first, "session_info_update")[0].title == "hello"

        assert (await connection.prompt(session_id=first, prompt=say("endless"))).stop_reason == "max_tokens"
        assert (await connection.prompt(session_id=first, prompt=say("evil"))).stop_reason == "refusal"
        limited = await connection.prompt(session_id=first, prompt=say("look"))
        assert limited.stop_reason == "max_turn_requests"
        assert limited.field_meta["inarch"]["status"] == "limited"

        await connection.prompt(session_id=first, prompt=say("/context"))
        assert "tokens" in editor.said(first)
        listed = await connection.list_sessions(cwd=str(desk.root))
        assert [(one.session_id, one.title) for one in listed.sessions] == [(first, "hello")]
        assert (await connection.list_sessions(cwd=str(desk.folder))).sessions == []
        await connection.close_session(session_id=first)
        with pytest.raises(RequestError, match="no session"):
            await connection.prompt(session_id=first, prompt=say("hello"))


async def test_changes_are_shown_exactly(desk: Any, say: Any, replies: Any) -> None:
    edit = {"file_path": "a.txt", "search": "two", "replace": "zwei ü", "description": "translate"}
    desk.model.script = {"translate": [replies.calling(("read_file", {"file_path": "a.txt"})),
                                       replies.calling(("patch_source_file", edit)), replies.text("done")]}  # fmt: skip
    async with desk.editor() as (editor, connection, _):
        session = await desk.new(connection)
        editor.answer = choosing("once")
        await connection.prompt(session_id=session, prompt=say("translate"))
        (asked,) = editor.asked
        (shown,) = asked.tool_call.content
        assert (shown.old_text, shown.new_text) == ("one\ntwo\nthree\n", "one\nzwei ü\nthree\n")
        assert asked.tool_call.title == "Edit a.txt"
        assert asked.tool_call.kind == "edit"
        read, change = editor.calls(session).values()
        assert (read["kind"], read["title"], read["status"]) == ("read", "Read a.txt", "completed")
        assert (change["kind"], change["status"]) == ("edit", "completed")
        assert change["statuses"][0] == "pending"
        assert "in_progress" in change["statuses"]
        assert change["raw_input"] == edit
        (place,) = change["locations"]
        assert (place.path, place.line) == (str(desk.root / "a.txt"), 2)
        (diff,) = change["content"]
        assert (diff.path, diff.old_text, diff.new_text) == (
            str(desk.root / "a.txt"), "one\ntwo\nthree\n", "one\nzwei ü\nthree\n",
        )  # fmt: skip


async def test_changes_are_asked_about_as_far_as_was_said(desk: Any, say: Any, replies: Any) -> None:
    before = b"\xef\xbb\xbfone\r\ntwo\r\n"
    (desk.root / "b.txt").write_bytes(before)
    new = {"file_path": "sub/new.txt", "content": "first\n"}
    desk.model.script = {
        "make": [replies.calling(("create_file", new), ("delete_file", {"file_path": "b.txt"})), replies.text("made")],
        "again": [replies.calling(("create_file", {**new, "file_path": "c.txt"})), replies.text("no")],
        "once more": [replies.calling(("create_file", {**new, "file_path": "c.txt"})), replies.text("no")],
        "mistake": [replies.calling(("patch_source_file", {"file_path": "b.txt"}), ("apply_patch", {"patch": WRONG})),
                    replies.text("no")],
    }  # fmt: skip
    async with desk.editor() as (editor, connection, _):
        session = await desk.new(connection)
        editor.answer = choosing("tool", "reject_once")
        await connection.prompt(session_id=session, prompt=say("make"))
        assert len(editor.asked) == 2
        made, kept = editor.calls(session).values()
        assert (made["status"], made["content"][0].old_text, made["content"][0].new_text) == (
            "completed", None, "first\n",
        )  # fmt: skip
        assert (kept["kind"], kept["status"]) == ("delete", "failed")
        assert "denied" in kept["content"][0].content.text
        assert (desk.root / "b.txt").read_bytes() == before

        editor.asked.clear()
        await connection.prompt(session_id=session, prompt=say("again"))
        assert editor.asked == []  # every create_file was allowed
        assert (desk.root / "c.txt").exists()

        await connection.prompt(session_id=session, prompt=say("/undo"))
        assert not (desk.root / "c.txt").exists()
        assert "done: undo of " in editor.said(session)
        assert "c.txt: removed" in editor.said(session)

        third = await desk.new(connection)
        await connection.prompt(session_id=third, prompt=say("mistake"))
        failed = [(call["kind"], call["status"]) for call in editor.calls(third).values()]
        assert failed == [("edit", "failed")] * 2

        other = await desk.new(connection)
        editor.answer = choosing("reject_always")
        await connection.prompt(session_id=other, prompt=say("again"))
        await connection.prompt(session_id=other, prompt=say("once more"))
        assert len(editor.asked) == 1
        assert [call["status"] for call in editor.calls(other).values()] == ["failed", "failed"]
        assert not (desk.root / "c.txt").exists()


async def test_everything_is_not_what_only_a_person_may_allow(desk: Any, say: Any, replies: Any) -> None:
    """An answer for the session covers the calls beside it in a batch, but none that is asked about by itself."""
    shells = [{"command": f"sh -c 'echo {name} > {name}.txt'"} for name in ("one", "two")]
    desk.model.script = {
        "make": [
            replies.calling(
                ("create_file", {"file_path": "x.txt", "content": "x"}),
                ("create_file", {"file_path": "y.txt", "content": "y"}),
                *(("execute_command", shell) for shell in (*shells, shells[0])),
            ),
            replies.text("made"),
        ],
        "again": [replies.calling(("execute_command", shells[0]), ("execute_command", shells[1])), replies.text("no")],
    }
    async with desk.editor() as (editor, connection, _):
        session = await desk.new(connection)
        editor.answer = choosing("session", "shape", "reject_once")
        await connection.prompt(session_id=session, prompt=say("make"))
        given = [one.tool_call.raw_input for one in editor.asked]
        assert [one.get("file_path") or one["command"] for one in given] == [
            "x.txt", *(shell["command"] for shell in shells),
        ]  # fmt: skip
        _, first, second = ({option.option_id for option in one.options} for one in editor.asked)
        assert first == second and not first & {"session", "tool"}
        assert {"once", "shape", "reject_once", "reject_always"} <= first
        assert (desk.root / "x.txt").exists() and (desk.root / "y.txt").exists()

        editor.asked.clear()
        editor.answer = choosing("reject_always")
        await connection.prompt(session_id=session, prompt=say("again"))
        assert [one.tool_call.raw_input["command"] for one in editor.asked] == [shells[1]["command"]]
        assert not (desk.root / "two.txt").exists()


async def test_the_rights_of_a_command_are_answers(desk: Any, say: Any, replies: Any) -> None:
    make = {"command": "make all"}
    desk.model.script = {"make": [replies.calling(("execute_command", make)), replies.text("made")]}
    async with desk.editor() as (editor, connection, _):
        session = await desk.new(connection)
        editor.answer = choosing("once+network")
        await connection.prompt(session_id=session, prompt=say("make"))
        (asked,) = editor.asked  # what it may do stands in the answer: nothing is left to ask
        words = {option.option_id: option.name for option in asked.options}
        assert words["once+network"] == "Yes, with the network, all of it"
        assert "once+git" not in words  # there is no repository
        (call,) = editor.calls(session).values()
        assert "denied" not in str(call["content"])


async def test_the_right_that_a_command_needs_is_offered_first(desk: Any, say: Any, replies: Any) -> None:
    build = {"command": "cargo build"}
    desk.model.script = {"build": [replies.calling(("execute_command", build)), replies.text("built")]}
    async with desk.editor() as (editor, connection, _):
        session = await desk.new(connection)
        editor.answer = choosing("likely")
        await connection.prompt(session_id=session, prompt=say("build"))
        (asked,) = editor.asked
        first, second, *_ = (option.name for option in asked.options)
        assert first == "Yes, with network to index.crates.io and static.crates.io" and second == "Yes"
        (call,) = editor.calls(session).values()
        assert "denied" not in str(call["content"])


@pytest.mark.needs("confinement")
@pytest.mark.parametrize("last", ["once", "reject_once"])
async def test_a_command_is_tried_before_the_answer(desk: Any, say: Any, replies: Any, last: str) -> None:
    command = {"command": "rm a.txt"}
    desk.model.script = {"away with": [replies.calling(("execute_command", command)), replies.text("done")]}
    async with desk.editor() as (editor, connection, _):
        session = await desk.new(connection)
        still_there = []

        async def answer(options: list[schema.PermissionOption]) -> str:
            still_there.append((desk.root / "a.txt").exists())
            offered = [one.option_id for one in options]
            if len(editor.asked) == 1 and "try" not in offered:
                pytest.skip("dry runs are not available here")
            assert ("try" in offered) is (len(editor.asked) == 1)
            return "try" if len(editor.asked) == 1 else last

        editor.answer = answer
        await connection.prompt(session_id=session, prompt=say("away with a.txt"))
        assert still_there == [True, True]
        assert (desk.root / "a.txt").exists() is (last == "reject_once")
        assert "delete a.txt" in editor.asked[1].tool_call.content[-1].content.text


async def test_an_editor_that_does_not_answer_a_question_as_it_should_said_no(
    desk: Any, say: Any, replies: Any
) -> None:
    desk.model.script = {"make": [replies.calling(("create_file", {"file_path": "x.txt", "content": "x"})),
                                  replies.text("not made")]}  # fmt: skip
    answers: list[Any] = [None, "unheard of", RequestError.internal_error()]

    async def answer(options: Any) -> Any:
        given = answers[0]
        if isinstance(given, Exception):
            raise given
        return given

    async with desk.editor() as (editor, connection, _):
        session = await desk.new(connection)
        editor.answer = answer
        while answers:
            response = await connection.prompt(session_id=session, prompt=say("make"))
            assert response.stop_reason == "end_turn"
            call = list(editor.calls(session).values())[-1]
            assert call["status"] == "failed"
            answers.pop(0)
    assert len(editor.asked) == 3
    assert not (desk.root / "x.txt").exists()


async def test_no_editor_lifts_what_the_command_line_forbids(desk: Any, say: Any, replies: Any) -> None:
    made = replies.calling(("create_file", {"file_path": "x.txt", "content": "x"}))
    desk.model.script = {"make": [made, replies.text("made")]}
    async with desk.editor("--approve", "none") as (_, connection, _):
        opened = await connection.new_session(cwd=str(desk.root), mcp_servers=[])
        session = opened.session_id
        assert [mode.id for mode in opened.modes.available_modes] == ["none"]
        assert [option.value for option in opened.config_options[0].options] == ["none"]
        await connection.set_session_mode(session_id=session, mode_id="none")
        for lifting in (
            *(connection.set_session_mode(session_id=session, mode_id=mode) for mode in ("ask", "edits", "all")),
            *(connection.set_config_option("mode", session, mode) for mode in ("ask", "edits", "all")),
            *(connection.prompt(session_id=session, prompt=say(text)) for text in ("/undo", "/redo")),
        ):
            with pytest.raises(RequestError) as error:
                await lifting
            assert error.value.code == -32602
            assert "--approve none" in str(error.value)
        await connection.prompt(session_id=session, prompt=say("make"))
        assert not (desk.root / "x.txt").exists()


async def test_modes_and_models_change_for_a_session(desk: Any, say: Any, replies: Any) -> None:
    made = replies.calling(("create_file", {"file_path": "x.txt", "content": "x"}))
    desk.model.script = {"make": [made, replies.text("made")], "hello": [replies.text("hi")]}
    async with desk.editor() as (editor, connection, _):
        session = await desk.new(connection)
        await connection.set_session_mode(session_id=session, mode_id="none")
        await connection.prompt(session_id=session, prompt=say("make"))
        assert not (desk.root / "x.txt").exists()
        await connection.set_session_mode(session_id=session, mode_id="edits")
        assert editor.of(session, "current_mode_update")[-1].current_mode_id == "edits"
        await connection.prompt(session_id=session, prompt=say("make"))
        assert (desk.root / "x.txt").exists()
        assert editor.asked == []
        changed = await connection.set_config_option("model", session, "openai-compatible/other")
        assert changed.config_options[1].current_value == "openai-compatible/other"
        await connection.prompt(session_id=session, prompt=say("hello"))
        assert desk.model.server.requests[-1].json["model"] == "other"
        changed = await connection.set_config_option("mode", session, "all")
        assert changed.config_options[0].current_value == "all"
        await connection.set_config_option("model", session, "offline/extractive")
        answer = await connection.prompt(session_id=session, prompt=say("What is in a.txt?"))
        assert answer.stop_reason == "end_turn"
        for wrong in (
            connection.set_config_option("model", session, "absent/model"),
            connection.set_config_option("model", session, "openai-compatible/unlisted"),
            connection.set_config_option("colour", session, "blue"),
            connection.set_session_mode(session_id=session, mode_id="bold"),
        ):
            with pytest.raises(RequestError) as error:
                await wrong
            assert error.value.code == -32602


async def test_files_and_pictures_come_with_a_prompt(desk: Any, replies: Any) -> None:
    desk.model.script = {"look": [replies.text("seen")]}
    (desk.root / "with space.txt").write_text("spaced out\n")
    uri = (desk.root / "a.txt").as_uri()
    blocks = [
        schema.TextContentBlock(type="text", text="look at "),
        schema.ResourceContentBlock(type="resource_link", name="s", uri=(desk.root / "with space.txt").as_uri()),
        schema.ResourceContentBlock(type="resource_link", name="a page", uri="http://127.0.0.1/page"),
        schema.EmbeddedResourceContentBlock(
            type="resource",
            resource=schema.TextResourceContents(uri=f"{uri}#L2:3", text="unsaved @a.txt\n```\nend"),
        ),
        schema.ImageContentBlock(type="image", data=PNG, mime_type="image/png"),
    ]
    async with desk.editor() as (editor, connection, _):
        session = await desk.new(connection)
        await connection.prompt(session_id=session, prompt=blocks)
        seen = desk.model.server.requests[-1].json["messages"]
        whole = json.dumps(seen)
        assert "spaced out" in whole
        assert "[a page](http://127.0.0.1/page)" in whole
        assert "unsaved @a.txt" in whole
        assert "three" not in whole.replace("a.txt (lines 2 to 3)", "")  # what is embedded is no mention
        assert PNG in whole
        assert {call["title"] for call in editor.calls(session).values()} == {"Read with space.txt"}
        for wrong in (
            schema.AudioContentBlock(type="audio", data=PNG, mime_type="audio/wav"),
            schema.ImageContentBlock(type="image", data="?", mime_type="image/png"),
            schema.TextContentBlock(type="text", text="  "),
        ):
            with pytest.raises(RequestError) as error:
                await connection.prompt(session_id=session, prompt=[wrong])
            assert error.value.code == -32602


async def test_a_failed_turn_is_an_error_of_the_prompt(desk: Any, say: Any) -> None:
    desk.configure(more="[plugins.slow]\nunknown = 1")
    desk.model.server.routes = {"POST /v1/chat/completions": json_error()}
    async with desk.editor() as (_editor, connection, _):
        with pytest.raises(RequestError, match="unknown key") as error:
            await desk.new(connection)
        assert error.value.code == -32602
        desk.configure()
        session = await desk.new(connection)
        with pytest.raises(RequestError, match="the key is wrong") as error:
            await connection.prompt(session_id=session, prompt=say("hello"))
        assert error.value.code == -32000
        desk.model.server.routes = {"POST /v1/chat/completions": json_error("too much", 413)}
        with pytest.raises(RequestError, match="too much") as error:
            await connection.prompt(session_id=session, prompt=say("hello"))
        assert error.value.code == -32603
        with pytest.raises(RequestError) as error:
            await connection.new_session("relative/path", mcp_servers=[])
        assert error.value.code == -32602
        with pytest.raises(RequestError):
            await connection.new_session(str(desk.root / "absent"), mcp_servers=[])


def json_error(words: str = "the key is wrong", status: int = 401) -> Any:
    from inarch.testing import json_reply

    return json_reply({"error": {"message": words}}, status)
