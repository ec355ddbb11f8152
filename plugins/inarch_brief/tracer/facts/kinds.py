"""Kinds of entry points and of calls in files, in manifests and in the graph."""

from __future__ import annotations

SCRIPT, MAIN, COMMAND, MANAGEMENT, ROUTE, VIEW = "script", "main", "command", "management-command", "route", "view"
TASK, SIGNAL, HOOK, HANDLER = "task", "signal", "hook", "handler"
TEST, FIXTURE, API, ORPHAN = "test", "fixture", "api", "orphan"
COROUTINE, DATACLASS = "coroutine", "dataclass"

ENTRY_KINDS = (
    SCRIPT, MAIN, COMMAND, MANAGEMENT, ROUTE, VIEW, TASK, SIGNAL, HOOK, HANDLER, TEST, FIXTURE, API, ORPHAN,
    COROUTINE, DATACLASS,
)  # fmt: skip
"""Kinds of entry points, the most telling first."""
DECORATED = (FIXTURE, COROUTINE, DATACLASS)
"""Kinds named after a decorator. They are listed on request, but paths do not start there."""
CALLS_IT = " calls it"
"""The end of `how` for a method that a library calls on a class derived from one of its own."""


CALL_KINDS = ("call", "property", "dunder", "decorator", "callback", "framework")
CONFIDENCES = ("exact", "inferred", "hierarchy", "name")
"""Confidences of a call, the highest first."""
CALLEE = (1 << 28) - 1
"""The bits of a callee in the key of an edge, above the three of its kind. The caller's are above them."""
