"""Status, diff, log, show and blame of real repositories."""

import pytest

from .conftest import Place

pytestmark = pytest.mark.once


def test_status_tells_staged_changed_and_untracked_apart(repo: Place) -> None:
    repo.put("b.txt", "staged")
    repo.git("add", "b.txt")
    repo.put("a.txt", "changed")
    repo.put("new/c.txt", "new")
    status = repo.data("git_status")
    assert status["branch"] == "main"
    assert status["commit"] == repo.git("rev-parse", "HEAD").strip()
    assert status["staged"] == [{"path": "b.txt", "change": "added"}]
    assert status["changed"] == [{"path": "a.txt", "change": "modified"}]
    assert status["untracked"] == ["new/"]
    assert (status["conflicted"], status["upstream"], status["operation"]) == ([], None, None)


def test_status_knows_a_rename(repo: Place) -> None:
    repo.git("mv", "a.txt", "b.txt")
    assert repo.data("git_status")["staged"] == [{"path": "b.txt", "change": "renamed", "old_path": "a.txt"}]


def test_status_counts_what_is_ahead_and_behind(repo: Place, home: object) -> None:
    repo.git("branch", "base")
    repo.git("branch", "--set-upstream-to=base")
    repo.git("commit", "-q", "--allow-empty", "-m", "second")
    repo.git("commit", "-q", "--allow-empty", "-m", "third")
    status = repo.data("git_status")
    assert (status["upstream"], status["ahead"], status["behind"]) == ("base", 2, 0)


def test_status_of_a_merge_with_conflicts(repo: Place) -> None:
    conflict(repo)
    status = repo.data("git_status")
    assert status["conflicted"] == [{"path": "a.txt", "change": "both modified"}]
    assert status["operation"] == "merge"


def conflict(repo: Place) -> None:
    repo.git("checkout", "-q", "-b", "other")
    repo.put("a.txt", "theirs\n")
    repo.git("commit", "-q", "-a", "-m", "theirs")
    repo.git("checkout", "-q", "main")
    repo.put("a.txt", "ours\n")
    repo.git("commit", "-q", "-a", "-m", "ours")
    repo.git("merge", "other", fails=True)


def test_status_says_when_it_lists_only_the_first(repo: Place) -> None:
    for number in range(501):
        repo.put(f"n{number:03}")
    status = repo.data("git_status")
    assert len(status["untracked"]) == 500
    assert "500 of 501 untracked" in status["note"]


def test_what_the_user_ignores_everywhere_is_not_untracked(repo: Place, home: Place) -> None:
    repo.put("x.tmp")
    assert repo.data("git_status")["untracked"] == ["x.tmp"]
    ignore = home / ".config/git/ignore"  # type: ignore[operator]
    ignore.parent.mkdir(parents=True)
    ignore.write_text("*.tmp\n")
    assert repo.data("git_status")["untracked"] == []


def test_status_leaves_out_what_is_being_written(repo: Place) -> None:
    for name in (".inarch-0123456789abcdef.tmp", "new/.inarch-1f-0123456789abcdef.tmp", ".inarch-mine.tmp", "new/a"):
        repo.put(name)
    repo.put(".inarch-undo-1f-0123456789abcdef.tmp/x/.inarch-undo-1f-0123456789abcde0.tmp")
    tracked = ".inarch-2f-0123456789abcdef.tmp"
    repo.put(tracked)
    repo.git("add", tracked, "new/a")  # a folder of which nothing is known would stand there as one
    status = repo.data("git_status")
    assert status["untracked"] == [".inarch-mine.tmp"]
    assert [one["path"] for one in status["staged"]] == [tracked, "new/a"]


def test_diff_of_files_and_of_what_is_staged(repo: Place) -> None:
    repo.put("a.txt", "one\nTWO\n")
    assert "-two\n+TWO\n" in repo.data("git_diff")["diff"]
    staged = repo.data("git_diff", staged=True)
    assert (staged["diff"], staged["note"]) == ("", "nothing is staged")
    repo.git("add", "a.txt")
    assert repo.data("git_diff")["diff"] == ""
    assert "+TWO" in repo.data("git_diff", staged=True)["diff"]


def test_diff_of_paths_is_of_these_paths(repo: Place) -> None:
    repo.put("b/b.txt", "x\n")
    repo.git("add", ".")
    repo.git("commit", "-qm", "second")
    repo.put("a.txt", "changed a\n")
    repo.put("b/b.txt", "changed b\n")
    diff = repo.data("git_diff", paths=["b"])["diff"]
    assert "changed b" in diff
    assert "changed a" not in diff


def test_what_is_not_utf_8_is_replaced(repo: Place) -> None:
    repo.put("a.txt", b"caf\xe9\n")
    assert "+caf\ufffd" in repo.data("git_diff")["diff"]


def test_log_is_newest_first_and_says_when_there_is_more(repo: Place) -> None:
    for number in range(3):
        repo.git("commit", "-q", "--allow-empty", "-m", f"number {number}\n\nbody")
    log = repo.data("git_log", limit=2)
    assert [commit["subject"] for commit in log["commits"]] == ["number 2", "number 1"]
    assert log["commits"][0]["author"] == "Ada <ada@example.com>"
    assert "newest 2" in log["note"]
    whole = repo.data("git_log")
    assert (len(whole["commits"]), whole["note"]) == (4, None)


