"""Trees that nobody meant to be read, and stores that can't be written: the rest is answered, and it is said."""

from __future__ import annotations

import os
from typing import Any

import pytest

from inarch_brief.tracer.indexing import tree_walk

APPLE = {"apple.py": "def apple():\n    return pear()\n\n\ndef pear():\n    return 1\n"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("binary.py", bytes(range(256)) * 4000),
        ("minified.py", b"a=1;b=lambda x:x+a;" * 20_000),
        ("wide.py", b"TABLE = {" + b"'k': (1, 2, [3, 4]), " * 40_000 + b"}\n"),
        ("deep.py", b"x = " + b"(" * 5_000 + b"1" + b")" * 5_000 + b"\n"),
        ("generated.py", b"".join(b"def p_%d(p):\n    'a : b'\n    p[0] = p[1]\n" % n for n in range(2_000))),
        ("utf16.py", "def peach():\n    pass\n".encode("utf-16")),
        ("unknown.py", b"# coding: no-such-encoding\ndef peach():\n    pass\n"),
        ("empty.py", b""),
        ("returns.py", b"def peach():\r    pass\r\x0c\r"),
    ],
)
def test_a_file_that_is_odd_holds_nothing_up(tree: Any, name: str, content: bytes) -> None:
    tree.write({**APPLE, name: content})
    found = tree.ask("find_callers", function="pear")
    assert [row["qualname"] for row in found["callers"]] == ["apple.apple"]


@pytest.mark.parametrize(
    ("encoding", "head"),
    [("latin-1", "# -*- coding: latin-1 -*-\n"), ("utf-8-sig", ""), ("cp1252", "# coding: cp1252\n")],
)
def test_a_declared_encoding_is_read(tree: Any, encoding: str, head: str) -> None:
    tree.write({"m.py": f"{head}def größe():\n    '''Misst die Größe.'''\n".encode(encoding)})
    (found,) = tree.ask("find_symbols", query="größe")["symbols"][:1]
    assert (found["qualname"], found["doc"]) == ("m.größe", "Misst die Größe.")


def test_a_file_of_hundreds_of_megabytes_is_read_at_its_beginning_only(tree: Any) -> None:
    tree.write({**APPLE, "huge.py": "def plum():\n    pass\n"})
    os.truncate(tree.root / "huge.py", 300_000_000)
    assert tree.names("plum")[:1] == ["huge.plum"]
    assert tree.names("pear")[:1] == ["apple.pear"]


def test_links_that_lead_in_circles_are_not_followed(tree: Any) -> None:
    tree.write({"pkg/apple.py": APPLE["apple.py"]})
    (tree.root / "pkg/again").symlink_to(tree.root, target_is_directory=True)
    (tree.root / "self.py").symlink_to("self.py")
    assert [name for name in tree.names("pear") if name.endswith("pear")] == ["pkg.apple.pear"]


def test_of_very_many_files_the_first_are_looked_at_and_that_is_said(
    tree: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_walk, "MAX_FILES", 100)
    monkeypatch.setattr(tree_walk, "_MAX_WALKED", 400)
    for folder in range(10):
        (tree.root / f"d{folder}").mkdir()
        for number in range(200):
            os.mknod(tree.root / f"d{folder}/m{number}.py", 0o644)
    tree.write({"a.py": "def apple():\n    pass\n"})
    found = tree.ask("find_symbols", query="apple")
    assert found["symbols"][0]["qualname"] == "a.apple"
    assert "only the first" in found["note"]
