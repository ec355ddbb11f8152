"""Many of one kind: registries of handlers."""

from __future__ import annotations

import ast
import textwrap

from inarch_brief.tracer.facts.statement_codes import link_facts
from inarch_brief.tracer.linking.link import link


def found(text: str) -> dict[tuple[str, str], str]:
    """Link a module `main`; confidence by caller and callee, without the module's name."""
    files = {"main.py": ("main", link_facts(ast.parse(textwrap.dedent(text))))}
    return {
        (edge.caller.removeprefix("main."), edge.callee.removeprefix("main.")): edge.confidence
        for edge in link(files).edges
    }


def test_whoever_runs_handlers_of_a_large_registry_calls_all_of_them() -> None:
    handlers = "\n".join(f"@bind('k{number}')\ndef handle_{number}(event): pass" for number in range(150))
    edges = found(
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
