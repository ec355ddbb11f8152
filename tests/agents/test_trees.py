"""Tasks in work trees: real repositories, real sessions, a scripted model for parent and children."""

from __future__ import annotations

import asyncio
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import calls, says
from inarch_plugins.agents.trees import begin, take_up
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace
from inarch_testing.apps import write_files

from .test_agents import Desk, data_of, error_of, task

BUILDER = "---\nname: builder\ndescription: Builds.\nisolation: worktree\n---\nYou build.\n"
NO_GIT = pytest.mark.needs("git")


def write(path: str, content: str) -> tuple[str, dict[str, Any]]:
    return "write_file", {"file_path": path, "content": content}


def edit(path: str, search: str, replace: str) -> tuple[str, dict[str, Any]]:
    return "patch_source_file", {"file_path": path, "search": search, "replace": replace}


def read(path: str) -> tuple[str, dict[str, Any]]:
    return "read_file", {"file_path": path}


def run(*command: str) -> tuple[str, dict[str, Any]]:
    return "execute_command", {"command": " ".join(command)}


def git(root: Path, *words: str) -> str:
    settings = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    ran = subprocess.run(("git", *settings, *words), cwd=root, capture_output=True, text=True, check=True)
    return ran.stdout


def merge(desk: Desk, **more: Any) -> Any:
    """Return the reply that merges what the last task did."""

    def answer(request: inarch.ModelRequest) -> Any:
        results = [part.result for message in request.messages for part in message.parts if hasattr(part, "result")]
        names = [one.data["change"] for one in results if isinstance(one.data, dict) and one.data.get("change")]
        return calls(("merge_task", {"change": names[-1], **more}))

    return answer


def trees(desk: Desk) -> Path:
    return desk.home / "state" / "inarch" / "plugins" / "agents" / "trees"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path)
    write_files(made.home, {"config/inarch/agents/builder.md": BUILDER})
    return made


@pytest.fixture
def repo(desk: Desk) -> Desk:
    git(desk.root, "init", "-q", "-b", "main")
    write_files(desk.root, {"a.txt": "one\n", "b.txt": "1\n2\n3\n4\n5\n", ".gitignore": "built/\n"})
    git(desk.root, "add", ".")
    git(desk.root, "commit", "-qm", "first")
    return desk


def standing(root: Path) -> dict[str, tuple[int, bytes]]:
    found = {}
    for path in sorted(root.rglob("*")):
        if ".git" not in path.relative_to(root).parts and not path.is_dir():
            data = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
            found[str(path.relative_to(root))] = (path.lstat().st_mode, data)
    return found


@NO_GIT
def test_what_a_task_changes_in_its_work_tree_is_merged_by_a_call_of_its_own_and_undone_with_it(repo: Desk) -> None:
    (repo.root / "b.txt").write_text("1\n2\n3\n4\nfive\n")  # not committed
    (repo.root / "new.txt").write_text("new\n")  # not even known
    before = standing(repo.root)
    child = [read("b.txt"), read("new.txt")], [edit("b.txt", "2\n", "ONE\n"), write("made/x.txt", "x\n")]
    repo.scripts = {
        "parent": [calls(task("builder", "child")), merge(repo), says("so it is")],
        "child": [*(calls(*some) for some in child), says("built")],
    }
    changed: list[bool] = []

    async def go() -> inarch.Turn:
        session = repo.open(approve="all")
        session.state.journal.listeners.append(
            lambda event: changed.append(standing(repo.root) == before) if event.kind == "child.ended" else None
        )
        turn = await session.run("parent")
        undone = session.undo()
        assert undone.done, undone
        await repo.app.aclose()
        return turn

    turn = asyncio.run(go())
    told = data_of(turn, 0)
    assert changed == [True]  # nothing before the merge
    assert told["files_changed"] == ["b.txt", "made/x.txt"] and told["answer"] == "built"
    assert "+ONE" in told["diff"] and "five" in told["diff"]
    assert Path(told["patch"]).read_text() == told["diff"]
    assert data_of(turn, 1)["merged"] == ["b.txt", "made/x.txt"]
    changes = [event for event in repo.of("file.changed") if event["path"] == "b.txt"]
    assert len(changes) == 2, "the merge and its undo"
    assert standing(repo.root) == before and not (repo.root / "made").exists()
    assert not list(trees(repo).iterdir())
    assert git(repo.root, "worktree", "list").count("\n") == 1
    assert not (repo.root / ".git" / "worktrees").exists() or not list((repo.root / ".git" / "worktrees").iterdir())


def one_task(desk: Desk, *steps: Any, then: Any = None, **flags: Any) -> inarch.Turn:
    """Have the builder take these steps, and the parent what comes then."""
    after = [] if then is None else then if isinstance(then, list) else [then]
    desk.scripts = {
        "parent": [calls(task("builder", "child")), *after, says("so it is")],
        "child": [*(calls(step) for step in steps), says("built")],
    }
    return desk.run(**{"approve": "all", **flags})


def meanwhile(desk: Desk, path: str, data: bytes) -> Any:
    """Return a reply that merges, after the person has changed a file."""

    def answer(request: inarch.ModelRequest) -> Any:
        (desk.root / path).write_bytes(data)
        return merge(desk)(request)

    return answer


