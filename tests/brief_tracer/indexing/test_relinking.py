"""The graph follows the files, and survives what happens to its store."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inarch_brief.tracer.indexing import relink
from inarch_brief.tracer.indexing.index import Look
from inarch_brief.tracer.indexing.partial_link import link_near
from inarch_brief.tracer.store.database import transaction
from inarch_brief.tracer.store.kept_files import Shelf

from ...forking import LONGEST_S

CHAIN = {"a.py": "from b import two\n\n\ndef one():\n    two()\n", "b.py": "def two():\n    pass\n"}


def test_arcs_follow_edits_deletions_and_renames(tree: Any, linking: Any) -> None:
    tree.write(CHAIN)
    linked = linking()
    assert linked.arcs() == {("a.one", "b.two", "call", "exact", 5)}
    tree.write({"b.py": "def zero():\n    pass\n\n\ndef two():\n    zero()\n"})
    assert {arc[:2] for arc in linked.arcs()} == {("a.one", "b.two"), ("b.two", "b.zero")}
    (tree.root / "b.py").rename(tree.root / "c.py")
    tree.write({"a.py": CHAIN["a.py"].replace("from b", "from c")})
    assert {arc[:2] for arc in linked.arcs()} == {("a.one", "c.two"), ("c.two", "c.zero")}
    (tree.root / "c.py").unlink()
    assert linked.arcs() == set()


def test_a_second_process_finds_the_graph_made(tree: Any, linking: Any) -> None:
    tree.write(CHAIN)
    made = linking().arcs()
    assert linking().arcs() == made != set()


@settings(max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=4)), max_size=5
    )
)
def test_after_any_edits_the_graph_is_as_if_new(tree: Any, linking: Any, edits: Any) -> None:
    def source(calls: list[tuple[int, int]]) -> str:
        lines = [f"import m{number}\n" for number in range(4)]
        lines += [f"class C{place}:\n    def run(self):\n        pass\n" for place in range(len(calls) % 3)]
        for place in range(3):
            own = [call for number, call in enumerate(calls) if number % 3 == place]
            lines.append(f"def f{place}():\n    pass\n" + "".join(f"    m{file}.f{name}()\n" for file, name in own))
        return "".join(lines)

    for path in tree.root.glob("*.py"):
        path.unlink()
    tree.write({f"m{number}.py": source([(number, 1)]) for number in range(4)})
    linking(cache="").arcs()  # imports what links: it would count as the cost of the first, kept, linking
    linked = linking()
    linked.arcs()
    for number, calls in edits:
        path = tree.root / f"m{number}.py"
        if not calls and path.exists():
            path.unlink()
        else:
            tree.write({f"m{number}.py": source(calls)})
        assert linked.whole_arcs() == linking(cache="").arcs()


def test_one_file_of_a_large_tree_is_linked_by_itself_at_first(tree: Any, linking: Any) -> None:
    tree.write({**CHAIN, "tests/test_b.py": "from b import two\n\n\ndef test_two():\n    two()\n"})
    linked = linking()
    before = linked.arcs()
    with linked.graph() as (graph, _):
        number = graph.find("a.py:1")[0].id
        file = graph.connection.execute("SELECT file FROM symbols WHERE id = ?", (number,)).fetchone()[0]
    workspace = tree.workspace()
    with linked.index.opened(Look(workspace)) as (connection, _):
        connection.execute("ROLLBACK")
        with transaction(connection):
            link_near(Shelf(connection, lambda path: None), [file])
        connection.execute("BEGIN")
    workspace.close()
    linked.index.links.close()
    assert linked.arcs() == before


def test_a_very_large_tree_is_linked_some_files_at_a_time(
    tree: Any, linking: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.write(CHAIN)
    at_once = linking(cache="").arcs()
    monkeypatch.setattr(relink, "LARGEST", 0)
    monkeypatch.setattr(relink, "TOGETHER", 1)
    assert linking().whole_arcs() == at_once != set()


def test_time_runs_out_and_the_graph_is_made_in_the_background(tree: Any, linking: Any) -> None:
    tree.write(CHAIN)
    linked = linking(seconds=0.0)
    with linked.graph() as (_, coverage):
        first = coverage.linked
    deadline = time.monotonic() + LONGEST_S
    while linked.arcs() == set() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert linked.arcs() != set()
    assert first == "" or "0 of 2 files are linked" in first


def test_tests_are_linked_after_the_code(tree: Any, linking: Any) -> None:
    tree.write({**CHAIN, "tests/test_b.py": "from b import two\n\n\ndef test_two():\n    two()\n"})
    linked = linking()
    assert ("test_b.test_two", "b.two") in {
        (caller.removeprefix("tests."), callee) for caller, callee, *_ in linked.arcs()
    }
    assert tree.names("test_two")


def test_a_store_damaged_anywhere_is_made_again(tree: Any) -> None:
    tree.write({**CHAIN, **{f"m{number}.py": f"def f{number}():\n    pass\n" for number in range(40)}})
    expected = _flow_or_error(tree)
    assert "two" in expected
    for seed in range(24):
        _flow_or_error(tree)
        (path,) = tree.cache.glob("*.sqlite")
        content = bytearray(path.read_bytes())
        start = 16 + seed * (len(content) - 600) // 24
        for place in range(start, start + 512):
            content[place] ^= 0xA5
        path.write_bytes(content)
        for beside in tree.cache.glob("*-*"):
            if beside.suffix != ".sqlite":
                beside.unlink(missing_ok=True)
        # Damage where nobody looks is not noticed; nothing may crash, and what is answered is right.
        assert _flow_or_error(tree) == expected


def _flow_or_error(tree: Any) -> str:
    """Ask as the tools do, which build a damaged index again."""
    from inarch_brief.tracer.graph.flows import flow_to
    from inarch_brief.tracer.indexing.index import Index, Look
    from inarch_brief.tracer.store.database import Store

    workspace = tree.workspace()
    index = Index(Store(str(tree.cache), str(tree.root)), 60.0, 60.0)
    try:

        def answer(graph: Any, _: Any) -> str:
            found = graph.find("b.two")
            return str([route.steps[0].node.qualname for route in flow_to(graph, found[0]).routes]) if found else "none"

        return Look(workspace).graph(index, answer)
    finally:
        index.links.close()
        workspace.close()


def test_damaged_link_facts_are_noticed(tree: Any, linking: Any) -> None:
    import sqlite3

    tree.write(CHAIN)
    linking().arcs()
    (path,) = tree.cache.glob("*.sqlite")
    connection = sqlite3.connect(path)
    connection.executescript("UPDATE link_facts SET facts = x'00'; DELETE FROM linked")
    connection.close()
    assert "a.one" in _flow_or_error(tree)


def test_indexes_of_other_versions_do_not_stay_for_ever(tree: Any, linking: Any) -> None:
    tree.write(CHAIN)
    linking().arcs()
    (path,) = tree.cache.glob("*.sqlite")
    old, young = (path.with_name(f"{path.name.partition('-v')[0]}-v{number}.1.sqlite") for number in (0, 1))
    for beside in (old, young):
        beside.write_bytes(b"")
    os.utime(old, (1_000_000_000, 1_000_000_000))
    path.unlink()
    linking().arcs()
    assert young.exists() and not old.exists()


def test_a_file_may_vanish_while_it_is_indexed(tree: Any, linking: Any) -> None:
    tree.write({**CHAIN, "tests/test_b.py": "def test_b():\n    pass\n"})
    linked = linking()
    reads = 0

    def progress(stage: str, done: int, total: int) -> None:
        nonlocal reads
        reads += 1
        (tree.root / "a.py").unlink(missing_ok=True)
        (tree.root / "tests/test_b.py").unlink(missing_ok=True)

    workspace = tree.workspace()
    with linked.index.opened(Look(workspace, progress=progress), linked=True) as (_, coverage):
        assert "can't be read" in (coverage.note or "")
    workspace.close()
    assert reads and linked.arcs() == set()


def test_other_languages_are_linked_a_part_with_each_call(tree: Any, linking: Any, tmp_path: Path) -> None:
    names = [f"m{number}" for number in range(4)]
    text = "import {{ m0 }} from './all';\nexport function {}() {{ m0(); one(); }}\n"
    tree.write({f"{name}.ts": text.format(name) for name in names})
    tree.write({"all.ts": "".join(f"export * from './{name}';\n" for name in names), "one.ts": "function one() {}\n"})
    whole = linking(cache=str(tmp_path / "at once")).arcs()
    notes = []
    while not notes or notes[-1]:  # each in a process of its own, with time for one call of the tree
        linked = linking(cache=str(tmp_path / "in parts"), seconds=0.0)
        with linked.graph() as (_, coverage):
            notes.append(coverage.linked)
        assert linked.arcs() <= whole and len(notes) < 20
    assert notes[0] == "1 of 6 files of other languages are linked, the next call continues"
    assert linked.arcs() == whole and len(whole) == 8
