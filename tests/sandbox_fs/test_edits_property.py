"""Edits keep every byte outside the replaced text, in any encoding; what can't be edited so is left untouched."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch import ToolFailed, ToolResult
from inarch_plugins.sandbox_fs.settings import Settings
from inarch_plugins.sandbox_fs.texts import encoding_of
from inarch_plugins.sandbox_fs.tools import TOOLS
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace


class Kind(NamedTuple):
    """An encoding, the mark it begins with, and letters that it has."""

    codec: str
    letters: str
    mark: bytes = b""


_WEST, _EAST = "aé ß", "aж Я"
KINDS = [
    Kind("utf-8", "aé日 😀"), Kind("utf-8", "aé日 ", b"\xef\xbb\xbf"), Kind("utf-8", "ab "),
    Kind("utf-16-le", "aé日ਊ😀 ", b"\xff\xfe"), Kind("utf-16-be", "aé日Ċ ", b"\xfe\xff"), Kind("utf-16-le", "aé日ਊ "),
    Kind("utf-16-be", "aé日 "), Kind("utf-32-le", "aé日😀", b"\xff\xfe\0\0"), Kind("utf-32-le", "aé日"),
    Kind("utf-32-be", "aé日", b"\0\0\xfe\xff"), Kind("latin-1", _WEST + "\x81"),
    Kind("cp1252", _WEST + "€"), Kind("cp1251", _EAST),
    Kind("koi8-r", _EAST), Kind("iso8859-15", _WEST + "€"), Kind("mac-roman", _WEST), Kind("shift_jis", "aアソ表 ｱ"),
    Kind("cp932", "aソ能①"), Kind("euc-jp", "a日本 "), Kind("gb18030", "a中文€😀 "), Kind("gbk", "a中丂 "),
    Kind("big5", "a許功 "), Kind("euc-kr", "a한글 "), Kind("cp949", "a한똠 "), Kind("iso-2022-jp", "a日本 語"),
]  # fmt: skip
OF_SEVERAL_BYTES = [
    kind for kind in KINDS if not kind.mark and "utf" not in kind.codec and len("日한".encode(kind.codec, "ignore")) > 1
]
ENDS = {"lf": ["\n"], "crlf": ["\r\n"], "cr": ["\r"], "mixed": ["\n", "\r\n", "\r"]}


@frozen
class Shape:
    """A file that is to be edited: the bytes before the text, the text, and the bytes after it."""

    kind: Kind
    head: bytes
    target: str
    tail: bytes
    damaged: bool

    @property
    def data(self) -> bytes:
        return self.kind.mark + self.head + self.target.encode(self.kind.codec) + self.tail


@st.composite
def shapes(draw: st.DrawFn, kinds: list[Kind] = KINDS) -> Shape:
    kind = draw(st.sampled_from(kinds))
    ends = st.sampled_from(ENDS[draw(st.sampled_from(sorted(ENDS)))])
    lines = st.lists(st.builds(str.__add__, st.text(kind.letters, max_size=5), ends), max_size=5).map("".join)
    before, after = draw(lines), draw(lines) + draw(st.text(kind.letters, max_size=3))
    target = "NEEDLE" + draw(st.sampled_from(["", "\n", "\r\n"])) + draw(st.sampled_from(["", " NEEDLE2"]))
    bad = draw(st.sampled_from([b"", b"\xff", b"\xc3", b"\x81\xfe", b"\x80"])) if not kind.mark else b""
    head, tail = before.encode(kind.codec), after.encode(kind.codec)
    if draw(st.booleans()):
        return Shape(kind, head + bad, target, tail, bool(bad))
    return Shape(kind, head, target, tail + bad, bool(bad))


class Context:
    """As much of a `ToolContext` as the tools that change files use: a session that has read the file."""

    def __init__(self, workspace: FolderWorkspace, limits: Settings) -> None:
        self.workspace, self.settings = workspace, limits
        self.seen: dict[str, str] = {}


@contextlib.contextmanager
def file_of(data: bytes) -> Iterator[tuple[Path, Callable[..., Any]]]:
    """Yield a file and a function that calls a tool which changes it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "f")
        file.write_bytes(data)
        file.chmod(0o640)
        os.utime(file, ns=(10**18, 10**18))
        workspace = FolderWorkspace.open(folder, Settings())
        context = Context(workspace, Settings())
        context.seen["f"] = workspace.digest("f")
        tools: dict[str, Any] = {tool.name: tool for tool in TOOLS}

        def call(name: str, **arguments: Any) -> Any:
            found = tools[name].run({"file_path": "f", **arguments}, context)
            return found.data if isinstance(found, ToolResult) else found

        try:
            yield file, call
        finally:
            workspace.close()


