from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inarch import ToolFailed
from inarch_plugins.sandbox_fs.engines import Engines
from inarch_plugins.sandbox_fs.settings import Settings
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

_ENGINES = [
    engine for engine, program in (("ripgrep", "rg"), ("grep", "grep"), ("python", ""))
    if not program or Engines("/nowhere", "auto").program(program, ("/usr/bin/grep",) if program == "grep" else ())
]  # fmt: skip


def _search(root: str, engine: Any, pattern: str, **more: Any) -> list[tuple[str, int, str]]:
    workspace = FolderWorkspace.open(root, Settings(search_engine=engine))
    try:
        return [(hit.path, hit.line, hit.text) for hit in workspace.search(pattern, **more).hits]
    finally:
        workspace.close()


def _reference(root: str, pattern: str, ignore_case: bool) -> list[tuple[str, int, str]]:
    compiled = re.compile(pattern.encode(), re.IGNORECASE if ignore_case else 0)
    return [
        (path, number, line.decode("utf-8", "replace"))
        for path in sorted(os.listdir(root))
        for number, line in enumerate((Path(root) / path).read_bytes().split(b"\n"), 1)
        if compiled.search(line) and not (line == b"" and (Path(root) / path).read_bytes().count(b"\n") < number)
    ]


_atom = st.sampled_from(
    ["a", "b", "A", " ", "_", "0", ".", r"\d", r"\w", r"\s", r"\W", r"\S", r"\D", "[ab]", "[^a]", "[a-c]", "[]a]",
     "[^]^-]", "[a-]", r"[\w-]", r"\.", r"\(", r"\<", r"\[", r"\{", "]", "}", "-", "#", "<", r"\b", "^", "$", r"[\]\\]",
     r"\/", '"', "&", "~", r"\-", "[*-.]"]
)  # fmt: skip
_repeated = st.tuples(_atom, st.sampled_from(["", "", "", "*", "+", "?", "*?", "+?", "{2}", "{1,}", "{,2}", "{0,1}?"]))
_sequence = st.lists(_repeated.map("".join), min_size=1, max_size=4).map("".join)
_pattern = st.one_of(
    _sequence, st.tuples(_sequence, _sequence).map("|".join),
    st.tuples(_sequence, _sequence).map(lambda p: "({})*{}".format(*p)),
    st.tuples(_sequence, _sequence).map(lambda p: "(?:{}|x){}".format(*p)),
)  # fmt: skip
_text = st.text('abAc 0_.([{<]}-#"&~^\\/é\n', max_size=40)


@given(_pattern, st.lists(_text, min_size=1, max_size=3), st.booleans())
@example("[^a]", ["\n\na\n"], False)
@example("é|b", ["xéx"], False)
def test_every_engine_finds_what_pythons_re_finds(pattern: str, texts: list[str], ignore_case: bool) -> None:
    try:
        re.compile(pattern.encode())
    except re.error:
        return
    with tempfile.TemporaryDirectory() as root:
        for number, text in enumerate(texts):
            (Path(root) / f"f{number}").write_bytes(text.encode())
        expected = _reference(root, pattern, ignore_case)
        for engine in _ENGINES:
            assert _search(root, engine, pattern, ignore_case=ignore_case) == expected, engine


