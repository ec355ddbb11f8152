"""Linked snippets."""

from __future__ import annotations

import ast
import textwrap

from inarch_brief.tracer.facts.statement_codes import link_facts
from inarch_brief.tracer.linking.link import link


def calls(text: str, **others: str) -> dict[tuple[str, str], tuple[str, str]]:
    """Link a module `main` and others; kind and confidence by caller and callee, without the module's name."""
    texts = {"main": text, **others}
    files = {f"{name}.py": (name, link_facts(ast.parse(textwrap.dedent(one)))) for name, one in texts.items()}
    return {
        (edge.caller.removeprefix("main."), edge.callee.removeprefix("main.")): (edge.kind, edge.confidence)
        for edge in link(files).edges
    }
