"""Kinds of calls, how sure one is, and its key; apart from the calls, for a graph that is read links nothing."""

from __future__ import annotations

CALL_KINDS = ("call", "property", "dunder", "decorator", "callback", "framework")
CONFIDENCES = ("exact", "inferred", "hierarchy", "name")
"""How sure a call is, the surest first."""
CALLEE = (1 << 28) - 1
"""The bits of a callee in the key of an edge, above the three of its kind; those of the caller are above them."""
