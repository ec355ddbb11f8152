"""Files that are too big to be held in memory are edited all the same, and not one other byte changes."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch import ToolFailed
from inarch_sandbox_fs.patching import NEAR, patch
from inarch_sandbox_fs.reading import digest, pieces
from inarch_sandbox_fs.streaming import BigPatch
from inarch_sandbox_fs.texts import encoding_of

_PIECE = 1 << 20
_LINE = b"a line of a big file, repeated until there are enough \xc3\xa9\r\n"


def _write_big(path: Path, size: int, hunk: bytes, at: int) -> tuple[str, str]:
    """Write a file with a hunk at an offset; return the hashes of what is before and after the hunk."""
    hashes = [hashlib.sha256(), hashlib.sha256()]
    block = _LINE * (_PIECE // len(_LINE))
    with path.open("wb") as file:
        for state, end in zip(hashes, (at, size), strict=True):
            while (left := end - file.tell()) > 0:
                piece = block if left >= len(block) else b"x" * (left - 2) + b"\r\n"
                state.update(piece)
                file.write(piece)
            if file.tell() == at:
                file.write(hunk)
    return hashes[0].hexdigest(), hashes[1].hexdigest()


def _hash(path: Path, start: int, end: int) -> str:
    state = hashlib.sha256()
    with path.open("rb") as file:
        file.seek(start)
        while (left := end - file.tell()) > 0:
            state.update(file.read(min(left, _PIECE)))
    return state.hexdigest()


def _in_a_process(folder: Path, *calls: tuple[str, dict[str, Any]]) -> tuple[list[Any], int]:
    script = Path(__file__).with_name("big_edit.py")
    ran = subprocess.run([sys.executable, script, folder, json.dumps(calls)], capture_output=True, check=True)
    found = json.loads(ran.stdout)
    return found["results"], found["grown"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "small.txt").write_text("small\n")
    return tmp_path


def test_100_mb_are_edited_in_bounded_memory(folder: Path) -> None:
    big, hunk, at, size = folder / "big.txt", "the only n\u00e9edle\r\n".encode(), 75 * _PIECE - 5, 100_000_000
    before, after = _write_big(big, size, hunk, at)
    results, grown = _in_a_process(
        folder,
        ("read_file", {"file_path": "big.txt", "start_line": 2, "end_line": 3}),
        ("patch_source_file", {"file_path": "big.txt", "search": "only n\u00e9edle\n", "replace": "thread\nneedle\n",
                               "description": "sew"}),
        ("patch_source_file", {"file_path": "big.txt", "search": "needle", "replace": "pin", "description": "again"}),
    )  # fmt: skip
    assert results[0]["content"] == _LINE.decode().replace("\r\n", "\r\n") * 2
    new = b"the thread\r\npin\r\n"
    assert results[1]["replaced"] == 1 and results[2]["bytes"] == big.stat().st_size == size - len(hunk) + len(new)
    with big.open("rb") as file:
        lines = sum(file.read(_PIECE).count(b"\n") for _ in range(at // _PIECE)) + file.read(at % _PIECE).count(b"\n")
        assert file.read(len(new)) == new
    assert (results[1]["line"], results[2]["line"]) == (lines + 1, lines + 2)
    assert (_hash(big, 0, at), _hash(big, at + len(new), big.stat().st_size)) == (before, after)
    assert sorted(os.listdir(folder)) == ["big.txt", "small.txt"]
    assert grown < 40 << 20, f"{grown >> 20} MiB"


def test_what_can_not_be_done_to_a_big_file_is_said_and_leaves_it_alone(folder: Path) -> None:
    big = folder / "big.txt"
    _write_big(big, 20_000_000, b"needle\r\nneedle\r\n", _PIECE)
    present = _hash(big, 0, big.stat().st_size)
    edit = {"file_path": "big.txt", "replace": "x", "description": ""}
    read = ("read_file", {"file_path": "big.txt", "end_line": 1})
    results, grown = _in_a_process(
        folder,
        ("patch_source_file", {**edit, "search": "needle"}),
        read,
        ("patch_source_file", {**edit, "search": "needle"}),
        ("patch_source_file", {**edit, "search": "no such thing"}),
        ("patch_source_file", {**edit, "search": "  needle \nno such thing"}),
    )
    codes = [found[0] for found in (results[0], *results[2:])]
    assert codes == ["conflict"] * 4
    lines = 1
    with big.open("rb") as file:
        lines += file.read(_PIECE).count(b"\n")
    assert "has not been read" in results[0][1]
    assert f"2 times, at lines {lines}, {lines + 1}" in results[2][1]
    assert "nor is its longest line" in results[3][1]
    assert _hash(big, 0, big.stat().st_size) == present
    assert grown < 64 << 20


def test_a_big_file_that_changed_since_it_was_read_is_a_conflict(open_files: Any, tmp_path: Path) -> None:
    files = open_files(tmp_path, max_edit_bytes=100)
    file = files.put("a.txt", "one\n" * 100 + "two\n")
    files.data("read_file", file_path="a.txt", end_line=1)
    file.write_text("One\n" + "one\n" * 99 + "two\n")
    error = files.error("patch_source_file", file_path="a.txt", search="two", replace="three", description="")
    assert error.code == "conflict" and "changed" in error.message
    assert files.error("write_file", file_path="a.txt", content="x").code == "conflict"
    assert file.read_text().startswith("One\n")


def test_bytes_that_change_while_they_are_copied_are_not_written(open_files: Any, tmp_path: Path) -> None:
    files = open_files(tmp_path, max_edit_bytes=100)
    file = files.put("a.txt", b"x" * 3 * _PIECE + b"two\n")
    known = files.workspace.digest("a.txt")
    edit = BigPatch(lambda: pieces(files.workspace.read, "a.txt"), "a.txt", known, "two", "three", False)

    def chunks() -> Iterator[bytes]:
        for number, chunk in enumerate(edit.chunks()):
            if number == 1:
                with file.open("r+b") as other:
                    other.seek(2 * _PIECE + 5)
                    other.write(b"y")
            yield chunk

    with pytest.raises(ToolFailed) as caught:
        files.workspace.replace("a.txt", chunks(), known)
    assert caught.value.code == "conflict"
    assert file.stat().st_size == 3 * _PIECE + 4 and os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\xff\xfe" + "x\n".encode("utf-16-le") * 100, "utf-16-le"),
        (b"\0" + b"x\n" * 100, "binary"),
        (b"x\n" * 100 + "日本".encode("iso-2022-jp"), "escape"),
        (b"\x01\x02\xff" * 100, "binary"),
    ],
)  # fmt: skip
def test_what_can_not_be_edited_in_pieces_is_refused(open_files: Any, tmp_path: Path, data: bytes, says: str) -> None:
    files = open_files(tmp_path, max_edit_bytes=100)
    file = files.put("a.txt", data)
    known = files.workspace.digest("a.txt")
    files.scheduler.seen["a.txt"] = known
    for name, more in (("patch_source_file", {"search": "x", "replace": "y", "description": ""}),
                       ("write_file", {"content": "y"})):  # fmt: skip
        error = files.error(name, file_path="a.txt", **more)
        assert error.code == "validation" and says in error.message
    assert file.read_bytes() == data


def test_a_file_beyond_every_bound_is_refused(open_files: Any, tmp_path: Path) -> None:
    files = open_files(tmp_path, max_edit_bytes=10, max_streamed_bytes=100)
    files.put("a.txt", b"line\n" * 100)
    assert "too big" in files.data("read_file", file_path="a.txt", end_line=1)["note"]
    error = files.error("patch_source_file", file_path="a.txt", search="x", replace="y", description="")
    assert error.code == "validation" and "too big" in error.message


_text = st.text("ab\n\r é", max_size=40)


@settings(deadline=None, max_examples=4 * settings().max_examples)
@given(
    text=_text, search=st.text("ab\n\r é", min_size=1, max_size=4), replace=st.sampled_from(["", "x", "x\ny", "é"]),
    every=st.booleans(), size=st.integers(1, 9), space=st.sampled_from([0, 0, NEAR - 3, 3 * NEAR]),
)  # fmt: skip
def test_in_pieces_comes_out_what_comes_out_in_memory(
    text: str, search: str, replace: str, every: bool, size: int, space: int
) -> None:
    data = (text + "z" * space + text).encode()

    def read() -> Iterator[bytes]:
        step = size if space == 0 else size * 997
        return (data[start : start + step] for start in range(0, len(data), step))

    def outcome(act: Any) -> Any:
        try:
            return act()
        except ToolFailed as error:
            return error.code, error.message if "times" in error.message else ""

    def whole() -> Any:
        patched = patch(data, encoding_of(data, "f"), search, replace, "f", every)
        return patched.data, patched.lines[0], len(patched.lines)

    def streamed() -> Any:
        edit = BigPatch(read, "f", digest(data), search, replace, every)
        return b"".join(edit.chunks()), edit.line, edit.replaced

    assert outcome(streamed) == outcome(whole)
