"""Loading the facts of files: scopes and classes at once, statements when they are needed."""

from __future__ import annotations

from collections.abc import Mapping

from inarch_brief_tracer.facts.link_facts import (
    CLASS_SCOPE,
    MODULE_SCOPE,
    Code,
    Given,
    LinkFacts,
    Unpacked,
    at_hand,
)
from inarch_brief_tracer.linking.definitions import predefine
from inarch_brief_tracer.linking.edges import label
from inarch_brief_tracer.linking.evaluate import function_of
from inarch_brief_tracer.linking.linker import Linker
from inarch_brief_tracer.linking.names import absolute, module_value, own_cell
from inarch_brief_tracer.linking.values import File, Scope

KEPT_BODIES = 80_000
"""Statements that may be unpacked at a time."""
KEPT_OF_MANY = 20_000
"""The same for a tree that has more: memory is what it is short of."""

Files = Mapping[str, tuple[str, Given]]
"""Module name and link facts by path."""


def load(linker: Linker, files: Files) -> Bodies:
    """Make the scopes of files, with the classes among them, in the order of their paths."""
    loaded = []
    for path in sorted(files):
        module, given = files[path]
        facts = at_hand(given)
        file = File(path, module, facts.exports)
        file.bodies = given.bodies if isinstance(given, Unpacked) else ()
        linker.modules.setdefault(module, []).append(file)
        parts = module.split(".")
        linker.folders.update(".".join(parts[:count]) for count in range(1, len(parts)))
        _load_file(linker, file, facts)
        loaded.append((file, facts))
    linker.queued.extend(bytes(len(linker.unit_scope) - len(linker.queued)))
    linker.visits.extend(bytes(len(linker.unit_scope) - len(linker.visits)))
    for file, facts in loaded:
        for name, level in facts.stars:
            full = absolute(file, name, level)
            found = module_value(linker, file, full)
            file.stars.append(found.file if found is not None and found.file is not None else full)
    return Bodies({file.path: facts for file, facts in loaded})


def _load_file(linker: Linker, file: File, facts: LinkFacts) -> None:
    file.first = len(linker.scopes)
    name = label(file.module, file.path, linker.shared)
    for row, size in zip(facts.scopes, facts.sizes, strict=True):
        outer = file.scopes[row.parent] if row.parent >= 0 else None
        qualname = f"{name}.{row.name}" if row.name else name
        scope = Scope(len(linker.scopes), file, row, qualname, len(linker.unit_scope), size, outer)
        linker.unit_scope.extend([scope.id] * size)
        file.scopes.append(scope)
        linker.scopes.append(scope)
        if row.kind == CLASS_SCOPE:
            predefine(linker, scope)
        elif row.kind != MODULE_SCOPE:
            _containers_of(linker, scope)


def _containers_of(linker: Linker, scope: Scope) -> None:
    names = scope.facts.parameters
    if names.rest or names.keywords:
        func = function_of(scope)
        for name, kind in ((names.rest, "tuple"), (names.keywords, "dict")):
            if name:
                own_cell(scope, name).values = (linker.own_container(func, kind),)


class Bodies:
    """Statements of scopes, unpacked file by file when they are needed."""

    def __init__(self, files: Mapping[str, LinkFacts]) -> None:
        self.files = files
        self.kept: list[File] = []
        self.size = 0
        self.room = KEPT_BODIES if sum(sum(facts.sizes) for facts in files.values()) <= KEPT_BODIES else KEPT_OF_MANY

    def of(self, scope: Scope) -> tuple[Code, ...]:
        """Give the statements of a scope."""
        file = scope.file
        return (file.bodies or self._unpack(file))[scope.id - file.first]

    def _unpack(self, file: File) -> tuple[tuple[Code, ...], ...]:
        """Unpack the statements of a file; the last one makes room, since files are gone through in order."""
        facts = self.files[file.path]
        size = sum(facts.sizes)
        while self.kept and self.size + size > self.room:
            last = self.kept.pop()
            last.bodies = ()
            for one in last.scopes:
                one.resolved = {}
            self.size -= sum(self.files[last.path].sizes)
        file.bodies = facts.bodies()
        self.kept.append(file)
        self.size += size
        return file.bodies
