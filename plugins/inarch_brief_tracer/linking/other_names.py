"""What names stand for in files of other languages: by imports, folders, packages and includes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from attrs import define, field

from inarch_brief_tracer.facts.file_facts import CLASS, Import, Symbol
from inarch_brief_tracer.linking.other_files import Manifests, OtherFile, OtherFiles, Spot

MOST_STEPS = 2_000
"""Files that are looked into for one name: a barrel of as many is searched in some milliseconds."""
_MOST_INCLUDED = 60
_MOST_CLASSES = 60
Way = tuple[tuple[OtherFile, ...], str]
"""Files side by side, and the name that is looked for in them."""


@define(eq=False, repr=False)
class Names:
    """The names of a tree."""

    files: Mapping[int, OtherFile]
    manifests: Manifests = field(factory=Manifests)
    _known: dict[tuple[Way, ...], list[Spot]] = field(factory=dict, init=False)
    _starring: dict[int, tuple[tuple[tuple[OtherFile, ...], str], ...]] = field(factory=dict, init=False)
    _lineages: dict[Spot, tuple[Spot, ...]] = field(factory=dict, init=False)

    @cached_property
    def _sources(self) -> OtherFiles:
        return OtherFiles(self.files, self.manifests)

    @cached_property
    def _packages(self) -> dict[tuple[str, ...], dict[str, list[Spot]]]:
        found: dict[tuple[str, ...], dict[str, list[Spot]]] = {}
        for file in self.files.values():
            shared = found.setdefault(_package_of(file), {}) if file.family in ("Go", "Java", "PHP") else {}
            for name, place in file.names.items():
                if place:
                    shared.setdefault(name, []).append(Spot(file.number, place))
        return found

    def symbol(self, spot: Spot) -> Symbol:
        """Give the symbol at a spot."""
        return self.files[spot.file].facts.symbols[spot.place]

    def imported(self, file: OtherFile, name: str) -> tuple[list[Spot], bool]:
        """Give what an imported name stands for, and whether it is imported at all."""
        items = file.imports.get(name, [])
        found = [spot for item in items for spot in self._searched(tuple(self._taken(file, item)))]
        return found, bool(items)

    def sources(self, file: OtherFile, name: str) -> list[OtherFile]:
        """Give the files that a name stands for as a whole: `path` after `import * as path`."""
        return [
            other
            for item in file.imports.get(name, [])
            for other in self._sources.meant(
                file, item.module if item.target in ("", "default") else _joined(file, item)
            )
        ]

    def handed_on(self, file: OtherFile, name: str) -> list[Spot]:
        """Give what another file gets when it takes a name of this one."""
        return self._searched((((file,), name),))

    def through_stars(self, file: OtherFile, name: str) -> list[Spot]:
        """Give what a name stands for that is imported by `*`."""
        return self._searched(tuple(self._starred(file, name))) if "*" in file.imports else []

    def in_package(self, file: OtherFile, name: str) -> list[Spot]:
        """Give what a name stands for in the files that see each other's names without an import."""
        found = self._packages.get(_package_of(file), {}).get(name, ())
        return [spot for spot in found if spot.file != file.number]

    def module(self, file: OtherFile, path: str) -> tuple[OtherFile, ...]:
        """Give the files that a path of names stands for where it is written: `crate::a::b`."""
        return self._sources.meant(file, path)

    def included(self, file: OtherFile) -> list[OtherFile]:
        """Give the files that are included, and what these include."""
        found: dict[int, OtherFile] = {}
        waiting = [file]
        while waiting and len(found) < _MOST_INCLUDED:
            current = waiting.pop(0)
            for item in current.imports.get("", ()):
                for other in self._sources.meant(current, item.module):
                    if other.number not in found:
                        found[other.number] = other
                        waiting.append(other)
        return list(found.values())

    def lineage(self, cls: Spot) -> tuple[Spot, ...]:
        """Give a class and what it inherits from, each once, in the order in which members are looked for."""
        known = self._lineages.get(cls)
        if known is None:
            found: dict[Spot, None] = {}
            waiting = [cls]
            while waiting and len(found) < _MOST_CLASSES:
                current = waiting.pop()
                if current in found:
                    continue
                found[current] = None
                file = self.files[current.file]
                waiting += reversed([spot for base in self.symbol(current).bases for spot in self.classes(file, base)])
            known = self._lineages[cls] = tuple(found)
        return known

    def _searched(self, ways: tuple[Way, ...]) -> list[Spot]:
        """Follow a name by these ways to the first files that define it, into each file only once."""
        known = self._known.get(ways)
        if known is None:
            known = self._known[ways] = self._search(list(reversed(ways)))
        return known

    def _search(self, waiting: list[Way]) -> list[Spot]:
        seen: set[tuple[int, str]] = set()
        while waiting and len(seen) < MOST_STEPS:
            files, name = waiting.pop()
            fresh = [file for file in files if (file.number, name) not in seen]
            seen.update((file.number, name) for file in fresh)
            found = [spot for file in fresh if (spot := _own(file, name))]
            if found:
                return found
            waiting += reversed([way for file in fresh for way in self._further(file, name)])
        return []

    def _further(self, file: OtherFile, name: str) -> Iterator[Way]:
        """Give where a name comes from that a file hands on and does not define: imported by name, then by `*`."""
        for item in file.imports.get(file.handed.get(name, name), ()):
            yield from self._taken(file, item)
        if "*" in file.imports:
            yield from self._starred(file, name)

    def _taken(self, file: OtherFile, item: Import) -> Iterator[Way]:
        """Give where an import takes a name from."""
        if item.target == "*":
            return
        if file.family == "Rust":  # a module that is written in the same file
            inside = f"{item.module.replace('::', '.').removeprefix('self.')}.{item.target}"
            if inside in file.names:
                yield (file,), inside
        sources = self._sources.meant(file, item.module)
        if sources:
            yield sources, item.target or "default"

    def _starred(self, file: OtherFile, name: str) -> Iterator[Way]:
        """Give where a name may come from by `*`."""
        for sources, cls in self._stars(file):
            yield sources, f"{cls}.{name}" if cls else name

    def _stars(self, file: OtherFile) -> tuple[tuple[tuple[OtherFile, ...], str], ...]:
        """Give the files whose names a file takes by `*`, each once; of Java also the class that has them."""
        known = self._starring.get(file.number)
        if known is None:
            modules = dict.fromkeys(item.module for item in file.imports["*"])
            known = self._starring[file.number] = tuple(dict.fromkeys(self._star(file, module) for module in modules))
        return known

    def _star(self, file: OtherFile, module: str) -> tuple[tuple[OtherFile, ...], str]:
        cls = self._sources.class_of_java(module) if file.family == "Java" else None
        if cls is not None:
            return (self.files[cls.file],), self.symbol(cls).name
        return self._sources.meant(file, module), ""

    def classes(self, file: OtherFile, name: str) -> Iterator[Spot]:
        """Give the classes that a written type names in a file: its own, imported, of its package."""
        head, _, rest = name.partition(".")
        found: list[Spot] = []
        if rest:
            last = rest.rpartition(".")[2]
            found = [spot for other in self.sources(file, head) for spot in self.handed_on(other, last)]
            found = found or [spot for spot in [file.spot(name)] if spot]
        else:
            own = file.spot(name)
            found = [own] if own else self.imported(file, name)[0] or self.in_package(file, name)
            found = found or self.through_stars(file, name)
            if not found and file.family == "C":
                found = [spot for other in self.included(file) if (spot := other.spot(name))]
        yield from (spot for spot in found if self.symbol(spot).kind == CLASS or "." not in self.symbol(spot).name)


def _own(file: OtherFile, name: str) -> Spot | None:
    """Give what a file itself hands on under a name."""
    found = file.spot(file.handed.get(name, name))
    return found or (file.spot("exports") if name == "default" else None)


def _package_of(file: OtherFile) -> tuple[str, ...]:
    """Give what tells the files that see each other's names: of Go folder and package, of Java the package."""
    if file.family == "Go":
        return file.family, file.folder, file.facts.package.removesuffix("_test")
    return (file.family, file.facts.package) if file.facts.package else (file.family, file.folder, "")


def _joined(file: OtherFile, item: Import) -> str:
    """Give the path of what an import takes, for where it may be a module itself: `use crate::a` is `crate::a`."""
    separator = {"Rust": "::", "Java": "."}.get(file.family, "")
    return f"{item.module}{separator}{item.target}" if separator and item.module else item.target
