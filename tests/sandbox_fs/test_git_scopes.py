"""Git as a command in a workspace that is a folder of a repository: no file of another folder is read."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch import ToolFailed
from inarch_lib.staging.repositories import find
from inarch_plugins.sandbox_fs.commands.git_rules import GIT, environment
from inarch_plugins.sandbox_fs.commands.git_scopes import scoped
from inarch_plugins.sandbox_fs.commands.kinds import Refused

from .shells import GIT as PLAIN
from .shells import Shell

pytestmark = pytest.mark.needs("git")
HIDDEN = "hidden"
_SAME = "".join(f"line {number}\n" for number in range(20))


@frozen
class Top:
    """A repository: `sub` is the workspace, and each file elsewhere has held `HIDDEN`."""

    folder: Path
    hashes: tuple[str, ...]

    @property
    def sub(self) -> Path:
        return self.folder / "sub"

    @classmethod
    def make(cls, folder: Path) -> Top:
        def git(*words: str) -> str:
            identity = ("-c", "user.name=A", "-c", "user.email=a@b.invalid", "-c", "init.defaultBranch=main")
            ran = subprocess.run(("git", *identity, *words), cwd=folder, env={**os.environ, **PLAIN}, check=True,
                                 capture_output=True, text=True)  # fmt: skip
            return ran.stdout.strip()

        def commit(message: str, **files: str) -> None:
            for name, text in files.items():
                file = folder / name.replace("__", "/")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            git("add", "-A")
            git("commit", "-qm", message)

        folder.mkdir()
        git("init", "-q")
        commit("first", sub__a="one\n", other__a=f"{HIDDEN}\n", other__sub__a=f"{HIDDEN}\n", top=f"{HIDDEN}\n")
        commit("second", other__moved=f"{_SAME}{HIDDEN}\n", other__a=f"{HIDDEN} again\n")
        (folder / "other/moved").rename(folder / "sub/moved")
        commit("moved", sub__moved=f"{_SAME}shown\n")
        git("checkout", "-qb", "side", "HEAD~1")
        commit("beside", other__a=f"{HIDDEN} beside\n", sub__a="two\n")
        git("checkout", "-q", "main")
        git("merge", "-q", "--no-commit", "-s", "ours", "side")
        commit("merged", other__a=f"{HIDDEN} of both\n", sub__a="both\n")
        hashes = [git("rev-parse", name) for name in ("HEAD:other/a", "HEAD:other", "HEAD^{tree}", "HEAD:top")]
        git("tag", "blob", hashes[0])
        (folder / "top").write_text(f"{HIDDEN} by now\n")
        (folder / "sub/a").write_text("now\n")
        return cls(folder, tuple(hashes))


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Top:
    return Top.make(tmp_path_factory.mktemp("scopes") / "top")


def test_commands_show_the_workspace_and_say_what_to_write_instead(top: Top, open_files: Any) -> None:
    shell = Shell(open_files(top.sub), {})
    assert shell("git status -s")["output"] == " M a\n"
    assert shell("git diff")["output"].startswith("diff --git a/a b/a\n")
    assert "+two" in shell("git log -p --all")["output"]
    assert shell("git log --format=%s -- a")["output"] == "merged\nbeside\nfirst\n"
    assert shell("git log --format=%s main a")["output"] == "merged\nbeside\nfirst\n"
    assert shell("git diff --name-only main~1 main")["output"] == "a\n"
    assert shell("git diff main~1:./a main:./a")["output"].endswith("-one\n+both\n")
    assert shell("git show HEAD~1:./a")["output"] == shell("git cat-file -p HEAD~1:./a")["output"] == "one\n"
    assert shell("git grep -n now")["output"] == "a:1:now\n"
    shell.files.put(".env", "now\n")
    assert shell("git grep -n --untracked now | head -5")["output"] == "a:1:now\n"
    assert "shown" in shell("git blame HEAD moved")["output"]
    assert shell("git ls-files")["output"] == shell("git ls-tree --name-only HEAD")["output"] == "a\nmoved\n"
    assert shell("git rev-parse --abbrev-ref HEAD")["output"] == "main\n"
    error = shell.error("git show HEAD:other/a")
    assert (error.code, "HEAD:./FILE" in error.remedy) == ("permission", True)


_OFTEN = [rule for rule in GIT if rule.words[1] in ("diff", "log", "show", "grep", "cat-file")]


@st.composite
def lines(draw: st.DrawFn, hashes: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Draw a rule's name and a command line that it may take."""
    paths = [f"{one}{path}" for one in ("HEAD", *hashes, "", ":0") for path in (":./a", ":other/a", ":./../other/a")]
    ranges = ["^side", "side..main", "main...side", "HEAD^!", "HEAD^{tree}", f"blob..{hashes[-1]}"]
    names = ["a", "moved", "*", "HEAD", "main~1", "side", "blob", ":/", ":(top)", ":!a", *hashes, *paths, *ranges, "--"]
    rule = draw(st.sampled_from([*_OFTEN * 3, *GIT]))
    options = [name for name, one in rule.table.items() if one.how in ("", "?") and name != "-#"]
    chosen = draw(st.lists(st.sampled_from(options), max_size=2)) if options else []
    return rule.name, (*rule.words, *chosen, *draw(st.lists(st.sampled_from(names), max_size=3)))


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_no_words_show_what_other_folders_hold(top: Top, data: st.DataObject) -> None:
    name, words = data.draw(lines(top.hashes))
    try:
        argv = scoped(name, words, str(top.sub))
    except (Refused, ToolFailed):
        return
    env = {"PATH": os.environ["PATH"], **environment({}), **find(str(top.sub)).variables}
    ran = subprocess.run(argv, cwd=top.sub, env=env, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    assert HIDDEN.encode() not in ran.stdout, argv
