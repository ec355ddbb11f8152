"""Methods that libraries call of classes derived from theirs: hooks, which nothing in the tree has to call.

`outside_hooks.json` has one row for each family of bases: the libraries, how a base's name ends, the methods; the last
two as expressions.
"""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache
from pathlib import Path


@lru_cache(maxsize=4096)
def hooks_of(library: str, base: str) -> re.Pattern[str] | None:
    """Give what matches the methods that a library calls of classes derived from one of its own, None where unknown."""
    for ending, methods in _by_library().get(library, ()):
        if re.search(f"(?:{ending})$", base):
            return re.compile(methods)
    return None


@cache
def _by_library() -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for libraries, ending, methods in json.loads(Path(__file__).with_suffix(".json").read_text("utf-8")):
        for library in libraries.split("|"):
            found.setdefault(library, []).append((ending, methods))
    return found
