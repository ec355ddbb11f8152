"""Dispatch: by parts of names, by names that are unknown, through tables of strings, metaclasses and their mappings."""

from __future__ import annotations

import ast
import textwrap

from inarch_brief.tracer.facts.statement_codes import link_facts
from inarch_brief.tracer.linking.link import link


def found(text: str, **others: str) -> dict[tuple[str, str], str]:
    """Link a module `main` and others; confidence by caller and callee, without the module's name."""
    texts = {"main": text, **others}
    files = {f"{name}.py": (name, link_facts(ast.parse(textwrap.dedent(one)))) for name, one in texts.items()}
    return {
        (edge.caller.removeprefix("main."), edge.callee.removeprefix("main.")): edge.confidence
        for edge in link(files).edges
    }


def test_a_visitor_reaches_all_methods_that_begin_so_and_hands_them_the_node() -> None:
    methods = "\n".join(f"    def visit_{kind}(self, node): node.text()" for kind in range(100))
    edges = found(
        f"""
class Node:
    def text(self): pass
    def accept(self, visitor): visitor.dispatch(self)
class Visitor:
    def dispatch(self, node):
        method = getattr(self, "visit_" + node.kind)
        return method(node)
class Printer(Visitor):
{methods}
class Other:
    def text(self): pass
class Third(Other):
    def text(self): pass
class Fourth(Other):
    def text(self): pass
def run(): Node().accept(Printer())
"""
    )
    for kind in range(100):
        assert edges["Visitor.dispatch", f"Printer.visit_{kind}"] == "name"
        assert edges[f"Printer.visit_{kind}", "Node.text"] != "name"
    assert ("Printer.visit_1", "Other.text") not in edges


def test_modules_whose_names_stand_in_a_table_are_imported_though_they_are_many() -> None:
    names = ("one", "two", "three", "four", "five", "six")
    table = ", ".join(f"'{name}': 'parts.{name}'" for name in names)
    edges = found(
        f"""
from importlib import import_module
TABLE = {{{table}}}
def run(): import_module(TABLE[input()]).start()
""",
        **{f"parts.{name}": "def start(): pass\ndef other(): pass" for name in names},
    )
    assert {callee for caller, callee in edges if caller == "run"} == {f"parts.{name}.start" for name in names}


def test_a_metaclass_reads_and_replaces_what_a_class_defines() -> None:
    edges = found(
        """
def counted(function):
    def wrapper(text): return function(text)
    return staticmethod(wrapper)
class Meta(type):
    def __new__(mcs, name, bases, attributes):
        if "weigh" in attributes:
            attributes["weigh"] = counted(attributes["weigh"])
        return super().__new__(mcs, name, bases, attributes)
class Base(metaclass=Meta):
    pass
class Light(Base):
    def weigh(text): pass
class Plain:
    def weigh(text): pass
def run(): Light.weigh("")
"""
    )
    assert ("run", "counted.wrapper") in edges
    assert ("counted.wrapper", "Light.weigh") in edges
    assert ("counted.wrapper", "Plain.weigh") not in edges