@pytest.mark.parametrize("engine", _ENGINES)
class TestEachEngine:
    """What must hold whichever program searches."""

    def test_hits_are_in_order_and_capped(self, tmp_path: Path, engine: str) -> None:
        for name in ("b.py", "a/z.py", "c.txt"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text("x\nhit one\nhit two\n")
        found = _search(str(tmp_path), engine, "hit")
        assert [(path, line) for path, line, _ in found] == [
            ("a/z.py", 2), ("a/z.py", 3), ("b.py", 2), ("b.py", 3), ("c.txt", 2), ("c.txt", 3),
        ]  # fmt: skip
        assert _search(str(tmp_path), engine, "hit", limit=3) == found[:3]
        assert _search(str(tmp_path), engine, "hit", glob="*.py") == found[:4]
        assert _search(str(tmp_path), engine, "HIT", path="a", ignore_case=True) == found[:2]
        assert _search(str(tmp_path), engine, "hit", path="c.txt") == found[4:]
        assert _search(str(tmp_path), engine, "nothing") == []

    def test_binary_files_are_left_out_and_odd_bytes_shown(self, tmp_path: Path, engine: str) -> None:
        (tmp_path / "binary").write_bytes(b"hit\0\nhit\n")
        (tmp_path / "latin").write_bytes(b"caf\xe9 hit\n")
        (tmp_path / "windows").write_bytes(b"a hit\r\nb\r\n")
        assert _search(str(tmp_path), engine, "hit$") == [("latin", 1, "caf\ufffd hit"), ("windows", 1, "a hit")]

    def test_long_lines_are_cut(self, tmp_path: Path, engine: str) -> None:
        (tmp_path / "a").write_text("hit" + "x" * 1_000_000 + "\nsecond hit\n")
        (first, second) = _search(str(tmp_path), engine, "hit")
        assert (len(first[2]), second) == (301, ("a", 2, "second hit"))

    def test_odd_names(self, tmp_path: Path, engine: str) -> None:
        names = ["-e", "--help", "a b", "new\nline", "q'\"", "ä", "a:1:2:", "!x"]
        for name in names:
            (tmp_path / name).write_text("hit\n")
        assert [path for path, _, _ in _search(str(tmp_path), engine, "hit")] == sorted(names)
        assert _search(str(tmp_path), engine, "-e") == []

    def test_a_folder_whose_name_is_a_pattern(self, tmp_path: Path, engine: str) -> None:
        for name in ("a[b]", "ab"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "f.py").write_text("hit\n")
        assert _search(str(tmp_path), engine, "hit", path="a[b]") == [("a[b]/f.py", 1, "hit")]
        assert _search(str(tmp_path), engine, "hit", path="a[b]", glob="*.py") == [("a[b]/f.py", 1, "hit")]
        with pytest.raises(ToolFailed):
            _search(str(tmp_path), engine, "hit", path="ab", glob="../*")

    def test_links_are_not_followed(self, tmp_path: Path, engine: str) -> None:
        (tmp_path / "secret").write_text("hit\n")
        root = tmp_path / "root"
        root.mkdir()
        os.symlink("../secret", root / "link")
        os.symlink("..", root / "up")
        assert _search(str(root), engine, "hit") == []
        for path in ("link", "up"):
            with pytest.raises(ToolFailed):
                _search(str(root), engine, "hit", path=path)

    def test_a_pattern_that_never_ends_is_stopped(self, tmp_path: Path, engine: Any) -> None:
        (tmp_path / "a").write_text("a" * 60 + "!\n")
        workspace = FolderWorkspace.open(str(tmp_path), Settings(search_engine=engine, search_seconds=0.5))
        with pytest.raises(ToolFailed) as caught:
            workspace.search(r"(?=a)(a+)+$")
        assert caught.value.code == "timeout"
        assert workspace._searcher is not None and not workspace._searcher._running
        workspace.close()

    def test_a_wrong_pattern_is_explained(self, tmp_path: Path, engine: str) -> None:
        (tmp_path / "a").write_text("x\n")
        with pytest.raises(ToolFailed) as caught:
            _search(str(tmp_path), engine, "foo(")
        assert caught.value.code == "validation" and "missing )" in caught.value.message


def test_a_program_in_the_workspace_is_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "rg"
    fake.write_text(f"#!{sys.executable}\nopen('ran', 'w')\n")
    fake.chmod(0o755)
    elsewhere = tmp_path.parent / f"{tmp_path.name}-links"
    elsewhere.mkdir()
    os.symlink(fake, elsewhere / "rg")
    monkeypatch.setenv("PATH", os.pathsep.join([".", str(tmp_path), str(elsewhere)]))
    engines = Engines(str(tmp_path), "auto")
    assert engines.program("rg") not in (str(fake), str(elsewhere / "rg"), "./rg")
