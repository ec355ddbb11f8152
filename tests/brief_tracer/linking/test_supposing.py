"""Objects of which nothing is known but what is asked of them."""

from __future__ import annotations

import ast
import textwrap

from inarch_brief_tracer.facts.statement_codes import link_facts
from inarch_brief_tracer.linking.link import link

GRAPH = """
class Graph:
    def nodes(self): return Nodes()
    def is_directed(self): pass
    def __len__(self): pass
    def __iter__(self): yield 1
class Directed(Graph):
    def is_directed(self): pass
class Nodes:
    def __iter__(self): yield 1
class Other:
    def nodes(self): pass
"""


def found(text: str) -> dict[tuple[str, str], str]:
    """Link a module `main`; confidence by caller and callee, without the module's name."""
    files = {"main.py": ("main", link_facts(ast.parse(textwrap.dedent(text))))}
    return {
        (edge.caller.removeprefix("main."), edge.callee.removeprefix("main.")): edge.confidence
        for edge in link(files).edges
    }


def test_a_parameter_is_what_has_all_that_is_asked_of_it() -> None:
    edges = found(
        f"""{GRAPH}
def measure(graph):
    if graph.is_directed():
        return len(graph)
    for node in graph.nodes():
        print(node)
    for node in graph: pass
"""
    )
    for callee in ("Graph.is_directed", "Directed.is_directed", "Graph.__len__", "Graph.nodes", "Graph.__iter__"):
        assert edges["measure", callee] == "name", callee
    assert edges["measure", "Nodes.__iter__"] == "name"
    assert ("measure", "Other.nodes") not in edges


def test_what_follows_of_it_goes_on_into_the_functions_it_is_handed_to() -> None:
    edges = found(
        f"""{GRAPH}
def count(thing): return len(thing)
def measure(graph):
    graph.is_directed()
    count(graph)
"""
    )
    assert edges["count", "Graph.__len__"] == "name"
    assert edges["measure", "count"] == "exact"


def test_what_is_asked_for_more_than_any_class_has_stays_unknown() -> None:
    edges = found(
        f"""{GRAPH}
def measure(graph):
    graph.is_directed()
    graph.something_from_outside()
    len(graph)
"""
    )
    assert ("measure", "Graph.__len__") not in edges
    assert edges["measure", "Graph.is_directed"] == "name"


def test_what_several_unrelated_classes_have_stays_unknown() -> None:
    classes = "\n".join(
        f"class Shape{number}:\n    def outline(self): pass\n    def __len__(self): pass" for number in range(3)
    )
    edges = found(f"{classes}\ndef draw(shape):\n    shape.outline()\n    len(shape)\n")
    assert ("draw", "Shape0.__len__") not in edges


def test_what_is_known_is_not_supposed_to_be_anything_else() -> None:
    edges = found(
        f"""{GRAPH}
class Unit:
    def is_directed(self): pass
def measure(unit):
    unit.is_directed()
measure(Unit())
"""
    )
    assert {pair for pair in edges if pair[0] == "measure"} == {("measure", "Unit.is_directed")}
    assert edges["measure", "Unit.is_directed"] == "exact"
