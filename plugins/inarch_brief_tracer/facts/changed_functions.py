"""Which definitions of a file differ between two versions of it."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Iterator

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def changed_lines(before: bytes, now: bytes) -> list[int] | None:
    """Give the lines on which functions stand that are new or not what they were; None where that can't be told.

    Only what a function does counts: neither where it stands, nor comments, nor functions inside it.
    """
    old, new = _definitions(before), _definitions(now)
    if old is None or new is None:
        return None
    left = Counter((name, text) for name, text, _ in old)
    found = []
    for name, text, line in new:
        if left[name, text]:
            left[name, text] -= 1
        else:
            found.append(line)
    return found


def _definitions(data: bytes) -> list[tuple[str, str, int]] | None:
    """Give each function's dotted name, its own code and its line."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return list(_inside(ast.parse(data), ""))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _inside(node: ast.AST, around: str) -> Iterator[tuple[str, str, int]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _DEFINITIONS):
            name = f"{around}.{child.name}"
            inner = [item for item in ast.walk(child) if isinstance(item, _DEFINITIONS) and item is not child]
            text = ast.dump(child)
            for item in inner:
                text = text.replace(ast.dump(item), item.name)
            yield name, text, child.lineno
            yield from _inside(child, name)
        else:
            yield from _inside(child, f"{around}.{child.name}" if isinstance(child, ast.ClassDef) else around)
