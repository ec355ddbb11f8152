"""The ways to start the server: as a command of Inarch and as a program of its own, whatever the profile names."""

from __future__ import annotations

import base64
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from acp import schema

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 32).decode()
SCRIPT = (str(Path(sysconfig.get_path("scripts"), "inarch-acp")),)
PROFILE = """
[profiles.bare]
extends = "default"
plugins = ["sandbox-fs", "sqlite-store", "openai-compatible"]
"""


@pytest.mark.parametrize("argv", [(), SCRIPT], ids=["inarch acp", "inarch-acp"])
async def test_it_is_its_own_plugin_where_the_profile_names_none(
    desk: Any, say: Any, replies: Any, argv: tuple[str, ...]
) -> None:
    desk.argv = argv or desk.argv
    desk.model.script = {"look": [replies.text("A cat.")]}
    desk.configure(PROFILE)
    picture = schema.ImageContentBlock(type="image", mime_type="image/png", data=PNG)
    async with desk.editor("--profile", "bare") as (editor, connection, _):
        session = await desk.new(connection)
        await connection.prompt(session_id=session, prompt=[*say("look"), picture])
        assert editor.said(session) == "A cat."  # and no word of pictures that were left out
        assert PNG in str(desk.model.server.requests[-1].json)
        offered = (await connection.new_session(str(desk.root), mcp_servers=[])).config_options[1].options
        assert "openai-compatible/other" in [one.value for one in offered]  # the plugin's settings


def test_the_plugin_is_not_named_in_safe_mode_and_not_where_it_is_isolated(desk: Any) -> None:
    def refused(**more: str) -> str:
        done = subprocess.run(
            [*desk.argv],
            env={**desk.env, **more},
            cwd=desk.folder,
            input="",
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (done.returncode, done.stdout) == (2, "")
        return done.stderr

    assert "INARCH_SAFE_MODE=1 loads none" in refused(INARCH_SAFE_MODE="1")
    desk.configure('[isolation.acp]\nmode = "process"')
    assert "runs in a process of its own only" in refused()
