from __future__ import annotations

import os
import stat
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch import ToolFailed
from inarch_sandbox_fs.patching import patch
from inarch_sandbox_fs.texts import Encoding, encoding_of

_ENCODINGS = [
    Encoding(), Encoding("utf-8", b"\xef\xbb\xbf"), Encoding("utf-16-le", b"\xff\xfe"),
    Encoding("utf-16-be", b"\xfe\xff"), Encoding("utf-32-le", b"\xff\xfe\0\0"), Encoding("cp1252"), Encoding("latin-1"),
]  # fmt: skip
_ENDS = ["\n", "\r\n", "\r", ""]
_line = st.text("abé \tß", max_size=8)
_pieces = st.lists(st.tuples(_line, st.sampled_from(_ENDS)), max_size=6).map(
    lambda pairs: "".join(line + end for line, end in pairs)
)


@settings(deadline=None, max_examples=5 * settings().max_examples)
@given(st.sampled_from(_ENCODINGS), _pieces, _pieces, _pieces)
def test_outside_the_replaced_place_not_one_byte_changes(
    encoding: Encoding, before: str, after: str, replacement: str
) -> None:
    # Line ends that could join with a neighbour's would make the place a different one.
    before, after = before.rstrip("\r"), after.lstrip("\n")
    if encoding.codec in ("cp1252", "latin-1"):
        after += "\né "  # what is no text in any East Asian encoding, so that it is Western for sure
    target = "TARGET"
    data = encoding.mark + (before + target + after).encode(encoding.codec)
    patched = patch(data, encoding, target, replacement, "f")
    head = encoding.mark + before.encode(encoding.codec)
    tail = after.encode(encoding.codec)
    assert patched.data.startswith(head)
    assert patched.data.endswith(tail)
    middle = patched.data[len(head) : len(patched.data) - len(tail)].decode(encoding.codec)
    assert middle.replace("\r\n", "\n").replace("\r", "\n") == replacement.replace("\r\n", "\n").replace("\r", "\n")
    assert patched.lines == (before.count("\n") + 1,)


@settings(deadline=None, max_examples=3 * settings().max_examples)
@given(st.sampled_from(_ENCODINGS), st.sampled_from(["\n", "\r\n"]), st.lists(st.text("ab", max_size=3), max_size=5))
def test_lines_given_with_plain_ends_match_and_keep_the_files_ends(
    encoding: Encoding, end: str, lines: list[str]
) -> None:
    data = encoding.mark + end.join([*lines, "X", "Y", *lines, ""]).encode(encoding.codec)
    patched = patch(data, encoding, "X\nY", "1\n2\n3", "f")
    assert patched.data == encoding.mark + end.join([*lines, "1", "2", "3", *lines, ""]).encode(encoding.codec)


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


def test_an_exact_match_wins_over_one_with_other_line_ends() -> None:
    data = b"a\r\nb\r\n--\na\nb\n"
    assert patch(data, Encoding(), "a\nb\n", "c\n", "f").data == b"a\r\nb\r\n--\nc\n"
    assert patch(data, Encoding(), "a\nb\n", "c\n", "f", every=True).data == b"c\r\n--\nc\n"


def test_a_new_line_takes_the_line_ends_around_it() -> None:
    assert patch(b"one\r\ntwo\r\n", Encoding(), "one", "1\n1", "f").data == b"1\r\n1\r\ntwo\r\n"
    assert patch(b"one\r\ntwo", Encoding(), "two", "2\n2", "f").data == b"one\r\n2\r\n2"
    assert patch(b"one\r\ntwo\n", Encoding(), "one\ntwo\n", "1\n2\n", "f").data == b"1\r\n2\n"


def test_conflicts_name_lines_and_the_nearest_text() -> None:
    with pytest.raises(ToolFailed) as caught:
        patch(b"x = 1\ny = 2\nx = 1\n", Encoding(), "x = 1", "x = 3", "f.py")
    assert "2 times, at lines 1, 3" in caught.value.message
    with pytest.raises(ToolFailed) as caught:
        patch(b"import os\n\ndef total(items):\n    return sum(items)\n", Encoding(),
              "def total(item):\n    return sum(item)", "x", "f.py")  # fmt: skip
    assert "nearest is line 3:\ndef total(items):\n    return sum(items)" in caught.value.message


def test_replace_all_replaces_every_separate_place() -> None:
    patched = patch(b"aaaa b aa", Encoding(), "aa", "c", "f", every=True)
    assert (patched.data, len(patched.lines)) == (b"cc b c", 3)


def test_replace_all_counts_lines_in_wide_encodings() -> None:
    encoding = _ENCODINGS[2]
    data = encoding.mark + "\u0a41\u0100a\nb a\nc\na".encode(encoding.codec)
    assert patch(data, encoding, "a", "x", "f", every=True).lines == (1, 2, 4)


@settings(deadline=None, max_examples=3 * settings().max_examples)
@given(st.sampled_from(_ENCODINGS), st.text("abéß\r\n ", max_size=40))
def test_text_comes_back_from_the_encoding_that_is_found(encoding: Encoding, text: str) -> None:
    data = encoding.mark + text.encode(encoding.codec)
    found = encoding_of(data, "f")
    assert found.decode(data) == text or not encoding.mark
    assert found.mark + found.decode(data).encode(found.codec) == data


@pytest.mark.parametrize("data", [b"\0\1\2", b"PNG\0\0", bytes(range(1, 32)) * 4 + b"\xff\x80"])
def test_binary_bytes_are_no_text(data: bytes) -> None:
    with pytest.raises(ToolFailed):
        encoding_of(data, "f")


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


def test_bytes_that_are_no_utf_8_survive_an_edit_beside_them(files: Any) -> None:
    file = files.put("a.txt", b"good \xc3\xa9\nbad \xff\x81\x8d\nend\n")
    files.data("read_file", file_path="a.txt")
    files.data("patch_source_file", file_path="a.txt", search="end", replace="fin", description="")
    assert file.read_bytes() == b"good \xc3\xa9\nbad \xff\x81\x8d\nfin\n"
