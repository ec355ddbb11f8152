from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch_plugins.sandbox_fs.tools import TOOLS


def test_the_descriptions_of_all_tools_stay_small() -> None:
    specs = [[tool.name, tool.description, tool.input_schema] for tool in TOOLS]
    assert len(json.dumps(specs)) < 6_000
    assert all(tool.description and not tool.input_schema["additionalProperties"] for tool in TOOLS)


@pytest.mark.parametrize(
    ("name", "arguments", "reads", "writes"),
    [
        ("list_files", {}, {""}, set()),
        ("list_files", {"pattern": "src/**/*.py"}, {"src/"}, set()),
        ("list_directory", {"directory": "./src/"}, {"src/"}, set()),
        ("read_file", {"file_path": "./a.py"}, {"a.py"}, set()),
        ("read_multiple_files", {"file_paths": ["a", "b//c"]}, {"a", "b/c"}, set()),
        ("search_files", {"pattern": "x", "path": "src"}, {"src", "src/"}, set()),
        ("write_file", {"file_path": "a/b"}, {"a/b"}, {"a/b"}),
        ("create_file", {"file_path": "a/b"}, set(), {"a/b"}),
        ("patch_source_file", {"file_path": "a/./b"}, {"a/b"}, {"a/b"}),
        ("move_file", {"file_path": "a", "new_path": "b"}, set(), {"a", "b"}),
        ("delete_file", {"file_path": "a"}, set(), {"a"}),
        ("delete_file", {"file_path": "../a"}, set(), {""}),
        ("read_output", {"output_ref": "x"}, set(), set()),
    ],
)
def test_effects_are_those_of_the_arguments(name: str, arguments: Any, reads: set[str], writes: set[str]) -> None:
    tool = next(tool for tool in TOOLS if tool.name == name)
    removes = name == "delete_file"
    assert tool.effects(arguments) == inarch.Effects(frozenset(reads), frozenset(writes), removes=removes)


def test_read_file_is_capped_and_says_how_to_go_on(open_files: Any, tmp_path: Path) -> None:
    files = open_files(tmp_path, max_read_lines=3, max_read_bytes=10)
    files.put("lines", "1\n2\n3\n4\n5\n")
    page = files.data("read_file", file_path="lines")
    assert (page["content"], page["truncated"]) == ("1\n2\n3\n", True)
    assert "start_line=4" in page["note"]
    files.put("bytes", "12345\n12345\n")
    assert files.data("read_file", file_path="bytes")["content"] == "12345\n"
    files.put("long", f"{'x' * 50} {'y' * 20_000}")
    page = files.data("read_file", file_path="long")
    assert (page["content"], page["truncated"]) == ("x" * 50, True)


def test_what_is_too_long_is_not_cut_within_a_secret(open_files: Any, tmp_path: Path) -> None:
    files = open_files(tmp_path, max_read_bytes=20)
    files.scheduler.journal.redactor.learn([("API_TOKEN", "q7Rk2-xx81-Lmn0-PPq4")])
    files.put("line", f"{'x' * 9} q7Rk2-xx81-Lmn0-PPq4 and more\n")
    shown = [files.data("read_file", file_path="line"), *files.data("read_multiple_files", file_paths=["line"])]
    assert all(page["content"].startswith(f"{'x' * 9} ‹secret:API_TOKEN› and") for page in shown)


def test_pages_of_a_big_file_join_to_the_whole(open_files: Any, tmp_path: Path) -> None:
    files = open_files(tmp_path, max_edit_bytes=1_000, max_read_lines=40_000)
    text = "".join(f"line {number}\n" for number in range(1, 200_001))
    files.put("big.txt", text)
    first = files.data("read_file", file_path="big.txt")
    assert first["total_lines"] is None and first["truncated"]
    joined, line = "", 1
    while line <= 200_000:
        page = files.data("read_file", file_path="big.txt", start_line=line)
        joined += page["content"]
        line = page["end_line"] + 1
    assert joined == text
    assert files.data("read_file", file_path="big.txt", start_line=199_999, end_line=200_000)["content"] == (
        "line 199999\nline 200000\n"
    )
    assert files.error("read_file", file_path="big.txt", start_line=200_001).code == "validation"
    edit = {"file_path": "big.txt", "search": "line 100000\n", "replace": "x\n", "description": ""}
    assert files.data("patch_source_file", **edit)["line"] == 100_000
    assert (tmp_path / "big.txt").read_text() == text.replace("line 100000\n", "x\n")


def test_read_multiple_files_keeps_errors_apart(files: Any) -> None:
    files.put("a", "A")
    files.put("b", b"\xef\xbb\xbfB")
    files.put("c", b"\0")
    found = files.data("read_multiple_files", file_paths=["a", "missing", "b", "../x", "c", "a"])
    assert [item["path"] for item in found] == ["a", "missing", "b", "../x", "c", "a"]
    assert [item.get("content") for item in found] == ["A", None, "B", None, None, "A"]
    assert "there is no missing" in found[1]["error"] and "'..'" in found[3]["error"]


def test_read_output_pages_through_a_long_result(files: Any) -> None:
    whole = "äöü€" * 100
    ref = files.store.put_blob("session", whole.encode())
    joined, offset = "", 0
    while offset is not None:
        page = files.data("read_output", output_ref=ref, offset=offset, limit=7)
        joined += page["content"]
        offset = page["next_offset"]
    assert joined == whole
    assert files.error("read_output", output_ref=ref, offset=10_000).code == "validation"
    assert files.error("read_output", output_ref="none").code == "not_found"


def test_writing_needs_reading_first(files: Any) -> None:
    file = files.put("a", "old")
    assert files.error("write_file", file_path="a", content="new").code == "conflict"
    assert files.error("write_file", file_path="a", content="new").code == "conflict"
    files.data("read_file", file_path="a")
    assert files.data("write_file", file_path="./a", content="new")["bytes"] == 3
    assert files.data("write_file", file_path="a", content="newer")["path"] == "a"
    file.write_text("theirs")
    for name, more in (("write_file", {"content": "mine"}), ("patch_source_file", {"search": "t", "replace": "x"})):
        error = files.error(name, file_path="a", **more, **({"description": ""} if name[0] == "p" else {}))
        assert error.code == "conflict", error
    assert file.read_text() == "theirs"
