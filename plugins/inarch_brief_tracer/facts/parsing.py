"""From bytes to facts: one walk through a file's syntax tree gives what the search and what linking needs."""

from __future__ import annotations

import ast
import warnings

from inarch_brief_tracer.facts.file_facts import MODULE, Facts, Symbol
from inarch_brief_tracer.facts.link_facts import NOTHING, LinkFacts
from inarch_brief_tracer.facts.name_scan import light_facts
from inarch_brief_tracer.facts.outline import Outline
from inarch_brief_tracer.facts.source import Source, Undecodable, decoded
from inarch_brief_tracer.facts.statement_codes import compiled


def facts_of(data: bytes) -> Facts:
    """Extract the facts of a file; one that can't be parsed says why and keeps the names that a scan finds."""
    return examined(data)[0]


def as_text(data: bytes) -> str:
    """Give what can be read of a file, whatever it holds."""
    return data.replace(b"\0", b"").decode("utf-8", "replace")


def examined(data: bytes, light: bool = False) -> tuple[Facts, str, LinkFacts]:
    """Give a file's facts, its text, and what linking needs of it; nothing where there is no tree.

    `light` facts are found by scanning, where names and imports are enough.
    """
    try:
        text = decoded(data)
    except Undecodable as error:
        text = as_text(data)
        return light_facts(text, str(error)), text, NOTHING
    if light:
        return light_facts(text), text, NOTHING
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        outline = Outline(Source(text), [Symbol(MODULE, "", 1, 1)])
        links, sites = compiled(tree, outline)
        return outline.facts(tree, sites), text, links
    except SyntaxError as error:
        reason = f"line {error.lineno or 0}: {error.msg}"
    except (RecursionError, MemoryError):
        reason = "nested too deeply"
    except ValueError as error:
        reason = str(error)
    return light_facts(text, reason), text, NOTHING
