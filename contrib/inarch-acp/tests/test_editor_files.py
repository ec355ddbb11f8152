"""Files that the editor serves: unsaved text is read, changes reach both sides, and undo brings the text back."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp import schema

EDIT = {"file_path": "a.txt", "search": "two", "replace": "2", "description": "shorten"}
TYPED = "one\ntwo\nnot saved\n"


def offer(read: bool = True, write: bool = True) -> schema.ClientCapabilities:
    return schema.ClientCapabilities(fs=schema.FileSystemCapabilities(read_text_file=read, write_text_file=write))


def script(desk: Any, replies: Any) -> None:
    desk.model.script = {
        "shorten": [replies.calling(("read_file", {"file_path": "a.txt"})),
                    replies.calling(("patch_source_file", EDIT)), replies.text("done")],
        "command": [replies.calling(("read_file", {"file_path": "a.txt"})),
                    replies.calling(("execute_command", {"command": "cp b.txt a.txt"})), replies.text("copied")],
    }  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n"])
async def test_unsaved_text_is_read_changed_and_brought_back(desk: Any, say: Any, replies: Any, end: str) -> None:
    a = desk.root / "a.txt"
    a.write_bytes(f"one{end}two{end}".encode())
    script(desk, replies)
    desk.configure(approve="edits")
    async with desk.editor(client=offer()) as (editor, connection, _):
        editor.buffers[str(a)] = TYPED
        session = await desk.new(connection)
        await connection.prompt(session_id=session, prompt=say("shorten"))
        assert a.read_bytes() == f"one{end}2{end}not saved{end}".encode()
        assert not editor.buffers  # the editor has the new text
        read, change = editor.calls(session).values()
        assert "not saved" in read["content"][0].content.text
        assert change["content"][0].new_text == f"one{end}2{end}not saved{end}"
        await connection.prompt(session_id=session, prompt=say("/undo"))
        assert a.read_bytes() == f"one{end}two{end}not saved{end}".encode()


@pytest.mark.parametrize(("write", "saves"), [(False, True), (True, False)])
async def test_no_unsaved_text_is_lost(desk: Any, say: Any, replies: Any, write: bool, saves: bool) -> None:
    a = desk.root / "a.txt"
    script(desk, replies)
    desk.configure(approve="edits")
    async with desk.editor(client=offer(write=write)) as (editor, connection, _):
        editor.buffers[str(a)], editor.saves = TYPED, saves
        session = await desk.new(connection)
        await connection.prompt(session_id=session, prompt=say("shorten"))
        if write:
            assert a.read_text() == "one\n2\nnot saved\n"
            assert "did not take its new text" in editor.said(session)
        else:
            assert a.read_text() == "one\ntwo\nthree\n"
            refused = list(editor.calls(session).values())[-1]
            assert "are not saved" in refused["content"][0].content.text
            assert all(what == "read" for what, _ in editor.served)


async def test_text_typed_after_the_read_is_a_conflict(desk: Any, say: Any, replies: Any) -> None:
    a = desk.root / "a.txt"
    script(desk, replies)
    async with desk.editor(client=offer()) as (editor, connection, _):

        async def typing(options: Any) -> str:
            editor.buffers[str(a)] = TYPED
            return "once"

        editor.answer = typing
        session = await desk.new(connection)
        await connection.prompt(session_id=session, prompt=say("shorten"))
        assert a.read_text() == "one\ntwo\nthree\n"
        assert editor.buffers[str(a)] == TYPED


async def test_a_buffer_that_was_never_saved_is_not_replaced(desk: Any, say: Any, replies: Any) -> None:
    desk.model.script = {"make": [replies.calling(("write_file", {"file_path": name, "content": "made\n"}))
                                  for name in ("new.txt", "free.txt")] + [replies.text("tried")]}  # fmt: skip
    desk.configure(approve="edits")
    async with desk.editor(client=offer()) as (editor, connection, _):
        editor.buffers[str(desk.root / "new.txt")] = "typed\n"
        session = await desk.new(connection)
        await connection.prompt(session_id=session, prompt=say("make them"))
        assert [one.exists() for one in (desk.root / "new.txt", desk.root / "free.txt")] == [False, True]
        assert editor.served.count(("write", str(desk.root / "free.txt"))) == 1


async def test_commands_see_the_disk_and_their_changes_can_be_undone(desk: Any, say: Any, replies: Any) -> None:
    a = desk.root / "a.txt"
    (desk.root / "b.txt").write_text("from b\n")
    for number in range(50):
        (desk.root / f"{number}.txt").write_text("other\n")
    script(desk, replies)
    desk.configure(approve="all")
    async with desk.editor(client=offer()) as (editor, connection, _):
        editor.buffers[str(a)] = TYPED
        session = await desk.new(connection)
        await connection.prompt(session_id=session, prompt=say("command"))
        assert a.read_text() == "from b\n", editor.calls(session)
        assert {path for _, path in editor.served} == {str(a)}
        await connection.prompt(session_id=session, prompt=say("/undo"))
        assert a.read_text() == TYPED


def test_a_mention_has_unsaved_text_and_no_service_is_used_that_was_not_offered(
    desk: Any, say: Any, replies: Any
) -> None:
    a = desk.root / "a.txt"
    desk.model.script = {"in the buffer": [replies.text("seen")], "two": [replies.text("old")]}

    async def main(offered: Any, heard: str, asks: bool) -> None:
        async with desk.editor(client=offered) as (editor, connection, _):
            editor.buffers[str(a)] = "in the buffer\n"
            session = await desk.new(connection)
            await connection.prompt(session_id=session, prompt=say("what is in @a.txt"))
            assert editor.said(session).endswith(heard)
            assert bool(editor.served) is asks

    asyncio.run(main(offer(), "seen", True))
    asyncio.run(main(None, "old", False))
