"""Of a tree that is too large for one call, what a question leads to comes first, and every call gets on."""

from __future__ import annotations

import sqlite3
import time
from typing import Any

import pytest

from inarch_brief.tracer.graph.call_graph import Graph
from inarch_brief.tracer.indexing import background, index, relink
from inarch_brief.tracer.indexing.index import Coverage, Index, Look
from inarch_brief.tracer.indexing.tree_walk import terms_of
from inarch_brief.tracer.store.database import Store

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


def test_in_a_conversation_reading_and_linking_go_on_by_themselves(tree: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "SETTLED", 0.0)
    monkeypatch.setattr(relink, "_SETTLED", 0.0)
    tree.write({**MANY, **TARGET})
    made = Index(Store(str(tree.cache), str(tree.root)), 0.0, 0.0, -1.0)
    workspace = tree.workspace()
    try:
        with made.opened(Look(workspace), linked=True) as (_, coverage):
            assert coverage.indexed < coverage.files
        end = time.monotonic() + LONGEST_S
        while True:
            with sqlite3.connect(made.store.path) as connection:
                rows = connection.execute("SELECT a.mode FROM files f LEFT JOIN linked a ON a.file = f.id").fetchall()
            connection.close()
            if rows == [("whole",)] * coverage.files:
                break
            assert time.monotonic() < end, rows
            time.sleep(0.02)
    finally:
        made.close()
        workspace.close()


def test_names_and_words_of_a_question_are_what_is_looked_for() -> None:
    assert set(terms_of("where does read_timeout validate the copies")) >= {"read_timeout", "read", "timeout", "valid"}
    assert terms_of("what is this?") == ()
