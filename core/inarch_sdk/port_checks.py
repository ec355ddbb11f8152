"""Checks of the objects that registration hooks return: members of each port, names, and schemas of tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import iscoroutinefunction, isfunction
from typing import Any, NamedTuple, get_args

from inarch.contract.capabilities import Converses, able
from inarch.contract.event_parts import RESERVED, EventKind
from inarch.contract.front_ends import FrontEndSpec
from inarch.contract.records import Category
from inarch.contract.session_extensions import SessionExtension
from inarch.contract.slash_commands import SlashCommand
from inarch.contract.stores import StoreSpec
from inarch.contract.workspaces import WorkspaceSpec
from inarch_lib.schemas.validation import reference_fault

_EVENT_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_TOOL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_COMMAND_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}")
_NAMES = {"tools": (_TOOL_NAME, "_"), "slash_commands": (_COMMAND_NAME, "_.:-")}
_PLAIN = "is called as a plain function"
_WITHOUT_YIELD = {"answer": "has to be a generator: it yields deltas"}
_CATEGORIES = frozenset(get_args(Category))


class Port(NamedTuple):
    """Requirements on the objects of one hook.

    `claims`: names are unique among all plugins. `coroutines`: the methods that may be `async def`.
    """

    noun: str
    claims: bool
    methods: tuple[str, ...] = ()
    texts: tuple[str, ...] = ("name",)
    coroutines: tuple[str, ...] = ()
    cls: type | None = None


PORTS: dict[str, Port] = {
    "tools": Port("tool", True, ("effects", "run"), ("name", "description"), ("run",)),
    "models": Port(
        "model provider",
        True,
        ("answer", "models", "limits", "price", "close"),
        ("name", "default_model", "default_decision_model"),
        ("models", "close"),
    ),
    "strategies": Port("decision strategy", True, ("decide",), coroutines=("decide",)),
    "stores": Port("store", True, ("open",), cls=StoreSpec),
    "tracers": Port("tracer", False, ("saw", "summary", "close")),
    "workspaces": Port("workspace", True, ("open",), cls=WorkspaceSpec),
    "context_sources": Port("context source", False, ("gather",), coroutines=("gather",)),
    "compactions": Port("compaction", False, ("compact",), coroutines=("compact",)),
    "rewriters": Port("rewriter", False, ("rewrite",), coroutines=("rewrite",)),
    "approvers": Port("approver", False, ("decide",), coroutines=("decide",)),
    "reviewers": Port("reviewer", False, ("review",), coroutines=("review",)),
    "end_guards": Port("end guard", False, ("hold",), coroutines=("hold",)),
    "late_tools": Port("source of late tools", False, ("new_tools",)),
    "policies": Port("policy", False, ("judge",)),
    "slash_commands": Port("slash command", True, ("run",), ("name", "help", "words"), ("run",), SlashCommand),
    "session_extensions": Port("session extension", True, ("open",), ("name", "help"), cls=SessionExtension),
    "events": Port("kind of event", False, (), ("name", "help"), cls=EventKind),
    "front_ends": Port("front end", True, ("show", "approve", "close"), coroutines=("approve",)),
    "loaders": Port("loader", True, ("begin",)),
    "exporters": Port("exporter", True, ("export",)),
    "checks": Port("check", False, ("run",)),
}
"""The registration hooks `inarch_KIND(context)`, by kind."""

OPENED = {
    "store": ("append", "sync", "load", "sessions", "delete", "put_blob", "get_blob", "close"),
    "workspace": (
        "stat", "read", "digest", "replace", "remove", "move", "restore", "entries", "walk", "search", "close",
    ),
    "front end": ("show", "approve", "close"),
}  # fmt: skip
"""The methods of the objects that `open` of a `StoreSpec`, a `WorkspaceSpec` or a `FrontEndSpec` returns."""


def fault_of(kind: str, value: Any) -> str:
    """Return why `value` does not fit the hook of this kind, "" if it does."""
    port = PORTS[kind]
    shown = f"{port.noun} {_shown(value)}"
    if isinstance(value, type):
        return f"{shown} is a class; return an instance"
    if kind == "tools" and isfunction(value):
        return f"tool {value.__name__!r} is a plain function: put @inarch.tool above it"
    if isinstance(value, FrontEndSpec):
        port = port._replace(methods=("open",))
    if port.cls is not None and not isinstance(value, port.cls):
        return f"{shown} is not an inarch.{port.cls.__name__}"
    if faults := list(_member_faults(port, value)):
        return f"{shown} has {'; it has '.join(faults)}"
    talking = able(value, Converses) if kind == "front_ends" else None
    if talking is not None and (not callable(talking.converse) or iscoroutinefunction(talking.converse)):
        return f"{shown} has a 'converse' that is not a plain function"
    if kind == "events":
        return _event_fault(value)
    names, others = _NAMES.get(kind, (_NAME, "_.-"))
    if not names.fullmatch(value.name):
        return f"{port.noun} name {value.name!r} may only have letters, digits and {others}"
    if kind == "exporters" and not _are_suffixes(_member(value, "suffixes")):
        return f"{shown} needs suffixes: a tuple of ends of file names, such as ('.csv',)"
    return _tool_fault(value) if kind == "tools" else ""


def _member_faults(port: Port, value: object) -> Iterator[str]:
    """Yield the faults of all required members, as what the object has."""
    if texts := [member for member in port.texts if not isinstance(_member(value, member), str)]:
        yield f"no {_listed('text', texts)}"
    if missing := [member for member in port.methods if not callable(_member(value, member))]:
        yield f"no {_listed('method', missing)}"
    for member in port.methods:
        if iscoroutinefunction(_member(value, member)) and member not in port.coroutines:
            yield f"a method {member!r} with `async def` that {_WITHOUT_YIELD.get(member, _PLAIN)}"


def _listed(noun: str, names: Sequence[str]) -> str:
    return f"{noun}{'s' if len(names) > 1 else ''} {', '.join(map(repr, names))}"


def opened_fault(what: str, opened: object) -> str:
    """Return why an opened store, workspace or front end is not valid, "" if it is."""
    missing = [member for member in OPENED[what] if not callable(_member(opened, member))]
    return f"open gave {opened!r:.60}, which has no {_listed('method', missing)}" if missing else ""


def _member(value: object, name: str) -> Any:
    """Return a required member, None if it is missing."""
    return getattr(value, name, None)


def _shown(value: Any) -> str:
    name = _member(value, "name")
    return repr(name) if isinstance(name, str) and not isinstance(value, type) else f"{value!r:.60}"


_OF_TOOLS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "description": (lambda it: it.strip() != "", "has no description: give the function a docstring"),
    "category": (_CATEGORIES.__contains__, f"needs a category of {', '.join(sorted(_CATEGORIES))}"),
    "input_schema": (
        lambda it: isinstance(it, Mapping) and it.get("type") == "object",
        "needs an input_schema of type object",
    ),
    "output_schema": (lambda it: it is None or isinstance(it, Mapping), "needs an output_schema, or None"),
    "timeout_s": (lambda it: type(it) in (int, float) and it >= 0, "needs a timeout_s of 0 or more"),
    "max_retries": (lambda it: type(it) is int and it >= 0, "needs a max_retries of 0 or more"),
    "requires_confirmation": (lambda it: isinstance(it, bool), "needs requires_confirmation, true or false"),
    "receives_secrets": (lambda it: isinstance(it, bool), "needs receives_secrets, true or false"),
}
"""Requirements on the members of a tool, and the message if one is not met."""
_MISSING = object()


def _tool_fault(tool: Any) -> str:
    found = ((getattr(tool, member, _MISSING), rule) for member, rule in _OF_TOOLS.items())
    fault = "; it ".join(text for value, (holds, text) in found if value is _MISSING or not holds(value))
    for member in () if fault else ("input_schema", "output_schema"):
        stray = reference_fault(_member(tool, member) or {})
        fault = fault or (stray and f"has an {member} that {stray}")
    return fault and f"tool {tool.name!r} {fault}"


def _event_fault(event: EventKind) -> str:
    what = f"kind of event {event.name!r}"
    if not _EVENT_NAME.fullmatch(event.name):
        return f"{what} may only have small letters, digits and _ in its name"
    if not isinstance(event.schema, Mapping) or event.schema.get("type") != "object":
        return f"{what} needs a schema of type object"
    stray = reference_fault(event.schema)
    return stray and f"{what} has a schema that {stray}"


def twice(kind: str, plugin: str, values: Sequence[Any]) -> str:
    """Return the name that one plugin gives two objects whose names must differ, "" if none."""
    port = PORTS[kind]
    if kind == "events" and values and plugin.partition(".")[0] in RESERVED:
        return f"events of a plugin named {plugin!r} would look like the kernel's own; give the plugin another name"
    if not (port.claims or kind == "events"):
        return ""
    names = [value.name for value in values]
    again = next((name for at, name in enumerate(names) if name in names[:at]), None)
    return "" if again is None else f"it registers the {port.noun} {again!r} twice"


def _are_suffixes(value: object) -> bool:
    return isinstance(value, tuple) and value != () and all(isinstance(one, str) and one[:1] == "." for one in value)


def schema_fault(described: Any) -> str:
    """Return the fault in the schemas of a tool or an event, "" if there is none. Imports jsonschema."""
    from jsonschema import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for

    is_event = isinstance(described, EventKind)
    for member in ("schema",) if is_event else ("input_schema", "output_schema"):
        schema = getattr(described, member)
        if schema is None:
            continue
        plain = dict(schema)
        try:
            validator_for(plain, default=Draft202012Validator).check_schema(plain)
        except SchemaError as error:
            noun = PORTS["events" if is_event else "tools"].noun
            return f"{noun} {described.name!r} has a wrong {member}: {error.json_path}: {error.message}"
    return ""