@NO_GIT
def test_what_both_changed_is_shown_and_nothing_of_the_change_is_written(repo: Desk) -> None:
    steps = read("b.txt"), edit("b.txt", "3\n", "theirs\n"), write("new.txt", "new\n")
    turn = one_task(
        repo, *steps, then=[meanwhile(repo, "b.txt", b"1\n2\nmine\n4\n5\n"), merge(repo, files=["new.txt"])]
    )
    told = error_of(turn, 1)
    assert told.startswith("conflict: 1 of 2 files were changed on both sides, so nothing was merged")
    assert all(f"\n{line}\n" in told for line in ("mine", "theirs", "3")) and data_of(turn)["patch"] in told
    assert (repo.root / "b.txt").read_text() == "1\n2\nmine\n4\n5\n"
    assert data_of(turn, 2)["merged"] == ["new.txt"]
    assert (repo.root / "new.txt").read_text() == "new\n"
    assert "+theirs" in Path(data_of(turn)["patch"]).read_text()


@NO_GIT
def test_both_sides_may_be_written_with_marks(repo: Desk) -> None:
    def marked(request: inarch.ModelRequest) -> Any:
        (repo.root / "b.txt").write_text("1\n2\nmine\n4\n5\n")
        return merge(repo, conflicts="mark")(request)

    turn = one_task(repo, read("b.txt"), edit("b.txt", "3\n", "theirs\n"), then=marked)
    assert data_of(turn, 1)["conflicts_marked"] == ["b.txt"]
    marks = "<<<<<<< ours\nmine\n||||||| base\n3\n=======\ntheirs\n>>>>>>> theirs\n"
    assert (repo.root / "b.txt").read_text() == f"1\n2\n{marks}4\n5\n"


@pytest.mark.parametrize("with_git", [pytest.param(True, marks=NO_GIT), False])
def test_without_a_repository_or_without_commits_it_is_a_copy(
    desk: Desk, with_git: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if with_git:
        git(desk.root, "init", "-q")
    turn = one_task(desk, read("a.txt"), edit("a.txt", "one", "two"), then=merge(desk))
    assert data_of(turn)["files_changed"] == ["a.txt"] and (desk.root / "a.txt").read_text() == "two\n"
    assert not list(trees(desk).iterdir())


@NO_GIT
@pytest.mark.parametrize("folder", [".", "bin", "{root}/bin"])
def test_a_git_of_the_repository_is_not_run(repo: Desk, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    script = f"#!/bin/sh\ntouch {repo.home}/ran\n"
    write_files(repo.root, {"git": script, "bin/git": script})
    for name in ("git", "bin/git"):
        (repo.root / name).chmod(0o755)
    monkeypatch.chdir(repo.root)
    path = f"{folder.format(root=repo.root)}{os.pathsep}{repo.environ['PATH']}"
    repo.options = {"environ": {**repo.environ, "PATH": path}}
    turn = one_task(repo, read("a.txt"), edit("a.txt", "one", "two"), then=merge(repo))
    assert data_of(turn, 1)["merged"] == ["a.txt"] and not (repo.home / "ran").exists()


@NO_GIT
def test_a_folder_of_a_repository_has_a_work_tree_of_that_folder(desk: Desk) -> None:
    git(desk.home, "init", "-q", "-b", "main")
    git(desk.home, "add", "root")
    git(desk.home, "commit", "-qm", "first")
    turn = one_task(
        desk, ("git_status", {}), read("a.txt"), edit("a.txt", "one", "two"), ("git_status", {}), then=merge(desk)
    )
    assert data_of(turn)["files_changed"] == ["a.txt"] and (desk.root / "a.txt").read_text() == "two\n"
    before, after = [
        part.result.data
        for message in desk.requests[-3].messages
        for part in message.parts
        if hasattr(part, "result") and "branch" in (part.result.data or {})
    ]
    assert [before["changed"], [one["path"] for one in after["changed"]]] == [[], ["a.txt"]]


@NO_GIT
def test_a_childs_git_sees_its_work_tree_and_moves_nothing_of_the_repositorys_own(repo: Desk) -> None:
    git(repo.root, "config", "user.name", "A")
    git(repo.root, "config", "user.email", "a@example.com")
    (repo.home / ".gitconfig").write_text("[user]\n\tname = A\n\temail = a@example.com\n")
    (repo.root / "b.txt").write_text("mine\n")
    looks = ("for-each-ref",), ("status", "--porcelain"), ("rev-parse", "HEAD")
    before = [git(repo.root, *words) for words in looks]
    commit = ("git_commit", {"paths": ["a.txt"], "message": "theirs"})
    steps: list[Any] = [read("a.txt"), edit("a.txt", "one", "two"), ("git_diff", {}), commit, ("git_log", {})]
    turn = one_task(repo, *steps)
    seen = str([part for message in repo.requests[-2].messages for part in message.parts])
    assert "theirs" in seen and "+mine" in seen and "+two" in seen
    assert data_of(turn)["files_changed"] == ["a.txt"]  # committed there or not
    assert [git(repo.root, *words) for words in looks] == before and (repo.root / "a.txt").read_text() == "one\n"


def test_a_work_tree_that_is_being_removed_is_not_taken_for_one_that_was_left(desk: Desk) -> None:
    """Whoever begins a prompt looks for what was left, while others end theirs."""
    workspace, state = FolderWorkspace.open(str(desk.root)), desk.home / "agents"
    write_files(desk.root, {f"{number}.txt": "x" for number in range(40)})

    def make_and_drop(_: int) -> None:
        for _ in range(40):
            begin(state, workspace, "builder", "task", (), "").drop()

    with ThreadPoolExecutor() as pool:
        dropping = [pool.submit(make_and_drop, number) for number in range(3)]
        while not all(one.done() for one in dropping):
            assert take_up(state) == ([], [])
        for one in dropping:
            one.result()
