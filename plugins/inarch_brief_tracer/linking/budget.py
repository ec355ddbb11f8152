"""How much linking may cost, by the size of the tree."""

from __future__ import annotations

from typing import NamedTuple

CALL, PROPERTY, DUNDER, DECORATOR, CALLBACK, FRAMEWORK = range(6)
EXACT, INFERRED, HIERARCHY, NAME = range(4)
"""Kinds and confidences of calls while they are linked: places in `CALL_KINDS` and `CONFIDENCES`."""


class Budget(NamedTuple):
    """How much linking may cost; where nothing is said, the size of the tree decides."""

    values: int = 0
    """Instances a set may hold before they are taken for anything."""
    functions: int = 0
    """Functions and classes a set may hold: a decorator wraps many."""
    overrides: int = 0
    """Classes derived from a receiver's that are looked at."""
    visits: int = 0
    """How often one statement is evaluated at most."""
    steps: float = 0.0
    """Statements evaluated at most, as a multiple of those there are."""


_SIZES = (
    (20_000, Budget(24, 64, 32, 6, 6)),
    (45_000, Budget(12, 32, 16, 4, 4)),
    (100_000, Budget(12, 64, 16, 2, 1.3)),
    (150_000, Budget(6, 8, 6, 2, 1.2)),
    (10**9, Budget(4, 6, 4, 2, 1.1)),
)
"""Statements of a tree, and what its sets may hold and its statements may cost: a large one is linked more coarsely."""


def sized(budget: Budget, count: int) -> Budget:
    """Fill a budget for a tree with so many statements."""
    usual = next(row for size, row in _SIZES if count <= size)
    return Budget._make(given or known for given, known in zip(budget, usual, strict=True))
