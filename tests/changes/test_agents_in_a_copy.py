"""An agent with a work tree has one beside the copy, and works in it unasked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from .conftest import Ran, asking, write


def test_an_agents_work_tree_is_neither_the_copy_nor_the_original(
    inarch: Callable[..., Ran], repository: Path, environ: dict[str, str]
) -> None:
    agents = Path(environ["XDG_CONFIG_HOME"]) / "inarch/agents"
    agents.mkdir(parents=True)
    (agents / "apart.md").write_text("---\nname: apart\ndescription: writes\nisolation: worktree\n---\nWrite.\n")
    prompt = json.dumps([write("apart.txt", "x\n")])
    ran = inarch(*asking([write("here.txt", "x\n"), ("task", {"agent": "apart", "prompt": prompt})]))
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["denied"]) == (0, []), ran.stderr
    result = told["turn"]["calls"][1]["result"]
    assert result["error"] is None and "apart.txt" in str(result["data"])
    listed = json.loads(inarch("changes", told["waiting"], "--json").stdout)["files"]
    assert [one["path"] for one in listed] == ["here.txt"]
    assert not (repository / "apart.txt").exists() and not (repository / ".git/worktrees").exists()
