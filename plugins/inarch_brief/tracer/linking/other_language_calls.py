"""Calls between files of other languages: resolved through imports if possible, else by name and marked so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from attrs import define

from inarch_brief.tracer.facts.file_facts import CLASS, CONSTANT, FUNCTION, METHOD, Call
from inarch_brief.tracer.facts.kinds import CONFIDENCES
from inarch_brief.tracer.linking.other_names import Names, OtherFile, Spot

EXACT, INFERRED, _, NAME = CONFIDENCES
MOST_CANDIDATES = 3
"""With at most this many definitions of a name, a call by that name counts for each of them."""
MOST_HOMES = 12
"""The most files that define a name, if it is to be resolved by counting."""
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
"""Methods of common objects of the languages and their libraries: an unknown object may well be one of these."""


class OtherEdge(NamedTuple):
    """A call between two symbols."""

    caller: Spot
    callee: Spot
    confidence: str
    line: int


def linked_others(names: Names, begin: int, is_over: Callable[[], bool]) -> tuple[list[OtherEdge], int]:
    """Link calls between the symbols of a tree, file by file while there is time. Return the next file's position."""
    linker = _Linker(names)
    found: list[OtherEdge] = []
    files = list(names.files.values())
    for place, file in enumerate(files[begin:], begin + 1):
        for call in file.facts.calls:
            found += linker.edges(file, call)
        if is_over():
            return found, place
    return found, len(files)


Found = tuple[Sequence[Spot], str]
"""The possible targets of a call, and their confidence."""
NOTHING: Found = ((), EXACT)


@define(eq=False, repr=False)
class _Linker:
    names: Names

    def edges(self, file: OtherFile, call: Call) -> Iterator[OtherEdge]:
        """Yield the targets of one call. A class counts with its constructor."""
        scope, (owner, _, name) = file.facts.symbols[call.scope].name, call.callee.rpartition(".")
        spots, confidence = self._dotted(file, scope, owner, name) if owner else self._plain(file, scope, name)
        for spot in dict.fromkeys(spots):
            symbol = self.names.symbol(spot)
            if symbol.kind == CONSTANT or spot.place == 0:
                continue
            last = symbol.name.rpartition(".")[2]
            made = [self.names.member(spot, one) for one in (last, *_CONSTRUCTORS) if symbol.kind == CLASS]
            for one in (spot, *list(filter(None, made))[:1]):
                yield OtherEdge(Spot(file.number, call.scope), one, confidence, call.line)

    def _plain(self, file: OtherFile, scope: str, name: str) -> Found:
        """Find `name()` in the scopes around the call, then in the names the file sees, then by its name."""
        has_own = file.facts.language in ("Java", "C++", "C", "Ruby")
        for around in _around(scope):
            spot = file.spot(f"{around}.{name}" if around else name)
            if spot and (has_own or not around or self.names.symbol(spot).kind != METHOD):
                return [spot], EXACT
        found = self.names.named(file, name)
        if found or name in file.imports:
            return found, EXACT
        inherited = self._own(file, scope, name) if has_own else None
        return (
            ([inherited], INFERRED) if inherited else self._by_name(file, name, False, has_own and file.family != "C")
        )

    def _dotted(self, file: OtherFile, scope: str, owner: str, name: str) -> Found:
        """Find `owner.name()` in the class around the call, in the meaning of its owner, then by its name."""
        is_receiver = (
            file.family == "Go" and "." in scope and not (owner == "?" or "." in owner or owner in file.imports)
        )
        if owner in ("self", "super") or is_receiver:
            found = self._own(file, scope, name, owner == "super")
            if found:
                return [found], EXACT if found.file == file.number and not is_receiver else INFERRED
        if owner != "?":
            spots = self.names.named(file, f"{owner}.{name}")
            classes = self.names.named(file, owner) if not spots else ()
            spots = spots or [spot for cls in classes if (spot := self.names.member(cls, name))][:1]
            if spots:
                return spots, EXACT
            head = owner.partition(".")[0]
            if head in file.imports and not (self.names.modules(file, head) or self.names.named(file, head)):
                return NOTHING  # from a library outside the tree
            if owner.rpartition(".")[2][:1].isupper() and file.family in ("Rust", "Java", "JavaScript"):
                return NOTHING  # `Vec::new`, `Collections.sort`: from a type outside the tree
        return NOTHING if name in _COMMON else self._by_name(file, name, True)

    def _own(self, file: OtherFile, scope: str, name: str, skip_own: bool = False) -> Spot | None:
        """Return the member of the class around a scope. A method may be in another file than its class."""
        for around in _around(scope):
            classes = self.names.named(file, around) if around else ()
            for cls in classes:
                found = self.names.member(cls, name, skip_own) if self.names.symbol(cls).kind == CLASS else None
                if found:
                    return found
            spot = file.spot(f"{around}.{name}" if around else name)
            if spot and not skip_own:
                return spot
        return None

    def _by_name(self, file: OtherFile, name: str, is_dotted: bool, has_own: bool = True) -> Found:
        """Return the few definitions of a name: in the file, else in its imports, else anywhere."""
        found = self.names.by_last.get((file.family, name), {})
        near = self.names.near(file) & found.keys() if found else ()
        for files, confidence in (((file.number,), NAME), (near, EXACT)):
            chosen = self._fitting([spot for one in files for spot in found.get(one, ())], is_dotted, has_own)
            if chosen:
                # A file of C sees what it includes: a function there is the one.
                return (chosen[:1], confidence) if file.family == "C" and not is_dotted else _few(chosen)
        if len(found) > MOST_HOMES:
            return NOTHING
        chosen = self._fitting([spot for spots in found.values() for spot in spots], is_dotted, has_own)
        return (chosen, INFERRED) if len(chosen) == 1 and file.family == "C" and not is_dotted else _few(chosen)

    def _fitting(self, found: list[Spot], is_dotted: bool, has_own: bool) -> list[Spot]:
        """Return methods for a call through an object, else functions; for a plain call only top-level ones."""
        methods = [spot for spot in found if self.names.symbol(spot).kind == METHOD]
        if is_dotted:
            return methods or [spot for spot in found if self.names.symbol(spot).kind == FUNCTION]
        return found if has_own else [spot for spot in found if "." not in self.names.symbol(spot).name]


def _few(found: list[Spot]) -> Found:
    return (found, NAME) if len(found) <= MOST_CANDIDATES else NOTHING


def _around(scope: str) -> Iterator[str]:
    """Yield a scope and those around it, the file last."""
    while scope:
        yield scope
        scope = scope.rpartition(".")[0]
    yield ""
