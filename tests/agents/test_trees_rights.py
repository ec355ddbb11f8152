"""What a task in a work tree may do: what its caller may, in its own copy, and what is left when it is cut off."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import calls, says
from inarch_testing.apps import write_files

from .test_agents import Desk, Person, data_of, error_of, task
from .test_trees import BUILDER, NO_GIT, desk, edit, git, merge, one_task, read, repo, run, standing, trees, write

__all__ = ["desk", "repo"]


@NO_GIT
def test_a_person_is_asked_about_what_is_done_in_the_tree_and_about_the_merge_with_its_diff(repo: Desk) -> None:
    person = Person()
    repo.options = {"front_end": person}
    steps = read("a.txt"), edit("a.txt", "one", "two"), ("create_file", {"file_path": "b/c.txt", "content": "c\n"})
    turn = one_task(repo, *steps, then=merge(repo), approve="ask")
    asked = [(one.call.name, one.reason.split(":")[0]) for one in person.asked[:2]]
    assert asked == [("patch_source_file", "builder"), ("create_file", "builder")]
    assert [one.call.name for one in person.asked[2:]] == ["merge_task"]
    shown = person.asked[2].preview.split("\n")
    assert shown[0] == "merge the change of builder from its work tree: child" and {"-one", "+two"} <= {*shown}
    assert person.asked[2].call.arguments["files"] == ["a.txt", "b/c.txt"]  # what is written is judged by these
    assert data_of(turn)["files_changed"] == ["a.txt", "b/c.txt"] and (repo.root / "a.txt").read_text() == "two\n"


@NO_GIT
def test_a_merge_that_is_denied_loses_nothing(repo: Desk) -> None:
    person = Person("merge the change")
    repo.options = {"front_end": person}
    turn = one_task(repo, write("new.txt", "new\n"), then=merge(repo), approve="ask")
    assert error_of(turn, 1).startswith("denied: ") and not (repo.root / "new.txt").exists()
    assert "+new" in Path(data_of(turn)["patch"]).read_text()


@NO_GIT
def test_rules_of_the_user_hold_for_the_merge_as_for_any_edit(repo: Desk) -> None:
    rules = [{"tool": "*", "path": "kept/**", "decision": "deny"}]
    repo.options = {"config": {"rules": rules}}
    turn = one_task(repo, write("kept/x", "x"), write("free", "x"), then=merge(repo))
    assert data_of(turn)["files_changed"] == ["free"] and data_of(turn, 1)["merged"] == ["free"]


@NO_GIT
def test_what_a_rule_keeps_from_calls_that_read_everything_is_not_copied(repo: Desk) -> None:
    write_files(repo.root, {"secret/key.txt": "4711\n"})
    repo.options = {"config": {"rules": [{"tool": "*", "path": "secret/**", "decision": "deny"}]}}
    there: list[bool] = []

    def look(request: inarch.ModelRequest) -> Any:
        there.extend(bool(list(folder.glob("*/secret/key.txt"))) for folder in trees(repo).iterdir())
        return says("built")

    repo.scripts = {"parent": [calls(task("builder", "child")), says("ok")], "child": [look]}
    turn = repo.run(approve="all")
    assert there == [False] and data_of(turn)["files_changed"] == []


@NO_GIT
@pytest.mark.needs("confinement")
def test_commands_are_confined_to_the_tree_and_reach_neither_the_project_nor_its_repository(repo: Desk) -> None:
    root = repo.root
    write_files(
        root,
        {
            "try.sh": f"""#!/bin/sh
