"""The index follows the files, and survives what happens to its own file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


def database(tree: Any) -> Path:
    (found,) = Path(tree.cache).glob("*.sqlite")
    return found


def age(tree: Any) -> None:
    """Make every file old, so that its stamp is trusted."""
    for path in tree.root.rglob("*.py"):
        os.utime(path, (1_000_000_000.5, 1_000_000_000.5))


def test_edits_deletions_and_renames_are_seen(tree: Any) -> None:
    tree.write({"a.py": "def apple(): pass\n", "b.py": "def banana(): pass\n"})
    assert tree.names("apple") == ["a.apple"]
    tree.write({"a.py": "def cherry(): pass\n"})
    assert tree.names("apple") == [] and tree.names("cherry") == ["a.cherry"]
    (tree.root / "a.py").rename(tree.root / "d.py")
    assert tree.names("cherry") == ["d.cherry"]
    (tree.root / "b.py").unlink()
    assert tree.names("banana") == []


def test_an_edit_of_equal_size_and_time_is_seen(tree: Any) -> None:
    tree.write({"a.py": "def apple(): pass\n"})
    age(tree)
    assert tree.names("apple") == ["a.apple"]
    tree.write({"a.py": "def mango(): pass\n"})
    age(tree)
    assert tree.names("mango") == ["a.mango"]


def test_a_new_init_renames_the_modules_beside_it(tree: Any) -> None:
    tree.write({"x-1/pkg/inner/a.py": "def apple(): pass\n"})
    assert tree.names("apple") == ["pkg.inner.a.apple"]
    tree.write({"x-1/pkg/inner/__init__.py": ""})
    assert tree.names("apple") == ["inner.a.apple"]


def test_one_process_sees_what_changed_between_turns(tree: Any) -> None:
    tree.write({"a.py": "def apple(): pass\n"})
    ask = tree.asking()
    assert ask("find_symbols", query="apple")["symbols"]
    tree.write({"b.py": "def banana(): pass\n"})
    assert ask("find_symbols", query="banana")["symbols"]


def test_an_unwritable_cache_is_said_and_done_without(tree: Any, tmp_path: Path) -> None:
    tree.write({"a.py": "def apple(): pass\n"})
    tree.cache = tmp_path / "file" / "cache"
    (tmp_path / "file").write_text("no folder")
    ask = tree.asking()
    found = ask("find_symbols", query="apple")
    assert found["symbols"][0]["qualname"] == "a.apple" and "memory" in found["note"]
    tree.write({"b.py": "def banana(): pass\n"})
    assert ask("find_symbols", query="banana")["symbols"]


def test_the_kept_index_is_the_users_own(tree: Any) -> None:
    tree.write({"a.py": "def apple(): pass\n"})
    tree.names("apple")
    assert database(tree).stat().st_mode & 0o077 == 0


def test_time_runs_out_and_the_next_call_goes_on(tree: Any) -> None:
    tree.write({f"m{number}.py": f"def apple{number}(): pass\n" for number in range(5)})
    tree.seconds = -1.0
    found = tree.ask("find_symbols", query="apple4")
    assert "apple4" not in str(found["symbols"]) and "indexed 4 of 5 files" in found["note"]
    tree.seconds = 60.0
    found = tree.ask("find_symbols", query="apple4")
    assert found["symbols"] and found["note"] is None


def test_no_python_is_said(tree: Any) -> None:
    tree.write({"main.kt": "package main\n"})
    assert "no Python files" in tree.ask("find_symbols", query="main")["note"]
    assert tree.ask("context_get", query="main")["target"] is None


def test_ignored_files_are_not_indexed(tree: Any) -> None:
    tree.write({".gitignore": "gen/\n", "gen/a.py": "def apple(): pass\n", "b.py": "def apple(): pass\n"})
    (tree.root / ".git").mkdir()
    assert tree.names("apple") == ["b.apple"]


def test_product_code_that_cannot_be_parsed_is_named(tree: Any) -> None:
    tree.write({"old.py": "print 'x'\n", "tests/test_old.py": "print 'x'\n", "a.py": "def apple(): pass\n"})
    note = tree.ask("find_symbols", query="apple")["note"]
    assert note.startswith("can't parse old.py (line 1") and "more" not in note
