"""Files of other languages, and the meaning of names in them: by imports, folders, packages and includes."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from attrs import Factory, define, field, frozen

from inarch_brief.tracer.facts.file_facts import CONSTANT, Facts, Import, Symbol

_FAMILIES: Mapping[str, str] = {"TypeScript": "JavaScript", "C++": "C"}
_SCRIPTS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts")


class Spot(NamedTuple):
    """A symbol: its file's number and its index in the file's facts."""

    file: int
    place: int


@frozen
class Manifests:
    """Imports that manifests map to folders."""

    packages: Mapping[str, str] = Factory(dict)
    aliases: tuple[tuple[str, str], ...] = ()
    modules: tuple[tuple[str, str], ...] = ()


@define(eq=False, repr=False)
class OtherFile:
    """A file's facts with the lookups that resolving needs."""

    number: int
    path: str
    facts: Facts
    names: dict[str, int] = Factory(dict)
    """Indexes of symbols by dotted name; the first one of several."""
    imports: dict[str, list[Import]] = Factory(dict)
    handed: dict[str, str] = Factory(dict)

    def __attrs_post_init__(self) -> None:
        for place, symbol in enumerate(self.facts.symbols):
            self.names.setdefault(symbol.name, place)
        for item in self.facts.imports:
            self.imports.setdefault(item.name, []).append(item)
        self.handed.update(self.facts.handed)

    @property
    def family(self) -> str:
        """The family of languages that call each other."""
        return _FAMILIES.get(self.facts.language, self.facts.language)

    @property
    def folder(self) -> str:
        """The file's folder."""
        return self.path.rpartition("/")[0]

    def spot(self, name: str) -> Spot | None:
        """Return the symbol of a dotted name."""
        place = self.names.get(name)
        return Spot(self.number, place) if place else None


@define(eq=False, repr=False)
class Sources:
    """The files of a tree, as imports name them."""

    files: Mapping[int, OtherFile]
    manifests: Manifests = field(factory=Manifests)
    _meant: dict[tuple[int, str], tuple[OtherFile, ...]] = field(factory=dict, init=False)

    def meant(self, file: OtherFile, source: str) -> tuple[OtherFile, ...]:
        """Return the files that an import's source, or a path of names, means in a file."""
        known = self._meant.get((file.number, source))
        if known is None:
            known = self._meant[file.number, source] = tuple(self._found(file, source) if source else ())
        return known

    def spoken_for(self, file: OtherFile) -> list[int]:
        """Return the C files that a header declares: `list.c` of `list.h`."""
        return [other.number for other in self._by.get(("stem", _stem_of(file)), ())]

    def _found(self, file: OtherFile, source: str) -> list[OtherFile]:
        if file.family in ("Java", "PHP"):
            return self._by.get((file.family, source), [])
        reading = {"JavaScript": self._scripts, "Go": self._go_package, "Rust": self._rust_module, "C": self._headers}
        return reading[file.family](file, source) if file.family in reading else []

    @cached_property
    def _by_path(self) -> dict[str, OtherFile]:
        return {file.path: file for file in self.files.values()}

    @cached_property
    def _by(self) -> dict[tuple[str, str], list[OtherFile]]:
        """Files by folder, package, name, and name without the ending."""
        found: dict[tuple[str, str], list[OtherFile]] = {}
        for file in self.files.values():
            stem = [("stem", _stem_of(file))] if file.family == "C" else []
            base = ("base", file.path.rpartition("/")[2])
            for key in (("folder", file.folder), (file.family, file.facts.package), base, *stem):
                found.setdefault(key, []).append(file)
        return found

    def _at(self, *paths: str) -> list[OtherFile]:
        return next(([self._by_path[path]] for path in paths if path in self._by_path), [])

    def _scripts(self, file: OtherFile, source: str) -> list[OtherFile]:
        if source.startswith("."):
            return self._script_at(posixpath.normpath(posixpath.join(file.folder, source)))
        for prefix, folder in self.manifests.aliases:
            if source.startswith(prefix):
                found = self._script_at(posixpath.normpath(posixpath.join(folder, source[len(prefix) :])))
                if found:
                    return found
        parts = source.split("/")
        head = 2 if source.startswith("@") else 1
        package = self.manifests.packages.get("/".join(parts[:head]))
        if package is None:
            return []
        rest = "/".join(parts[head:])
        places = [rest] if rest else ["src/index", "index", "lib/index", "src/main"]
        return next((found for place in places if (found := self._script_at(posixpath.join(package, place)))), [])

    def _script_at(self, path: str) -> list[OtherFile]:
        stem = path.removesuffix(".js").removesuffix(".mjs").removesuffix(".cjs")
        inside = posixpath.join(path, "index").removeprefix("./")
        return self._at(path, *(f"{place}{suffix}" for place in (stem, path, inside) for suffix in _SCRIPTS))

    def _go_package(self, _: OtherFile, source: str) -> list[OtherFile]:
        for module, folder in self.manifests.modules:
            if source == module or source.startswith(f"{module}/"):
                inside = posixpath.join(folder, source[len(module) + 1 :]).strip("/")
                found = self._by.get(("folder", inside), [])
                return [other for other in found if other.family == "Go" and not other.path.endswith("_test.go")]
        return []

    def _rust_module(self, file: OtherFile, source: str) -> list[OtherFile]:
        parts = source.replace(".", "::").split("::")
        base = file.path.rpartition("/")[2]
        folder = own = file.folder if base in ("mod.rs", "lib.rs", "main.rs") else file.path.removesuffix(".rs")
        if parts[0] == "crate":
            folder = f"{file.path[: file.path.rfind('src/')]}src" if "src/" in file.path else file.folder
        elif parts[0] not in ("self", "super"):
            folder = self.manifests.packages.get(f"rust:{parts[0]}", own)
            parts = parts if folder is own else ["crate", *parts[1:]]
        while parts and parts[0] in ("crate", "self", "super"):
            folder = folder.rpartition("/")[0] if parts.pop(0) == "super" else folder
        for count in (len(parts), len(parts) - 1)[: 1 + bool(parts)]:
            place = "/".join([folder, *parts[:count]]).strip("/")
            top = () if count else (f"{place}/lib.rs", f"{place}/main.rs")
            found = self._at(f"{place}.rs", f"{place}/mod.rs", *top)
            if found:
                return found
        return []

    def _headers(self, file: OtherFile, source: str) -> list[OtherFile]:
        near = self._at(posixpath.normpath(posixpath.join(file.folder, source)))
        found = near or self._by.get(("base", source.rpartition("/")[2]), [])
        return near or [other for other in found if f"/{other.path}".endswith(f"/{source.lstrip('./')}")][:1]


