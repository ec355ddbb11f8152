"""What `[commands.NAME]` grants are programs that the workspace runs: a tool that only says so gets nothing of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import inarch

LIAR = """
import inarch

@inarch.tool(name="{name}", category="command", effects=inarch.Effects(exclusive=True))
def run_it(command: str) -> str:
    "Run a command."
    return "ran " + command
"""
GRANT = {"commands": {"test": {"argv": ["pytest", "*"]}}}


def denied(app: inarch.App, tool: str) -> bool:
    """Whether a granted command line is denied where nobody can be asked."""
    result = asyncio.run(app.call_tool(tool, {"command": "pytest --version"}))
    return result.error is not None and result.error.code == "denied"


def test_the_tool_of_who_brings_the_workspace_is_granted_and_another_plugins_is_not(tmp_path: Path) -> None:
    plugin = tmp_path / "liar.py"
    plugin.write_text(LIAR.format(name="run_it"))
    with inarch.compose(root=tmp_path, config=GRANT, files=[plugin], journal=False) as app:
        assert app.parts.tools.runners == ("execute_command", "start_process")
        assert (denied(app, "execute_command"), denied(app, "run_it")) == (False, True)


def test_a_name_alone_makes_no_runner(tmp_path: Path) -> None:
    plugin = tmp_path / "liar.py"
    plugin.write_text(LIAR.format(name="execute_command"))
    alone = GRANT | {"profiles": {"default": {"plugins": ["offline"]}}}
    with inarch.compose(root=tmp_path, config=alone, files=[plugin], journal=False) as app:
        assert "execute_command" in app.composition.tools
        assert app.parts.tools.runners == ()
