from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from inarch import ToolFailed
from inarch_plugins.sandbox_fs.safe_open import openat2, walking_open
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

_components = st.sampled_from(["a", "b", "..", ".", "", "link", "abs", "up", "loop", "in", "deep", "secret", "x\0"])
_odd_paths = st.one_of(st.text(max_size=30), st.lists(_components, max_size=7).map("/".join))


def _tree(base: Path) -> Path:
    """Make a root full of links, beside a secret that no path may reach."""
    (base / "secret").write_text("SECRET")
    root = base / "root"
    (root / "a" / "deep").mkdir(parents=True)
    (root / "b").write_text("inside")
    (root / "a" / "deep" / "b").write_text("inside")
    for place in (root, root / "a", root / "a" / "deep"):
        os.symlink(base, place / "abs")
        os.symlink(os.path.relpath(base, place), place / "up")
        os.symlink("loop", place / "loop")
        os.symlink(os.path.relpath(root / "b", place), place / "in")
        os.symlink(os.path.relpath(root / "a", place), place / "link")
        os.symlink(os.path.relpath(base / "secret", place), place / "secret")
    return root


@settings(deadline=None, max_examples=4 * settings().max_examples)
@given(_odd_paths, st.sampled_from(["openat2", "walk"]))
def test_no_path_reads_or_writes_outside_the_root(path: str, way: str) -> None:
    with tempfile.TemporaryDirectory() as base:
        root = _tree(Path(base))
        workspace = FolderWorkspace.open(str(root), open_it=openat2() if way == "openat2" else walking_open)
        try:
            for act in (workspace.read, workspace.entries, workspace.stat, workspace.walk):
                try:
                    found = act(path)
                except ToolFailed:
                    continue
                assert "SECRET" not in repr(found)
                assert act is not workspace.entries or "root" not in {entry.path for entry in found}  # type: ignore[union-attr]
            try:
                workspace.replace(path, [b"new"], None)
            except ToolFailed:
                pass
        finally:
            workspace.close()
        assert (Path(base) / "secret").read_text() == "SECRET"
        assert sorted(os.listdir(base)) == ["root", "secret"]
        assert (root / "b").read_text() == "inside"


@settings(deadline=None, max_examples=3 * settings().max_examples)
@given(st.lists(_components.filter(lambda part: "\0" not in part), min_size=1, max_size=7).map("/".join))
def test_both_ways_of_opening_agree(path: str) -> None:
    with tempfile.TemporaryDirectory() as base:
        answers = []
        root = _tree(Path(base))
        for way in (openat2(), walking_open):
            workspace = FolderWorkspace.open(str(root), open_it=way)
            try:
                answers.append((workspace.stat(path), workspace.read(path)))
            except ToolFailed as error:
                answers.append(error.code)
            finally:
                workspace.close()
        assert answers[0] == answers[1]
