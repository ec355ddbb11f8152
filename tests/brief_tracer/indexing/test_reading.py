"""A tree is read in batches."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from inarch_brief.tracer.indexing import file_reader
from inarch_brief.tracer.indexing.index import Index, Look
from inarch_brief.tracer.store.database import Store

FILES = {
    f"pkg/m{number}.py": f'def apple{number}():\n    """Peel the apple {number}."""\n    return pear{number}()\n\n\n'
    f"def pear{number}():\n    return apple{(number + 1) % 7}\n"
    for number in range(7)
}
TESTS = {"tests/test_m.py": "from pkg.m1 import apple1\n\n\ndef test_apple():\n    assert apple1()\n"}
TABLES = {
    "files": "path, module, role, level, hash, unparsable, facts",
    "symbols": "id, file, place, name, dotted, kind, line, end, signature, doc, flags",
    "link_facts": "file, facts",
    "exports": "file, name, target",
    "search_documents": "file, line, end, kind, nature, name, qualified, summary",
}


def kept(folder: Path, tree: Any) -> dict[str, list[Any]]:
    """Index a tree and give the rows that this made."""
    index = Index(Store(str(folder), str(tree.root)), 60.0, 1.0)
    workspace = tree.workspace()
    try:
        with index.opened(Look(workspace)) as (connection, coverage):
            assert coverage.indexed == coverage.files
            return {name: rows(connection, name, columns) for name, columns in TABLES.items()}
    finally:
        index.links.close()
        workspace.close()


def rows(connection: sqlite3.Connection, table: str, columns: str) -> list[Any]:
    return sorted(connection.execute(f"SELECT {columns} FROM {table}").fetchall())


@pytest.mark.parametrize("size", [1, 150, 400])
def test_a_tree_larger_than_a_batch_gives_the_same_index(
    tree: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    tree.write({**FILES, **TESTS})
    at_once = kept(tmp_path / "one", tree)
    monkeypatch.setattr(file_reader, "BATCH_BYTES", size)
    assert kept(tmp_path / "two", tree) == at_once
