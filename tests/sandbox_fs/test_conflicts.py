from __future__ import annotations

from typing import Any

import pytest

from inarch import ToolFailed
from inarch_plugins.sandbox_fs.patch import patch
from inarch_plugins.sandbox_fs.texts import encoding_of


def _refusal(data: bytes, search: str, replace: str = "x") -> ToolFailed:
    with pytest.raises(ToolFailed) as caught:
        patch(data, encoding_of(data, "f.py"), search, replace, "f.py")
    assert caught.value.code == "conflict" and caught.value.message.startswith("Patch conflict: ")
    return caught.value


def test_white_space_that_differs_is_named_with_its_line() -> None:
    data = b"def f():\n\treturn 1\n\n\ndef g():\n\treturn 2\n"
    message = _refusal(data, "def g():\n    return 2\n").message
    assert "nearest is line 5:\ndef g():\n\treturn 2\n" in message
    assert r"line 6 is '\treturn 2', not '    return 2'" in message


def test_no_line_is_cut_within_a_word() -> None:
    line = "total = " + "x " * 75 + "lily.pads-42-and-weed " + "y " * 300
    message = _refusal(line.encode(), line.replace("x y", "z")[:170].replace("x x", "x  x", 1)).message
    assert "lily.pads-42-and-weed" in message and "…" in message
    assert not [cut for cut in range(3, 21) if f"{'lily.pads-42-and-weed'[:cut]}…" in message]


def test_a_file_that_changed_between_is_a_conflict_for_every_tool(files: Any) -> None:
    edit = {"search": "o", "replace": "0", "description": ""}
    for name, arguments in (
        ("patch_source_file", edit),
        ("patch_source_file", {**edit, "replace_all": True}),
        ("write_file", {"content": "mine\n"}),
        ("delete_file", {}),
        ("move_file", {"new_path": "b.txt"}),
    ):
        file = files.put("a.txt", "one\n")
        files.data("read_file", file_path="a.txt")
        file.write_text("two\n")
        error = files.error(name, file_path="a.txt", **arguments)
        assert error.code == "conflict" and "changed" in error.message and "read" in error.remedy, name
        assert file.read_text() == "two\n" and not (files.folder / "b.txt").exists()
        files.data("read_file", file_path="a.txt")
        files.data(name, file_path="a.txt", **arguments)
        (files.folder / "b.txt").unlink(missing_ok=True)
