"""Entry points that frameworks make besides commands and routes: tasks, signals, hooks, handlers, views."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from inarch_brief_tracer.facts.entry_kinds import CALLS_IT, HANDLER, HOOK, SIGNAL, TASK, VIEW
from inarch_brief_tracer.facts.file_facts import CLASS, FUNCTION, METHOD, Call, Facts, Symbol
from inarch_brief_tracer.facts.outside_hooks import hooks_of

MOUNT = "mount"
"""No entry: a router that is mounted under a prefix, kept beside them."""
_MOUNTS = {"include_router": "prefix", "register_blueprint": "url_prefix"}
FRAMEWORK_KINDS = (VIEW, TASK, SIGNAL, HOOK, HANDLER)

_TASKS = frozenset(("task", "shared_task", "periodic_task", "db_task", "db_periodic_task", "actor", "job"))
_TASK_LIBRARIES = frozenset(
    ("celery", "huey", "dramatiq", "rq", "django_rq", "arq", "taskiq", "procrastinate", "invoke", "fabric", "prefect")
)
_HANDLERS = frozenset(
    {
        *("errorhandler", "app_errorhandler", "exception_handler", "context_processor", "app_context_processor"),
        *("before_request", "after_request", "teardown_request", "teardown_appcontext", "before_serving"),
        *("before_app_request", "after_app_request", "teardown_app_request", "after_serving", "middleware"),
        *("url_value_preprocessor", "url_defaults", "on_event", "event_handler", "event_listener", "subscribe"),
        *("message_handler", "callback_query_handler", "user_loader", "listens_for", "event", "on_message"),
    }
)
_REGISTER_HANDLER = frozenset(
    {
        *("add_event_handler", "add_exception_handler", "add_middleware", "add_signal_handler", "add_handler"),
        *("add_listener", "subscribe", "add_job", "register_error_handler", "set_defaults"),
    }
)
_REGISTER_ROUTE = frozenset(("add_get", "add_post", "add_put", "add_delete", "add_patch"))
FRAMEWORK_REGISTRATIONS = _REGISTER_HANDLER | _REGISTER_ROUTE | _MOUNTS.keys() | {"connect", "register", "signal"}
"""Names of calls whose arguments tell of an entry point."""

RUNNERS = frozenset(("typer.run", "fire.Fire", "Fire", "argh.dispatch_command", "plac.call", "defopt.run"))
"""What is handed a function and makes a program of it."""

_WEB = frozenset(
    (
        "django",
        "rest_framework",
        "flask",
        "flask_restful",
        "quart",
        "starlette",
        "fastapi",
        "tornado",
        "aiohttp",
        "sanic",
    )
)
_VIEW_BASE = re.compile(r"(?:View|ViewSet|ViewSetMixin|Resource|HTTPEndpoint|WebSocketEndpoint|RequestHandler)$")
_VIEW_METHODS = frozenset(
    {
        *("get", "post", "put", "patch", "delete", "head", "options", "list", "retrieve", "create", "update"),
        *("destroy", "partial_update", "dispatch", "on_connect", "on_receive", "handle"),
    }
)
_NAME = re.compile(r"[A-Za-z_][\w.]*")


class EntryPoint(NamedTuple):
    """A place where a program is entered.

    `target` is the dotted text of what runs, where that is another name than the symbol at `place`; of a command the
    object whose decorator it bears, which is a group or an application if it is a command at all.
    """

    kind: str
    name: str
    place: int
    line: int
    how: str
    target: str = ""


def framework_entries(facts: Facts) -> Iterator[EntryPoint]:
    """Give the entry points that frameworks make of a file of product code."""
    libraries = {item.name: item.module.partition(".")[0] for item in facts.imports if not item.level}
    imported = frozenset(libraries.values())
    views = _views(facts, imported)
    hooks = _hooks(facts, libraries)
    for place, symbol in enumerate(facts.symbols):
        for text in symbol.decorators:
            yield from _decorated(place, symbol, text, libraries)
        short = symbol.name.rpartition(".")[2]
        if symbol.kind == FUNCTION and short.startswith("pytest_") and "." not in symbol.name and "pytest" in imported:
            yield EntryPoint(HOOK, short, place, symbol.line, "pytest hook")
        elif symbol.kind == METHOD and symbol.name.rpartition(".")[0] in views and _answers(short):
            yield EntryPoint(VIEW, symbol.name, place, symbol.line, "method of a view")
        elif symbol.kind == METHOD and (made := hooks.get(symbol.name.rpartition(".")[0])) and made[1].fullmatch(short):
            yield EntryPoint(HOOK, symbol.name, place, symbol.line, f"{made[0]}{CALLS_IT}")
    for call in facts.calls:
        if call.text:
            yield from _registered(call, libraries)


def _hooks(facts: Facts, libraries: dict[str, str]) -> dict[str, tuple[str, re.Pattern[str]]]:
    """Give, for each class that is made for a library, what matches the methods of it that this calls."""
    found: dict[str, tuple[str, re.Pattern[str]]] = {}
    for symbol in facts.symbols:
        for base in symbol.bases if symbol.kind == CLASS else ():
            dotted = base.partition("[")[0]
            library = libraries.get(dotted.partition(".")[0], "")
            methods = hooks_of(library, dotted.rpartition(".")[2]) if library else None
            known = (library, methods) if methods else found.get(dotted)
            if known:
                found.setdefault(symbol.name, known)
    return found


def _answers(method: str) -> bool:
    return method in _VIEW_METHODS or method.startswith("do_")


def _views(facts: Facts, imported: Iterable[str]) -> frozenset[str]:
    """Give the classes that answer requests: by the name of a base, where a web framework is imported."""
    known = _WEB.intersection(imported) or {"http", "socketserver"}.intersection(imported)
    if not known:
        return frozenset()
    return frozenset(
        symbol.name
        for symbol in facts.symbols
        if symbol.kind == CLASS and any(_VIEW_BASE.search(base.partition("[")[0]) for base in symbol.bases)
    )


def _decorated(place: int, symbol: Symbol, text: str, libraries: dict[str, str]) -> Iterator[EntryPoint]:
    dotted = text.partition("(")[0]
    owner, _, last = dotted.rpartition(".")
    library = libraries.get(dotted.partition(".")[0], "")
    kind = ""
    if last in _TASKS and (library in _TASK_LIBRARIES or (owner and last == "task")):
        kind = TASK
    elif (last == "receiver" and library in ("django", "blinker")) or (owner and last in ("connect", "connect_via")):
        kind = SIGNAL
    elif last.endswith("hookimpl"):
        kind = HOOK
    elif last == "api_view" or (last == "action" and library == "rest_framework"):
        kind = VIEW
    elif (owner and last in _HANDLERS) or dotted == "atexit.register" or last == "listens_for":
        kind = HANDLER
    if kind:
        yield EntryPoint(kind, symbol.name, place, symbol.line, f"@{dotted}")


def _registered(call: Call, libraries: dict[str, str]) -> Iterator[EntryPoint]:
    """Read a call that is given what is to be run: only what proves to be a function counts, later."""
    owner, _, last = call.callee.rpartition(".")
    parts = [part.strip() for part in call.text.split(", ")]
    named = {name.strip(): value.strip() for part in parts for name, mark, value in [part.partition("=")] if mark}
    plain = [part for part in parts if _NAME.fullmatch(part)]
    if call.callee == "beat_schedule" and len(parts) == 2:
        yield EntryPoint(TASK, parts[0].strip("'\""), call.scope, call.line, "celery beat", parts[1])
        return
    if last in _MOUNTS and plain[:1] == parts[:1]:
        yield EntryPoint(MOUNT, named.get(_MOUNTS[last], "").strip("'\""), call.scope, call.line, call.callee, parts[0])
        return
    kind, target = "", ""
    if last == "connect" and owner:
        kind, target = SIGNAL, named.get("receiver") or (plain[0] if plain and plain[0] == parts[0] else "")
    elif last == "set_defaults":
        kind, target = HANDLER, named.get("func") or named.get("handler") or named.get("run") or ""
    elif (last == "register" and owner == "atexit") or last in _REGISTER_HANDLER:
        kind, target = HANDLER, plain[0] if owner == "atexit" and plain else (plain[-1] if plain else "")
    elif last == "signal" and (owner == "signal" or libraries.get("signal") == "signal"):
        kind, target = HANDLER, plain[-1] if len(parts) == 2 and plain else ""
    elif last in _REGISTER_ROUTE:
        kind, target = VIEW, plain[-1] if plain else ""
    if kind and _NAME.fullmatch(target):
        yield EntryPoint(kind, target, call.scope, call.line, f"{last}()", target)
