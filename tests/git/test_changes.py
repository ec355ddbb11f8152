"""`git_changes`: pages that together are the whole change."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Place

ODD = ('s "q".txt', "ü n.txt", "tab\tname.txt", "-dash.txt", ":(top)x.txt", "a -> b.txt")


def whole(repo: Place, **given: Any) -> dict[str, str]:
    """Return each file's diff, of all pages."""
    found: dict[str, str] = {}
    at: dict[str, int] | None = {"after": 0, "offset": 0}
    while at is not None:
        page = repo.data("git_changes", **given, **at)
        for one in page["files"]:
            found[one["path"]] = found.get(one["path"], "") + one["diff"]
        at = page["next"]
        assert (at is None) == (not page["rest"])
    assert len(found) == page["total"]
    return found


@pytest.mark.parametrize("staged", [False, True])
def test_pages_join_to_the_diffs_that_git_prints(repo: Place, staged: bool) -> None:
    for name in ODD:
        repo.put(name, "odd\n")
    repo.put("long.txt", "".join(f"line {at}\n" for at in range(9_000)))
    for at in range(250):
        repo.put(f"many/{at}.txt", f"{at}\n")
    if staged:
        repo.git("add", "--all")
    found = whole(repo, uncommitted=True)
    assert found.keys() == {*ODD, "long.txt", *(f"many/{at}.txt" for at in range(250))}
    assert all(f"+{line}\n" in found["long.txt"] for line in ("line 0", "line 4500", "line 8999"))
    assert all("+odd\n" in found[name] for name in ODD)
    repo.git("add", "--all")
    repo.git("commit", "-q", "-m", "second")
    for path, diff in whole(repo, commit="HEAD").items():
        assert diff == repo.git(
            "--literal-pathspecs", "-c", "core.quotePath=false", "show", "--format=", "HEAD", "--", path
        )


def test_a_rename_has_both_names_and_no_lines(repo: Place) -> None:
    repo.git("mv", "a.txt", ODD[0])
    (one,) = repo.data("git_changes", uncommitted=True)["files"]
    assert (one["old_path"], one["path"], one["added"], one["removed"]) == ("a.txt", ODD[0], 0, 0)
    assert "rename from a.txt" in one["diff"] and "@@" not in one["diff"]


def test_a_change_in_a_repository_without_commits_is_shown(empty: Place) -> None:
    empty.git("init", "-q", "-b", "main")
    empty.put("new.txt", "new\n")
    empty.git("add", "new.txt")
    empty.put("later.txt", "later\n")
    assert whole(empty).keys() == {"new.txt", "later.txt"}


def test_histories_without_a_common_commit_are_an_error(repo: Place) -> None:
    repo.git("checkout", "-q", "--orphan", "other")
    repo.git("commit", "-q", "-m", "alone")
    assert repo.error("git_changes", base="main").code == "not_found"
