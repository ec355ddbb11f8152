"""Files beyond `max_edit_bytes` are read in pieces and edited all the same, and not one other byte changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def test_a_big_file_is_edited_by_what_was_read_of_it(open_files: Any, tmp_path: Path) -> None:
    files = open_files(tmp_path, max_edit_bytes=1_000)
    head, tail = b"one\r\n" * 100_000, b"two \xff\n" * 100_000
    file = files.put("a.txt", head + "n\u00e9edle\r\n".encode() + tail)
    edit = {"file_path": "a.txt", "search": "needle", "replace": "x"}
    assert "has not been read" in files.error("patch_source_file", **edit).message
    assert files.data("read_file", file_path="a.txt", end_line=1)["content"] == "one\r\n"
    assert "not in a.txt" in files.error("patch_source_file", **edit).message
    done = files.data("patch_source_file", **{**edit, "search": "edle\n", "replace": "st\nling\n"})
    assert (done["line"], done["replaced"]) == (100_001, 1)
    assert file.read_bytes() == head + "n\u00e9st\r\nling\r\n".encode() + tail