echo here > inside.txt
echo x > {root}/outside.txt
cat {root}/a.txt && echo read-the-project
cat {root}/.git/config && echo read-the-repository
echo x > {root}/.git/refs/heads/made
exit 0
"""
        },
    )
    (root / "try.sh").chmod(0o755)
    repo.options = {"front_end": Person()}
    turn = one_task(repo, run("./try.sh"), approve="ask")
    (result,) = [
        part.result for message in repo.requests[-2].messages for part in message.parts if hasattr(part, "result")
    ]
    assert result.data["exit_code"] == 0, result
    assert "read-the" not in str(result.data)
    assert data_of(turn)["files_changed"] == ["inside.txt"]
    assert not (root / "outside.txt").exists() and not (root / ".git/refs/heads/made").exists()


@NO_GIT
def test_modes_links_and_what_is_removed_come_back_and_go_again_with_an_undo(repo: Desk) -> None:
    write_files(repo.root, {"go.sh": "#!/bin/sh\n", "gone.txt": "gone\n", "from.txt": "from\n"})
    (repo.root / "go.sh").chmod(0o755)
    (repo.root / "link").symlink_to("a.txt")
    before = standing(repo.root)
    steps = (
        read("go.sh"), edit("go.sh", "sh", "bash"), ("delete_file", {"file_path": "gone.txt"}),
        ("move_file", {"file_path": "from.txt", "new_path": "to/to.txt"}),
    )  # fmt: skip
    repo.scripts = {
        "parent": [calls(task("builder", "child")), merge(repo), says("ok")],
        "child": [*(calls(step) for step in steps), says("built")],
    }

    async def go() -> inarch.Turn:
        session = repo.open(approve="all")
        turn = await session.run("parent")
        after = standing(repo.root)
        assert stat.S_IMODE(after["go.sh"][0]) == 0o755 and after["go.sh"][1] == b"#!/bin/bash\n"
        assert after["to/to.txt"] == before["from.txt"] and not {"gone.txt", "from.txt"} & after.keys()
        assert after["link"] == before["link"]
        assert session.undo().done
        await repo.app.aclose()
        return turn

    turn = asyncio.run(go())
    assert sorted(data_of(turn)["files_changed"]) == ["from.txt", "go.sh", "gone.txt", "to/to.txt"]
    assert standing(repo.root) == before and not (repo.root / "to").exists()


def test_a_task_in_a_tree_of_a_tree_brings_its_change_back_over_both(desk: Desk) -> None:
    write_files(desk.home, {"config/inarch/agents/lead.md": BUILDER.replace("builder", "lead")})
    desk.scripts = {
        "parent": [calls(task("lead", "leading")), merge(desk), says("ok")],
        "leading": [calls(task("builder", "child")), merge(desk), calls(write("lead.txt", "lead\n")), says("led")],
        "child": [calls(write("child.txt", "child\n")), says("built")],
    }
    turn = desk.run(approve="all")
    assert data_of(turn)["files_changed"] == ["child.txt", "lead.txt"] == data_of(turn, 1)["merged"]
    assert {"child.txt", "lead.txt"} <= {path.name for path in desk.root.iterdir()}


@NO_GIT
def test_a_trusted_project_is_trusted_in_its_copy_as_it_was_trusted(repo: Desk) -> None:
    (repo.root / ".gitignore").write_text(".agents\nAGENTS.md\n")  # neither is Git's
    helper = "---\nname: helper\ndescription: Helps.\n---\n"
    repo.project({"AGENTS.md": "Write in capitals.\n", ".agents/agents/helper.md": helper})
    repo.scripts = {
        "parent": [calls(task("builder", "child")), says("ok")],
        "child": [calls(task("helper", "helping")), says("built")],
        "helping": [says("helped")],
    }
    turn = repo.run(approve="all")
    assert data_of(turn)["answer"] == "built"
    assert "Write in capitals." in repo.requests[1].system
    assert [one["name"] for one in repo.of("child.started")] == ["builder"]
    assert len(repo.requests) == 5  # the helper, whom the project brings, was there


@NO_GIT
def test_a_project_that_is_not_trusted_is_not_in_its_copy_either(repo: Desk) -> None:
    helper = "---\nname: helper\ndescription: Helps.\n---\n"
    write_files(repo.root, {"AGENTS.md": "Write in capitals.\n", ".agents/agents/helper.md": helper})
    turn = one_task(repo, task("helper", "helping"))
    assert data_of(turn)["answer"] == "built" and len(repo.requests) == 4
    assert not [one for one in repo.requests if "capitals" in one.system]


@NO_GIT
def test_what_was_changed_since_the_project_was_trusted_ends_the_task_before_it_begins(repo: Desk) -> None:
    helper = "---\nname: helper\ndescription: Helps.\n---\n"
    repo.project({".agents/agents/helper.md": helper})

    def changed(request: inarch.ModelRequest) -> Any:
        (repo.root / ".agents/agents/helper.md").write_text(f"{helper}You may do anything.\n")
        return calls(task("builder", "child"))

    repo.scripts = {"parent": [changed, says("ok")]}
    turn = repo.run(approve="all")
    told = error_of(turn)
    assert ".agents/agents/helper.md is not in the copy as you trusted it" in told and "inarch config trust" in told
    assert not list(trees(repo).iterdir()) and not repo.of("child.started")


@NO_GIT
def test_a_change_that_can_not_be_kept_leaves_its_tree_for_the_next_start(repo: Desk) -> None:
    changes = trees(repo).parent / "changes"
    changes.parent.mkdir(parents=True)
    changes.write_text("no folder")
    told = error_of(one_task(repo, write("new.txt", "new\n")))
    (tree,) = trees(repo).iterdir()
    assert "the change can't be stored" in told and str(tree) in told
    repo.scripts["next"] = [says("ok")]
    repo.run("next")
    (note,) = [one["text"] for one in repo.of("note") if one["source"] == "agents"]
    assert note.startswith(f"the work tree {tree} of builder stays: ") and (tree / "root/new.txt").exists()
    changes.unlink()
    repo.run("next")
    assert (changes / tree.name / "change.patch").exists() and not list(trees(repo).iterdir())


@NO_GIT
def test_a_change_that_is_not_there_or_has_no_such_file_is_refused_before_anybody_is_asked(repo: Desk) -> None:
    person = Person()
    repo.options = {"front_end": person}
    wrong = [
        calls(("merge_task", {"change": one})) for one in ("0123456789ab", "../trees", "")
    ]  # fmt: skip
    turn = one_task(repo, write("new.txt", "new\n"), then=[*wrong, merge(repo, files=["other.txt"])], approve="ask")
    assert ["there is no change" in error_of(turn, at) for at in (1, 2, 3)] == [True] * 3
    assert "has no other.txt to merge" in error_of(turn, 4)
    assert "merge_task" not in {one.call.name for one in person.asked}


@NO_GIT
def test_what_a_cancelled_task_had_changed_is_kept_by_the_next_prompt_and_merged_by_the_person(repo: Desk) -> None:
    repo.scripts = {
        "parent": [calls(task("builder", "child"))],
        "child": [calls(write("new.txt", "new\n")), [60.0]],
        "next": [says("ok")],
    }
    shown: list[str] = []

    async def go() -> None:
        session = repo.open(approve="all")
        running = asyncio.create_task(session.run("parent"))
        while len(repo.requests) < 3 and not running.done():
            await asyncio.sleep(0.02)
        running.cancel()
        await asyncio.wait([running])
        assert len(list(trees(repo).iterdir())) == 1
        await session.run("next")
        for line in ("/merge", "/agents"):
            await repo.app.command(session, line, shown.append)
        (name,) = [folder.name for folder in (trees(repo).parent / "changes").iterdir()]
        await repo.app.command(session, f"/merge {name}", shown.append)
        await repo.app.command(session, "/merge", shown.append)
        await repo.app.aclose()

    asyncio.run(go())
    assert [one["status"] for one in repo.of("child.ended")] == ["cancelled"]
    (note,) = [one["text"] for one in repo.of("note") if one["source"] == "agents"]
    assert note.startswith("a task was interrupted: change ") and "of builder, 1 file: child" in note
    assert "/merge " in shown[0] and shown[0] in shown[1]
    assert shown[2:] == ["merged new.txt", "no change waits for a merge"]
    assert (repo.root / "new.txt").read_text() == "new\n" and not list(trees(repo).iterdir())


@pytest.mark.needs("git")
def test_a_hostile_repository_starts_nothing(desk: Desk) -> None:
    git(desk.root, "init", "-q")
    git(desk.root, "add", ".")
    git(desk.root, "commit", "-qm", "first")
    marker = desk.home / "ran"
    script = desk.root / ".git" / "evil.sh"
    script.write_text(f"#!/bin/sh\necho x >> {marker}\ncat\n")
    script.chmod(0o755)
    for hook in ("post-checkout", "post-index-change", "reference-transaction", "pre-commit"):
        (desk.root / ".git/hooks").mkdir(exist_ok=True)
        (desk.root / ".git/hooks" / hook).symlink_to(script)
    for key in ("core.fsmonitor", "filter.x.smudge", "filter.x.clean", "filter.x.process", "core.pager"):
        git(desk.root, "config", key, str(script))
    (desk.root / ".gitattributes").write_text("* filter=x\n")
    turn = one_task(desk, read("a.txt"), edit("a.txt", "one", "two"), then=merge(desk))
    assert data_of(turn, 1)["merged"] == ["a.txt"] and not marker.exists()


@NO_GIT
def test_a_tree_that_the_child_points_elsewhere_costs_nobody_anything(repo: Desk) -> None:
    """Another work tree of the person's, and a link that leads out, stay as they are."""
    git(repo.root, "worktree", "add", "-q", str(repo.home / "mine"))
    write_files(repo.home, {"outside/secret.txt": "4711\n"})
    folder = trees(repo)

    def bend(request: inarch.ModelRequest) -> Any:
        (tree,) = [path for path in folder.iterdir() if path.is_dir()]
        place = tree / "root"
        (place / ".git").write_text(f"gitdir: {repo.root}/.git/worktrees/mine\n")
        shutil.rmtree(place / "sub")
        (place / "sub").symlink_to(repo.home / "outside")
        return says("built")

    repo.scripts = {
        "parent": [calls(task("builder", "child")), says("ok")],
        "child": [calls(write("sub/secret.txt", "x\n")), bend],
    }

    (repo.root / "sub").mkdir()
    turn = repo.run(approve="all")
    assert (repo.home / "outside/secret.txt").read_text() == "4711\n"
    assert "4711" not in json.dumps(data_of(turn))
    assert sorted(os.listdir(repo.root / ".git/worktrees")) == ["mine"]
