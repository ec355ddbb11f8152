"""Nobody is asked about a call that can only fail; whatever may succeed is asked about as before."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import calls, says, scripted_app

pytestmark = pytest.mark.needs("git")


class Saying:
    """A front end that says yes and counts what it was asked."""

    name = "saying"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def show(self, event: inarch.Event) -> None:
        pass

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> list[inarch.Approval]:
        self.asked += [request.call.name for request in batch]
        return [inarch.Approval(request.call.id, "approve") for request in batch]

    def close(self) -> None:
        pass


def play(root: Path, *replies: list[tuple[str, dict[str, Any]]]) -> tuple[list[str], list[inarch.ToolCall]]:
    """Return what was asked about, and the calls as they ended."""
    person = Saying()
    app, _ = scripted_app([*(calls(*reply) for reply in replies), says("done")], root, front_end=person)

    async def go() -> inarch.Turn:
        try:
            return await app.session().run("go")
        finally:
            await app.aclose()

    return person.asked, list(asyncio.run(go()).calls)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("alpha beta beta\n")
    (tmp_path / "binary").write_bytes(b"\x00\x01\x02\xff")
    (tmp_path / "link").symlink_to("a.txt")
    (tmp_path / "folder").mkdir()
    for line in ("init -q", "add a.txt", "-c user.name=n -c user.email=e@x commit -qm one", "config user.name n",
                 "config user.email e@x"):  # fmt: skip
        subprocess.run(["git", *line.split()], cwd=tmp_path, check=True)
    return tmp_path


READ = ("read_file", {"file_path": "a.txt"})
LONG = "x" * 3_000


def patch(search: str, path: str = "a.txt", replace: str = "new") -> tuple[str, dict[str, Any]]:
    return "patch_source_file", {"file_path": path, "search": search, "replace": replace}


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (patch("gamma"), "conflict"),
        (patch("beta"), "conflict"),
        (patch("alpha", replace="alpha"), "validation"),
        (patch("alpha", "nowhere.txt"), "not_found"),
        (patch("alpha", "binary"), "conflict"),
        (patch("alpha", "../outside"), "permission"),
        (patch("alpha", ".git/config"), "denied"),
        (patch("alpha", "link"), "permission"),
        (("create_file", {"file_path": "a.txt", "content": ""}), "conflict"),
        (("create_file", {"file_path": "/etc/new", "content": ""}), "permission"),
        (("write_file", {"file_path": "folder", "content": ""}), "validation"),
        (("delete_file", {"file_path": "nowhere.txt"}), "not_found"),
        (("delete_file", {"file_path": "folder"}), "validation"),
        (("move_file", {"file_path": "nowhere.txt", "new_path": "b.txt"}), "not_found"),
        (("move_file", {"file_path": "a.txt", "new_path": "binary"}), "conflict"),
        (("git_commit", {"paths": ["a.txt"], "message": "nothing changed"}), "validation"),
        (("git_commit", {"paths": ["a.txt"], "message": " "}), "validation"),
        (("save_memory", {"text": LONG}), "validation"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_what_can_only_fail_fails_without_a_question(root: Path, call: tuple[str, dict[str, Any]], code: str) -> None:
    asked, done = play(root, [READ], [call])
    assert asked == []
    assert done[-1].result is not None and done[-1].result.error is not None
    assert done[-1].result.error.code == code, done[-1].result.error


@pytest.mark.parametrize(
    "call",
    [
        patch("alpha"),
        ("create_file", {"file_path": "new/b.txt", "content": "b"}),
        ("write_file", {"file_path": "a.txt", "content": "b"}),
        ("delete_file", {"file_path": "a.txt"}),
        ("move_file", {"file_path": "a.txt", "new_path": "b.txt"}),
    ],
    ids=lambda value: str(value)[:60],
)
def test_what_may_succeed_is_asked_about_and_done(root: Path, call: tuple[str, dict[str, Any]]) -> None:
    asked, done = play(root, [READ], [call])
    assert asked == [call[0]]
    assert done[-1].status == "success", done[-1].result


def test_a_call_that_waits_for_another_of_its_batch_is_not_judged_by_what_is_there_before(root: Path) -> None:
    create = ("create_file", {"file_path": "b.txt", "content": "one\n"})
    asked, done = play(root, [create, patch("one", "b.txt"), READ, patch("alpha")])
    assert asked == ["create_file", "patch_source_file", "patch_source_file"]
    assert [call.status for call in done] == ["success"] * 4


def _broken(arguments: Any, context: inarch.ToolContext) -> None:
    raise ZeroDivisionError


def _writing(arguments: Any, context: inarch.ToolContext) -> None:
    context.workspace.replace("new", [b"x"], None)


@pytest.mark.parametrize(("check", "status"), [(_broken, "success"), (_writing, "error")])
def test_a_check_that_breaks_tells_nothing_and_one_that_writes_may_not(kitchen: Any, check: Any, status: str) -> None:
    @inarch.tool(effects=inarch.Effects(writes=frozenset({"new"})), check=check)
    def make(context: inarch.ToolContext) -> str:
        """Make something."""
        return "made"

    person = kitchen.approving()
    (call,) = kitchen.run(kitchen.scheduler(make, approve="ask", front_end=person), kitchen.part("make"))
    assert (call.status, len(person.asked)) == (status, int(status == "success"))
    assert kitchen.workspace.stat("new") is None
