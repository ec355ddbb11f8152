"""Loading of files, and the rounds of one linking: statements are evaluated until nothing changes."""

from __future__ import annotations

from collections.abc import Mapping

from inarch_brief.tracer.facts import link_facts as codes
from inarch_brief.tracer.facts.link_facts import CLASS_SCOPE, MODULE_SCOPE, Code, Given, LinkFacts, Unpacked, at_hand
from inarch_brief.tracer.linking.containers import container_method, property_method, text_method
from inarch_brief.tracer.linking.definitions import predefine
from inarch_brief.tracer.linking.edges import label
from inarch_brief.tracer.linking.evaluate import function_of
from inarch_brief.tracer.linking.linker import Budget, Linker, Loaded
from inarch_brief.tracer.linking.members import family_method, namespace_method
from inarch_brief.tracer.linking.models import MODELS
from inarch_brief.tracer.linking.names import absolute, module_value, own_cell
from inarch_brief.tracer.linking.statements import run
from inarch_brief.tracer.linking.values import File, Scope

KEPT_BODIES = 80_000
"""The most statements unpacked at a time."""
KEPT_OF_MANY = 20_000
"""The same for a larger tree, which needs the memory elsewhere."""

Files = Mapping[str, tuple[str, Given]]
"""Module name and link facts by path."""


def load(linker: Linker, files: Files) -> Bodies:
    """Create the scopes and classes of files, in the order of their paths."""
    loaded = []
    for path in sorted(files):
        module, given = files[path]
        facts = at_hand(given)
        file = File(path, module, facts.exports)
        file.bodies = given.bodies if isinstance(given, Unpacked) else ()
        linker.loaded.modules.setdefault(module, []).append(file)
        parts = module.split(".")
        linker.loaded.folders.update(".".join(parts[:count]) for count in range(1, len(parts)))
        _load_file(linker, file, facts)
        loaded.append((file, facts))
    linker.worklist.grow(len(linker.loaded.unit_scope))
    for file, facts in loaded:
        for name, level in facts.stars:
            full = absolute(file, name, level)
            found = module_value(linker, file, full)
            file.stars.append(found.file if found is not None and found.file is not None else full)
    return Bodies({file.path: facts for file, facts in loaded})


def _load_file(linker: Linker, file: File, facts: LinkFacts) -> None:
    file.first = len(linker.loaded.scopes)
    name = label(file.module, file.path, linker.loaded.shared)
    for row, size in zip(facts.scopes, facts.sizes, strict=True):
        outer = file.scopes[row.parent] if row.parent >= 0 else None
        qualname = f"{name}.{row.name}" if row.name else name
        scope = Scope(len(linker.loaded.scopes), file, row, qualname, len(linker.loaded.unit_scope), size, outer)
        linker.loaded.unit_scope.extend([scope.id] * size)
        file.scopes.append(scope)
        linker.loaded.scopes.append(scope)
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
                own_cell(scope, name).values = (linker.values.own_container(func, kind),)


class Bodies:
    """Statements of scopes, unpacked file by file on demand."""

    def __init__(self, files: Mapping[str, LinkFacts]) -> None:
        self.files = files
        self.kept: list[File] = []
        self.size = 0
        self.room = KEPT_BODIES if sum(sum(facts.sizes) for facts in files.values()) <= KEPT_BODIES else KEPT_OF_MANY

    def of(self, scope: Scope) -> tuple[Code, ...]:
        """Return the statements of a scope."""
        file = scope.file
        return (file.bodies or self._unpack(file))[scope.id - file.first]

    def _unpack(self, file: File) -> tuple[tuple[Code, ...], ...]:
        """Unpack the statements of a file. The last unpacked file makes room, because files are visited in order."""
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


EARLY = 2
"""Extra visits of a statement of a module or class: every other unit reads its imports and definitions."""


def made_linker(budget: Budget, shared: frozenset[str]) -> Linker:
    """Return an empty linker. `shared` holds the module names that several files claim."""
    linker = Linker(budget, MODELS, loaded=Loaded(shared))
    linker.methods = {
        "Container": container_method,
        "Property": property_method,
        "Namespace": namespace_method,
        "Cls": family_method,
        "OpenClass": family_method,
        "Text": text_method,
        "Pattern": text_method,
    }
    return linker


def settle(linker: Linker, bodies: Bodies) -> bool:
    """Evaluate the loaded files. Return whether every unit that needed another visit got one."""
    scopes = linker.loaded.scopes
    _definitions(linker, scopes, bodies)
    complete = _work(linker, bodies)
    for wanted in ((MODULE_SCOPE, CLASS_SCOPE), (codes.FUNCTION_SCOPE, codes.LAMBDA_SCOPE)):
        for scope in scopes:
            if scope.facts.kind in wanted:
                linker.worklist.wake(
                    [unit for unit in range(scope.first, scope.first + scope.size) if not linker.worklist.visits[unit]]
                )
        complete &= _work(linker, bodies)
    if linker.undecided:
        linker.late = True
        linker.worklist.wake(list(linker.undecided))
        complete &= _work(linker, bodies)
    return complete


def _definitions(linker: Linker, scopes: list[Scope], bodies: Bodies) -> None:
    """Queue imports and classes first: once they are known, the order of bases is settled."""
    for scope in scopes:
        if scope.facts.kind in (MODULE_SCOPE, CLASS_SCOPE):
            for place, code in enumerate(bodies.of(scope)):
                if code[0] == codes.IMPORT or code[0] == codes.CLASS:
                    linker.worklist.queued[scope.first + place] = 1
                    linker.worklist.queue.append(scope.first + place)


def _work(linker: Linker, bodies: Bodies) -> bool:
    """Evaluate statements until nothing changes or the limits are reached."""
    queued, visits, most = linker.worklist.queued, linker.worklist.visits, linker.budget.visits
    scopes, unit_scope = linker.loaded.scopes, linker.loaded.unit_scope
    work, complete, limit = linker.worklist.work, True, linker.worklist.limit
    while linker.worklist.queue:
        # In rounds and in order, so that a file is unpacked once a round.
        batch = sorted(linker.worklist.queue)
        linker.worklist.queue.clear()
        for unit in batch:
            queued[unit] = 0
            scope = scopes[unit_scope[unit]]
            early = EARLY if scope.facts.kind <= CLASS_SCOPE else 0
            if visits[unit] >= most + early or (work > limit and visits[unit]):
                complete = False
                continue
            visits[unit] += 1
            work += 1
            linker.unit, linker.scope = unit, scope
            try:
                run(linker, bodies.of(scope)[unit - scope.first])
            except RecursionError:
                linker.missing = []  # nested so deeply that it must be generated
                continue
            if linker.missing:
                linker.unresolved[unit] = linker.missing
                linker.missing = []
            else:
                linker.unresolved.pop(unit, None)
    linker.worklist.work = work
    return complete
