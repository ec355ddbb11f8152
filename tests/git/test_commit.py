"""git_commit: exactly the named paths, nothing run, and a failure that leaves everything as it was."""

import asyncio
import os
from pathlib import Path

import pytest

import inarch

from .conftest import Place
from .test_reading import conflict

pytestmark = pytest.mark.once


def test_only_the_named_paths_are_committed(repo: Place) -> None:
    repo.put("staged.txt", "staged\n")
    repo.git("add", "staged.txt")
    repo.put("a.txt", "changed\n")
    repo.put("new.txt", "new\n")
    repo.put("other.txt", "other\n")
    done = repo.commit("a.txt", "new.txt", message="Subject\n\n# no comment\nbody\n")
    assert done == {
        "commit": repo.git("rev-parse", "HEAD").strip(), "branch": "main", "subject": "Subject",
        "files": ["a.txt", "new.txt"], "note": None,
    }  # fmt: skip
    assert repo.git("log", "-1", "--format=%B").rstrip() == "Subject\n\n# no comment\nbody"
    assert repo.git("log", "-1", "--format=%an %ae %cn %ce").strip() == "Ada ada@example.com Ada ada@example.com"
    assert repo.git("status", "--porcelain") == "A  staged.txt\n?? other.txt\n"
    assert not list((repo.root / ".git").glob("*.lock"))


def test_the_first_commit_of_a_repository(empty: Place) -> None:
    empty.git("init", "-q", "-b", "main")
    empty.put("staged.txt", "x")
    empty.git("add", "staged.txt")
    empty.put("a.txt", "x")
    assert empty.commit("a.txt")["files"] == ["a.txt"]
    assert empty.git("status", "--porcelain") == "A  staged.txt\n"


def test_the_first_commit_of_a_repository_without_an_index(empty: Place) -> None:
    empty.git("init", "-q", "-b", "main")
    empty.put("a.txt", "x")
    assert empty.commit("a.txt")["files"] == ["a.txt"]
    assert empty.git("status", "--porcelain") == ""


def test_deleted_moved_and_executable_files(repo: Place) -> None:
    repo.put("run.sh", "#!/bin/sh\n").chmod(0o755)
    (repo.root / "a.txt").rename(repo.root / "b.txt")
    assert repo.commit("a.txt", "b.txt", "run.sh")["files"] == ["a.txt", "b.txt", "run.sh"]
    assert repo.git("ls-files", "-s", "run.sh").startswith("100755")
    repo.git("rm", "-q", "b.txt")
    assert repo.commit("b.txt")["files"] == ["b.txt"]
    assert repo.git("status", "--porcelain") == ""


def test_a_directory_is_committed_without_what_is_ignored(repo: Place) -> None:
    repo.put("src/.gitignore", "*.o\n")
    repo.put("src/a/b.c", "b")
    repo.put("src/a/b.o", "o")
    assert repo.commit("src")["files"] == ["src/.gitignore", "src/a/b.c"]
    assert repo.error("git_commit", paths=["src/a/b.o"], message="x").code == "validation"


def test_a_link_is_committed_as_a_link(repo: Place) -> None:
    (repo.root / "link").symlink_to("/etc/passwd")
    repo.commit("link")
    assert repo.git("show", "HEAD:link") == "/etc/passwd"


def test_partially_staged_files_are_committed_as_they_are(repo: Place) -> None:
    repo.put("a.txt", "staged\n")
    repo.git("add", "a.txt")
    repo.put("a.txt", "now\n")
    done = repo.commit("a.txt")
    assert "staged with other content" in done["note"]
    assert repo.git("show", "HEAD:a.txt") == "now\n"
    assert repo.git("status", "--porcelain") == ""


def test_a_detached_head_is_reported(repo: Place) -> None:
    repo.git("checkout", "-q", "--detach")
    repo.put("a.txt", "x")
    done = repo.commit("a.txt")
    assert (done["branch"], "detached" in done["note"]) == (None, True)


REFUSED = (
    (["a.txt"], "validation"), (["nope.txt"], "not_found"), (["new.txt", "nope.txt"], "not_found"),
    (["new.txt", "x.log"], "validation"), (["nested"], "validation"), ([], "validation"),
)  # fmt: skip


def test_a_refused_commit_leaves_everything_as_it_was(repo: Place) -> None:
    repo.put(".git/info/exclude", "*.log\n")
    repo.put("x.log")
    repo.put("new.txt", "new")
    repo.put("staged.txt", "staged")
    repo.git("add", "staged.txt")
    repo.git("init", "-q", "nested")
    repo.git("-C", "nested", "commit", "-q", "--allow-empty", "-m", "x")
    before = (repo.index(), repo.git("status", "--porcelain"), repo.git("rev-parse", "HEAD"))
    for paths, code in REFUSED:
        assert repo.error("git_commit", paths=paths, message="x").code == code
    for message in (" \n", "", "a\0b"):
        assert repo.error("git_commit", paths=["new.txt"], message=message).code == "validation"
    assert (repo.index(), repo.git("status", "--porcelain"), repo.git("rev-parse", "HEAD")) == before
    assert not list((repo.root / ".git").glob("*.lock"))


def test_a_commit_that_fails_late_leaves_the_index_as_it_was(repo: Place) -> None:
    repo.put("new.txt", "new")
    repo.put(".git/refs/heads/main.lock")
    before = repo.index()
    error = repo.error("git_commit", paths=["new.txt"], message="x")
    assert (error.code, "lock" in error.message) == ("conflict", True)
    assert (repo.index(), repo.git("status", "--porcelain")) == (before, "?? new.txt\n")


