"""Pictures in servers' results, from a server of the protocol's own package."""

from __future__ import annotations

import asyncio
import base64
import sys
from typing import Any

import pytest
from attrs import evolve

import inarch
from inarch.testing import ScriptedModel, calls, says

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SERVER = f"""
from mcp.server.mcpserver import Image, MCPServer

server = MCPServer("camera")

@server.tool()
def screenshot():
    return ["the page", Image(data={PNG!r}, format="png")]

server.run()
"""


def test_a_screenshot_reaches_the_model(ground: Any) -> None:
    pytest.importorskip("mcp.server.mcpserver")
    script = ground.hostile / "camera.py"
    script.write_text(SERVER)
    app = ground.app({"camera": {"command": sys.executable, "args": ["-P", str(script)], "connect_s": 60.0}})
    model = ScriptedModel([calls(("camera_screenshot", {})), says("a dot")])
    app.composition = app.composition.adding("models", model, inarch.PluginContext(model.name, app.config.root))
    app.config = evolve(app.config, profile=evolve(app.config.profile, model="scripted/script"))

    async def go() -> None:
        await app.session().run("take one")
        await app.aclose()

    asyncio.run(go())
    (result,) = [part.result for one in model.requests[1].messages for part in one.parts if hasattr(part, "result")]
    assert result.images == (inarch.Image("image/png", PNG),)
    assert "the page" in str(result.data) and f"[image image/png, {len(PNG) + 2} bytes]" in str(result.data)
