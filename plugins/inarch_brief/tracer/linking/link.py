"""The linker's entry point: from the link facts of all files to the edges between their functions, in parts for large
trees.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from inarch_brief.tracer.facts.link_facts import IMPORT, Code, ScopeFacts, Unpacked, statements, unpacked
from inarch_brief.tracer.facts.modules import TEST, absolute_name, role_of
from inarch_brief.tracer.facts.source import uncollected
from inarch_brief.tracer.linking.edges import Findings, Linked, shared_modules
from inarch_brief.tracer.linking.link_rounds import Files, load, made_linker, settle
from inarch_brief.tracer.linking.linker import Budget, sized
from inarch_brief.tracer.linking.name_match import match_names
from inarch_brief.tracer.linking.names import nearest
from inarch_brief.tracer.linking.values import File

PART = 80_000
"""Statements linked together."""
AROUND = 30_000
"""Statements of further outlines that a part is linked with, besides its own imports."""
SHORT = 4
"""The most statements of a function that an outline includes."""
_STEPS = 3
"""Levels of imports that are followed."""


class _Tree(NamedTuple):
    """All files, and the data that every part needs."""

    files: Files
    modules: Mapping[str, list[File]]
    folders: frozenset[str]
    shared: frozenset[str]


def link_parts(files: Files, code: Sequence[str], tests: Sequence[str], budget: Budget, found: Findings) -> None:
    """Link the code of a tree, then its tests, part by part.

    Raises:
        ValueError: packed facts are damaged.
    """
    modules: dict[str, list[File]] = {}
    for path in sorted(files):
        modules.setdefault(files[path][0], []).append(File(path, files[path][0], None))
    folders = {name.rpartition(".")[0] for name in modules}
    while outer := {name.rpartition(".")[0] for name in folders} - folders:
        folders |= outer
    tree = _Tree(files, modules, frozenset(folders - {""}), found.shared)
    for part in parts_of(code, files):
        _link_part(tree, part, budget, found)
    for part in parts_of(tests, files):
        _link_part(tree, part, budget._replace(visits=1), found, of_tests=True)


def parts_of(paths: Sequence[str], files: Files) -> Iterator[list[str]]:
    """Yield the files in parts of neighbours. A folder is one part if it fits."""
    sizes = {path: statements(files[path][1]) for path in paths}
    part: list[str] = []
    room = PART
    for group in _folders(sorted(paths), sizes, 0):
        size = sum(sizes[path] for path in group)
        if part and size > room:
            yield part
            part, room = [], PART
        part += group
        room -= size
    if part:
        yield part


def _folders(paths: list[str], sizes: Mapping[str, int], depth: int) -> Iterator[list[str]]:
    """Yield the files of the largest folders that fit into a part."""
    if len(paths) < 2 or sum(sizes[path] for path in paths) <= PART:
        yield paths
        return
    for _, group in groupby(paths, lambda path: path.split("/", depth + 1)[: depth + 1]):
        yield from _folders(list(group), sizes, depth + 1)


def _link_part(tree: _Tree, part: Sequence[str], budget: Budget, found: Findings, *, of_tests: bool = False) -> None:
    own = {path: _unpacked(tree, path) for path in part}
    given = {**_around(tree, own), **own}
    linker = made_linker(budget, tree.shared)
    linker.loaded.elsewhere, linker.loaded.folders = tree.modules, set(tree.folders)
    linker.worklist.limit = int(
        budget.steps * sum(map(len, (body for _, one in given.values() for body in one.bodies)))
    )
    complete = settle(linker, load(linker, given))
    found.complete &= complete or of_tests
    found.work += linker.worklist.work
    match_names(linker, own)
    if of_tests:  # arguments from tests say nothing about the code
        for key in [key for key in linker.edges if linker.loaded.scopes[key >> 31].file.path not in own]:
            del linker.edges[key]
    found.take(linker)
    linker.dissolve()


def _unpacked(tree: _Tree, path: str) -> tuple[str, Unpacked]:
    module, given = tree.files[path]
    return module, unpacked(given)


def _is_short(_: ScopeFacts, body: tuple[Code, ...]) -> bool:
    return len(body) <= SHORT


def _around(tree: _Tree, own: Mapping[str, tuple[str, Unpacked]]) -> dict[str, tuple[str, Unpacked]]:
    """Return the outlines of imported files, and of their imports, while there is room."""
    found: dict[str, tuple[str, Unpacked]] = {}
    waiting: Mapping[str, tuple[str, Unpacked]] = own
    room = AROUND
    for step in range(_STEPS):
        counts = Counter(path for name, one in waiting.items() for path in _imported(tree, name, *one))
        wanted = sorted(
            (path for path in counts if path not in own and path not in found), key=lambda p: (-counts[p], p)
        )
        waiting = {}
        for path in wanted:
            if step and room <= 0:
                return found
            module, whole = _unpacked(tree, path)
            found[path] = waiting[path] = (module, whole.outline(_is_short))
            room -= sum(waiting[path][1].facts.sizes)
    return found


def _imported(tree: _Tree, path: str, module: str, one: Unpacked) -> set[str]:
    """Return the files that a file imports from."""
    package = path.endswith("__init__.py")
    names = {absolute_name(module, package, name, level) for name, level in one.facts.stars}
    for code in (code for body in one.bodies for code in body if code[0] == IMPORT):
        names |= set(_meant(module, package, code))
    near = File(path, module, None)
    return {file.path for name in names if name in tree.modules for file in nearest(tree.modules[name], near)} - {path}


def _meant(module: str, package: bool, code: Code) -> Iterator[str]:
    """Yield the names of the modules that an import may load: the named one and its packages."""
    full = absolute_name(module, package, code[2], code[4])
    if code[3]:
        yield f"{full}.{code[3]}"
    while full:
        yield full
        full = full.rpartition(".")[0]


USUAL = Budget()
COARSE_VISITS = 2
"""Up to this many visits of a statement, a note says that the tree was linked coarsely."""
LARGE = 45_000
"""With more statements than this, a tree's tests are linked after the rest."""
WHOLE = 300_000
"""With more statements than this, a tree is linked in parts, to limit memory and time."""


def link(files: Files, budget: Budget = USUAL) -> Linked:
    """Link files, given by path as module name and link facts, packed (for large trees) or not.

    The result depends only on the files, neither on their order nor on earlier calls. In a large tree, tests are linked
    after the rest, and the arguments they pass do not cause another pass over the code.

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
    linker.worklist.limit = int(budget.steps * sum(statements(facts) for _, facts in files.values()))
    found.complete = settle(linker, load(linker, files))
    match_names(linker, files)
    found.take(linker)
    found.work = linker.worklist.work
    linker.dissolve()  # its state is larger than its result
