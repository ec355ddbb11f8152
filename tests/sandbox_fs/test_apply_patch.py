"""Patches in the envelope: applied byte for byte, whole or not at all, and nothing where their lines don't stand."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inarch import ToolFailed
from inarch_plugins.sandbox_fs.envelope import patched, read_envelope


def envelope(*sections: str) -> str:
    return "\n".join(["*** Begin Patch", *sections, "*** End Patch"])


def update(path: str, *lines: str) -> str:
    return "\n".join([f"*** Update File: {path}", *lines])


CODE = "def one():\n    return 1\n\n\ndef two():\n    return 1\n"


def test_all_kinds_of_changes_in_one_patch(files: Any) -> None:
    files.put("a.py", CODE)
    files.put("gone.txt", "x\n")
    files.put("old/name.txt", b"first\r\nsecond")
    files.data("read_multiple_files", file_paths=["a.py", "old/name.txt"])
    said = files.data("apply_patch", patch=envelope(
        update("a.py", "@@ def two():", "-    return 1", "+    return 2"),
        "*** Add File: new/deep.txt", "+hello", "+", "+world",
        "*** Delete File: gone.txt",
        update("old/name.txt", "*** Move to: kept/name.txt", "@@", " first", "-second", "+2nd", "+3rd"),
    ))  # fmt: skip
    assert (files.folder / "a.py").read_text() == CODE[:-2] + "2\n"
    assert (files.folder / "new/deep.txt").read_bytes() == b"hello\n\nworld\n"
    assert (files.folder / "kept/name.txt").read_bytes() == b"first\r\n2nd\r\n3rd"
    assert not (files.folder / "gone.txt").exists() and not (files.folder / "old/name.txt").exists()
    assert said["files"][-1] == {"path": "kept/name.txt", "old_path": "old/name.txt", "note": "patched"}


@pytest.mark.parametrize(
    ("before", "lines", "after"),
    [
        (b"\xef\xbb\xbfa\r\nb\r\n", ["-b", "+c", "+d"], b"\xef\xbb\xbfa\r\nc\r\nd\r\n"),
        (b"a\nb", [" b", "+c"], b"a\nb\nc"),
        (b"a\nb", ["-b"], b"a"),
        (b"", ["+a"], b"a\n"),
        (b"a\n", ["-a"], b""),
        (b"a\r\nb\nc\r", [" b", "+x", " c"], b"a\r\nb\nx\rc\r"),
        ("ä\nö\n".encode("utf-16"), ["-ö", "+ü"], "ä\nü\n".encode("utf-16")),
        (b"caf\xe9\nx\n", ["-x", "+y"], b"caf\xe9\ny\n"),
        (b"a\n\nb\n", ["@@ a", "", "-b", "+c"], b"a\n\nc\n"),
        (b"a\nb\na\nb\n", ["@@", "-b", "+c", "*** End of File"], b"a\nb\na\nc\n"),
        (b"x\nf\nx\ng\nx\n", ["@@ f", "@@ g", "-x", "+y"], b"x\nf\nx\ng\ny\n"),
        (b"x\nf\ny\n", ["@@ f", " f", "-y", "+z"], b"x\nf\nz\n"),
        (b"x\n", ["@@ x", "+y"], b"x\ny\n"),
    ],
)
def test_bytes_that_no_line_names_stay(files: Any, before: bytes, lines: list[str], after: bytes) -> None:
    file = files.put("f", before)
    file.chmod(0o750)
    files.call("read_file", file_path="f")
    files.data("apply_patch", patch=envelope(update("f", *lines)))
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (after, 0o750)


@pytest.mark.parametrize(
    ("sections", "code"),
    [
        ([update("a", "-gone", "+x")], "conflict"),
        ([update("a", "-one", "+x"), update("b", "-never there", "+x")], "conflict"),
        ([update("a", "-one", "+x"), "*** Add File: b\n+x"], "conflict"),
        ([update("a", "-one", "+x"), "*** Delete File: never"], "not_found"),
        ([update("a", "-one", "+x"), update("unread", "-u", "+x")], "conflict"),
        ([update("a", "*** Move to: b", "-one", "+x")], "conflict"),
        ([update("a", "-one", "+x"), update("link", "-one", "+x")], "permission"),
        ([update("a", "-one", "+x"), "*** Add File: ../out\n+x"], "permission"),
        ([update("a", "-one", "+x"), "*** Add File: .git/hooks/x\n+x"], "permission"),
        ([update("a", "-one", "+x"), update("./a", "-two", "+y")], "validation"),
        ([update("a", "-one", "+x"), "*** Add File: new\n+x", "*** Add File: new/under\n+x"], ""),
        ([update("twice", "-same", "+x")], "conflict"),
        ([update("a", "@@ nowhere", "-one", "+x")], "conflict"),
        ([update("a", " one")], "validation"),
        ([update("a", "one")], "validation"),
        ([update("a")], "validation"),
        (["*** Add File: n\nno plus"], "validation"),
        (["*** Rename File: n"], "validation"),
        ([], "validation"),
    ],
)
def test_a_part_that_fails_leaves_every_file_as_it_was(files: Any, sections: list[str], code: str) -> None:
    for path, text in {"a": "one\ntwo\n", "b": "b\n", "unread": "u\n", "twice": "same\nsame\n"}.items():
        files.put(path, text)
    (files.folder / "link").symlink_to("a")
    files.call("read_multiple_files", file_paths=["a", "b", "twice"])

    def tree() -> dict[str, Any]:
        places = [Path(at, name) for at, folders, names in os.walk(files.folder) for name in (*folders, *names)]
        return {str(one): one.read_bytes() if one.is_file() else None for one in places}

    before = tree()
    error = files.error("apply_patch", patch=envelope(*sections))
    assert tree() == before
    assert error.code == code or not code
    files.data("apply_patch", patch=envelope(update("a", "-one", "+x")))  # what is known of the files is as it was


def test_a_file_that_changed_meanwhile_is_refused(files: Any) -> None:
    file = files.put("a", "one\n")
    files.data("read_file", file_path="a")
    file.write_text("one\nmore\n")
    assert files.error("apply_patch", patch=envelope(update("a", "-one", "+x"))).code == "conflict"
    assert file.read_text() == "one\nmore\n"


WORDS = st.text("abc", min_size=0, max_size=2)
ENDS = st.sampled_from(["\n", "\r\n"])
KINDS = st.sampled_from([("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe")])


def hunks_of(old: list[str], new: list[str], context: int) -> list[str]:
    """Return the changes between two texts as lines of an envelope."""
    found: list[str] = []
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(context):
        found.append("@@")
        for tag, start, end, new_start, new_end in group:
            if tag == "equal":
                found += [f" {line}" for line in old[start:end]]
            else:
                found += [f"-{line}" for line in old[start:end]] + [f"+{line}" for line in new[new_start:new_end]]
    return found


@example([""], ["a", ""], "\n", ("utf-8", b""), True, 1)
@given(
    old=st.lists(WORDS, min_size=1, max_size=12), new=st.lists(WORDS, max_size=12), end=ENDS, kind=KINDS,
    is_ended=st.booleans(), context=st.integers(1, 3),
)  # fmt: skip
def test_what_is_applied_gives_the_expected_bytes_or_is_refused(
    old: list[str], new: list[str], end: str, kind: tuple[str, bytes], is_ended: bool, context: int
) -> None:
    if not is_ended:
        end = end if len(old) > 1 else "\n"  # a file of one line without an end tells of no kind
        old, new = [*old[:-1], old[-1] or "z"], [*new[:-1], new[-1] or "z"] if new else []

    def data(lines: list[str]) -> bytes:
        text = "".join(line + end for line in lines)
        return kind[1] + (text if is_ended or not lines else text[: -len(end)]).encode(kind[0])

    lines = hunks_of(old, new, context)
    if not lines:
        return
    (file,) = read_envelope(envelope(update("f", *lines)))
    try:
        made = patched(data(old), file.hunks, "f")
    except ToolFailed as failure:
        assert failure.code == "conflict" and "times" in failure.message
        return
    assert made == data(new)


@given(lines=st.lists(st.integers(0, 99).map(str), min_size=3, max_size=12, unique=True), data=st.data())
def test_a_stale_line_is_always_a_conflict(lines: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(lines) - 1))
    new = [*lines[:at], "new", *lines[at + 1 :]]
    (file,) = read_envelope(envelope(update("f", *hunks_of(lines, new, 2))))
    used = [text for hunk in file.hunks for text in hunk.old]
    stale = data.draw(st.sampled_from(used))
    present = "".join(f"{'other' if line == stale else line}\n" for line in lines).encode()
    with pytest.raises(ToolFailed, match="conflict"):
        patched(present, file.hunks, "f")
