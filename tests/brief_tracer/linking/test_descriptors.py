"""Descriptors that decorate functions: each gives what its own function gives."""

from __future__ import annotations

import ast
import textwrap

from inarch_brief_tracer.facts.statement_codes import link_facts
from inarch_brief_tracer.linking.link import link


def found(text: str) -> dict[tuple[str, str], str]:
    """Link a module `main`; confidence by caller and callee, without the module's name."""
    files = {"main.py": ("main", link_facts(ast.parse(textwrap.dedent(text))))}
    return {
        (edge.caller.removeprefix("main."), edge.callee.removeprefix("main.")): edge.confidence
        for edge in link(files).edges
    }


MEMOIZED = """
class memoized:
    def __init__(self, func): self.func = func
    def __get__(self, instance, owner): return self.func(instance)
class Headers:
    def find(self): pass
class Cookies:
    def find(self): pass
class Request:
    @memoized
    def headers(self): return Headers()
    @memoized
    def cookies(self): return Cookies()
    def run(self): self.headers.find()
"""


def test_a_descriptor_that_gives_a_method_is_called_as_such() -> None:
    edges = found(
        """
class method_of:
    def __init__(self, func): self.func = func
    def __get__(self, instance, owner): return self.bind
    def bind(self, *given): return self.func(*given)
class Job:
    @method_of
    def start(self): pass
    def run(self): self.start()
"""
    )
    assert ("Job.run", "method_of.__get__") in edges
    assert ("Job.run", "method_of.bind") in edges
    assert ("method_of.bind", "Job.start") in edges


def test_a_descriptor_over_a_property_of_the_library_gives_what_its_function_gives() -> None:
    edges = found(
        """
class kept(property):
    def __get__(self, instance, owner): return super().__get__(instance, owner)
class Form:
    def fields(self): pass
class View:
    @kept
    def form(self): return Form()
    def run(self): self.form.fields()
"""
    )
    assert ("View.run", "Form.fields") in edges
    assert ("View.run", "kept.__get__") in edges
