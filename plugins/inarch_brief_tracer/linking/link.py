"""The linker: from the link facts of all files to the edges between their functions."""

from __future__ import annotations

from inarch_brief_tracer.facts.collecting import uncollected
from inarch_brief_tracer.facts.link_facts import statements
from inarch_brief_tracer.facts.modules import TEST, role_of
from inarch_brief_tracer.linking.budget import Budget, sized
from inarch_brief_tracer.linking.edges import Linked, shared_modules
from inarch_brief_tracer.linking.findings import Findings
from inarch_brief_tracer.linking.loading import Files, load
from inarch_brief_tracer.linking.name_matching import match_names
from inarch_brief_tracer.linking.parts import link_parts
from inarch_brief_tracer.linking.rounds import made_linker, settle

USUAL = Budget()
COARSE_VISITS = 2
"""Visits of a statement up to which it is said that a tree was linked coarsely."""
LARGE = 45_000
"""Statements of a tree whose tests are linked after the rest."""
WHOLE = 300_000
"""Statements above which a tree is linked part by part: memory and time would not do for the whole at once."""


def link(files: Files, budget: Budget = USUAL) -> Linked:
    """Link files, given by their paths as module name and link facts, packed (for large trees) or not.

    The result depends on nothing but the files: not on their order, nor on earlier calls. In a large tree tests are
    linked after the rest: they call it, and it is not linked again for what they hand over.

    Raises:
        ValueError: packed facts are damaged.
    """
    size = sum(statements(facts) for _, facts in files.values())
    tests = [path for path in sorted(files) if size > LARGE and role_of(path) == TEST]
    code = sorted(files.keys() - set(tests))
    budget = sized(budget, sum(statements(files[path][1]) for path in code))
    found = Findings(shared_modules(files))
    with uncollected():
        if size <= WHOLE:
            _link_whole({path: files[path] for path in code}, budget, found)
        if tests or size > WHOLE:
            link_parts(files, () if size <= WHOLE else code, tests, budget, found)
    note = f"the tree is large ({size:,} statements): callbacks and calls through many classes may be missing"
    notes = () if found.complete or budget.visits > COARSE_VISITS else (note,)
    return Linked(found.edges(), found.complete, found.work, notes)


def _link_whole(files: Files, budget: Budget, found: Findings) -> None:
    """Link files together."""
    linker = made_linker(budget, found.shared)
    linker.limit = int(budget.steps * sum(statements(facts) for _, facts in files.values()))
    found.complete, unresolved = settle(linker, load(linker, files))
    match_names(linker, unresolved)
    found.take(linker)
    found.work = linker.work
    linker.dissolve()  # its state is larger than what it found
