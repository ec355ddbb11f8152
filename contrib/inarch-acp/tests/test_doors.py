"""What plugins do with calls, results and ends, and the children of calls, stands beside the answer."""

from __future__ import annotations

from typing import Any

PLUGIN = '''
"""Rewrites a path, adds to the result, wants thanks, and has a child read."""
import inarch

class Moving:
    name = "moving"
    timeout_s = 5.0
    def rewrite(self, call, tool, context):
        moved = call.arguments.get("file_path") == "old.txt"
        return inarch.Rewrite({**call.arguments, "file_path": "new.txt"}, reason="old is gone") if moved else None

class Mending:
    name = "mending"
    async def review(self, call, tool, context):
        return "looks\\nfine" if call.name == "create_file" else None

class Polite:
    name = "polite"
    async def hold(self, ending):
        return None if "thank" in ending.answer else "say thank you"

@inarch.hookimpl
def inarch_rewriters(context):
    return [Moving()]

@inarch.hookimpl
def inarch_reviewers(context):
    return [Mending()]

@inarch.hookimpl
def inarch_end_guards(context):
    return [Polite()]

@inarch.tool(effects=inarch.Effects())
async def delegate(context: inarch.ToolContext) -> str:
    """Have somebody look."""
    return (await context.child(inarch.ChildTask("looker", "look closely"))).turn.content
'''


PROFILE = """
[profiles.doors]
extends = "default"
plugins = ["sandbox-fs", "sqlite-store", "openai-compatible", "acp", "doors"]
"""


async def test_what_plugins_and_children_do_is_told_beside_the_answer(
    desk: Any, installing: Any, say: Any, replies: Any
) -> None:
    installing("doors", PLUGIN)
    create = ("create_file", {"file_path": "old.txt", "content": "x"})
    desk.model.script = {
        "say thank you": [replies.text("I thank you.")],
        "begin": [replies.calling(create), replies.calling(("delegate", {})), replies.text("Done.")],
        "look closely": [replies.text("I looked, thank you.")],
    }
    desk.configure(PROFILE, approve="all")

    def told(editor: Any, session: str) -> list[str]:
        said = [one.content.text for one in editor.of(session, "agent_message_chunk")]
        return [text.strip() for text in said if text.startswith("> ")]

    def check(remarks: list[str]) -> None:
        rewritten, reviewed, begins, ended, held = remarks
        assert rewritten.startswith("> Create old.txt: doors rewrites it to ") and rewritten.endswith(": old is gone")
        assert reviewed == "> Create new.txt: doors adds: looks fine"
        assert begins.startswith("> looker begins: session ")
        assert ended == begins.replace("begins", "done")
        assert held == "> doors holds back the end: say thank you"

    async with desk.editor("--profile", "doors") as (editor, connection, _):
        session = await desk.new(connection)
        assert (await connection.prompt(session_id=session, prompt=say("begin"))).stop_reason == "end_turn"
        check(told(editor, session))
        assert (desk.root / "new.txt").read_text() == "x"
        assert "I looked" not in editor.said(session)
    async with desk.editor("--profile", "doors") as (editor, connection, _):
        await connection.load_session(cwd=str(desk.root), session_id=session, mcp_servers=[])
        check(told(editor, session))
