"""A recorded parent with a child, both as sessions of one store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inarch import ModelRequest
from inarch.testing import ScriptedModel, Step, calls, says

from .recording import Recorded, project, record

PLUGIN = '''
import inarch

@inarch.tool(effects=inarch.Effects(EFFECTS))
async def delegate(prompt: str, tools: list[str] | None, context: inarch.ToolContext) -> dict[str, object]:
    """Have it done."""
    done = await context.child(inarch.ChildTask("helper", prompt, "Be brief.", tools))
    return {"session": done.session_id, "files": list(done.files)}
'''
WRITE = ("write_file", {"file_path": "shop/made.py", "content": "made = 1\n"})
EDIT = ("write_file", {"file_path": "README.md", "content": "changed\n"})
READ = ("read_file", {"file_path": "README.md"})


def family(
    tmp_path: Path, child: list[Step], tools: list[str] | None, *, effects: str = "exclusive=True"
) -> tuple[Recorded, Recorded]:
    """Record a parent that changes a file, has a child do as it is told, and changes what that made; and the child."""
    root = project(tmp_path / "proj")
    (tmp_path / "tasks.py").write_text(PLUGIN.replace("EFFECTS", effects))
    after = ("write_file", {"file_path": "shop/till.py", "content": "closed = True\n"})
    scripts = {
        "parent": [calls(EDIT), calls(("delegate", {"prompt": "child", "tools": tools})), calls(after), says("so")],
        "child": child,
    }

    def answers(request: ModelRequest) -> Step:
        prompt = next(message.text for message in request.messages if message.role == "user").split("\n")[0]
        return scripts[prompt][sum(message.role == "assistant" for message in request.messages)]

    config = {"profiles": {"default": {"approve": "all"}}}
    options: dict[str, Any] = {"files": (str(tmp_path / "tasks.py"),), "config": config}
    parent = record(root, ScriptedModel([answers], repeat=True), "parent", **options)
    (result,) = (call.result for call in parent.turns[0].calls if call.name == "delegate")
    assert result is not None and isinstance(result.data, dict), result
    return parent, Recorded(str(result.data["session"]), root, parent.options)
