from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch_plugins.sandbox_fs.workspace import FolderWorkspace


def test_what_is_passed_over_is_said(files: Any) -> None:
    for path in ("a.py", ".git/config", "node_modules/x/y.js", "env/pyvenv.cfg", "env/lib/z.py", "sub/__pycache__/a.p"):
        files.put(path)
    os.symlink("a.py", files.folder / "link")
    os.symlink(".", files.folder / "loop")
    os.mkfifo(files.folder / "pipe")
    (Path(os.fsencode(files.folder).decode()) / os.fsdecode(b"bad\xff")).touch()
    walk = files.workspace.walk()
    assert walk.paths == ("a.py",)
    notes = "; ".join(walk.notes)
    for words in ("env/, node_modules/, sub/__pycache__/", "2 symbolic links", "1 sockets, FIFOs", "1 names left out"):
        assert words in notes, notes
    assert "node_modules/x/y.js" in files.workspace.walk("node_modules/**").paths
    assert "env/lib/z.py" in files.workspace.walk("env/**/*.py").paths


SHIPPED = (".gitignore", "lib/code.c", "lib/code.h", "node_modules/m/x.js", "setup.py")


@pytest.mark.parametrize("repository", [".git", "../.git", "../../.git"])
@pytest.mark.parametrize("kind", ["folder", "file"])
def test_rule_files_count_in_a_repository_alone(tmp_path: Path, repository: str, kind: str) -> None:
    root = tmp_path / "above" / "root"
    for path in SHIPPED:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("/lib/\n")
    workspace = FolderWorkspace.open(str(root))
    try:
        assert workspace.walk().paths == (".gitignore", "lib/code.c", "lib/code.h", "setup.py")
        assert {entry.path for entry in workspace.survey(100).entries} == {
            ".gitignore", "lib", "lib/code.c", "lib/code.h", "node_modules", "setup.py"
        }  # fmt: skip
        if kind == "folder":
            (root / repository).mkdir()
        else:  # a work tree of a repository that is elsewhere
            (root / repository).write_text("gitdir: elsewhere\n")
        assert workspace.walk().paths == (".gitignore", "setup.py")
        assert workspace.walk("lib/*").paths == ("lib/code.c", "lib/code.h")
        assert {entry.path for entry in workspace.survey(100).entries} == {
            *SHIPPED,
            "lib",
            "node_modules",
            "node_modules/m",
        }
    finally:
        workspace.close()


def test_a_repository_below_the_root_has_its_own_rules(files: Any) -> None:
    for path in ("one/.gitignore", "two/.gitignore", "two/sub/.gitignore"):
        files.put(path, "*.log\n!sub.log\n")
    for path in ("one/x.log", "two/x.log", "two/sub/x.log", "two/sub/sub.log"):
        files.put(path)
    (files.folder / "two" / ".git").mkdir()
    logs = ("one/x.log", "two/sub/sub.log")
    assert files.workspace.walk("**/*.log").paths == logs
    assert files.workspace.walk("two/sub/*.log").paths == logs[1:]


_part = st.sampled_from(["a", "b", "ab", "*", "**", "a*", "*b", "?", "[ab]"])


@settings(deadline=None, max_examples=3 * settings().max_examples)
@given(st.lists(_part, min_size=1, max_size=5).map("/".join), st.booleans())
def test_patterns_match_what_pythons_glob_matches(tmp_path_factory: Any, pattern: str, deep: bool) -> None:
    root = tmp_path_factory.getbasetemp() / "glob-tree"
    if not root.exists():
        for folder in ("", "a/", "b/", "a/a/", "a/ab/b/", "ab/b/a/"):
            for name in ("f", "a.x", "xb", "bb"):
                (root / folder).mkdir(parents=True, exist_ok=True)
                (root / folder / name).touch()
    pattern = f"{pattern}/*" if deep else pattern
    expected = {path for path in glob.glob(pattern, root_dir=root, recursive=True) if (root / path).is_file()}
    workspace = FolderWorkspace.open(str(root))
    try:
        assert set(workspace.walk(pattern).paths) == expected
    finally:
        workspace.close()


@pytest.mark.usefixtures("permissions_count")
def test_an_unreadable_folder_is_reported(files: Any) -> None:
    files.put("open/a")
    files.put("closed/b")
    (files.folder / "closed").chmod(0)
    try:
        walk = files.workspace.walk()
        assert walk.paths == ("open/a",) and "closed" in walk.notes[0]
    finally:
        (files.folder / "closed").chmod(0o700)