def _stem_of(file: OtherFile) -> str:
    return file.path.rpartition("/")[2].rpartition(".")[0]


MOST_STEPS = 2_000
"""The most files searched for one name: a barrel of that size takes some milliseconds."""
_MOST_INCLUDED = 60
_MOST_CLASSES = 60
Way = tuple[tuple[OtherFile, ...], str]
"""Files side by side, and the name to look for in them."""


@define(eq=False, repr=False)
class Names:
    """The names of a tree."""

    files: Mapping[int, OtherFile]
    manifests: Manifests = field(factory=Manifests)
    _known: dict[tuple[Way, ...], list[Spot]] = field(factory=dict, init=False)
    _starring: dict[int, tuple[Way, ...]] = field(factory=dict, init=False)
    _near: dict[int, frozenset[int]] = field(factory=dict, init=False)
    _lineages: dict[Spot, tuple[Spot, ...]] = field(factory=dict, init=False)

    @cached_property
    def _sources(self) -> Sources:
        return Sources(self.files, self.manifests)

    @cached_property
    def _packages(self) -> dict[tuple[str, ...], dict[str, list[Spot]]]:
        """The names of files that see each other's without an import."""
        found: dict[tuple[str, ...], dict[str, list[Spot]]] = {}
        for file in self.files.values():
            shared = found.setdefault(_package_of(file), {}) if file.family in ("Go", "Java", "PHP") else {}
            for name, place in file.names.items():
                if place:
                    shared.setdefault(name, []).append(Spot(file.number, place))
        return found

    @cached_property
    def by_last(self) -> dict[tuple[str, str], dict[int, list[Spot]]]:
        """Definitions by the last part of their name and by file."""
        found: dict[tuple[str, str], dict[int, list[Spot]]] = {}
        for spot, name in self._defined():
            last = self.files[spot.file].family, name.rpartition(".")[2]
            found.setdefault(last, {}).setdefault(spot.file, []).append(spot)
        return found

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], list[Spot]]:
        found: dict[tuple[str, str], list[Spot]] = {}
        for spot, name in self._defined():
            found.setdefault((self.files[spot.file].family, name), []).append(spot)
        return found

    def _defined(self) -> Iterator[tuple[Spot, str]]:
        for file in self.files.values():
            for place, symbol in enumerate(file.facts.symbols[1:], 1):
                if symbol.kind != CONSTANT:
                    yield Spot(file.number, place), symbol.name

    def symbol(self, spot: Spot) -> Symbol:
        """Return the symbol at a spot."""
        return self.files[spot.file].facts.symbols[spot.place]

    def named(self, file: OtherFile, path: str) -> list[Spot]:
        """Return the meaning of a name, or a path of names, in a file: its own, imported, of its package, or by `*`."""
        own = file.spot(path)
        if own:
            return [own]
        head, _, rest = path.partition(".")
        if not rest:
            if path in file.imports:
                return self._searched(tuple(way for item in file.imports[path] for way in self._taken(file, item)))
            shared = self._packages.get(_package_of(file), {}).get(path, ())
            found = list(shared)[:1] or self._searched(self._stars(file, path))[:1]
            if found or file.family != "C":
                return found
            return [spot for number in sorted(self.near(file)) if (spot := self.files[number].spot(path))][:1]
        found = self._searched(tuple(((other,), rest) for other in self.modules(file, head)))
        if not found and file.family == "Rust":
            modules, _, last = path.rpartition(".")
            found = self._searched(((self._sources.meant(file, modules.replace(".", "::")), last),))
        return found

    def modules(self, file: OtherFile, name: str) -> list[OtherFile]:
        """Return the files that a name means as a whole: `path` after `import * as path`."""
        items = file.imports.get(name, ())
        paths = [item.module if item.target in ("", "default") else _joined(file, item) for item in items]
        return [other for path in paths for other in self._sources.meant(file, path)]

    def near(self, file: OtherFile) -> frozenset[int]:
        """Return the files that a file imports from or includes, and their includes."""
        known = self._near.get(file.number)
        if known is None:
            found: dict[int, None] = {}
            waiting = [file]
            while waiting and len(found) < _MOST_INCLUDED:
                current = waiting.pop(0)
                for item in current.facts.imports:
                    for other in self._sources.meant(current, item.module):
                        spoken = self._sources.spoken_for(other) if item.name == "" else ()
                        waiting += [other] if item.name == "" and other.number not in found else []
                        found.update(dict.fromkeys((other.number, *spoken)))
            known = self._near[file.number] = frozenset(found)
        return known

    def member(self, cls: Spot, name: str, skip_own: bool = False) -> Spot | None:
        """Return a class's member: its own, in another file of its folder or its header's, or inherited."""
        for owner in self._lineage(cls)[skip_own:]:
            file, dotted = self.files[owner.file], f"{self.symbol(owner).name}.{name}"
            own = file.spot(dotted)
            found = [] if own and file.family != "C" else self._by_name.get((file.family, dotted), [])
            # Methods may be defined apart from their class: a definition with a body wins over the declaration.
            near = [one for one in found if one != own and (file.family != "Go" or self._folder(one) == file.folder)]
            if own or near:
                return near[0] if near else own
        return None

    def _folder(self, spot: Spot) -> str:
        return self.files[spot.file].folder

    def _lineage(self, cls: Spot) -> tuple[Spot, ...]:
        """Return a class and its bases, each once, in the order of member lookup."""
        known = self._lineages.get(cls)
        if known is None:
            found: dict[Spot, None] = {}
            waiting = [cls]
            while waiting and len(found) < _MOST_CLASSES:
                current = waiting.pop()
                if current not in found:
                    found[current] = None
                    file = self.files[current.file]
                    waiting += [
                        spot for base in reversed(self.symbol(current).bases) for spot in self.named(file, base)
                    ]
            known = self._lineages[cls] = tuple(found)
        return known

    def _searched(self, ways: tuple[Way, ...]) -> list[Spot]:
        """Follow a name along these ways to the first files that define it, visiting each file once."""
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
        """Yield the sources of a name that a file re-exports: imported by name, then by `*`."""
        for item in file.imports.get(file.handed.get(name, name), ()):
            yield from self._taken(file, item)
        yield from self._stars(file, name)

    def _taken(self, file: OtherFile, item: Import) -> Iterator[Way]:
        """Yield the sources of an import."""
        if file.family == "Rust":  # a module inside the same file
            inside = f"{item.module.replace('::', '.').removeprefix('self.')}.{item.target}"
            if inside in file.names:
                yield (file,), inside
        sources = self._sources.meant(file, item.module)
        if sources and item.target != "*":
            yield sources, item.target or "default"

    def _stars(self, file: OtherFile, name: str) -> tuple[Way, ...]:
        """Return the possible `*` sources of a name, each once; for Java also the class that has it."""
        known = self._starring.get(file.number)
        if known is None:
            modules = dict.fromkeys(item.module for item in file.imports.get("*", ()))
            ways = (self._star(file, module) for module in modules)
            known = self._starring[file.number] = tuple(dict.fromkeys(ways))
        return tuple((sources, f"{cls}.{name}" if cls else name) for sources, cls in known)

    def _star(self, file: OtherFile, module: str) -> Way:
        package, _, cls = module.rpartition(".")
        inside = self._packages.get(("Java", package), {}).get(cls, ()) if file.family == "Java" else ()
        return ((self.files[inside[0].file],), cls) if inside else (self._sources.meant(file, module), "")


def _own(file: OtherFile, name: str) -> Spot | None:
    """Return the symbol that a file itself exports under a name."""
    found = file.spot(file.handed.get(name, name))
    return found or (file.spot("exports") if name == "default" else None)


def _package_of(file: OtherFile) -> tuple[str, ...]:
    """Return the key of files that see each other's names: folder and package for Go, the package for Java."""
    if file.family == "Go":
        return file.family, file.folder, file.facts.package.removesuffix("_test")
    return (file.family, file.facts.package) if file.facts.package else (file.family, file.folder, "")


def _joined(file: OtherFile, item: Import) -> str:
    """Return the full path of an import, which may itself be a module: `use crate::a` is `crate::a`."""
    separator = {"Rust": "::", "Java": "."}.get(file.family, "")
    return f"{item.module}{separator}{item.target}" if separator and item.module else item.target
