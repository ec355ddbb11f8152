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


@pytest.mark.parametrize("annotation", ["Any", "T", "object", "Shown", "Shape | Any", "Unknown"])
def test_what_may_be_anything_admits_all(annotation: str) -> None:
    assert {"Text", "Word", "Disc"} <= shown(annotation)


def test_a_function_put_on_a_class_is_a_method_of_it() -> None:
    text = """
class A:
    def parts(self): pass
def shown(self): return self.parts()
A.__repr__ = shown
"""
    edges = link({"main.py": ("main", link_facts(ast.parse(text)))}).edges
    assert [(edge.caller, edge.callee) for edge in edges] == [("main.shown", "main.A.parts")]
