"""Definitions of a tree in other languages than Python, by the last part of their names, and what extends what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from attrs import Factory, define

from inarch_brief_tracer.facts.file_facts import CONSTANT
from inarch_brief_tracer.linking.other_files import OtherFile, Spot

MOST_CANDIDATES = 3
"""Definitions of one name up to which a call by that name is believed to mean each of them."""


@define(eq=False, repr=False)
class Candidates:
    """Definitions that a name may mean."""

    spots: list[Spot] = Factory(list)
    by_file: dict[int, Spot] = Factory(dict)
    """Of each file the first."""
    by_folder: dict[str, list[Spot]] = Factory(dict)
    """Those below each folder, and in each file: of more than a few only so many that it shows."""

    def nearest(self, path: str) -> list[Spot]:
        """Give those that share most folders with a file, of a few all."""
        if len(self.spots) <= MOST_CANDIDATES:
            return self.spots
        return next((self.by_folder[place] for place in _places(path) if place in self.by_folder), [])

    def add(self, spot: Spot, path: str) -> None:
        """Add a definition of the file at a path."""
        self.spots.append(spot)
        self.by_file.setdefault(spot.file, spot)
        for place in _places(path):
            below = self.by_folder.setdefault(place, [])
            if len(below) <= MOST_CANDIDATES:
                below.append(spot)


@define(eq=False, repr=False)
class Definitions:
    """All definitions of a tree."""

    files: Mapping[int, OtherFile] = Factory(dict)
    by_name: dict[tuple[str, str], list[Spot]] = Factory(dict)
    by_dotted: dict[tuple[str, str], list[Spot]] = Factory(dict)
    by_stem: dict[str, list[int]] = Factory(dict)
    """Files of C by their names without the ending."""
    subclasses: dict[tuple[str, str], list[Spot]] = Factory(dict)
    _candidates: dict[tuple[str, str, tuple[str, ...]], Candidates] = Factory(dict)

    @classmethod
    def of(cls, files: Iterable[OtherFile]) -> Definitions:
        """Gather the definitions of files."""
        found = cls({file.number: file for file in files})
        for file in found.files.values():
            found._add(file)
        return found

    def candidates(self, family: str, name: str, kinds: tuple[str, ...]) -> Candidates:
        """Give the definitions of some kinds whose names end in one."""
        known = self._candidates.get((family, name, kinds))
        if known is None:
            known = self._candidates[family, name, kinds] = Candidates()
            for spot in self.by_name.get((family, name), ()):
                file = self.files[spot.file]
                if file.facts.symbols[spot.place].kind in kinds:
                    known.add(spot, file.path)
        return known

    def _add(self, file: OtherFile) -> None:
        if file.family == "C":
            self.by_stem.setdefault(stem_of(file), []).append(file.number)
        for place, symbol in enumerate(file.facts.symbols):
            spot = Spot(file.number, place)
            if place and symbol.kind != CONSTANT:
                self.by_name.setdefault((file.family, symbol.name.rpartition(".")[2]), []).append(spot)
                self.by_dotted.setdefault((file.family, symbol.name), []).append(spot)
            for base in symbol.bases:
                self.subclasses.setdefault((file.family, base.rpartition(".")[2]), []).append(spot)


def stem_of(file: OtherFile) -> str:
    """Give a file's name without the ending."""
    return file.path.rpartition("/")[2].rpartition(".")[0]


def _places(path: str) -> Iterator[str]:
    """Give a path and the folders that it is in, the nearest first."""
    while path:
        yield path
        path = path.rpartition("/")[0]
    yield ""