def test_a_locked_index_is_said_and_left_alone(repo: Place) -> None:
    lock = repo.put(".git/index.lock", "of another git")
    repo.put("a.txt", "x")
    error = repo.error("git_commit", paths=["a.txt"], message="x")
    assert (error.code, "index.lock" in error.message, "remove" in error.remedy) == ("conflict", True, True)
    assert lock.read_text() == "of another git"


def test_a_change_within_the_tick_of_the_clock_is_not_lost(repo: Place) -> None:
    """Size and time of the file are those that the index knows: only the index's own time tells git to look closer."""
    repo.git("config", "core.checkStat", "minimal")
    repo.git("config", "core.trustctime", "false")
    file, index = repo.root / "a.txt", repo.root / ".git/index"
    os.utime(file, (10**9, 10**9))
    repo.git("add", "a.txt")
    repo.put("a.txt", "ONE\nTWO\n")
    os.utime(file, (10**9, 10**9))
    os.utime(index, (10**9, 10**9))
    repo.put("other.txt", "x")
    repo.commit("other.txt")
    assert repo.git("status", "--porcelain") == " M a.txt\n"


def test_during_a_merge_nothing_is_committed(repo: Place) -> None:
    conflict(repo)
    error = repo.error("git_commit", paths=["a.txt"], message="x")
    assert (error.code, "git merge --abort" in error.remedy) == ("conflict", True)


def test_conflicts_without_a_merge_are_named(repo: Place) -> None:
    repo.put("a.txt", "stashed\n")
    repo.git("stash", "-q")
    repo.put("a.txt", "committed\n")
    repo.commit("a.txt")
    repo.git("stash", "pop", "-q", fails=True)
    error = repo.error("git_commit", paths=["a.txt"], message="x")
    assert (error.code, "a.txt has conflicts" in error.message) == ("conflict", True)


def test_without_an_identity_the_remedy_says_how_to_set_one(repo: Place, home: Path) -> None:
    (home / ".gitconfig").unlink()
    repo.put("a.txt", "x")
    error = repo.error("git_commit", paths=["a.txt"], message="x")
    assert error.code == "validation"
    assert '`git config --global user.name "Your Name"`' in error.remedy
    assert "`git config --global user.email you@example.com`" in error.remedy
    assert repo.git("status", "--porcelain") == " M a.txt\n"


def who(repo: Place) -> str:
    repo.put("a.txt", os.urandom(8).hex())
    repo.commit("a.txt")
    return repo.git("log", "-1", "--format=%an %ae %cn").strip()


def test_the_identity_is_found_where_git_finds_it(repo: Place, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".gitconfig").unlink()
    (home / ".config/git").mkdir(parents=True)
    (home / ".config/git/config").write_text("[user]\nname = Xdg\nemail = xdg@example.com\n")
    assert who(repo) == "Xdg xdg@example.com Xdg"
    (home / ".gitconfig").write_text(f'[includeIf "gitdir:{home}/work/"]\n\tpath = .gitconfig-work\n')
    (home / ".gitconfig-work").write_text("[user]\nname = Work\nemail = work@example.com\n")
    assert who(repo) == "Work work@example.com Work"
    repo.git("config", "user.name", "Own")
    assert who(repo) == "Own work@example.com Own"
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Given")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "given@example.com")
    assert who(repo) == "Given given@example.com Own"


def test_hooks_are_not_run_and_that_is_said(repo: Place) -> None:
    for name in ("pre-commit", "commit-msg", "post-commit", "prepare-commit-msg", "reference-transaction"):
        repo.put(f".git/hooks/{name}", f"#!/bin/sh\ntouch {repo.root}/ran\nexit 1\n").chmod(0o755)
    repo.put("a.txt", "x")
    note = repo.commit("a.txt")["note"]
    assert "pre-commit, prepare-commit-msg, commit-msg, post-commit" in note
    assert not (repo.root / "ran").exists()


def test_a_commit_is_not_signed_and_that_is_said(repo: Place, home: Path) -> None:
    with (home / ".gitconfig").open("a") as file:
        file.write("[commit]\n\tgpgSign = true\n")
    repo.put("a.txt", "x")
    assert "not signed" in repo.commit("a.txt")["note"]


def test_line_ends_are_stored_as_the_user_s_git_would(repo: Place, home: Path) -> None:
    with (home / ".gitconfig").open("a") as file:
        file.write("[core]\n\tautocrlf = input\n")
    repo.put("dos.txt", "a\r\n")
    repo.commit("dos.txt")
    assert repo.git("show", "HEAD:dos.txt") == "a\n"


def test_a_file_of_the_user_s_filter_is_left_to_the_user(repo: Place, home: Path) -> None:
    with (home / ".gitconfig").open("a") as file:
        file.write('[filter "big"]\n\tclean = cat\n\tsmudge = cat\n\trequired = true\n')
    repo.put(".gitattributes", "*.bin filter=big\n")
    repo.put("x.bin", "large")
    error = repo.error("git_commit", paths=["x.bin"], message="x")
    assert (error.code, "filter big" in error.message) == ("validation", True)
    assert "x.bin go through a filter that is not run (big)" in repo.data("git_status")["note"]
    assert repo.commit(".gitattributes")["files"] == [".gitattributes"]


def test_without_approval_nothing_is_committed(repo: Place) -> None:
    repo.put("a.txt", "x")

    async def go(approve: str) -> inarch.ToolResult:
        app = inarch.compose(root=repo.root, config={}, flags={"approve": approve}, journal=False)
        result = await app.call_tool("git_commit", {"paths": ["a.txt"], "message": "x"})
        await app.aclose()
        return result

    for approve in ("ask", "edits", "none"):
        result = asyncio.run(go(approve))
        assert result.error is not None
        assert result.error.code == "denied"
    assert repo.git("status", "--porcelain") == " M a.txt\n"
