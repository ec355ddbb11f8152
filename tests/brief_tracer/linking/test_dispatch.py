"""Dispatch: by parts of names, through tables of strings and registries, metaclasses and their mappings."""

from __future__ import annotations

from .snippets import calls


def test_a_visitor_reaches_all_methods_that_begin_so_and_hands_them_the_node() -> None:
    methods = "\n".join(f"    def visit_{kind}(self, node): node.text()" for kind in range(100))
    edges = calls(
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
        assert edges["Visitor.dispatch", f"Printer.visit_{kind}"][1] == "name"
        assert edges[f"Printer.visit_{kind}", "Node.text"][1] != "name"
    assert ("Printer.visit_1", "Other.text") not in edges


def test_modules_whose_names_stand_in_a_table_are_imported_though_they_are_many() -> None:
    names = ("one", "two", "three", "four", "five", "six")
    table = ", ".join(f"'{name}': 'parts.{name}'" for name in names)
    edges = calls(
        f"""
from importlib import import_module
TABLE = {{{table}}}
def run(): import_module(TABLE[input()]).start()
""",
        **{f"parts.{name}": "def start(): pass\ndef other(): pass" for name in names},
    )
    assert {callee for caller, callee in edges if caller == "run"} == {f"parts.{name}.start" for name in names}


def test_a_metaclass_reads_and_replaces_what_a_class_defines() -> None:
    edges = calls(
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


def test_whoever_runs_handlers_of_a_large_registry_calls_all_of_them() -> None:
    handlers = "\n".join(f"@bind('k{number}')\ndef handle_{number}(event): pass" for number in range(150))
    edges = calls(
        f"""
from typing import Callable
class Binding:
    def __init__(self, key, handler: Callable): self.handler = handler
    def run(self, event): self.handler(event)
def bind(key):
    def decorator(handler):
        Binding(key, handler)
        return handler
    return decorator
{handlers}
"""
    )
    for number in range(150):
        assert ("Binding.run", f"handle_{number}") in edges
