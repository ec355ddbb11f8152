"""Linking of a few changed files against their imports: quick, and corrected by the next full linking."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from inarch_brief.tracer.facts.link_facts import CLASS_SCOPE, LinkFacts, decode_links
from inarch_brief.tracer.facts.modules import absolute_name
from inarch_brief.tracer.indexing.arc_rows import put_linked
from inarch_brief.tracer.indexing.entry_nodes import gates_of
from inarch_brief.tracer.linking.link import link
from inarch_brief.tracer.linking.linker import Budget
from inarch_brief.tracer.store.kept_files import Shelf

NEAR = Budget(values=8, functions=16, overrides=8, visits=2)
"""The budget for changed files: as for a large tree."""
MAX_SEEN = 24
"""The most files loaded to link the changed ones."""


def link_near(shelf: Shelf, files: Sequence[int], mode: str = "near") -> None:
    """Link some files again. Edges that need the whole tree are missing until that is linked."""
    connection = shelf.connection
    seen = list(dict.fromkeys([*files, *_imported(shelf, files)]))[: max(MAX_SEEN, 2 * len(files))]
    rows = connection.execute(
        "SELECT f.id, f.path, f.module, l.facts FROM files f JOIN link_facts l ON l.file = f.id"
        f" WHERE f.id IN ({', '.join('?' * len(seen))}) ORDER BY f.role != 'code', f.path",
        seen,
    ).fetchall()
    called = frozenset(call.callee.rpartition(".")[2] for file in files for call in shelf.facts(file)[3].calls)
    given = {
        path: (module, facts if number in files else _outline(facts, called)) for number, path, module, facts in rows
    }
    put_linked(connection, link(given, NEAR), files, mode)
    if mode != "near":
        return
    marks = ", ".join("?" * len(files))
    connection.execute(f"DELETE FROM gates WHERE symbol IN (SELECT id FROM symbols WHERE file IN ({marks}))", files)
    connection.executemany("INSERT INTO gates VALUES (?, ?, ?, ?)", gates_of(shelf, set(files)))


def _outline(packed: bytes, called: Collection[str]) -> LinkFacts:
    """Drop the statements of functions that no changed file calls by name."""
    facts = decode_links(packed)
    bodies = tuple(
        body if scope.kind <= CLASS_SCOPE or scope.name.rpartition(".")[2] in called else ()
        for scope, body in zip(facts.scopes, facts.bodies(), strict=True)
    )
    return facts._replace(code=bodies, sizes=tuple(map(len, bodies)))


def _imported(shelf: Shelf, files: Sequence[int]) -> Iterator[int]:
    """Yield the imports of some files, and the imports of these."""
    waiting, seen = list(files), set(files)
    for _ in range(2):
        further = []
        for file in waiting:
            for module in _modules(shelf, file):
                for (number,) in shelf.connection.execute("SELECT id FROM files WHERE module = ?", (module,)):
                    if number not in seen:
                        seen.add(number)
                        further.append(number)
                        yield number
        if len(seen) > max(MAX_SEEN, 2 * len(files)):
            return
        waiting = further


def _modules(shelf: Shelf, file: int) -> Iterable[str]:
    path, module, _, facts = shelf.facts(file)
    found: dict[str, None] = {}
    for item in facts.imports:
        source = absolute_name(module, path.endswith("__init__.py"), item.module, item.level)
        found[source] = None
        if item.target:
            found[f"{source}.{item.target}"] = None
    return found
