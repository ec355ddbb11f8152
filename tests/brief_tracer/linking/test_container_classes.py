"""Classes derived from builtin containers hold what is put into them; hooks of classes that everything uses."""

from __future__ import annotations

import ast
import textwrap

from inarch_brief.tracer.facts.statement_codes import link_facts
from inarch_brief.tracer.linking.link import link

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
