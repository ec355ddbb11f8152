"""Last resort: matching an attribute of an unknown object by its name, if few functions have that name."""

from __future__ import annotations

from inarch_brief.tracer.facts.link_facts import FUNCTION_SCOPE, METHOD
from inarch_brief.tracer.linking.linker import CALL, NAME, PROPERTY, Linker
from inarch_brief.tracer.linking.values import Func, Property, Scope

MAX_MATCHED = 3
"""The most methods that a name may mean."""
MAX_DEFINING = 24
"""The most classes with an attribute of a property's name, if a read of it is to mean the property."""
_BUILTIN: tuple[type, ...] = (str, bytes, list, dict, set, tuple, int, float, BaseException, memoryview)
_COMMON = frozenset(name for kind in _BUILTIN for name in dir(kind)) | {
    *("read", "write", "close", "flush", "readline", "readlines", "seek", "tell", "fileno", "isatty"),
    *("group", "groups", "match", "search", "put", "join"),
}
"""Attributes of builtin objects: an unknown object that has one may well be builtin."""


def match_names(linker: Linker) -> None:
    """Add edges for attributes of unknown objects, if few families of methods or properties have the name."""
    methods, properties = _candidates(linker) if linker.unresolved else ({}, {})
    for unit, missing in sorted(linker.unresolved.items()):
        linker.scope = linker.loaded.scopes[linker.loaded.unit_scope[unit]]
        for item in missing:
            if item.name in _COMMON or item.name.startswith("__"):
                continue
            found = methods.get(item.name, []) if item.called else properties.get(item.name, [])
            if item.called and not found:
                continue
            if not item.called and len(linker.loaded.defining.get(item.name, ())) > MAX_DEFINING:
                continue  # other classes have a plain attribute of that name
            if len(found) <= MAX_MATCHED:
                for scope in found:
                    linker.edge(scope, CALL if item.called else PROPERTY, NAME, item.line)


def _candidates(linker: Linker) -> tuple[dict[str, list[Scope]], dict[str, list[Scope]]]:
    """Return the loaded methods and properties, by name."""
    getters: dict[int, None] = {}
    for value in linker.values.containers.values():
        if isinstance(value, Property):
            for getter in value.getter.values:
                if isinstance(getter, Func):
                    getters[getter.scope.id] = None
    methods: dict[str, list[Scope]] = {}
    properties: dict[str, list[Scope]] = {}
    for scope in linker.loaded.scopes:
        if scope.facts.kind == FUNCTION_SCOPE and scope.facts.flags & METHOD:
            known = properties if scope.id in getters else methods
            known.setdefault(scope.facts.name.rpartition(".")[2], []).append(scope)
    return methods, properties
