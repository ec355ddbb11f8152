"""Kinds of entry points and of calls, wherever they are found: in files, in manifests, in the graph."""

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
"""What a decorator of that name makes: listed when asked for by kind, no entries of paths."""
CALLS_IT = " calls it"
"""How an entry ends that is a method which a library calls of a class derived from one of its own."""


CALL_KINDS = ("call", "property", "dunder", "decorator", "callback", "framework")
CONFIDENCES = ("exact", "inferred", "hierarchy", "name")
"""How sure a call is, the surest first."""
CALLEE = (1 << 28) - 1
"""The bits of a callee in the key of an edge, above the three of its kind; those of the caller are above them."""
