"""Objects of which nothing is known but what is asked of them: few classes have all of that.

A parameter that nobody in the tree hands over, asked for `nodes`, `edges` and `is_directed`, is a graph. What follows
from that is confidence `name`, as is everything that is known by names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from inarch_brief_tracer.facts.link_facts import ATTRIBUTE
from inarch_brief_tracer.linking.cells import Cell
from inarch_brief_tracer.linking.evaluate import evaluate
from inarch_brief_tracer.linking.linker import Linker, Missing
from inarch_brief_tracer.linking.members import descendants, lookup, outside_bases
from inarch_brief_tracer.linking.name_matching import is_telling
from inarch_brief_tracer.linking.names import name_cell
from inarch_brief_tracer.linking.values import Cls, Instance

MAX_SUPPOSED = 2
"""Classes, each with all that are derived from it, that it may be of."""
MAX_DEFINING = 24
"""Classes that may define the rarest of these attributes."""
MAX_CONSIDERED = 128
"""Classes that are looked at for one object."""


def suppose(linker: Linker, unresolved: Mapping[int, Sequence[Missing]]) -> bool:
    """Put objects of the few classes that have what is asked of an unknown object where it is; say whether any are."""
    asked: dict[Cell, dict[str, None]] = {}
    for unit, missing in sorted(unresolved.items()):
        linker.unit, linker.scope = unit, linker.scope_of_unit(unit)
        for item in missing:
            cell = _cell(linker, item)
            if cell is not None and not cell.values:
                asked.setdefault(cell, {})[item.name] = None
    linker.missing = []
    found, having = False, dict[str, set[Cls]]()
    for cell, names in asked.items():
        classes = supposed(linker, names, having)
        if classes:
            linker.put(cell, tuple([cls.open for cls in classes]))
            found = True
    return found


def _cell(linker: Linker, item: Missing) -> Cell | None:
    """Give the cell of the name, or the attribute of a known object, that is asked."""
    base = item.base
    if type(base) is str:
        return name_cell(linker, linker.scope, base)
    if type(base) is not tuple or base[0] != ATTRIBUTE or type(base[1]) is not str:
        return None
    for value in evaluate(linker, base[1]):
        if type(value) is Instance:
            cells = lookup(linker, value.cls, base[2], False).in_instances
            return cells[0] if cells else None
    return None


def supposed(linker: Linker, names: Iterable[str], having: dict[str, set[Cls]]) -> list[Cls]:
    """Give the few classes that have all of some attributes; none where they tell too little."""
    telling = [name for name in names if is_telling(name)]
    if not telling or not 0 < min([len(linker.defining.get(name, ())) for name in telling]) <= MAX_DEFINING:
        return []
    known = set.intersection(*sorted([_having(linker, name, having) for name in telling], key=len))
    if len(known) > MAX_CONSIDERED:
        return []
    for name in names:
        if known and not is_telling(name):
            # What builtin objects have, too, may come from a base outside.
            also = _having(linker, name, having)
            known = {cls for cls in known if cls in also or outside_bases(cls)}
    first = [cls for cls in known if known.isdisjoint(cls.ancestry[1:])]
    return sorted(first, key=lambda cls: cls.scope.id) if len(first) <= MAX_SUPPOSED else []


def _having(linker: Linker, name: str, having: dict[str, set[Cls]]) -> set[Cls]:
    """Give the classes whose objects have an attribute, as far as the tree tells."""
    found = having.get(name)
    if found is None:
        found = having[name] = set(linker.defining.get(name, ()))
        for cls in linker.defining.get(name, ()):
            found.update(descendants(cls))
    return found
