"""Annotations: what they promise, and what they keep out."""

from __future__ import annotations

import ast
import textwrap

import pytest

from inarch_brief_tracer.facts.statement_codes import link_facts
from inarch_brief_tracer.linking.link import link

HEAD = """
from typing import Any, Literal, Optional, Protocol, TypeVar, Union
T = TypeVar("T")
class Text:
    def __repr__(self): pass
    def __str__(self): pass
class Word(str):
    def __str__(self): pass
class Shape:
    def __str__(self): pass
class Disc(Shape):
    def __str__(self): pass
class Shown(Protocol):
    def __str__(self): pass
Style = Union[str, "Shape"]
"""


def shown(annotation: str) -> set[str]:
    """Give what putting a parameter into a text calls, when anything is handed over."""
    text = f"""{HEAD}
def show(x: {annotation}):
    return f"{{x}}"
show(Text()); show(Word()); show(Disc()); show("")
"""
    edges = link({"main.py": ("main", link_facts(ast.parse(textwrap.dedent(text))))}).edges
    return {edge.callee.split(".")[1] for edge in edges if edge.caller == "main.show"}


@pytest.mark.parametrize("annotation", ["str", '"str | None"', "Optional[str]", "Union[int, bytes]", 'Literal["a"]'])
def test_texts_and_numbers_are_no_objects_of_other_classes(annotation: str) -> None:
    assert shown(annotation) == {"Word"}


@pytest.mark.parametrize("annotation", ["Shape", "str | Shape", '"Shape | None"', "Style"])
def test_a_class_admits_what_is_derived_from_it(annotation: str) -> None:
    assert shown(annotation) == {"Word", "Shape", "Disc"}


@pytest.mark.parametrize("annotation", ["Any", "T", "object", "Shown", "Shape | Any", "Unknown"])
def test_what_may_be_anything_admits_all(annotation: str) -> None:
    assert {"Text", "Word", "Disc"} <= shown(annotation)


def test_attributes_returns_and_variables_are_as_they_are_annotated() -> None:
    text = f"""{HEAD}
class Item:
    kind: str
    def __init__(self, kind, name):
        self.kind = kind
        self.name: str = name
def make(x) -> str: return x
def one(item: Item): return f"{{item.kind}}"
def two(item: Item): return f"{{item.name}}"
def three(x): return f"{{make(x)}}"
def four(x):
    local: str = x
    return f"{{local}}"
item = Item(Text(), Text())
one(item); two(item); three(Text()); four(Text())
"""
    edges = link({"main.py": ("main", link_facts(ast.parse(text)))}).edges
    assert not [edge for edge in edges if edge.callee.startswith("main.Text.")]


def test_a_function_put_on_a_class_is_a_method_of_it() -> None:
    text = """
class A:
    def parts(self): pass
def shown(self): return self.parts()
A.__repr__ = shown
"""
    edges = link({"main.py": ("main", link_facts(ast.parse(text)))}).edges
    assert [(edge.caller, edge.callee) for edge in edges] == [("main.shown", "main.A.parts")]
