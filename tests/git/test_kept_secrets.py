"""Secrets in old versions of `.env` files: nothing that shows what git keeps shows one of their values."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from .conftest import Place

VALUES = {
    name: f"{name[:2]}k9-Xq27Lm{number}-Zt4v8{number}w-{name[-2:]}"
    for number, name in enumerate(
        ("committed", "rotated", "nested", "branched", "amended", "stashed", "staged", "working"), 11
    )
}
OBJECTS = ("HEAD", "HEAD~1", "HEAD~2", "HEAD~3", "side", "stash@{0}", "HEAD@{3}", "--all", "--reflog")
SHOWN = st.one_of(
    st.builds(
        "git {} {} {} {}".format,
        st.sampled_from(["log -p", "log -p -m", "log -p -c", "show", "show --cc", "diff", "diff --cached",
                         "log -S Xq27 -p", "format-patch --stdout -2", "stash show -p", "log --format=%B -p --root"]),
        st.sampled_from(["", "--no-prefix", "--word-diff", "--color-words", "-U0", "-R", "--graph -p", "-W"]),
        st.sampled_from(["", *OBJECTS]),
        st.sampled_from(["", "-- .env", "-- 'deep er/.env.local' prod.env"]),
    ),
    st.builds("git show {}:{}".format, st.sampled_from(OBJECTS[:6]), st.sampled_from([".env", "prod.env", "-/.env"])),
    st.builds("git cat-file -p {}:{}".format, st.sampled_from(OBJECTS[:6]), st.sampled_from([".env", "prod.env"])),
    st.builds("git grep -h {} {}".format, st.sampled_from(["= ", "-n Xq27", "-e k9"]), st.sampled_from(OBJECTS[:6])),
    st.builds("git blame {} -- {}".format, st.sampled_from(OBJECTS[:4]), st.sampled_from([".env", "prod.env"])),
    st.just("diff -u .env.old .env"),
)  # fmt: skip
BEHIND = st.sampled_from(["", "| head -40", "| tail -4", "| tail -n 1", "| grep -h KEY", "| sort", "| uniq", "| cat"])


def keep(repo: Place) -> Place:
    """Commit a `.env` file, rotate, rename and remove it, and leave other versions wherever git keeps some."""

    def put(path: str, which: str) -> None:
        repo.put(path, f'DEBUG=true\nPORT=5432\nAPI_KEY={VALUES[which]}\nNAME="the name"\n')
        repo.git("add", "-A")

    repo.put(".gitattributes", "*env* diff=cpp\n")
    for which in ("committed", "rotated"):
        put(".env", which)
        repo.git("commit", "-qm", which)
    repo.git("checkout", "-qb", "side")
    put("deep er/.env.local", "branched")
    repo.git("commit", "-qm", "side")
    repo.git("checkout", "-q", "main")
    put(".env", "amended")
    repo.git("commit", "-qm", "amended")
    repo.git("mv", ".env", "prod.env")
    put("-/.env", "nested")
    repo.git("commit", "-q", "--amend", "-m", "renamed")
    repo.git("merge", "-q", "-s", "ours", "side", "-m", "merge")
    put("prod.env", "stashed")
    repo.git("stash")
    repo.git("rm", "-q", "prod.env")
    repo.git("commit", "-qm", "removed")
    put(".env", "staged")
    repo.put(".env.old", f"API_KEY={VALUES['rotated']}\n")
    repo.put(".env", f"API_KEY={VALUES['working']}\n")
    return repo


REMOVED, ADDED = r"\[-.*?-\]|\x1b\[31m.*?\x1b\[m", r"\{\+.*?\+\}|\x1b\[32m.*?\x1b\[m"
MARKS = r"\[-|-\]|\{\+|\+\}|\x1b\[[0-9;]*m"


def shown_of(text: str) -> list[str]:
    """Return whose values stand in a text, also in one in which a word diff marks what was removed and added."""
    versions = [text, *(re.sub(MARKS, "", re.sub(sort, "", text)) for sort in (REMOVED, ADDED))]
    return [which for which, value in VALUES.items() if any(value in version for version in versions)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(shown=SHOWN, behind=BEHIND)
@example(shown="git show HEAD~1", behind="| tail -4")
@example(shown="git diff --word-diff", behind="")
@example(shown="git diff --color-words", behind="")
@example(shown="git log -p --reflog", behind="")
@example(shown="sh -c 'git log -p --all'", behind="| cat")
def test_no_command_shows_a_value_that_git_keeps(empty: Place, shown: str, behind: str) -> None:
    repo = empty if (empty.root / ".git").exists() else keep(empty.init())
    fresh = Place(repo.root)
    try:
        result = fresh.call("execute_command", command=f"{shown} {behind}")
        assert not shown_of(f"{(result.data or {}).get('output')} {result.error}")
    finally:
        if fresh.app:
            fresh.app.close()


def test_no_tool_shows_one(empty: Place) -> None:
    repo = keep(empty.init())
    revisions = repo.git("rev-list", "--all", "--reflog").split()
    calls = [("git_show", {"revision": revision}) for revision in revisions]
    calls += [("git_diff", {}), ("git_diff", {"staged": True}), ("git_log", {}), ("git_blame", {"file_path": ".env"})]
    for name, arguments in calls:
        fresh = Place(repo.root)
        result = fresh.call(name, **arguments)
        assert result.success and not shown_of(str(result.data)), (name, arguments)
        assert fresh.app is not None
        fresh.app.close()


def test_what_is_no_secret_of_such_a_file_stays(empty: Place) -> None:
    diff = keep(empty.init()).data("git_show", revision="HEAD")["diff"]
    assert "-DEBUG=true\n-PORT=5432\n-API_KEY=‹secret:API_KEY" in diff and '-NAME="the name"' in diff
