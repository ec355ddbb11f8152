"""What is being written has no name until it is on disk, and what a kill leaves under one is never shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from inarch import ToolFailed
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

LEFT = (".inarch-0123456789abcdef.tmp", ".inarch-undo-1f-0123456789abcdef.tmp")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[FolderWorkspace]:
    (tmp_path / "a.txt").write_text("old\n")
    found = FolderWorkspace.open(str(tmp_path))
    yield found
    found.close()


def test_what_a_kill_left_is_not_listed_searched_or_offered(workspace: FolderWorkspace, tmp_path: Path) -> None:
    for name in LEFT:
        (tmp_path / name).write_text("old\n")
    assert workspace.walk("**/*").paths == ("a.txt",)
    assert [entry.path for entry in workspace.entries()] == ["a.txt"]
    assert [entry.path for entry in workspace.survey(100).entries] == ["a.txt"]
    assert {hit.path for hit in workspace.search("old").hits} == {"a.txt"}
    with pytest.raises(ToolFailed) as failed:
        workspace.read(".inarch-0123456789abcdee.tmp")
    assert "abcdef" not in f"{failed.value.message} {failed.value.remedy}"