def status(file: Path) -> tuple[Any, ...]:
    found = file.stat()
    return file.read_bytes(), found.st_mode, found.st_mtime_ns, found.st_ino, os.listdir(file.parent)


def edit(data: bytes, name: str, **arguments: Any) -> tuple[Any, bytes]:
    """Call a tool on a file of these bytes: return what it said, or None where it refused, and the bytes after it."""
    with file_of(data) as (file, call):
        before = status(file)
        try:
            said = call(name, **arguments)
        except ToolFailed as error:
            assert error.code in ("conflict", "validation"), error
            assert status(file) == before
            return None, data
        assert file.stat().st_mode == before[1] and os.listdir(file.parent) == ["f"]
        assert said["bytes"] == file.stat().st_size
        return said, file.read_bytes()


@settings(deadline=None, max_examples=3 * settings().max_examples)
@given(shape=shapes(), replacement=st.sampled_from(["", "x", "one\ntwo", "\n", "é", "日本"]))
def test_not_one_byte_outside_the_text_changes(shape: Shape, replacement: str) -> None:
    said, after = edit(shape.data, "patch_source_file", search=shape.target, replace=replacement)
    if said is None:
        return
    head = shape.kind.mark + shape.head
    assert after.startswith(head) and after.endswith(shape.tail)
    middle = after[len(head) : len(after) - len(shape.tail)]
    if replacement.isascii() and len(shape.data) >= len(head) + len(shape.tail):
        assert re.sub("\r\n?", "\n", middle.decode(shape.kind.codec)) == replacement
    wide = shape.kind.codec.startswith(("utf-16", "utf-32"))
    assert said["line"] == 1 + (shape.head.decode(shape.kind.codec).count("\n") if wide else head.count(b"\n"))


@settings(deadline=None, max_examples=6 * settings().max_examples)
@given(
    shape=st.one_of(shapes(), shapes(OF_SEVERAL_BYTES)),
    search=st.sampled_from(["a", "\\", "A", "C", "a ", "[", "|", "E", "2", "5", "b", "\\a", "F"]),
    every=st.booleans(),
)
def test_no_character_is_cut_whatever_encoding_the_file_is_in(shape: Shape, search: str, every: bool) -> None:
    if shape.damaged or (not shape.kind.mark and shape.kind.codec.startswith("utf-16")):
        return
    text = shape.data[len(shape.kind.mark) :].decode(shape.kind.codec)
    said, after = edit(shape.data, "patch_source_file", search=search, replace="xyz", replace_all=every)
    if said is not None:
        assert every or text.count(search) == 1
        assert after[len(shape.kind.mark) :].decode(shape.kind.codec) == text.replace(search, "xyz")


@settings(deadline=None, max_examples=3 * settings().max_examples)
@given(shape=shapes(), text=st.text("ab é日\r\n€\ufeff", max_size=12))
def test_a_whole_new_text_keeps_the_encoding(shape: Shape, text: str) -> None:
    said, after = edit(shape.data, "write_file", content=text)
    if said is not None:
        encoding = encoding_of(shape.data, "f")
        assert after.startswith(encoding.mark)
        assert encoding.decode(after) == text.removeprefix("\ufeff")


def test_most_encodings_are_edited_and_not_just_refused() -> None:
    edited = set()
    for kind in KINDS:
        data = kind.mark + f"{kind.letters}\r\nNEEDLE\n{kind.letters}\r".encode(kind.codec)
        said, after = edit(data, "patch_source_file", search="NEEDLE", replace="x")
        assert after in (data, data.replace("NEEDLE".encode(kind.codec), "x".encode(kind.codec)))
        edited |= {(kind.codec, kind.mark)} if said else set()
    # What has no mark and NULs is taken for binary.
    assert {(kind.codec, kind.mark) for kind in KINDS} - edited == {
        ("utf-16-le", b""), ("utf-16-be", b""), ("utf-32-le", b""),
    }  # fmt: skip
