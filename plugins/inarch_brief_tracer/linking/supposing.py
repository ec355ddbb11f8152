"""Objects of which nothing is known but what is asked of them: few classes have all of that.

A parameter that nothing in the tree hands over, asked for `nodes`, `edges` and `is_directed`, is a graph. What follows
from that is confidence `name`, as is everything that is known by names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from inarch_brief_tracer.linking.cells import Cell
from inarch_brief_tracer.linking.linker import Linker, Missing
from inarch_brief_tracer.linking.members import descendants
from inarch_brief_tracer.linking.name_matching import is_telling
from inarch_brief_tracer.linking.names import name_cell
from inarch_brief_tracer.linking.values import Cls

MAX_SUPPOSED = 2
"""Classes, each with all that are derived from it, that it may be of."""
MAX_DEFINING = 24
"""Classes that may define the rarest of these attributes."""


def suppose(linker: Linker, unresolved: Mapping[int, Sequence[Missing]]) -> None:
    """Put objects of the few classes that have what is asked of an unknown name where it is."""
    asked: dict[Cell, dict[str, None]] = {}
    for unit, missing in sorted(unresolved.items()):
        for item in missing:
            cell = name_cell(linker, linker.scope_of_unit(unit), item.base) if type(item.base) is str else None
            if cell is not None and not cell.values:
                asked.setdefault(cell, {})[item.name] = None
    for cell, names in asked.items():
        linker.put(cell, tuple([cls.open for cls in _supposed(linker, names)]))


def _supposed(linker: Linker, names: Iterable[str]) -> list[Cls]:
    """Give the few classes that have all of some attributes; none if they tell too little."""
    rarest = min([linker.defining.get(name, {}) for name in names if is_telling(name)], key=len, default={})
    if len(rarest) > MAX_DEFINING:
        return []
    known = {
        cls
        for defining in rarest
        for cls in (defining, *descendants(defining))
        if all(any(name in one.class_cells or name in one.instance_cells for one in cls.ancestry) for name in names)
    }
    first = [cls for cls in known if known.isdisjoint(cls.ancestry[1:])]
    return sorted(first, key=lambda cls: cls.scope.id) if len(first) <= MAX_SUPPOSED else []
