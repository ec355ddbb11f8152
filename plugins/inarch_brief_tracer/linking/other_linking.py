"""Calls between files of other languages: resolved through imports where possible, else by name and marked so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from attrs import Factory, define

from inarch_brief_tracer.facts.file_facts import CLASS, CONSTANT, FUNCTION, METHOD, Call
from inarch_brief_tracer.linking.edge_kinds import CONFIDENCES
from inarch_brief_tracer.linking.other_definitions import MOST_CANDIDATES, Candidates, Definitions, stem_of
from inarch_brief_tracer.linking.other_files import OtherFile, Spot
from inarch_brief_tracer.linking.other_names import Names

EXACT, INFERRED, HIERARCHY, NAME = CONFIDENCES
MOST_SUBCLASSES = 8
_CALLED = (FUNCTION, METHOD)
_CONSTRUCTORS = ("constructor", "__construct", "initialize", "new")
_COMMON = frozenset(
    """
    push pop shift map filter forEach reduce slice splice concat join split replace match test exec apply call
    bind then catch finally get set has add delete clear keys values entries toString valueOf indexOf includes
    find some every sort append len length size isEmpty equals hashCode put remove contains iterator next close
    open read write flush print println printf format trim clone unwrap expect iter collect into as_ref as_str
    to_string to_owned is_some is_none ok err unwrap_or push_str insert extend begin end c_str push_back
    emplace_back at front back first last data empty erase log warn error info debug start stop run main init on
    once emit send end next done resolve reject all
    """.split()  # noqa: SIM905 - a list of a hundred strings is no easier to read
)
"""Methods that objects of the languages and their libraries have: one of an unknown object may well be one of these."""


class OtherEdge(NamedTuple):
    """A call between two symbols."""

    caller: Spot
    callee: Spot
    confidence: str
    line: int


class Cursor(NamedTuple):
    """A call of a tree: the place of its file, and its own in the file."""

    file: int = 0
    call: int = 0


def linked_others(names: Names, begin: Cursor, is_over: Callable[[], bool]) -> tuple[list[OtherEdge], Cursor | None]:
    """Link calls between the symbols of a tree, in order, as long as there is time; give where to go on, if anywhere.

    Args:
        names: The names of the tree.
        begin: The call to begin with.
        is_over: Asked after each call: one call takes some milliseconds at most.
    """
    linker = _Linker(names, Definitions.of(names.files.values()))
    found: list[OtherEdge] = []
    for place, file in enumerate(list(names.files.values())[begin.file :], begin.file):
        first = begin.call if place == begin.file else 0
        for number, call in enumerate(file.facts.calls[first:], first):
            if found and is_over():
                return found, Cursor(place, number)
            found += linker.edges(file, call)
    return found, None


Found = tuple[list[Spot], str]
"""What a call may mean, and how sure that is."""
NOTHING: Found = ([], EXACT)


@define(eq=False, repr=False)
class _Linker:
    names: Names
    index: Definitions
    _included: dict[int, frozenset[int]] = Factory(dict)
    _implemented: dict[tuple[Spot, str], list[Spot]] = Factory(dict)

    def edges(self, file: OtherFile, call: Call) -> Iterator[OtherEdge]:
        """Give what one call means."""
        parts = call.callee.split(".")
        scope = file.facts.symbols[call.scope].name
        spots, confidence = self._plain(file, scope, parts[0]) if len(parts) == 1 else self._dotted(file, scope, parts)
        caller = Spot(file.number, call.scope)
        for spot in dict.fromkeys(spots):
            symbol = self.names.symbol(spot)
            if symbol.kind == CONSTANT or spot.place == 0:
                continue
            yield OtherEdge(caller, spot, confidence, call.line)
            if symbol.kind == CLASS:
                last = symbol.name.rpartition(".")[2]
                made = (self._member(spot, name) for name in (last, *_CONSTRUCTORS))
                first = next((one for one in made if one), None)
                if first:
                    yield OtherEdge(caller, first, confidence, call.line)

    def _plain(self, file: OtherFile, scope: str, name: str) -> Found:
        around = scope
        while around:
            spot = file.spot(f"{around}.{name}")
            if spot and (file.facts.language in ("Java", "C++", "Ruby", "C") or not self._is_method(spot)):
                return [spot], EXACT
            around = around.rpartition(".")[0]
        spot = file.spot(name)
        if spot:
            return [spot], EXACT
        found, is_imported = self.names.imported(file, name)
        if is_imported:
            return found, EXACT
        found = self.names.in_package(file, name) or self.names.through_stars(file, name)
        if found:
            return found[:1], EXACT
        if file.facts.language in ("Java", "C++", "Ruby"):
            owner = self._owner(file, scope)
            inherited = self._member(owner, name) if owner else None
            if inherited:
                return [inherited], INFERRED
        return self._included_or_named(file, name)

    def _is_method(self, spot: Spot) -> bool:
        return self.names.symbol(spot).kind == METHOD

    def _included_or_named(self, file: OtherFile, name: str) -> Found:
        kinds = (FUNCTION, CLASS, METHOD) if file.facts.language in ("Ruby", "C++") else (FUNCTION, CLASS)
        found = self.index.candidates(file.family, name, kinds)
        if file.family == "C" and found.spots:
            sure = self._includes(file) & found.by_file.keys()
            if sure:
                return [found.by_file[min(sure)]], EXACT
            if len(found.spots) == 1:
                return found.spots, INFERRED
        return _few(file, name, found)

    def _includes(self, file: OtherFile) -> frozenset[int]:
        """Give the files that are included, and those that a header speaks for: `list.c` of `list.h`."""
        known = self._included.get(file.number)
        if known is None:
            headers = self.names.included(file)
            spoken = {number for header in headers for number in self.index.by_stem[stem_of(header)]}
            known = self._included[file.number] = frozenset({*spoken, *(header.number for header in headers)})
        return known

    def _kind(self, spot: Spot) -> str:
        return self.names.symbol(spot).kind

    def _dotted(self, file: OtherFile, scope: str, parts: list[str]) -> Found:
        head, last = parts[0], parts[-1]
        if head == "?":
            return self._by_name(file, last)
        if head in ("self", "super"):
            found = self._path(file, parts) if file.family == "Rust" else []
            return (found, EXACT) if found else self._own(file, scope, parts)
        kind = self._type_of(file, scope, head)
        if kind:
            return self._of_type(file, kind, parts[1:])
        found = self._path(file, parts)
        if found:
            return found, EXACT
        if file.imports.get(head) and not (self.names.sources(file, head) or self.names.imported(file, head)[0]):
            return NOTHING  # of a library that isn't in the tree
        return self._by_name(file, last)

    def _path(self, file: OtherFile, parts: list[str]) -> list[Spot]:
        """Resolve `Class.method`, `module.function`, `crate.module.function`."""
        whole = file.spot(".".join(parts))
        if whole:
            return [whole]
        head, rest = parts[0], ".".join(parts[1:])
        for other in self.names.sources(file, head):
            found = self.names.handed_on(other, rest)
            if found:
                return found
        if file.family == "Rust":
            for other in self.names.module(file, "::".join(parts[:-1])):
                found = self.names.handed_on(other, parts[-1])
                if found:
                    return found
        owners = list(self.names.classes(file, ".".join(parts[:-1]))) or list(self.names.classes(file, head))
        return [spot for owner in owners if (spot := self._member(owner, parts[-1]))][:1]

    def _own(self, file: OtherFile, scope: str, parts: list[str]) -> Found:
        owner = self._owner(file, scope)
        if len(parts) == 2:
            found = self._member(owner, parts[1], parts[0] == "super") if owner else None
            if found:
                return [found], EXACT if found.file == file.number else INFERRED
            around = scope
            while around:
                around = around.rpartition(".")[0]
                spot = file.spot(f"{around}.{parts[1]}" if around else parts[1])
                if spot:
                    return [spot], EXACT
        elif owner:
            kind = self._field(owner, parts[1])
            if kind:
                return self._of_type(self.names.files[owner.file], kind, parts[2:])
        return self._by_name(file, parts[-1])

    def _owner(self, file: OtherFile, scope: str) -> Spot | None:
        """Give the class that a scope stands in."""
        around = scope
        while around:
            spot = file.spot(around)
            if spot and self._kind(spot) == CLASS:
                return spot
            if spot is None or self._kind(spot) == METHOD:
                # A method of Go, Rust or C++ may stand in another file than its type.
                name = around if spot is None else around.rpartition(".")[0]
                found = next(iter(self.names.classes(file, name)), None) if name else None
                if found:
                    return found
            around = around.rpartition(".")[0]
        return None

    def _field(self, owner: Spot, name: str) -> str:
        """Give the written type of a field."""
        for cls in self.names.lineage(owner):
            file, symbol = self.names.files[cls.file], self.names.symbol(cls)
            for place in (cls.place, *(file.names.get(f"{symbol.name}.{one}", 0) for one in _CONSTRUCTORS)):
                kinds = file.kinds(place) if place else {}
                kind = kinds.get(name) or kinds.get(f"self.{name}")
                if kind:
                    return kind
        return ""

    def _type_of(self, file: OtherFile, scope: str, name: str) -> str:
        """Give the written type of a variable where it is used."""
        around = scope
        while True:
            place = file.names.get(around)
            kind = file.kinds(place).get(name) if place is not None else None
            if kind is not None:
                return kind
            if not around:
                return ""
            around = around.rpartition(".")[0]

    def _of_type(self, file: OtherFile, kind: str, rest: list[str]) -> Found:
        """Resolve a member of an object whose type is written."""
        classes = [spot for spot in self.names.classes(file, kind) if self._kind(spot) == CLASS]
        if not classes:
            last = kind.rpartition(".")[2]
            found = self.index.candidates(file.family, last, (CLASS,)).spots
            # A type of a library, or one that is imported in a way that isn't followed.
            classes = found if len(found) == 1 and not file.imports.get(kind.partition(".")[0]) else []
        for cls in classes:
            if len(rest) > 1:
                kind = self._field(cls, rest[0])
                return self._of_type(self.names.files[cls.file], kind, rest[1:]) if kind else NOTHING
            found_member = self._member(cls, rest[0])
            below = self._below(cls, rest[0])
            if found_member:
                return [found_member, *below], HIERARCHY if below else INFERRED
            if below:
                return below, HIERARCHY
        return NOTHING

    def _below(self, cls: Spot, name: str) -> list[Spot]:
        """Give the methods of what extends a class or implements an interface."""
        file = self.names.files[cls.file]
        if file.family == "Go":
            return self._implementing(file, cls, name)
        last = self.names.symbol(cls).name.rpartition(".")[2]
        found = []
        for sub in self.index.subclasses.get((file.family, last), ())[: 4 * MOST_SUBCLASSES]:
            spot = self.names.files[sub.file].spot(f"{self.names.symbol(sub).name}.{name}")
            if spot:
                found.append(spot)
        return found if len(found) <= MOST_SUBCLASSES else []

    def _implementing(self, file: OtherFile, cls: Spot, name: str) -> list[Spot]:
        """Give the methods of the types of Go that have all methods of an interface."""
        known = self._implemented.get((cls, name))
        if known is None:
            known = self._implemented[cls, name] = self._find_implementing(file, cls, name)
        return known

    def _find_implementing(self, file: OtherFile, cls: Spot, name: str) -> list[Spot]:
        start = f"{self.names.symbol(cls).name}."
        wanted = [symbol.name.removeprefix(start) for symbol in file.facts.symbols if symbol.name.startswith(start)]
        if self.names.symbol(cls).bases or file.spot(f"{start}{name}") is None:
            return []
        found = []
        for spot in self.index.by_name.get((file.family, name), ()):
            home = self.names.files[spot.file]
            owner = next(iter(self.names.classes(home, self.names.symbol(spot).name.rpartition(".")[0])), None)
            if owner and owner != cls and all(self._member(owner, one) for one in wanted):
                found.append(spot)
        return found if len(found) <= 2 * MOST_SUBCLASSES else []

    def _member(self, cls: Spot, name: str, skip_own: bool = False) -> Spot | None:
        """Give a class's member: its own, of another file of its package or its header's, or inherited."""
        for owner in self.names.lineage(cls)[skip_own:]:
            for place in self._bodies(self.names.files[owner.file], f"{self.names.symbol(owner).name}.{name}"):
                return place
        return None

    def _bodies(self, file: OtherFile, dotted: str) -> Iterator[Spot]:
        spot = file.spot(dotted)
        if file.family in ("C", "Go", "Rust"):
            # Where the class is declared its methods need not be: the one with a body counts, then the declaration.
            same = [one for one in self.index.by_dotted.get((file.family, dotted), ()) if one != spot]
            if file.family == "Go":
                same = [one for one in same if self.names.files[one.file].folder == file.folder]
            if spot is None or file.family == "C":
                yield from same[:1]
        if spot:
            yield spot

    def _by_name(self, file: OtherFile, name: str) -> Found:
        methods = self.index.candidates(file.family, name, (METHOD,))
        return _few(file, name, methods if methods.spots else self.index.candidates(file.family, name, _CALLED))


def _few(file: OtherFile, name: str, found: Candidates) -> Found:
    """Believe a name that few definitions have; of more those in the nearest folders, away from built copies."""
    near = NOTHING[0] if name in _COMMON else found.nearest(file.path)
    return (near, NAME) if len(near) <= MOST_CANDIDATES else NOTHING
