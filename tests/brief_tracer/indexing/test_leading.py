"""Of a tree that is too large for one call, what a question leads to comes first, and every call gets on."""

from __future__ import annotations

import sqlite3
import threading
import time
from typing import Any

import pytest

from inarch_brief_tracer.graph.call_graph import Graph
from inarch_brief_tracer.indexing import background, index, relinking
from inarch_brief_tracer.indexing.index import Coverage, Index
from inarch_brief_tracer.indexing.leading import terms_of
from inarch_brief_tracer.indexing.looking import Look
from inarch_brief_tracer.store.database import Store

from ...forking import LONGEST_S

TARGET = {
    "zeta/inner/limits.py": "def default_timeout(request):\n    return 5\n",
    "zeta/inner/sending.py": "from zeta.inner.limits import default_timeout\n\n\ndef send(request):\n"
    "    return default_timeout(request)\n",
}
MANY = {f"alpha/m{number}.py": f"def apple{number}():\n    return {number}\n" for number in range(60)}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "FEW", 10)


def asked(tree: Any, about: str, seconds: float = 0.0, made: Index | None = None) -> tuple[list[str], Coverage]:
    """Ask as a new process would: who calls what, as far as it is linked, and how much of the tree is known."""
    made = made or Index(Store(str(tree.cache), str(tree.root)), seconds, 0.0, -1.0)
    workspace = tree.workspace()

    def answer(graph: Graph, coverage: Coverage) -> tuple[list[str], Coverage]:
        arcs = [graph.adjacency.arc(number) for number in range(len(graph.adjacency))]
        nodes = graph.nodes({end for arc in arcs for end in (arc.caller, arc.callee)})
        return [f"{nodes[arc.caller].qualname} > {nodes[arc.callee].qualname}" for arc in arcs], coverage

    try:
        return Look(workspace, about=about).graph(made, answer)
    finally:
        workspace.close()


def test_what_a_question_leads_to_is_read_and_linked_first(tree: Any) -> None:
    tree.write({**MANY, **TARGET})
    calls, coverage = asked(tree, "where is the default timeout of a request applied")
    assert calls == ["zeta.inner.sending.send > zeta.inner.limits.default_timeout"]
    assert coverage.indexed < coverage.files and f"indexed {coverage.indexed} of {coverage.files}" in str(coverage.note)
    assert coverage.linked == index.UNINDEXED


def test_every_call_gets_on_where_the_last_one_stopped_until_all_is_linked(tree: Any) -> None:
    callers = {f"beta/m{number}.py": "from alpha.m0 import apple0\ndef f():\n    apple0()\n" for number in range(20)}
    tree.write({**MANY, **TARGET, **callers})
    before, linked, known = 0, 0, 0
    while True:
        calls, coverage = asked(tree, "timeout")
        if coverage.indexed == coverage.files:
            break
        assert coverage.indexed > before
        before = coverage.indexed
    while "files are linked, the rest" in coverage.linked:
        number = int(coverage.linked.split()[0])
        assert number > linked or not linked
        assert len(calls) >= known
        linked, known = number, len(calls)
        calls, coverage = asked(tree, "timeout")
    assert len(calls) == 21 and "linked with what they import only" in coverage.linked
    calls, coverage = asked(tree, "timeout", made=Index(Store(str(tree.cache), str(tree.root)), 60.0, 60.0))
    assert len(calls) == 21 and not coverage.linked


def test_in_a_conversation_reading_and_linking_go_on_by_themselves(tree: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "SETTLED", 0.0)
    monkeypatch.setattr(relinking, "_SETTLED", 0.0)
    tree.write({**MANY, **TARGET})
    made = Index(Store(str(tree.cache), str(tree.root)), 0.0, 0.0, -1.0)
    workspace = tree.workspace()
    try:
        with made.opened(workspace, linked=True) as (_, coverage):
            assert coverage.indexed < coverage.files
        end = time.monotonic() + LONGEST_S
        while True:
            with sqlite3.connect(made.store.path) as connection:
                rows = connection.execute("SELECT a.mode FROM files f LEFT JOIN arcs a ON a.file = f.id").fetchall()
            connection.close()
            if rows == [("whole",)] * coverage.files:
                break
            assert time.monotonic() < end, rows
            time.sleep(0.02)
    finally:
        made.close()
        workspace.close()


def test_reading_in_the_background_ends_where_the_workspace_is_closed(
    tree: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "SETTLED", 0.3)
    tree.write({**MANY, "pyproject.toml": '[project]\nname = "x"\n[project.scripts]\nx = "alpha.m0:apple0"\n'})
    made = Index(Store(str(tree.cache), str(tree.root)), 0.0, 0.0, -1.0)
    workspace = tree.workspace()
    with made.opened(workspace, linked=True):
        pass
    workspace.close()
    end = time.monotonic() + LONGEST_S
    while any(thread.name == "inarch-reading" for thread in threading.enumerate()):
        assert time.monotonic() < end
        time.sleep(0.02)
    with made.store.connection() as connection:
        assert connection.execute("SELECT count(*) FROM files").fetchone()[0] < len(MANY)
    made.close()


def test_names_and_words_of_a_question_are_what_is_looked_for() -> None:
    assert set(terms_of("where does read_timeout validate the copies")) >= {"read_timeout", "read", "timeout", "valid"}
    assert terms_of("what is this?") == ()
