"""Where a repository may be, and what must not be taken for one."""

import os
from pathlib import Path

import pytest

from .conftest import Place

pytestmark = pytest.mark.once


def test_a_folder_without_a_repository(empty: Place) -> None:
    for tool, arguments in (("git_status", {}), ("git_diff", {}), ("git_log", {}), ("git_show", {"revision": "HEAD"})):
        error = empty.error(tool, **arguments)
        assert (error.code, error.remedy) == ("not_found", "make one with `git init`")


def test_a_repository_without_commits(empty: Place) -> None:
    empty.git("init", "-q", "-b", "main")
    empty.put("a.txt", "x\n")
    status = empty.data("git_status")
    assert (status["branch"], status["commit"], status["untracked"]) == ("main", None, ["a.txt"])
    for tool, arguments in (("git_log", {}), ("git_show", {"revision": "HEAD"})):
        error = empty.error(tool, **arguments)
        assert (error.code, error.remedy) == ("not_found", "make one with git_commit")
        assert "no commits yet" in error.message
    empty.git("add", "a.txt")
    assert "+x" in empty.data("git_diff", staged=True)["diff"]


def test_a_bare_repository(empty: Place) -> None:
    empty.git("init", "-q", "--bare")
    error = empty.error("git_status")
    assert (error.code, "bare" in error.message) == ("not_found", True)


def test_below_the_top_of_a_repository_only_what_is_below_counts(repo: Place) -> None:
    repo.put(".gitignore", "*.log\n")
    repo.put("sub/b.txt", "b\n")
    repo.git("add", ".")
    repo.git("commit", "-qm", "second")
    repo.git("commit", "-q", "--allow-empty", "-m", "third")
    repo.put("a.txt", "changed outside\n")
    repo.put("sub/b.txt", "changed inside\n")
    repo.put("sub/new.txt", "new\n")
    repo.put("sub/x.log", "ignored from above\n")
    sub = repo.at("sub")
    status = sub.data("git_status")
    assert status["changed"] == [{"path": "b.txt", "change": "modified"}]
    assert status["untracked"] == ["new.txt"]
    diff = sub.data("git_diff")["diff"]
    assert diff.startswith("diff --git a/b.txt b/b.txt")
    assert "outside" not in diff
    assert [one["subject"] for one in sub.data("git_log")["commits"]] == ["second"]
    assert "a.txt" not in sub.data("git_show", revision="HEAD~1")["diff"]
    shown = sub.data("git_show", revision="HEAD~2")
    assert (shown["subject"], shown["note"]) == ("first", "the commit changes nothing below the workspace")
    assert sub.data("git_blame", file_path="b.txt")["lines"][0]["commit"] is None
    done = sub.commit("b.txt", "new.txt")
    assert done["files"] == ["b.txt", "new.txt"]
    assert repo.git("status", "--porcelain") == " M a.txt\n"


def test_a_repository_above_the_home_is_not_the_home_s(repo: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    home = repo.put("users/ada/project/x.txt").parent.parent
    project = repo.at(home / "project")
    assert project.data("git_status")["branch"] == "main"
    monkeypatch.setenv("HOME", str(home))
    assert project.error("git_status").code == "not_found"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_repository_above_of_another_user_is_not_used(repo: Place) -> None:
    folder = repo.put("mine/x.txt").parent
    os.chown(repo.root / ".git", 65534, 65534)
    error = repo.at(folder).error("git_status")
    assert (error.code, "another user" in error.message) == ("permission", True)


def test_a_linked_worktree(repo: Place) -> None:
    repo.git("worktree", "add", "-q", "../tree", "-b", "side")
    tree = repo.at("../tree")
    assert tree.data("git_status")["branch"] == "side"
    tree.put("b.txt", "b\n")
    assert tree.commit("b.txt")["branch"] == "side"
    assert [one["subject"] for one in tree.data("git_log")["commits"]] == ["a message", "first"]
    assert repo.data("git_status")["untracked"] == []
    assert len(repo.data("git_log")["commits"]) == 1


def test_a_submodule(repo: Place) -> None:
    inner = repo.at("../inner")
    inner.root.mkdir()
    inner.init()
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "sub")
    repo.git("commit", "-qm", "with a submodule")
    sub = repo.at("sub")
    sub.put("b.txt", "b\n")
    assert sub.data("git_status")["untracked"] == ["b.txt"]
    commit = sub.commit("b.txt")
    assert sub.git("rev-parse", "HEAD").strip() == commit["commit"]
    # From outside it is one thing, of which only the commit counts.
    assert repo.data("git_status")["changed"] == [{"path": "sub", "change": "modified"}]
    assert "Subproject commit" in repo.data("git_diff")["diff"]
    assert repo.error("git_commit", paths=["sub/b.txt"], message="x").code == "validation"
    assert repo.commit("sub")["files"] == ["sub"]


def other_repository(repo: Place) -> Place:
    """Make another repository of the same user, which nobody may read from this workspace."""
    other = repo.at("../private")
    other.root.mkdir()
    other.put("secret.txt", "secret\n")
    return other.init()


def test_a_git_file_that_names_another_repository_is_not_followed(empty: Place) -> None:
    other = other_repository(empty)
    empty.put(".git", f"gitdir: {other.root}/.git\n")
    error = empty.error("git_log")
    assert (error.code, "point back" in error.message) == ("permission", True)


def test_a_git_file_that_claims_to_be_a_worktree_of_another_repository(empty: Place) -> None:
    other = other_repository(empty)
    fake = empty.put("fake/HEAD", "ref: refs/heads/main\n").parent
    (fake / "gitdir").write_text(f"{empty.root}/.git\n")
    (fake / "commondir").write_text(f"{other.root}/.git\n")
    empty.put(".git", "gitdir: fake\n")
    assert empty.error("git_log").code == "permission"


def test_a_commondir_file_does_not_lead_to_another_repository(repo: Place) -> None:
    repo.put(".git/commondir", f"{other_repository(repo).root}/.git\n")
    error = repo.error("git_log")
    assert (error.code, "commondir" in error.message) == ("permission", True)


def test_a_link_in_the_place_of_the_repository_is_not_followed(empty: Place) -> None:
    (empty.root / ".git").symlink_to(other_repository(empty).root / ".git")
    assert empty.error("git_log").code == "permission"


def test_core_worktree_leads_nowhere(repo: Place) -> None:
    other_repository(repo)
    repo.git("config", "core.worktree", "../private")
    repo.put("new.txt")
    assert repo.data("git_status")["untracked"] == ["new.txt"]
    assert repo.commit("new.txt")["files"] == ["new.txt"]


def test_damaged_and_missing_repositories_are_named(empty: Place) -> None:
    empty.put(".git", "not what git writes\n")
    assert empty.error("git_status").code == "not_found"
    empty.put(".git", "gitdir: ../gone\n")
    error = empty.error("git_status")
    assert (error.code, "gone" in error.message) == ("not_found", True)


def test_borrowed_objects_outside_are_named(repo: Place, home: Path) -> None:
    repo.git("clone", "-q", "--shared", ".", "../borrower")
    borrower = repo.at("../borrower")
    result = borrower.call("git_log")
    if result.error is not None:  # where the kernel confines git, what it borrows can't be read
        assert (result.error.code, "alternates" in result.error.remedy) == ("permission", True)
