"""Attributes of unknown objects in a tree that is linked part by part: matched by name once all parts are linked."""

from __future__ import annotations

from array import array
from collections.abc import Set

from attrs import Factory, define

from inarch_brief_tracer.linking.budget import CALL, NAME, PROPERTY
from inarch_brief_tracer.linking.findings import Findings
from inarch_brief_tracer.linking.linker import Linker
from inarch_brief_tracer.linking.name_matching import MAX_FAMILIES, candidates, is_telling
from inarch_brief_tracer.linking.rounds import Unresolved


@define(eq=False, repr=False)
class UnknownNames:
    """What was read of unknown objects, and the methods and properties that there are."""

    _names: dict[str, int] = Factory(dict)
    _known: tuple[dict[int, list[int]], dict[int, list[int]]] = Factory(lambda: ({}, {}))
    """Methods and properties by the number of their name, one more than are matched at most."""
    _read: array[int] = Factory(lambda: array("I"))
    """For each attribute read: who reads, the number of its name, the line, and whether it is called."""

    def define(self, linker: Linker, own: Set[str], found: Findings) -> None:
        """Note the methods and properties of a part's files."""
        for known, scopes in zip(self._known, candidates(linker), strict=True):
            for name, those in scopes.items():
                there = known.setdefault(self._number(name), [])
                for scope in those:
                    if len(there) <= MAX_FAMILIES and scope.file.path in own:
                        there.append(found.number(scope))

    def note(self, linker: Linker, unresolved: Unresolved, own: Set[str], found: Findings) -> None:
        """Note what the files of a part read of unknown objects."""
        for unit, missing in unresolved.items():
            scope = linker.scope_of_unit(unit)
            for item in missing if scope.file.path in own else ():
                if is_telling(item.name):
                    row = found.number(scope), self._number(item.name), item.line, item.called
                    self._read.extend(row)

    def match(self, found: Findings) -> None:
        """Add edges for what few methods or properties have the name of."""
        methods, properties = self._known
        rows = iter(self._read)
        for caller, name, line, called in zip(rows, rows, rows, rows, strict=True):
            there = (methods if called else properties).get(name, ())
            for callee in there if len(there) <= MAX_FAMILIES else ():
                found.add(caller, callee, CALL if called else PROPERTY, line << 2 | NAME)

    def _number(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))
