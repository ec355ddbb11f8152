"""The profile `bare` of docs/how-to/profiles.md is the default list of 0.1, and has nothing of what came later."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import inarch
from inarch_testing.apps import environ_in

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "profiles.md"
LATER = {"agents", "goal", "hooks", "plan", "processes", "review", "setup", "importing", "skills", "summary"}
PACKAGES = {f"inarch_plugins.{name}" for name in LATER - {"processes"}} | {"inarch_plugins.sandbox_fs.background"}
OF_LATER = {
    "activate_skill", "ask_user", "present_plan", "read_process", "start_process", "stop_process", "task",
    "write_todos",
}  # fmt: skip
TURN = """
import asyncio, os, sys
import inarch
from inarch.testing import calls, says, scripted_app

script = [calls(("write_file", {"file_path": "a.txt", "content": "a"})), says("done")]
config = {"profiles": {"default": {"plugins": sys.argv[2].split(","), "approve": "all"}}}
app, model = scripted_app(script, sys.argv[1], config=config, environ=dict(os.environ), journal=True)


async def go():
    async with app:
        return await app.session().run("go")


turn = asyncio.run(go())
assert turn.status == "done" and turn.calls[0].result.success, turn
print("tools", *(tool.name for tool in model.requests[0].tools))
print("modules", *sys.modules)
"""


def bare() -> list[str]:
    lines = [line[2:] for line in PAGE.read_text("utf-8").splitlines() if line.startswith("> ")]
    at = lines.index("[profiles.bare]")
    found: list[str] = tomllib.loads("\n".join(lines[at : at + 2]))["profiles"]["bare"]["plugins"]
    return found


def test_it_is_the_default_list_without_what_came_later(tmp_path: Path) -> None:
    with inarch.compose(root=tmp_path, config={}, environ=environ_in(tmp_path / "home"), journal=False) as app:
        default = [name for name in app.config.profile.plugins if name not in LATER]
    assert bare() == default


@pytest.mark.parametrize("plugins", [bare(), ["sandbox-fs", "sqlite-store"]], ids=["bare", "two"])
def test_an_explicit_list_gets_none_of_it_and_imports_none(tmp_path: Path, plugins: list[str]) -> None:
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "AGENTS.md").write_text("Be brief.\n")
    done = subprocess.run(
        [sys.executable, "-P", "-c", TURN, str(root), ",".join(plugins)],
        capture_output=True, text=True, env=environ_in(tmp_path / "home"), check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told, loaded = (set(line.split()[1:]) for line in done.stdout.splitlines()[-2:])
    assert "write_file" in told and not told & OF_LATER
    assert not {name for name in loaded if any(f"{name}.".startswith(f"{one}.") for one in PACKAGES)}
