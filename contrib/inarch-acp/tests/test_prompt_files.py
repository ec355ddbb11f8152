"""Prompt files in an editor: slash commands with what is typed put in, whose own commands are asked about."""

from __future__ import annotations

import asyncio
import json
from typing import Any

PROFILE = """
[profiles.files]
extends = "default"
plugins = ["sandbox-fs", "sqlite-store", "openai-compatible", "skills"]
"""
EXPLAIN = """---
description: Explains a function.
argument-hint: NAME
---
explain $1 to $2
"""
DEEP = "---\nmodel: openai-compatible/deep\n---\nthink hard\n"
NOTED = "summed up:\n!`touch noted.txt`\n"


def test_a_prompt_file_is_a_slash_command_with_its_words_put_in(desk: Any, say: Any, replies: Any) -> None:
    folder = desk.folder / "home" / ".agents" / "commands"
    folder.mkdir(parents=True)
    (folder / "explain.md").write_text(EXPLAIN)
    (folder / "deep.md").write_text(DEEP)
    (folder / "noted.md").write_text(NOTED)
    desk.model.script = {
        "explain weigh to a child": [replies.text("It weighs.")],
        "think hard": [replies.text("Thought.")],
        "summed up": [replies.text("Noted.")],
    }
    desk.configure(PROFILE)

    async def main() -> None:
        async with desk.editor("--profile", "files") as (editor, connection, _):
            session = await desk.new(connection)
            await connection.prompt(session_id=session, prompt=say('/explain weigh "a child"'))
            assert editor.said(session) == "It weighs."
            (offered,) = editor.of(session, "available_commands_update")
            known = {one.name: one for one in offered.available_commands}
            assert known["explain"].description.startswith("Explains a function.")
            assert known["explain"].input.root.hint == "NAME"
            assert known["noted"].description and "commands" in known

            answers = iter(("reject_once", "once"))

            async def answer(options: Any) -> str:
                return next(answers)

            editor.answer = answer
            asked = len(desk.model.server.requests)
            await connection.prompt(session_id=session, prompt=say("/noted"))
            assert len(desk.model.server.requests) == asked  # denied: nothing is sent
            assert not (desk.root / "noted.txt").exists()
            await connection.prompt(session_id=session, prompt=say("/noted"))
            assert (desk.root / "noted.txt").exists() and editor.said(session).endswith("Noted.")
            assert [one.tool_call.raw_input["command"] for one in editor.asked] == ["touch noted.txt"] * 2
            sent = json.dumps(desk.model.server.requests[-1].json["messages"][-1])
            assert "summed up" in sent and "touch noted.txt" not in sent

            own = desk.model.server.requests[-1].json["model"]
            for line in ("/deep", "/noted"):
                answers = iter(("once",))
                await connection.prompt(session_id=session, prompt=say(line))
            deep, noted = [request.json["model"] for request in desk.model.server.requests[-2:]]
            assert (deep, noted) == ("deep", own) and own != "deep"

    asyncio.run(main())
