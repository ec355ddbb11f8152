"""The fixtures of `pytest_plugins = ["inarch.testing"]`, and that nobody needs pytest to import the package."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx2
import inarch.testing.stores
import pytest

import inarch_testing
from inarch import ToolFailed, Workspace
from inarch.sessions.app import App
from inarch.testing import HttpServer, calls, json_reply, says

pytest_plugins = ["inarch.testing"]

PLUGIN = """
import inarch

@inarch.tool
def shout(text: str) -> str:
    "Say a text loudly."
    return text.upper()
"""


def test_the_workspace_is_real_and_lies_in_the_tests_folder(workspace: Workspace, tmp_path: Path) -> None:
    workspace.replace("a.txt", [b"text"], None)
    assert (tmp_path / "workspace" / "a.txt").read_bytes() == b"text"
    with pytest.raises(ToolFailed):
        workspace.read("../outside.txt")


def test_the_application_plays_a_script(app: Callable[..., tuple[App, object]], tmp_path: Path) -> None:
    made, _ = app(
        [calls(("create_file", {"file_path": "a.txt", "content": "x"})), says("done")], flags={"approve": "all"}
    )
    turn = asyncio.run(made.session().run("make a.txt"))
    assert (turn.status, turn.content) == ("done", "done")
    assert (tmp_path / "workspace" / "a.txt").read_text() == "x"


def test_the_server_is_told_what_to_reply(http_server: HttpServer) -> None:
    http_server.replies = [json_reply({"a": 1})]
    assert httpx2.get(f"{http_server.url}/x").json() == {"a": 1}
    assert [request.path for request in http_server.requests] == ["/x"]


def test_plugins_are_composed_by_file_and_by_name(composition: Callable[..., App], tmp_path: Path) -> None:
    file = tmp_path / "shout.py"
    file.write_text(PLUGIN)
    made = composition([file, "memory"], {"profiles": {"default": {"approve": "all"}}})
    assert {"shout", "recall", "read_file"} <= set(made.composition.tools)
    result = asyncio.run(made.call_tool("shout", {"text": "zwölf"}))
    assert (result.success, result.data) == (True, "ZWÖLF")
    assert asyncio.run(made.call_tool("shout", {"text": 1, "more": 2})).error is not None


def test_a_refused_plugin_is_an_error_unless_it_is_expected(composition: Callable[..., App], tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("raise RuntimeError('no')\n")
    with pytest.raises(AssertionError, match="broken"):
        composition([file])
    assert [item.name for item in composition([file], refused=True).composition.refused] == ["broken"]


WITHOUT_PYTEST = """
import sys

import inarch.testing
heavy = {name for name in sys.modules if name.split(".")[0] in ("pytest", "_pytest", "attrs", "jsonschema", "httpx2")}
assert not heavy, heavy
sys.modules["pytest"] = None
for name in inarch.testing.__all__:
    getattr(inarch.testing, name)
assert set(inarch.testing.__all__) < set(dir(inarch.testing))
"""


def test_the_public_name_has_what_the_library_has() -> None:
    assert inarch.testing.__all__ == inarch_testing.__all__ and inarch.testing.stores.MemoryStore
    assert all(getattr(inarch.testing, name) is getattr(inarch_testing, name) for name in inarch_testing.__all__)


def test_the_package_needs_no_pytest_to_be_imported() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_PYTEST], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


AUTHORS = """
import inarch
from inarch.testing import ToolContract, says

pytest_plugins = ["inarch.testing"]

@inarch.tool
def shout(text: str) -> str:
    "Say a text loudly."
    return text.upper()

class TestShout(ToolContract):
    valid = ({"text": "a"},)

    def make(self):
        return shout

def test_fixtures(workspace, app, http_server, composition):
    assert http_server.url
"""


@pytest.mark.once
@pytest.mark.slow
def test_an_authors_tests_run_with_warnings_as_errors(tmp_path: Path) -> None:
    (tmp_path / "test_shout.py").write_text(AUTHORS)
    argv = [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", "test_shout.py"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "17 passed" in done.stdout
