"""The linker's entry point: from the link facts of all files to the calls between their functions."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from typing import Any

from inarch_brief.tracer.facts import link_facts as codes
from inarch_brief.tracer.facts.link_facts import CLASS_SCOPE, MODULE_SCOPE, Code, LinkFacts, decode_links
from inarch_brief.tracer.facts.modules import TEST, role_of
from inarch_brief.tracer.facts.source import uncollected
from inarch_brief.tracer.linking.containers import container_method, property_method, text_method
from inarch_brief.tracer.linking.definitions import predefine
from inarch_brief.tracer.linking.edges import Linked
from inarch_brief.tracer.linking.evaluate import function_of
from inarch_brief.tracer.linking.linker import Budget, Linker, sized
from inarch_brief.tracer.linking.members import namespace_method
from inarch_brief.tracer.linking.models import MODELS
from inarch_brief.tracer.linking.name_match import match_names
from inarch_brief.tracer.linking.names import absolute, module_value, own_cell
from inarch_brief.tracer.linking.statements import run
from inarch_brief.tracer.linking.values import Arguments, File, Scope, Values

USUAL = Budget()
COARSE_VISITS = 2
"""Up to this many visits of a statement, a note says that the tree was linked coarsely."""
KEPT_BODIES = 80_000
"""The most statements unpacked at a time."""
EARLY = 2
"""Extra visits of a statement of a module or class: every other unit reads its imports and definitions."""
_METHODS: dict[str, Callable[[Linker, Any, str, Arguments, int], Values]] = {
    "Container": container_method,
    "Property": property_method,
    "Namespace": namespace_method,
    "Text": text_method,
    "Pattern": text_method,
}

Files = Mapping[str, tuple[str, LinkFacts | bytes]]
"""Module name and link facts by path."""


def link(files: Files, budget: Budget = USUAL) -> Linked:
    """Link files, given by path as module name and link facts, packed or not."""
    with uncollected():
        known = {path: (files[path][0], _unpacked(files[path][1])) for path in sorted(files)}
        sizes = {path: sum(facts.sizes) for path, (_, facts) in known.items()}
        budget = sized(budget, sum(size for path, size in sizes.items() if role_of(path) != TEST))
        linker = Linker(budget, MODELS, _METHODS)
        linker.worklist.limit = int(budget.steps * sum(sizes.values()))
        complete = _settle(linker, _load(linker, known))
        match_names(linker)
        keys = array("Q", sorted(linker.edges))
        values = array("I", map(linker.edges.__getitem__, keys))
        work = linker.worklist.work
    size = f"{sum(sizes.values()):,} statements"
    note = f"the tree is large ({size}): callbacks and calls through many classes may be missing"
    notes = () if complete or budget.visits > COARSE_VISITS else (note,)
    rows = tuple((path, module, facts.scopes) for path, (module, facts) in known.items())
    return Linked(rows, keys, values, complete, work, notes)


def _unpacked(given: LinkFacts | bytes) -> LinkFacts:
    return decode_links(given) if isinstance(given, bytes) else given


def _load(linker: Linker, files: Mapping[str, tuple[str, LinkFacts]]) -> _Bodies:
    """Create the scopes and classes of files."""
    loaded = []
    for path, (module, facts) in files.items():
        file = File(path, module, facts)
        linker.loaded.modules.setdefault(module, []).append(file)
        parts = module.split(".")
        linker.loaded.folders.update(".".join(parts[:count]) for count in range(1, len(parts)))
        _load_file(linker, file)
        loaded.append(file)
    linker.worklist.grow(len(linker.loaded.unit_scope))
    for file in loaded:
        for name, level in file.facts.stars:
            full = absolute(file, name, level)
            found = module_value(linker, file, full)
            file.stars.append(found.file if found is not None and found.file is not None else full)
    return _Bodies()


def _load_file(linker: Linker, file: File) -> None:
    file.first = len(linker.loaded.scopes)
    for row, size in zip(file.facts.scopes, file.facts.sizes, strict=True):
        outer = file.scopes[row.parent] if row.parent >= 0 else None
        scope = Scope(len(linker.loaded.scopes), file, row, len(linker.loaded.unit_scope), size, outer)
        linker.loaded.unit_scope.extend([scope.id] * size)
        file.scopes.append(scope)
        linker.loaded.scopes.append(scope)
        if row.kind == CLASS_SCOPE:
            predefine(linker, scope)
        elif row.kind != MODULE_SCOPE:
            _containers_of(linker, scope)


def _containers_of(linker: Linker, scope: Scope) -> None:
    names = scope.facts.parameters
    for name, kind in ((names.rest, "tuple"), (names.keywords, "dict")):
        if name:
            own_cell(scope, name).values = (linker.values.own_container(function_of(scope), kind),)


class _Bodies:
    """Statements of scopes, unpacked file by file on demand."""

    def __init__(self) -> None:
        self.kept: list[File] = []
        self.size = 0

    def of(self, scope: Scope) -> tuple[Code, ...]:
        """Return the statements of a scope. The last unpacked file makes room, because files are visited in order."""
        file = scope.file
        if not file.bodies:
            size = sum(file.facts.sizes)
            while self.kept and self.size + size > KEPT_BODIES:
                last = self.kept.pop()
                last.bodies = ()
                for one in last.scopes:
                    one.resolved = {}
                self.size -= sum(last.facts.sizes)
            file.bodies = file.facts.bodies()
            self.kept.append(file)
            self.size += size
        return file.bodies[scope.id - file.first]


def _settle(linker: Linker, bodies: _Bodies) -> bool:
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
    return complete


def _definitions(linker: Linker, scopes: list[Scope], bodies: _Bodies) -> None:
    """Queue imports and classes first: once they are known, the order of bases is settled."""
    for scope in scopes:
        if scope.facts.kind in (MODULE_SCOPE, CLASS_SCOPE):
            for place, code in enumerate(bodies.of(scope)):
                if code[0] == codes.IMPORT or code[0] == codes.CLASS:
                    linker.worklist.queued[scope.first + place] = 1
                    linker.worklist.queue.append(scope.first + place)


def _work(linker: Linker, bodies: _Bodies) -> bool:
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
