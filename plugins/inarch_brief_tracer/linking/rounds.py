"""The rounds of one linking: statements are evaluated until nothing changes."""

from __future__ import annotations

from inarch_brief_tracer.facts import link_facts as codes
from inarch_brief_tracer.facts.link_facts import CLASS_SCOPE, MODULE_SCOPE
from inarch_brief_tracer.linking.budget import Budget
from inarch_brief_tracer.linking.containers import container_method, property_method, text_method
from inarch_brief_tracer.linking.linker import Linker, Missing
from inarch_brief_tracer.linking.loading import Bodies
from inarch_brief_tracer.linking.models import MODELS
from inarch_brief_tracer.linking.namespaces import family_method, namespace_method
from inarch_brief_tracer.linking.statements import run
from inarch_brief_tracer.linking.supposing import suppose
from inarch_brief_tracer.linking.values import Scope

EARLY = 2
"""Visits of a statement of a module or class beyond those of others: all ask for what it imports and defines."""

SUPPOSING = 10
"""One in so many statements is evaluated, at most, for what unknown objects may be."""
Unresolved = dict[int, list[Missing]]
"""Attributes whose bases stay unknown, by the unit that reads them."""


def made_linker(budget: Budget, shared: frozenset[str]) -> Linker:
    """Make a linker that knows nothing yet; names in `shared` are those of modules that several files claim."""
    linker = Linker(budget, models=MODELS, shared=shared)
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


def settle(linker: Linker, bodies: Bodies) -> tuple[bool, Unresolved]:
    """Evaluate what was loaded last; say whether all was looked at again that had to be, and what stays unknown."""
    scopes = linker.scopes
    unresolved: Unresolved = {}
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
    if not linker.elsewhere:  # other parts of a tree may have such classes, too
        limit, linker.limit, linker.guessing = linker.limit, linker.limit + len(linker.unit_scope) // SUPPOSING, True
        suppose(linker, unresolved)
        _work(linker, bodies, unresolved)
        linker.limit, linker.guessing = limit, False
    return complete, unresolved


def _definitions(linker: Linker, scopes: list[Scope], bodies: Bodies) -> None:
    """Put imports and classes on the worklist: with them known, the order of bases is settled once."""
    for scope in scopes:
        if scope.facts.kind in (MODULE_SCOPE, CLASS_SCOPE):
            for place, code in enumerate(bodies.of(scope)):
                if code[0] == codes.IMPORT or code[0] == codes.CLASS:
                    linker.queued[scope.first + place] = 1
                    linker.queue.append(scope.first + place)


def _work(linker: Linker, bodies: Bodies, unresolved: Unresolved) -> bool:
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
                linker.missing = []  # nested so deep that it is generated
                continue
            if linker.missing:
                unresolved[unit] = linker.missing
                linker.missing = []
            elif unit in unresolved:
                del unresolved[unit]
    linker.work = work
    return complete
