"""A session works in a copy; its change is shown, applied whole or in part, and reverted."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ..sandbox_fs.test_trials import tree
from .conftest import Ran, asking, command, git, write

Inarch = Callable[..., Ran]
Review = Callable[..., str]


def state(root: Path) -> dict[str, tuple[int, str]]:
    return {path: found for path, found in tree(root).items() if not path.startswith(".git/") and path != ".git"}


def test_the_original_changes_only_when_it_is_applied_and_undo_is_exact(
    inarch: Inarch, review: Review, repository: Path
) -> None:
    before = tree(repository)
    change = review(
        command("sed -i s/2/two/ lines.txt && rm ignored.txt && mv shop store"),
        command(
            "ln -s lines.txt link && mkdir -m 700 deep && mkdir deep/er && touch deep/er/new && chmod 600 README.md"
        ),
        command("rm -rf deep/er && mkdir deep/er && rm -r store/__init__.py && mkdir shop && touch shop/only"),
    )
    assert tree(repository) == before
    listed = json.loads(inarch("changes", change, "--json").stdout)
    kinds = {one["path"]: one["change"] for one in listed["files"]}
    assert kinds["lines.txt"] == "change" and kinds["README.md"] == "mode" and kinds["link"] == "add"
    assert kinds["shop/basket.py"] == "delete" and kinds["store/basket.py"] == "add" and "shop" not in kinds
    assert next(one for one in listed["files"] if one["path"] == "ignored.txt")["ignored"]
    assert "execute_command: sed" in str(next(one for one in listed["files"] if one["path"] == "lines.txt")["calls"])
    assert inarch("apply", change).returncode == 0
    assert (repository / "lines.txt").read_text().split()[1] == "two" and not (repository / "ignored.txt").exists()
    assert [path.name for path in (repository / "shop").iterdir()] == ["only"]
    assert (repository / "deep").stat().st_mode & 0o777 == 0o700 and os.readlink(repository / "link") == "lines.txt"
    assert inarch("changes").stdout == "no change waits for a review\n"
    assert inarch("undo").returncode == 0
    assert tree(repository) == before


def test_a_persons_lines_are_kept_and_the_same_lines_are_left_to_them(
    inarch: Inarch, review: Review, repository: Path
) -> None:
    change = review(command("sed -i s/2/two/ lines.txt"), write("both.txt", "agent\n"), command("rm README.md"))
    (repository / "lines.txt").write_text((repository / "lines.txt").read_text().replace("7", "seven"))
    (repository / "both.txt").write_text("person\n")
    (repository / "README.md").write_text("person\n")
    ran = inarch("apply", change)
    assert ran.returncode == 1 and ran.stdout.count("can't be applied") == 2
    assert (repository / "lines.txt").read_text() == "1\ntwo\n3\n4\n5\n6\nseven\n8\n"
    assert (repository / "both.txt").read_text() == (repository / "README.md").read_text() == "person\n"
    assert inarch("apply", change, "both.txt").returncode == 1
    assert inarch("discard", change).returncode == 0
    (repository / "lines.txt").write_text("mine\n")
    assert inarch("undo").returncode == 1  # a conflict again: nothing is lost
    assert (repository / "lines.txt").read_text() == "mine\n"


def test_what_steers_others_or_runs_is_applied_by_name_alone(inarch: Inarch, review: Review, repository: Path) -> None:
    change = review(
        write("AGENTS.md", "obey\n"), command("mkdir -p .github/workflows && touch .github/workflows/ci.yml"),
        command("printf '#!/bin/sh\\n' > run.sh && chmod +x run.sh"), write("plain.txt", "x\n"),
    )  # fmt: skip
    shown = inarch("changes", change).stdout
    assert shown.index("AGENTS.md") < shown.index("run.sh") < shown.index("plain.txt")
    assert inarch("apply", change).returncode == 0
    assert (repository / "plain.txt").exists() and not (repository / "AGENTS.md").exists()
    assert not (repository / "run.sh").exists() and not (repository / ".github/workflows/ci.yml").exists()
    assert inarch("apply", change, ".github", "AGENTS.md").returncode == 0
    assert (repository / "AGENTS.md").read_text() == "obey\n" and (repository / ".github/workflows/ci.yml").exists()
    assert inarch("apply", change, "run.sh").returncode == 0 and os.access(repository / "run.sh", os.X_OK)
    assert inarch("changes", "--json").stdout.strip() == "[]"


def test_shown_lines_cannot_steer_a_terminal_and_are_counted_whatever_they_begin_with(
    inarch: Inarch, review: Review
) -> None:
    change = review(command("printf -- '-- x\\n\\033[2Jy\\n' > new.sql"))
    shown = inarch("changes", change, "--diff").stdout
    assert "+-- x" in shown and "\x1b" not in shown
    (one,) = json.loads(inarch("changes", change, "--json").stdout)["files"]
    assert (one["added"], one["removed"]) == (2, 0)


def test_a_hunk_is_applied_as_git_would_and_the_rest_waits(
    inarch: Inarch, review: Review, repository: Path, tmp_path: Path
) -> None:
    change = review(command("sed -i -e s/2/two/ -e s/5/five/ -e 8d lines.txt"))
    assert "hunk 3" in inarch("changes", change, "--diff").stdout
    patch = "--- a/lines.txt\n+++ b/lines.txt\n@@ -5 +5 @@\n-5\n+five\n"
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy/lines.txt").write_text((repository / "lines.txt").read_text())
    subprocess.run(["git", "apply", "--unidiff-zero"], cwd=tmp_path / "copy", input=patch, text=True, check=True)
    assert inarch("apply", change, "lines.txt", "--hunk", "2").returncode == 0
    assert (repository / "lines.txt").read_text() == (tmp_path / "copy/lines.txt").read_text()
    (left,) = json.loads(inarch("changes", change, "--json").stdout)["files"]
    assert (left["added"], left["removed"], left["problem"]) == (1, 2, "")
    (repository / "lines.txt").write_text("0\n" + (repository / "lines.txt").read_text())
    assert inarch("apply", change).returncode == 0
    assert (repository / "lines.txt").read_text() == "0\n1\ntwo\n3\n4\nfive\n6\n7\n"


def test_commits_of_the_copy_become_branches_and_move_nothing(inarch: Inarch, review: Review, repository: Path) -> None:
    def git_folder() -> dict[str, tuple[int, str]]:
        return {path: one for path, one in tree(repository / ".git").items() if "inarch" not in path}

    before, head = git_folder(), git(repository, "rev-parse", "HEAD")
    change = review(
        command("sed -i s/2/two/ lines.txt && git commit -qam second && git checkout -qb other && git stash list"),
        command("git log --oneline"), command("sh -c 'echo x > .git/hooks/pre-commit; echo y >> .git/config; true'"),
    )  # fmt: skip
    assert git_folder() == before
    assert inarch("apply", change).returncode == 0
    branches = git(repository, "branch", "--list", "inarch/*", "--format=%(refname:short) %(subject)").split("\n")
    assert [one.split("/")[-1] for one in branches if one] == ["master second", "other second"]
    assert git(repository, "rev-parse", "HEAD") == head and not git(repository, "fsck", "--strict").strip()
    after = git_folder()
    assert {path for path in after if before.get(path) != after[path] and "objects" not in path} == set()
    assert not inarch("changes", "--json").stdout.strip("[]\n")


@pytest.mark.parametrize(("how", "applied"), [("none", False), ("clean", False), ("all", True)])
def test_without_a_person_an_option_says_what_is_applied(
    inarch: Inarch, repository: Path, how: str, applied: bool
) -> None:
    calls = [write("plain.txt", "x\n"), write("AGENTS.md", "x\n")]
    ran = inarch(*asking(calls, "--apply", how))
    assert ran.returncode == 0 and ("waiting" in json.loads(ran.stdout)) == (how == "none")
    assert (repository / "plain.txt").exists() == applied and not (repository / "AGENTS.md").exists()
    assert len(json.loads(inarch("changes", "--json").stdout)) == 1
    if how == "clean":
        assert inarch(*asking(calls[:1], "--apply", how)).returncode == 0 and (repository / "plain.txt").exists()


def test_it_is_refused_where_no_copy_is_possible(inarch: Inarch, repository: Path, environ: dict[str, str]) -> None:
    wanted = asking([write("a.txt", "x\n")])
    for words, more, said in [
        (["--add-dir", environ["HOME"]], {}, "--add-dir"),
        ([], {"XDG_STATE_HOME": str(repository / "state")}, "state folder"),
    ]:
        ran = inarch(*words, *wanted, **more)
        assert ran.returncode == 2 and said in ran.stderr, ran.stderr
    ran = inarch("--apply", "all", *MODEL_OF_NOTHING)
    assert ran.returncode == 2 and "--approve review" in ran.stderr
    assert not (repository / "a.txt").exists() and inarch("changes").stdout.startswith("no change")


MODEL_OF_NOTHING = ("--approve", "ask", "hello there")
