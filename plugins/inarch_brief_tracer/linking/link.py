"""The linker: from the link facts of all files to the edges between their functions."""

from __future__ import annotations

from inarch_brief_tracer.facts.collecting import uncollected
from inarch_brief_tracer.facts.link_facts import statements
from inarch_brief_tracer.facts.modules import TEST, role_of
from inarch_brief_tracer.linking.budget import Budget, sized
from inarch_brief_tracer.linking.edges import Linked, shared_modules
from inarch_brief_tracer.linking.findings import Findings
from inarch_brief_tracer.linking.linker import Linker
from inarch_brief_tracer.linking.loading import Bodies, Files, load
from inarch_brief_tracer.linking.name_matching import match_names
from inarch_brief_tracer.linking.parts import link_parts
from inarch_brief_tracer.linking.rounds import made_linker, settle

USUAL = Budget()
COARSE_VISITS = 2
"""Visits of a statement up to which it is said that a tree was linked coarsely."""
LARGE = 45_000
"""Statements of a tree whose tests are linked one by one."""
WHOLE = 300_000
"""Statements above which a tree is linked part by part: memory and time would not do for the whole at once."""


def link(files: Files, budget: Budget = USUAL) -> Linked:
    """Link files, given by their paths as module name and link facts, packed (for large trees) or not.

    The result depends on nothing but the files: not on their order, nor on earlier calls. In a large tree tests are
    linked one by one after the rest: they call it, and it is not linked again for what they hand over.

    Raises:
        ValueError: packed facts are damaged.
    """
    size = sum(statements(facts) for _, facts in files.values())
    tests = [path for path in sorted(files) if size > LARGE and role_of(path) == TEST]
    code = sorted(files.keys() - set(tests))
    budget = sized(budget, sum(statements(files[path][1]) for path in code))
    with uncollected():
        found = link_parts(files, code, tests, budget) if size > WHOLE else _link_whole(files, code, tests, budget)
    note = f"the tree is large ({size:,} statements): callbacks and calls through many classes may be missing"
    notes = () if found.complete or budget.visits > COARSE_VISITS else (note,)
    return Linked(found.edges(), found.complete, found.work, notes)


def _link_whole(files: Files, code: list[str], tests: list[str], budget: Budget) -> Findings:
    found = Findings(shared_modules(files))
    linker = made_linker(budget, found.shared)
    linker.limit = int(budget.steps * sum(statements(files[path][1]) for path in code))
    found.complete = _link(linker, load(linker, {path: files[path] for path in code}), found)
    if tests:
        linker.freeze()
        for path in tests:
            with linker.passing():
                _link(linker, load(linker, {path: files[path]}), found)
    found.work = linker.work
    linker.dissolve()  # its state is larger than what it found
    return found


def _link(linker: Linker, bodies: Bodies, found: Findings) -> bool:
    """Link what was loaded last, and add it to what was found."""
    complete, unresolved = settle(linker, bodies)
    match_names(linker, unresolved)
    found.take(linker)
    return complete
