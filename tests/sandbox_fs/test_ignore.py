from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inarch_plugins.sandbox_fs.globs import name_regex
from inarch_plugins.sandbox_fs.ignore import Ignore
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

_GIT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "PATH": os.environ.get("PATH", "")}


def _git_files(root: str) -> set[str]:
    """Return the files that git itself would not ignore."""
    subprocess.run(["git", "init", "-q"], cwd=root, env=_GIT, check=True)
    command = ["git", "ls-files", "-z", "--others", "--exclude-standard"]
    found = subprocess.run(command, cwd=root, env=_GIT, check=True, capture_output=True).stdout
    return set(found.decode().split("\0")) - {""}


def _our_files(root: str) -> set[str]:
    workspace = FolderWorkspace.open(root)
    try:
        return set(workspace.walk().paths)
    finally:
        workspace.close()


def _make(root: str, files: list[str], rules: dict[str, str]) -> None:
    (Path(root) / ".git").mkdir(exist_ok=True)
    for path in files:
        file = Path(root) / path
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            pass  # a drawn name is a file in one place and a directory in another
    for folder, text in rules.items():
        if (Path(root) / folder).is_dir():
            (Path(root) / folder / ".gitignore").write_text(text)


_part = st.sampled_from(["a", "b", "ab", "a.py", "b.pyc", "build", "x y", "#c", "!d", "a[b]"])
_path = st.lists(_part, min_size=1, max_size=4).map("/".join)
_glob_part = st.one_of(
    _part, st.sampled_from(["*", "**", "*.py", "*.py[co]", "a*", "?", "[ab]", "[!a]", "b*d", "*b", "\\!d", "[a-z]*.py"])
)
_rule = st.tuples(
    st.sampled_from(["", "", "", "!"]), st.sampled_from(["", "", "/"]),
    st.lists(_glob_part, min_size=1, max_size=3).map("/".join), st.sampled_from(["", "", "/", " ", "\r"]),
).map("".join)  # fmt: skip
_odd_rule = st.text("/*!#ab ?.", min_size=1, max_size=8) | st.text("*![]^-ab?", min_size=1, max_size=6)
_rules = st.lists(_rule | _odd_rule, max_size=5).map("\n".join)


@pytest.mark.needs("git")
@given(st.lists(_path, min_size=1, max_size=12), _rules, st.dictionaries(_part, _rules, max_size=2))
@example(["a/b/c", "a/keep"], "a/*\n!a/keep", {})
@example(["a/b", "b/a/b"], "/a/b", {})
@example(["a/build/x", "build/y"], "a/**/x\nbuild/", {"a": "!build"})
def test_the_same_files_as_git(files: list[str], rules: str, nested: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as root:
        _make(root, files, {".": rules, **nested})
        assert _our_files(root) == _git_files(root)


@pytest.mark.needs("git")
@pytest.mark.parametrize(
    "rule",
    ["**/foo", "foo/**", "a/**/foo", "**", "*/", "/*", "!/a", "\\#c", "#c", "foo\\ ", "foo ", "a/", "/a", "[[:alpha:]]",
     "[]a]", "[a-", "a**c", "*.t?t", "[!f]oo", "[^f]oo", "\\a", "x/foo", "**/a/**", "a//b", "/", "//", "///", "a//",
     "!//", "//a", "**//", "[a\\]]"],
)  # fmt: skip
def test_single_rules_as_git(tmp_path: Path, rule: str) -> None:
    names = ["foo", "a/foo", "a/b/foo", "c.txt", "abc", "#c", "foo ", "x/foo/y", "]", "goo", "a.d/e"]
    _make(str(tmp_path), names, {".": f"{rule}\n"})
    assert _our_files(str(tmp_path)) == _git_files(str(tmp_path))


@given(st.text("/*!#\\[]^-ab ?:\n\r\t\0{}()|+$\ufeffé"))
def test_no_text_is_too_strange_for_rules(text: str) -> None:
    rules = Ignore().add("", text)
    for folder in ("a/", "a/b/"):
        assert rules.enter(folder).ignored(["a", "b", "[", "\\"], folders=True) <= {"a", "b", "[", "\\"}


def test_many_stars_end_at_once() -> None:
    # A backtracking matcher would take longer than the universe has existed.
    assert re.fullmatch(name_regex("*a" * 100 + "b"), "a" * 255) is None
