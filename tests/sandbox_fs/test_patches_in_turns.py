"""`apply_patch` in whole turns: offered in place of the other tool, asked about with its text, undone with the turn."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import inarch
from inarch.testing import ScriptedModel, calls, says, scripted_app

PATCH = """*** Begin Patch
*** Update File: a.txt
@@
-one
+1
*** Add File: b.txt
+new
*** End Patch"""
SCRIPT = [calls(("read_file", {"file_path": "a.txt"})), calls(("apply_patch", {"patch": PATCH})), says("done")]


class Person:
    """A front end that approves everything and keeps what it was asked."""

    name = "person"

    def __init__(self) -> None:
        self.asked: list[inarch.ApprovalRequest] = []

    def show(self, event: inarch.Event) -> None:
        pass

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        self.asked += batch
        return [inarch.Approval(one.call.id, "approve") for one in batch]

    def close(self) -> None:
        pass


def offered(root: Path, model: str, config: Any = None) -> set[str]:
    app, script = scripted_app(ScriptedModel([says("well")], default_model=model), root,
                               config=config or {})  # fmt: skip

    async def go() -> None:
        async with app:
            session = app.session()
            told = {spec.name for spec in session.context().request.tools}
            await session.run("go")
            assert told == {spec.name for spec in script.requests[0].tools}

    asyncio.run(go())
    return {spec.name for spec in script.requests[0].tools} & {"apply_patch", "patch_source_file"}


def test_a_model_is_offered_one_of_the_two(tmp_path: Path) -> None:
    assert offered(tmp_path, "openai/gpt-5.2") == {"apply_patch"}
    assert offered(tmp_path, "claude") == {"patch_source_file"}


def test_a_patch_is_asked_about_with_its_text_and_undone_whole(tmp_path: Path) -> None:
    root, person = tmp_path / "root", Person()
    root.mkdir()
    (root / "a.txt").write_bytes(b"one\r\ntwo")
    app, _ = scripted_app(ScriptedModel(SCRIPT, default_model="gpt-5"), root, front_end=person, journal=True)

    async def go() -> None:
        async with app:
            session = app.session()
            turn = await session.run("go")
            assert [call.status for call in turn.calls] == ["success", "success"]
            assert (root / "a.txt").read_bytes() == b"1\r\ntwo" and (root / "b.txt").read_text() == "new\n"
            report = session.undo()
            assert {one.path for one in report.files} == {"a.txt", "b.txt"}

    asyncio.run(go())
    assert person.asked[0].preview == PATCH
    assert (root / "a.txt").read_bytes() == b"one\r\ntwo" and not (root / "b.txt").exists()
