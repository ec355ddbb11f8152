"""What linking finds: functions, and the calls between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple

CALL_KINDS = ("call", "property", "dunder", "decorator", "callback", "framework")
CONFIDENCES = ("exact", "inferred", "hierarchy", "name")
"""How sure a call is, the surest first."""


class Fn(NamedTuple):
    """A function, class or module."""

    file: str
    qualname: str
    """`package.module.Class.method`, nested without `<locals>`; the body of a module is `package.module`.

    Where several files claim a module: `path:package.module.…`."""
    line: int


def label(module: str, path: str, shared: Collection[str]) -> str:
    """Name a module so that no other has the name: with its path where several files claim it."""
    return f"{path}:{module}" if module in shared else module


def shared_modules(files: Mapping[str, tuple[str, object]]) -> frozenset[str]:
    """Give the module names that several files claim; module by path."""
    counts = Counter(module for module, _ in files.values())
    return frozenset(module for module, count in counts.items() if count > 1)


class Edge(NamedTuple):
    """One function calls another."""

    caller: str
    callee: str
    kind: str
    """call, property, dunder, callback, decorator or framework."""
    confidence: str
    """exact, inferred, hierarchy or name."""
    line: int
    """Of the call site, in the caller's file."""


class Linked(NamedTuple):
    """What linking found."""

    edges: tuple[Edge, ...]
    complete: bool
    """Whether the worklist was worked off."""
    work: int
    """Statements evaluated."""
    notes: tuple[str, ...] = ()
    functions: tuple[Fn, ...] = ()
