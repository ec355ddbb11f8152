"""Absolute paths in the arguments of tools: below the root they mean the relative ones, others are refused as ever."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import Files
from .test_paths import _tree


def test_every_file_tool_takes_one_below_the_root(files: Any) -> None:
    files.put("src/a.txt", "one\ntwo\n")
    root = str(files.folder)
    assert files.data("read_file", file_path=f"{root}/src/a.txt")["path"] == "src/a.txt"
    assert files.data("read_multiple_files", file_paths=[f"{root}//src/./a.txt", "src/a.txt"])[0]["path"] == "src/a.txt"
    assert files.data("list_directory", directory=f"{root}/")["entries"][0]["name"] == "src"
    assert files.data("search_files", pattern="two", path=f"{root}/src")["hits"][0]["path"] == "src/a.txt"
    edit = {"search": "two", "replace": root}
    assert files.data("patch_source_file", file_path=f"{root}/src/a.txt", **edit)["path"] == "src/a.txt"
    assert files.data("write_file", file_path=f"{root}/src/a.txt", content=root)["path"] == "src/a.txt"
    assert files.data("create_file", file_path=f"{root}/b.txt", content=f"{root}/x")["path"] == "b.txt"
    moved = files.data("move_file", file_path=f"{root}/b.txt", new_path=f"{root}/c.txt")
    assert (moved["old_path"], moved["path"]) == ("b.txt", "c.txt")
    assert (files.folder / "c.txt").read_text() == f"{root}/x"  # only paths are read so
    assert files.data("delete_file", file_path=f"{root}/c.txt/")["path"] == "c.txt"


_parts = st.sampled_from(["a", "b", "..", ".", "", "link", "abs", "up", "in", "deep", "secret", "root", "ROOT"])


@settings(deadline=None, max_examples=3 * settings().max_examples)
@given(
    st.sampled_from(["{root}", "{root}/", "/{root}", "{base}", "", "/proc/self/root{root}"]),
    st.lists(_parts, max_size=6),
)
def test_no_absolute_path_reaches_what_its_relative_one_does_not(start: str, parts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as base:
        root = _tree(Path(base).resolve())
        path = "/".join([start.format(root=root, base=root.parent), *parts])
        files = Files(root)
        try:
            found = files.call("read_file", file_path=path)
            assert "SECRET" not in repr(found)
            if start in ("{root}", "{root}/", "/{root}") and ".." not in parts:
                relative = files.call("read_file", file_path="/".join([".", *parts]).rstrip("/"))
                assert (found.data, found.error) == (relative.data, relative.error)
            elif found.success:  # it was relative, or led down to the root by its own name
                assert not path.startswith("/") or path.startswith(str(root))
            files.call("create_file", file_path=path, content="new")
        finally:
            files.close()
        assert (root.parent / "secret").read_text() == "SECRET"
        assert {file.name for file in root.parent.iterdir()} == {"root", "secret"}
