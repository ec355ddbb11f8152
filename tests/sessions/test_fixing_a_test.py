"""The main promise with commands: run the tests, read the code, change it, run them again."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import inarch
from inarch.host import Trust
from inarch.testing import ScriptedModel, calls, says, scripted_app

TESTS = [".venv/bin/python", "-m", "unittest", "-q"]


def repository(root: Path) -> None:
    """A package with one wrong function, its test, and an environment of its own."""
    (root / "shop").mkdir(parents=True)
    (root / "tests").mkdir()
    (root / "shop" / "__init__.py").write_text("")
    (root / "shop" / "basket.py").write_text("def weigh(apples):\n    return apples * 15\n")
    (root / "tests" / "__init__.py").write_text("")
    (root / "tests" / "test_basket.py").write_text(
        "import unittest\nfrom shop.basket import weigh\n\n\nclass Weighing(unittest.TestCase):\n"
        "    def test_weigh(self):\n        self.assertEqual(weigh(2), 300)\n"
    )
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", ".venv"], cwd=root, check=True)


def fix(root: Path, command: str, **options: Any) -> tuple[inarch.Turn, ScriptedModel]:
    script: Sequence[Any] = [
        calls(("execute_command", {"command": command})),
        calls(("read_file", {"file_path": "shop/basket.py"}), ("read_file", {"file_path": "tests/test_basket.py"})),
        calls(
            ("patch_source_file", {"file_path": "shop/basket.py", "search": "* 15", "replace": "* 150"}),
            ("execute_command", {"command": command}),
        ),
        says("Apples weigh 150 g now; the test passes."),
    ]

    async def go() -> tuple[inarch.Turn, ScriptedModel]:
        app, model = scripted_app(script, root, **options)
        try:
            return await app.session().run("fix the failing test"), model
        finally:
            await app.aclose()

    return asyncio.run(go())


def test_a_granted_test_command_runs_in_the_repositorys_own_environment(tmp_path: Path) -> None:
    repository(tmp_path)
    Trust(str(tmp_path), Path(os.environ["XDG_STATE_HOME"]) / "inarch").grant({})  # its program is the project's own

    turn, _ = fix(tmp_path, " ".join(TESTS), config={"commands": {"test": {"argv": TESTS}}}, flags={"approve": "edits"})

    first, *_, patch, last = turn.calls
    assert turn.status == "done"
    assert first.result is not None and first.result.success, first.result
    assert first.result.data["exit_code"] == 1
    assert "AssertionError: 30 != 300" in first.result.data["output"]
    assert patch.result is not None and patch.result.success, patch.result
    assert last.after == (patch.id,)
    assert last.result is not None and last.result.data["exit_code"] == 0, last.result
    assert (tmp_path / "shop" / "basket.py").read_text() == "def weigh(apples):\n    return apples * 150\n"
