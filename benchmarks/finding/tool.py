"""The tool `find_symbols` as a system of `score.py`: what the tracer's index answers.

python benchmarks/finding/score.py tool:found bm25
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from score import Answer
from sets import Place

import inarch
from inarch_search.confidence import SURE

DEEPEST = 100
"""Places that are asked for: the most the tool gives."""


@cache
def composed(root: Path) -> inarch.App:
    """Compose Inarch once for each tree."""
    return inarch.compose(root=str(root), config={})


def found(question: str, root: Path, language: str) -> Answer:
    """Answer a question about a tree; of the language nothing is made."""
    result = asyncio.run(composed(root).call_tool("find_symbols", {"query": question, "limit": DEEPEST}))
    if not result.success:
        raise SystemExit(f"{root.name}: {result.error}")
    places = [place_of(symbol) for symbol in result.data["symbols"] if symbol["kind"] != "module"]
    return Answer(places, result.data["confidence"] >= SURE)


def place_of(symbol: Mapping[str, Any]) -> Place:
    """Take the module, which the path ends with, off a qualified name."""
    stem = symbol["file"].rpartition(".")[0]
    if symbol["qualname"].startswith(f"{stem}."):  # of another language than Python
        return Place(symbol["file"], symbol["qualname"][len(stem) + 1 :])
    path = symbol["file"].removesuffix(".py").removesuffix("/__init__").split("/")
    parts = symbol["qualname"].split(".")
    module = max((count for count in range(1, len(parts)) if path[-count:] == parts[:count]), default=0)
    return Place(symbol["file"], ".".join(parts[module:]))
