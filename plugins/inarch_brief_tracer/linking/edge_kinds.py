"""Kinds of calls, and how sure one is; apart from the calls, for a graph that is read links nothing."""

from __future__ import annotations

CALL_KINDS = ("call", "property", "dunder", "decorator", "callback", "framework")
CONFIDENCES = ("exact", "inferred", "hierarchy", "name")
"""How sure a call is, the surest first."""
