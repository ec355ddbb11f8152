"""Inarch as a library where people use it: in tests, notebooks, threads, processes, and inside a running loop."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import inarch

OPTIONS = {"plugins": ["sandbox-fs", "offline"], "builtins": False, "journal": False, "config": {}}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "shop.py").write_text('"""Sells apples."""\n')
    return folder


def test_async_with_closes_the_application(root: Path) -> None:
    async def go() -> inarch.App:
        async with inarch.compose(root=root, **OPTIONS) as app:
            turn = await app.session().run("explain shop.py")
            assert (turn.status, "apples" in turn.content) == ("done", True)
        with pytest.raises(inarch.ToolFailed, match="closed"):
            app.workspace.read("shop.py")
        return app

    asyncio.run(go())


def test_inside_a_running_loop_what_waits_says_what_to_write(root: Path) -> None:
    async def go() -> list[str]:
        said = []
        app = inarch.compose(root=root, **OPTIONS)
        for waits in (lambda: inarch.run("hello", root=root, **OPTIONS), app.close, app.__enter__):
            with pytest.raises(inarch.UsageError) as caught:
                waits()
            said.append(str(caught.value))
        await app.aclose()
        return said

    ran, closed, entered = asyncio.run(go())
    why = "can't wait while an event loop is running, as in async functions"
    assert (
        ran == f"inarch.run {why} (write async with inarch.compose(...) as app: turn = await app.session().run(prompt))"
    )
    assert closed == f"App.close {why} (write await app.aclose())"
    assert entered == f"with inarch.compose(...) {why} (write async with inarch.compose(...) as app)"


def test_threads_run_turns_of_their_own(root: Path) -> None:
    async def both() -> list[inarch.Turn]:
        return await asyncio.gather(
            *(asyncio.to_thread(inarch.run, "explain shop.py", root=root, **OPTIONS) for _ in range(4))
        )

    assert [turn.status for turn in asyncio.run(both())] == ["done"] * 4
