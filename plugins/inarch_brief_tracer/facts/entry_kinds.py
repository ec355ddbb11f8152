"""Kinds of entry points, wherever they are found: in files, in manifests, in the graph."""

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