def test_log_of_paths(repo: Place) -> None:
    repo.put("b.txt")
    repo.git("add", "b.txt")
    repo.git("commit", "-qm", "second")
    assert [one["subject"] for one in repo.data("git_log", paths=["b.txt"])["commits"]] == ["second"]
    assert repo.data("git_log", paths=["never.txt"]) == {"commits": [], "note": "no commit changed these paths"}


def test_show_has_message_parents_and_diff(repo: Place) -> None:
    first = repo.git("rev-parse", "HEAD").strip()
    repo.put("a.txt", "one\nthree\n")
    repo.git("commit", "-q", "-a", "-m", "subject\n\nbody\nof it")
    shown = repo.data("git_show", revision="HEAD")
    assert (shown["subject"], shown["message"], shown["parents"]) == ("subject", "subject\n\nbody\nof it", [first])
    assert shown["diff"].startswith("diff --git a/a.txt b/a.txt\n")
    assert shown["diff"].endswith("-two\n+three\n")
    assert repo.data("git_show", revision="main~1")["commit"] == first


def test_show_of_a_first_commit_of_a_tag_and_of_an_empty_commit(repo: Place) -> None:
    repo.git("tag", "-a", "v1", "-m", "a tag")
    assert "+one" in repo.data("git_show", revision="v1")["diff"]
    repo.git("commit", "-q", "--allow-empty", "-m", "empty")
    shown = repo.data("git_show", revision="HEAD")
    assert (shown["diff"], shown["note"]) == ("", "the commit changes nothing")


def test_what_is_not_one_revision_is_refused_and_an_unknown_one_is_not_found(repo: Place) -> None:
    for revision in ("-p", "--output=x", "HEAD..HEAD", "^HEAD", "HEAD\nx", "a" * 501):
        assert repo.error("git_show", revision=revision).code == "validation"
    assert not (repo.root / "x").exists()
    for revision in ("nope", "HEAD~9", "0" * 40, "HEAD:a.txt", " "):
        error = repo.error("git_show", revision=revision)
        assert (error.code, error.remedy) == ("not_found", "use git_log to see which there are")


def test_blame_says_whose_each_line_is(repo: Place) -> None:
    repo.put("a.txt", "one\nTWO\nthree\n")
    repo.git("commit", "-q", "-a", "-m", "second", "--author", "Eve <eve@example.com>", "--date", "1234567890 +0530")
    repo.put("a.txt", "one\nTWO\nthree\nfour\n")
    lines = repo.data("git_blame", file_path="a.txt")["lines"]
    assert [(line["line"], line["author"], line["text"]) for line in lines] == [
        (1, "Ada", "one"), (2, "Eve", "TWO"), (3, "Eve", "three"), (4, "not committed yet", "four"),
    ]  # fmt: skip
    assert lines[1]["date"] == "2009-02-14T05:01:30+05:30"
    assert lines[1]["commit"] == repo.git("rev-parse", "HEAD").strip()
    assert lines[3]["commit"] is None
    some = repo.data("git_blame", file_path="a.txt", start_line=2, end_line=3)["lines"]
    assert [line["line"] for line in some] == [2, 3]


def test_blame_goes_on_where_it_stopped(repo: Place) -> None:
    repo.put("a.txt", "".join(f"{number}\n" for number in range(1, 502)))
    repo.git("commit", "-q", "-a", "-m", "long")
    part = repo.data("git_blame", file_path="a.txt")
    assert (len(part["lines"]), part["note"]) == (300, "only 300 lines; go on with start_line=301")
    rest = repo.data("git_blame", file_path="a.txt", start_line=301)
    assert ([line["text"] for line in rest["lines"]][::200], rest["note"]) == (["301", "501"], None)


def test_blame_of_what_has_no_lines_there(repo: Place) -> None:
    repo.put("empty.txt")
    repo.git("add", "empty.txt")
    repo.git("commit", "-qm", "empty")
    repo.put("new.txt", "x\n")
    assert repo.data("git_blame", file_path="empty.txt")["lines"] == []
    assert repo.error("git_blame", file_path="new.txt").code == "not_found"
    assert repo.error("git_blame", file_path="a.txt", start_line=9).code == "validation"
    assert repo.error("git_blame", file_path="a.txt", start_line=2, end_line=1).code == "validation"


def test_a_path_outside_is_refused(repo: Place) -> None:
    for path in ("/etc/passwd", "../x", "a/../../x", "x\0y"):
        for tool, more in (("git_diff", {}), ("git_log", {}), ("git_commit", {"message": "x"})):
            assert repo.error(tool, paths=[path], **more).code in ("permission", "validation")
        assert repo.error("git_blame", file_path=path).code in ("permission", "validation")


def test_reading_changes_nothing(repo: Place) -> None:
    repo.put("a.txt", "one\ntwo\n")  # the same bytes at another time: git would like to note that in the index
    before = {file: file.stat().st_mtime_ns for file in repo.root.rglob("*")}
    for tool, arguments in (("git_status", {}), ("git_diff", {}), ("git_log", {}), ("git_show", {"revision": "HEAD"})):
        repo.data(tool, **arguments)
    assert {file: file.stat().st_mtime_ns for file in repo.root.rglob("*")} == before
