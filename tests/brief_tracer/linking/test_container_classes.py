"""Classes derived from builtin containers hold what is put into them; hooks of classes that everything uses."""

from __future__ import annotations

import ast
import textwrap

import pytest

from inarch_brief_tracer.facts.statement_codes import link_facts
from inarch_brief_tracer.linking.link import link

TREE = """
import collections
class Style:
    def apply(self): pass
class Table(dict): pass
class Rows(list):
    def first(self): return self[0]
class Ordered(collections.OrderedDict):
    def __setitem__(self, key, value): super().__setitem__(key, value)
"""


def found(text: str) -> dict[tuple[str, str], str]:
    """Link a module `main`; confidence by caller and callee, without the module's name."""
    files = {"main.py": ("main", link_facts(ast.parse(textwrap.dedent(text))))}
    return {
        (edge.caller.removeprefix("main."), edge.callee.removeprefix("main.")): edge.confidence
        for edge in link(files).edges
    }


@pytest.mark.parametrize(
    "body",
    [
        "table = Table(bold=Style())\n    table['bold'].apply()",
        "table = Table({'bold': Style()})\n    table.get('bold').apply()",
        "table = Table()\n    table['bold'] = Style()\n    for style in table.values(): style.apply()",
        "rows = Rows([Style()])\n    for row in rows: row.apply()",
        "rows = Rows()\n    rows.append(Style())\n    rows.first().apply()",
        "rows = Ordered()\n    rows['a'] = Style()\n    rows['a'].apply()",
    ],
)
def test_what_is_put_into_an_object_of_such_a_class_comes_out_again(body: str) -> None:
    assert found(f"{TREE}def run():\n    {body}\n")["run", "Style.apply"] != "name"


def test_classes_that_are_derived_from_containers_each_hold_their_own() -> None:
    edges = found(
        f"""{TREE}
class Rule:
    def apply(self): pass
class Rules(dict): pass
def run():
    table, rules = Table(), Rules()
    table['bold'], rules['first'] = Style(), Rule()
    rules['first'].apply()
"""
    )
    assert ("run", "Rule.apply") in edges
    assert ("run", "Style.apply") not in edges


@pytest.mark.parametrize(("places", "calls"), [(16, True), (17, False)])
def test_a_class_of_a_library_that_is_used_in_many_places_calls_back_from_none(places: int, calls: bool) -> None:
    users = "\n".join(f"def user{number}(): Element().moved()" for number in range(places))
    edges = found(f"import library\nclass Element(library.Node):\n    def insert(self): pass\n{users}\n")
    assert (("user0", "Element.insert") in edges) is calls
