"""Whatever is done in a copy, applying all of it leaves the tree that doing it in the original would leave."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from inarch_plugins.sandbox_fs.changes.change_folder import ChangeFolder
from inarch_plugins.sandbox_fs.changes.copy_changes import CopyChanges, Review
from inarch_plugins.sandbox_fs.changes.copy_run import run_in_copy
from inarch_plugins.sandbox_fs.changes.session_changes import SessionChanges
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

from ..sandbox_fs.test_trials import tree

NAMES = st.sampled_from(["a", "b", "c", "a/x", "a/y", "b/x/z", "c/x", "a/x/z"])
EDITS = st.one_of(
    st.tuples(st.sampled_from(["write", "append", "link"]), NAMES, st.text("ab\n", min_size=1, max_size=9)),
    st.tuples(st.sampled_from(["remove", "folder"]), NAMES, st.none()),
    st.tuples(st.just("mode"), NAMES, st.sampled_from([0o600, 0o644, 0o700, 0o755])),
    st.tuples(st.just("move"), NAMES, NAMES),
)
PROGRAM = """
import json, os, shutil, sys
for kind, path, more in json.loads(sys.argv[1]):
    try:
        if kind in ("write", "append"):
            with open(path, kind[0]) as file:
                file.write(more)
        elif kind == "link":
            os.symlink(more, path)
        elif kind == "mode":
            os.chmod(path, more, follow_symlinks=os.path.islink(path))
        elif kind == "folder":
            os.makedirs(path)
        elif kind == "move" and not os.path.lexists(more):
            shutil.move(path, more)
        elif kind == "remove":
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
    except (OSError, NotImplementedError, shutil.Error):
        pass
"""


def plant(root: Path) -> None:
    (root / "a").mkdir(parents=True)
    (root / "a/x").write_text("a\nb\n")
    (root / "b/x").mkdir(parents=True)
    (root / "b/x/z").write_text("z\n")
    (root / "c").write_text("c\n")


@settings(max_examples=60, deadline=None)
@given(script=st.lists(EDITS, max_size=8))
def test_applying_all_is_doing_it_there(script: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, other = Path(folder, "root"), Path(folder, "other")
        plant(root)
        shutil.copytree(root, other, symlinks=True)
        before = tree(root)
        words = [
            sys.executable,
            "-P",
            "-S",
            "-c",
            f"import os; os.chdir(os.environ['AT'])\n{PROGRAM}",
            json.dumps(script),
        ]
        change = ChangeFolder.make(f"{folder}/state", str(root))
        with change.locked() as lock:
            assert run_in_copy(change, words, lock, AT=str(root)) == 0
            assert tree(root) == before
            workspace = FolderWorkspace.open(str(root))
            try:
                changes = SessionChanges(None, [], change.began)
                review = Review(workspace.compared(partial(CopyChanges, folder=change)), {}, changes, change.get)
                assert not [one for one in review.found if one.problem]
                assert workspace.restore_all(review.states(review.found)) == ()
            finally:
                workspace.close()
        subprocess.run(words, env={"AT": str(other)}, check=True)
        assert tree(root) == tree(other)
