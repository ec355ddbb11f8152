"""The linker: from the link facts of all files to the edges between their functions."""

from __future__ import annotations

from attrs import Factory, define

from inarch_brief_tracer.facts import link_facts as codes
from inarch_brief_tracer.facts.collecting import uncollected
from inarch_brief_tracer.facts.link_facts import CLASS_SCOPE, MODULE_SCOPE, statements
from inarch_brief_tracer.facts.modules import TEST, role_of
from inarch_brief_tracer.linking.budget import MECHANISMS, Budget, sized
from inarch_brief_tracer.linking.containers import container_method, generator_method, property_method
from inarch_brief_tracer.linking.edges import CALL_KINDS, CONFIDENCES, Edge, Fn, Linked, shared_modules
from inarch_brief_tracer.linking.framework_models import deferred_method
from inarch_brief_tracer.linking.library_models import MODELS
from inarch_brief_tracer.linking.linker import Linker, Missing
from inarch_brief_tracer.linking.loading import Bodies, Files, load
from inarch_brief_tracer.linking.name_matching import call_hooks, match_names
from inarch_brief_tracer.linking.statements import run
from inarch_brief_tracer.linking.strings import text_method
from inarch_brief_tracer.linking.values import Scope

USUAL = Budget()
COARSE_VISITS = 2
"""Visits of a statement up to which it is said that a tree was linked coarsely."""
LARGE = 45_000
"""Statements of a tree whose tests are linked one by one."""


def link(files: Files, budget: Budget = USUAL) -> Linked:
    """Link files, given by their paths as module name and link facts, packed (for large trees) or not.

    The result depends on nothing but the files: not on their order, nor on earlier calls. In a large tree tests are
    linked one by one after the rest: they call it, and it is not linked again for what they hand over.

    Raises:
        ValueError: packed facts are damaged.
    """
    size = sum(statements(facts) for _, facts in files.values())
    tests = [path for path in sorted(files) if size > LARGE and role_of(path) == TEST]
    first = {path: files[path] for path in sorted(files.keys() - set(tests))}
    budget = sized(budget, sum(statements(facts) for _, facts in first.values()))
    linker = Linker(budget, MECHANISMS - budget.without, models=MODELS, shared=shared_modules(files))
    linker.methods = {
        "Container": container_method,
        "Generator": generator_method,
        "Property": property_method,
        "Func": deferred_method,
        "Bound": deferred_method,
        "Text": text_method,
        "Pattern": text_method,
    }
    with uncollected():
        linker.limit = int(budget.steps * sum(statements(facts) for _, facts in first.values()))
        found = Findings()
        complete = _link(linker, load(linker, first), found)
        if tests:
            linker.freeze()
            for path in tests:
                with linker.passing():
                    _link(linker, load(linker, {path: files[path]}), found)
        work = linker.work
        linker.dissolve()
        del linker  # its state is larger than what it found
    note = f"the tree is large ({size:,} statements): callbacks and calls through many classes may be missing"
    notes = () if complete or budget.visits > COARSE_VISITS else (note,)
    return Linked(found.edges(), complete, work, notes, tuple(found.functions))


def _link(linker: Linker, bodies: Bodies, found: Findings) -> bool:
    """Link what was loaded last, and add it to what was found."""
    start = linker.base
    scopes = linker.scopes[start:]
    unresolved: dict[int, list[Missing]] = {}
    _definitions(linker, scopes, bodies)
    complete = _work(linker, bodies, unresolved)
    for wanted in ((MODULE_SCOPE, CLASS_SCOPE), (codes.FUNCTION_SCOPE, codes.LAMBDA_SCOPE)):
        for scope in scopes:
            if scope.facts.kind in wanted:
                linker.wake([unit for unit in range(scope.first, scope.first + scope.size) if not linker.visits[unit]])
        complete &= _work(linker, bodies, unresolved)
    if linker.undecided:
        linker.late = True
        linker.wake(list(linker.undecided))
        complete &= _work(linker, bodies, unresolved)
    match_names(linker, unresolved)
    call_hooks(linker)
    found.take(linker, scopes)
    return complete


@define(eq=False, repr=False)
class Findings:
    """Functions and edges of what was linked so far; edges as numbers, of which there may be hundreds of thousands."""

    functions: list[Fn] = Factory(list)
    _numbers: dict[str, int] = Factory(dict)
    _edges: dict[int, int] = Factory(dict)

    def take(self, linker: Linker, scopes: list[Scope]) -> None:
        """Take over what the linker found, so that it may forget the scopes."""
        self.functions += [Fn(scope.file.path, scope.qualname, scope.facts.line) for scope in scopes]
        mask = (1 << 28) - 1
        for key, value in linker.edges.items():
            self._add(linker.scopes[key >> 31].qualname, linker.scopes[key >> 3 & mask].qualname, key & 7, value)
        for number, name, line in linker.outside_edges:
            self._add(linker.scopes[number].qualname, name, 0, line << 2)
        linker.edges.clear()
        linker.outside_edges.clear()

    def _add(self, caller: str, callee: str, kind: int, value: int) -> None:
        numbers = self._numbers
        row = (numbers.setdefault(caller, len(numbers)) << 28 | numbers.setdefault(callee, len(numbers))) << 3 | kind
        known = self._edges.get(row)
        if known is None or (value & 3, value) < (known & 3, known):
            self._edges[row] = value

    def edges(self) -> tuple[Edge, ...]:
        """Give all edges in order."""
        names, mask = list(self._numbers), (1 << 28) - 1
        rows = [
            Edge(names[key >> 31], names[key >> 3 & mask], CALL_KINDS[key & 7], CONFIDENCES[value & 3], value >> 2)
            for key, value in self._edges.items()
        ]
        self._edges.clear()
        rows.sort()
        return tuple(rows)


def _definitions(linker: Linker, scopes: list[Scope], bodies: Bodies) -> None:
    """Put imports and classes on the worklist: with them known, the order of bases is settled once."""
    for scope in scopes:
        if scope.facts.kind in (MODULE_SCOPE, CLASS_SCOPE):
            for place, code in enumerate(bodies.of(scope)):
                if code[0] == codes.IMPORT or code[0] == codes.CLASS:
                    linker.queued[scope.first + place] = 1
                    linker.queue.append(scope.first + place)


def _work(linker: Linker, bodies: Bodies, unresolved: dict[int, list[Missing]]) -> bool:
    """Evaluate statements until nothing changes, or all that may be looked at again was."""
    queued, visits, most = linker.queued, linker.visits, linker.budget.visits
    scopes, unit_scope = linker.scopes, linker.unit_scope
    work, complete, limit = linker.work, True, linker.limit
    while linker.queue:
        # By rounds and in order, so that the statements of a file are unpacked once a round.
        batch = sorted(linker.queue)
        linker.queue.clear()
        for unit in batch:
            queued[unit] = 0
            if visits[unit] >= most or (work > limit and visits[unit]):
                complete = False
                continue
            visits[unit] += 1
            work += 1
            scope = scopes[unit_scope[unit]]
            linker.unit, linker.scope = unit, scope
            try:
                run(linker, bodies.of(scope)[unit - scope.first])
            except RecursionError:
                linker.missing = []  # nested so deep that it is generated
                continue
            if linker.missing:
                unresolved[unit] = linker.missing
                linker.missing = []
            elif unit in unresolved:
                del unresolved[unit]
    linker.work = work
    return complete
