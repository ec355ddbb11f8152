"""What is not linked yet is not told as knowledge."""

from __future__ import annotations

import sqlite3
from types import SimpleNamespace
from typing import Any, cast

from inarch_brief_tracer.answers.call_sites import Sites
from inarch_brief_tracer.answers.flow_text import UNLINKED, Story, told
from inarch_brief_tracer.answers.unknowns import as_known
from inarch_brief_tracer.graph.model import RANKS, Entry, Flow, Node, Route, Step

NODE = Node(1, "m.main", "function", "m.py", 1, 9, "code")
ALONE = Route(Entry(NODE, "orphan", "main", RANKS["orphan"], ""), (Step(NODE),), 0.0)


def graph(linked: int) -> Any:
    connection = sqlite3.connect(":memory:")
    connection.executescript("CREATE TABLE files (id, level); CREATE TABLE arcs (file);")
    connection.executemany("INSERT INTO files VALUES (?, 'full')", [(1,), (2,)])
    connection.executemany("INSERT INTO arcs VALUES (?)", [(number + 1,) for number in range(linked)])
    return cast(Any, SimpleNamespace(connection=connection))


def flow(linked: str = "") -> Flow:
    return Flow(NODE, (ALONE,), 1, {"orphan": 1}, {}, (), 0, linked)


def test_where_callers_are_not_linked_it_is_not_said_that_there_are_none() -> None:
    some = graph(1)
    unknown = as_known(some, flow("1 of 2 files are linked, the rest goes on"))
    some.connection.close()
    assert unknown.routes == ()
    text = told(Story(unknown), Sites(lambda path: None))
    assert "nothing known calls it" not in text
    assert UNLINKED in text


def test_where_all_is_linked_a_note_changes_nothing() -> None:
    all_of_it = graph(2)
    assert as_known(all_of_it, flow("linked coarsely")).routes == (ALONE,)
    assert as_known(all_of_it, flow()).routes == (ALONE,)
    all_of_it.connection.close()
