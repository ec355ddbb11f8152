"""The editor's additional folders: the person says which are added, and their files are as those of the root then."""

from __future__ import annotations

from typing import Any


def answering(editor: Any, *answers: str) -> None:
    """Answer one question after the other; one more is a failure of the test."""
    left = list(answers)

    async def answer(options: Any) -> str:
        chosen = left.pop(0)
        assert chosen in [one.option_id for one in options]
        return chosen

    editor.answer = answer


async def test_a_folder_that_was_agreed_to_is_read_and_changed_and_another_is_not(
    desk: Any, say: Any, replies: Any
) -> None:
    lib, other = desk.folder / "lib", desk.folder / "other"
    for folder in (lib, other):
        folder.mkdir()
        (folder / "b.txt").write_text(f"in {folder.name}\n")
    desk.model.script = {
        "look": [replies.calling(("read_file", {"file_path": f"+{lib}/b.txt"}),
                                 ("read_file", {"file_path": f"+{other}/b.txt"})),
                 replies.calling(("create_file", {"file_path": f"+{lib}/new.txt", "content": "new\n"})),
                 replies.text("done")],
    }  # fmt: skip
    async with desk.editor() as (editor, connection, _):
        capable = (await connection.initialize(1)).agent_capabilities.session_capabilities
        assert capable.additional_directories is not None
        new = await connection.new_session(
            str(desk.root), mcp_servers=[], additional_directories=[str(lib), str(other)]
        )
        answering(editor, "once", "no", "once")
        await connection.prompt(session_id=new.session_id, prompt=say("look"))
        assert editor.said(new.session_id).endswith("done")
        about = [str(one.tool_call.content) for one in editor.asked]
        assert len(about) == 3 and str(lib) in about[0] and str(other) in about[1]
        first, second, read, refused, made = editor.calls(new.session_id).values()
        states = [one["status"] for one in (first, second, read, refused, made)]
        assert states == ["completed", "failed", "completed", "failed", "completed"]
        assert "in lib" in str(read["content"]) and "in other" not in str(refused["content"])
        assert (lib / "new.txt").read_text() == "new\n"
        (change,) = made["content"]
        assert (change.path, change.new_text) == (str(lib / "new.txt"), "new\n")
        assert made["locations"][0].path == str(lib / "new.txt")
        await connection.prompt(session_id=new.session_id, prompt=say("/undo"))
        assert not (lib / "new.txt").exists()
