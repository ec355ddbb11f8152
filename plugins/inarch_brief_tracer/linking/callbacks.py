"""Functions that are handed to outside code: it calls them back, from where they are handed over."""

from __future__ import annotations

import re

from inarch_brief_tracer.linking.budget import CALLBACK, INFERRED, NAME
from inarch_brief_tracer.linking.cells import NO_ARGUMENTS, Arguments, Value
from inarch_brief_tracer.linking.linker import Linker
from inarch_brief_tracer.linking.values import Bound, Func, Guess, Instance, Partial

_RUNNING = re.compile(
    r"(add|apply|call|connect|emit|filter|finalize|listen|map|on|reduce|register|run|Fire|schedule|serve|spawn|start|submit"
    r"|subn?|subscribe|to_thread)(_|$)|.*(callback|Executor|Process|Server|Thread|Timer)$"
)
"""Names of functions outside that call what they are handed in any place."""
_TAKING = re.compile(
    r"(^|_)(action|callbacks?|default|factory|fn|func|function|handlers?|hooks?|initializer|key|target)$"
)
"""Names of parameters whose values are called, whatever they are handed to."""
MAX_DEPTH = 5
"""Partials within one another that are looked through."""


def hand_over(linker: Linker, arguments: Arguments, line: int, callee: str) -> None:
    """Note that what is called outside the tree calls functions that it is handed, as far as names say so."""
    if arguments is NO_ARGUMENTS or callee.startswith("<builtin>."):
        return
    runs = _RUNNING.match(callee.rpartition(".")[2])
    given = [*arguments.positional, arguments.rest] if runs else []
    given += [values for name, values in arguments.keywords.items() if _TAKING.search(name)]
    for values in given:
        for value in values:
            call_back(linker, value, line)


def call_back(linker: Linker, value: Value, line: int, depth: int = 0) -> None:
    """Note that outside code calls a value."""
    confidence = INFERRED
    if isinstance(value, Guess):
        value, confidence = value.value, NAME
    if isinstance(value, Func):
        linker.edge(value.scope, CALLBACK, confidence, line)
    elif isinstance(value, Bound):
        linker.edge(value.func.scope, CALLBACK, confidence, line)
    elif isinstance(value, Partial) and depth < MAX_DEPTH:
        for func in linker.read(value.func):
            call_back(linker, func, line, depth + 1)


_STARTING = {
    **dict.fromkeys(("threading.Thread.start", "multiprocessing.Process.start"), "run"),
    **dict.fromkeys(("ast.NodeVisitor.visit", "ast.NodeVisitor.generic_visit", "ast.NodeTransformer.visit"), "visit_"),
    "html.parser.HTMLParser.feed": "handle_",
}
"""Methods outside that call others of the object: the one of a name, or all that begin with it."""


def call_overriding(linker: Linker, receiver: Instance, name: str, line: int) -> None:
    """Note that a method which a class has from outside calls those that the class overrides."""
    called = _STARTING.get(name, "?")
    for cls in receiver.cls.ancestry:
        for own in [own for own in cls.class_cells if own == called or (called[-1] == "_" and own.startswith(called))]:
            for value in linker.read(cls.class_cells[own]):
                call_back(linker, value, line)
