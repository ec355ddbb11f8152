"""The last resort: an attribute of an unknown object is matched by its name, where few functions have it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from inarch_brief_tracer.facts.link_facts import FUNCTION_SCOPE, METHOD
from inarch_brief_tracer.facts.outside_hooks import hooks_of
from inarch_brief_tracer.linking.budget import CALL, CALLBACK, INFERRED, NAME, PROPERTY
from inarch_brief_tracer.linking.edge_kinds import CALLEE
from inarch_brief_tracer.linking.linker import Linker, Missing
from inarch_brief_tracer.linking.members import outside_bases
from inarch_brief_tracer.linking.values import Cls, Func, Property, Scope

MAX_FAMILIES = 3
"""Families of methods that a name may mean: a method with all that override it is one."""
MAX_MATCHED = 12
"""Methods that a name may mean, in all families together."""
MAX_DEFINING = 24
"""Classes that may have an attribute of a property's name, if a read of it is to mean the property."""
MAX_HOOKS = 8
"""Methods of a class that what it has from outside may call."""
MAX_HOOKING = 16
"""Places where something that a class has from outside is called, before nothing is said of what that calls."""
_BUILTIN: tuple[type, ...] = (str, bytes, list, dict, set, tuple, int, float, BaseException, memoryview)
_COMMON = frozenset(name for kind in _BUILTIN for name in dir(kind)) | {
    *("read", "write", "close", "flush", "readline", "readlines", "seek", "tell", "fileno", "isatty"),
    *("group", "groups", "match", "search", "put", "join"),
}
"""Attributes of builtin objects: an unknown object that has one may well be one of these."""


def match_names(linker: Linker, unresolved: dict[int, list[Missing]]) -> None:
    """Add edges for attributes of unknown objects that the methods or properties of at most three families have."""
    if "names" not in linker.on or not unresolved:
        return
    if linker.candidates is None:
        linker.candidates = candidates(linker)
    methods, properties = linker.candidates
    for unit, missing in sorted(unresolved.items()):
        linker.scope = linker.scope_of_unit(unit)
        for item in missing:
            if not is_telling(item.name):
                continue
            found = methods.get(item.name, []) if item.called else properties.get(item.name, [])
            if item.called and not found:
                continue
            if not item.called and len(linker.defining.get(item.name, ())) > MAX_DEFINING:
                continue  # other classes have a plain attribute of that name
            if len(found) <= MAX_MATCHED and families(found, item.name) <= MAX_FAMILIES:
                for scope in found:
                    linker.edge(scope, CALL if item.called else PROPERTY, NAME, item.line)


def families(found: list[Scope], name: str) -> int:
    """Count methods of one name, each with those that override it as one."""
    if len(found) <= MAX_FAMILIES:
        return len(found)
    first: set[Cls | None] = set()
    for scope in found:
        having = [cls for cls in scope.cls.ancestry if name in cls.class_cells] if scope.cls is not None else []
        first.add(having[-1] if having else scope.cls)
    return len(first)


def is_telling(name: str) -> bool:
    """Whether the name of an attribute tells anything: no builtin object has it."""
    return name not in _COMMON and not name.startswith("__")


def candidates(linker: Linker) -> tuple[dict[str, list[Scope]], dict[str, list[Scope]]]:
    """Give the methods and the properties of what is loaded, by name."""
    getters: dict[int, None] = {}
    for value in linker.containers.values():
        if isinstance(value, Property):
            for getter in value.getter.values:
                scope = getattr(getter, "scope", None)
                if isinstance(scope, Scope):
                    getters[scope.id] = None
    methods: dict[str, list[Scope]] = {}
    properties: dict[str, list[Scope]] = {}
    for scope in linker.scopes:
        if scope.facts.kind == FUNCTION_SCOPE and scope.facts.flags & METHOD:
            known = properties if scope.id in getters else methods
            known.setdefault(scope.facts.name.rpartition(".")[2], []).append(scope)
    return methods, properties


def call_hooks(linker: Linker) -> None:
    """Add callbacks from calls of inherited outside methods to those methods of the class that nothing else calls."""
    if not linker.hooks:
        return
    called = {key >> 3 & CALLEE for key, found in linker.edges.items() if key & 7 != CALLBACK and found & 3 != NAME}
    callers = Counter(cls for _, cls in linker.hooks)
    for (number, cls), line in sorted(linker.hooks.items(), key=lambda item: (item[0][0], item[0][1].scope.id)):
        linker.scope = linker.scopes[number]
        for scope in _known_hooks(linker.scope, cls):
            linker.edge(scope, CALLBACK, INFERRED, line)
        found = [
            scope
            for ancestor in cls.ancestry
            if any(map(_has_hooks, outside_bases(ancestor)))
            for scope in functions_of(ancestor)
            if scope.id not in called and scope is not linker.scope
        ]
        # A class with many is a suite of tests or the like: which of them is called from here is not known.
        # One that much of the tree uses calls them from somewhere else.
        for scope in found if len(found) <= MAX_HOOKS and callers[cls] <= MAX_HOOKING else ():
            linker.edge(scope, CALLBACK, NAME, line)


def _known_hooks(caller: Scope, cls: Cls) -> Iterator[Scope]:
    """Give the methods that a library is known to call of a class; a class that calls itself is visited, at most."""
    is_own = caller.cls is not None and caller.cls in cls.ancestry
    for base in [base for ancestor in cls.ancestry for base in ancestor.outside]:
        library = base.partition(".")[0]
        methods = hooks_of(library, base.rpartition(".")[2]) if not is_own or library in _VISITING else None
        for ancestor in cls.ancestry if methods else ():
            for scope in functions_of(ancestor, ""):
                if methods and methods.fullmatch(scope.facts.name.rpartition(".")[2]) and scope is not caller:
                    yield scope


_VISITING = ("ast", "html", "docutils", "cmd")
_NO_HOOKS = frozenset(
    (
        *("<builtin>", "abc", "collections", "collections.abc", "contextlib", "dataclasses", "datetime", "decimal"),
        *("enum", "fractions", "numbers", "pathlib", "types", "typing", "typing_extensions", "uuid", "weakref"),
    )
)
"""Modules whose classes call nothing of what is derived from them, special methods apart."""
_LOCAL = ("Generic", "Protocol", "NamedTuple", "TypedDict", "local")


def _has_hooks(base: str) -> bool:
    """Whether a class outside may call methods of what is derived from it."""
    module, _, name = base.rpartition(".")
    return module not in _NO_HOOKS and name not in _LOCAL


def functions_of(cls: Cls, without: str = "_", with_properties: bool = True) -> list[Scope]:
    """Give the methods that a class defines, without those whose names begin with something."""
    found: list[Scope] = []
    for name, cell in cls.class_cells.items():
        if without and name.startswith(without) and name != "__call__":
            continue
        for value in cell.values:
            if isinstance(value, Func):
                found.append(value.scope)
            elif isinstance(value, Property) and with_properties:
                found += [getter.scope for getter in value.getter.values if isinstance(getter, Func)]
    return found
