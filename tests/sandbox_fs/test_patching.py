from __future__ import annotations

import os
import stat
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch import ToolFailed
from inarch_plugins.sandbox_fs.patch import patch
from inarch_plugins.sandbox_fs.texts import Encoding


@settings(deadline=None, max_examples=3 * settings().max_examples)
@given(st.text("ab\n", min_size=1, max_size=3), st.text("ab\n", max_size=12))
def test_a_place_is_unique_exactly_if_the_text_is_there_once(search: str, text: str) -> None:
    places = sum(text.startswith(search, index) for index in range(len(text)))
    try:
        patched = patch(text.encode(), Encoding(), search, "X", "f")
    except ToolFailed as error:
        assert places != 1 and error.code == "conflict" and error.message.startswith("Patch conflict")
    else:
        assert places == 1 and patched.data.decode() == text.replace(search, "X")


def test_conflicts_name_lines_and_the_nearest_text() -> None:
    with pytest.raises(ToolFailed) as caught:
        patch(b"x = 1\ny = 2\nx = 1\n", Encoding(), "x = 1", "x = 3", "f.py")
    assert "2 times, at lines 1, 3" in caught.value.message
    with pytest.raises(ToolFailed) as caught:
        patch(b"import os\n\ndef total(items):\n    return sum(items)\n", Encoding(),
              "def total(item):\n    return sum(item)", "x", "f.py")  # fmt: skip
    assert "nearest is line 3:\ndef total(items):\n    return sum(items)" in caught.value.message


def test_the_tool_keeps_encoding_mark_mode_and_the_missing_last_newline(files: Any) -> None:
    data = b"\xff\xfe" + "één\r\ntwo\nthree".encode("utf-16-le")
    file = files.put("a.txt", data)
    file.chmod(0o604)
    files.data("read_file", file_path="a.txt")
    answer = files.data(
        "patch_source_file", file_path="a.txt", search="two", replace="zwei\nZWEI", description="translate"
    )
    assert (answer["line"], answer["replaced"], answer["note"]) == (2, 1, None)
    assert file.read_bytes() == b"\xff\xfe" + "één\r\nzwei\nZWEI\nthree".encode("utf-16-le")
    assert stat.S_IMODE(file.stat().st_mode) == 0o604
    assert os.listdir(files.folder) == ["a.txt"]


def test_what_the_files_encoding_cannot_hold_is_refused(files: Any) -> None:
    file = files.put("a.txt", "caf\xe9\n".encode("latin-1"))
    files.data("read_file", file_path="a.txt")
    error = files.error("patch_source_file", file_path="a.txt", search="caf\xe9", replace="\u4e16", description="")
    assert error.code == "validation" and "cp1252" in error.message
    error = files.error("write_file", file_path="a.txt", content="\u4e16")
    assert error.code == "validation"
    assert file.read_bytes() == b"caf\xe9\n"
    files.data("patch_source_file", file_path="a.txt", search="f\xe9", replace="n\xe9e", description="")
    assert file.read_bytes() == b"can\xe9e\n"
