"""What names stand for in files of other languages: by imports, folders, packages and includes."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from attrs import Factory, define, field, frozen

from inarch_brief_tracer.facts.file_facts import CLASS, Facts, Import, Symbol

_DEPTH = 6
_FAMILIES: Mapping[str, str] = {"TypeScript": "JavaScript", "C++": "C"}
_SCRIPTS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts")
_MOST_INCLUDED = 60


class Spot(NamedTuple):
    """A symbol: its file's number and its place in the file's facts."""

    file: int
    place: int


@frozen
class Manifests:
    """What manifests say of imports that are no paths.

    Args:
        packages: Folders of the packages of a workspace, by the name they are imported under.
        aliases: Of `tsconfig.json`: a prefix, and the folder that it stands for.
        modules: Of `go.mod`: the module's path, and its folder.
    """

    packages: Mapping[str, str] = Factory(dict)
    aliases: tuple[tuple[str, str], ...] = ()
    modules: tuple[tuple[str, str], ...] = ()


@define(eq=False, repr=False)
class OtherFile:
    """A file's facts with the look-ups that resolving needs."""

    number: int
    path: str
    facts: Facts
    names: dict[str, int] = Factory(dict)
    """Places of symbols by dotted name, of several the first."""
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
        """Languages that call each other."""
        return _FAMILIES.get(self.facts.language, self.facts.language)

    @property
    def folder(self) -> str:
        """Where it stands."""
        return self.path.rpartition("/")[0]

    def spot(self, name: str) -> Spot | None:
        """Give the symbol of a dotted name."""
        place = self.names.get(name)
        return Spot(self.number, place) if place else None


@define(eq=False, repr=False)
class Names:
    """The names of a tree."""

    files: Mapping[int, OtherFile]
    manifests: Manifests = field(factory=Manifests)

    @cached_property
    def _by_path(self) -> dict[str, OtherFile]:
        return {file.path: file for file in self.files.values()}

    @cached_property
    def _by_folder(self) -> dict[tuple[str, str], list[OtherFile]]:
        found: dict[tuple[str, str], list[OtherFile]] = {}
        for file in self.files.values():
            found.setdefault((file.family, file.folder), []).append(file)
        return found

    @cached_property
    def _by_package(self) -> dict[tuple[str, str], list[OtherFile]]:
        found: dict[tuple[str, str], list[OtherFile]] = {}
        for file in self.files.values():
            if file.facts.package:
                found.setdefault((file.family, file.facts.package), []).append(file)
        return found

    @cached_property
    def _by_base(self) -> dict[str, list[OtherFile]]:
        found: dict[str, list[OtherFile]] = {}
        for file in self.files.values():
            found.setdefault(file.path.rpartition("/")[2], []).append(file)
        return found

    def symbol(self, spot: Spot) -> Symbol:
        """Give the symbol at a spot."""
        return self.files[spot.file].facts.symbols[spot.place]

    def neighbours(self, file: OtherFile) -> Iterable[OtherFile]:
        """Give the files whose names a file sees without an import: of Go its folder's, of Java its package's."""
        if file.family == "Go":
            found = self._by_folder.get((file.family, file.folder), [])
            return [
                other
                for other in found
                if other.facts.package.removesuffix("_test") == file.facts.package.removesuffix("_test")
            ]
        if file.family in ("Java", "PHP"):
            return (
                self._by_package.get((file.family, file.facts.package), [])
                if file.facts.package
                else (self._by_folder.get((file.family, file.folder), []))
            )
        return ()

    def imported(self, file: OtherFile, name: str) -> tuple[list[Spot], bool]:
        """Give what an imported name stands for, and whether it is imported at all."""
        items = file.imports.get(name, [])
        found = [spot for item in items for spot in self._meant(file, item)]
        return found, bool(items)

    def sources(self, file: OtherFile, name: str) -> list[OtherFile]:
        """Give the files that a name stands for as a whole: `path` after `import * as path`."""
        return [
            other
            for item in file.imports.get(name, [])
            for other in self._files_of(file, item.module if item.target in ("", "default") else _joined(file, item))
        ]

    def handed_on(self, file: OtherFile, name: str, depth: int = 0) -> list[Spot]:
        """Give what another file gets when it takes a name of this one."""
        if depth > _DEPTH:
            return []
        own = file.handed.get(name, name)
        spot = file.spot(own)
        if spot is not None:
            return [spot]
        if name == "default" and (spot := file.spot("exports")) is not None:
            return [spot]
        if own in file.imports:
            found = [spot for item in file.imports[own] for spot in self._meant(file, item, depth + 1)]
            if found:
                return found
        return [spot for item in file.imports.get("*", ()) for spot in self._starred(file, item, name, depth + 1)]

    def through_stars(self, file: OtherFile, name: str) -> list[Spot]:
        """Give what a name stands for that is imported by `*`."""
        return [spot for item in file.imports.get("*", ()) for spot in self._starred(file, item, name, 0)]

    def in_package(self, file: OtherFile, name: str) -> list[Spot]:
        """Give what a name stands for in the files that see each other's names."""
        return [spot for other in self.neighbours(file) if other is not file and (spot := other.spot(name))]

    def module(self, file: OtherFile, path: str) -> list[OtherFile]:
        """Give the files that a path of names stands for where it is written: `crate::a::b`."""
        return self._files_of(file, path)

    def included(self, file: OtherFile) -> list[OtherFile]:
        """Give the files that are included, and what these include."""
        found: dict[int, OtherFile] = {}
        waiting = [file]
        while waiting and len(found) < _MOST_INCLUDED:
            current = waiting.pop(0)
            for item in current.imports.get("", ()):
                for other in self._files_of(current, item.module):
                    if other.number not in found:
                        found[other.number] = other
                        waiting.append(other)
        return list(found.values())

    def _meant(self, file: OtherFile, item: Import, depth: int = 0) -> list[Spot]:
        if item.target == "*":
            return []
        found: list[Spot] = []
        if file.family == "Rust":  # a module that is written in the same file
            inside = item.module.replace("::", ".").removeprefix("self.")
            own = file.spot(f"{inside}.{item.target}")
            found += [own] if own else []
        for other in self._files_of(file, item.module):
            found += self.handed_on(other, item.target or "default", depth + 1)
        return found

    def _starred(self, file: OtherFile, item: Import, name: str, depth: int) -> list[Spot]:
        if depth > _DEPTH:
            return []
        if file.family == "Java" and (cls := self._class_of_java(item.module)):
            spot = self.files[cls.file].spot(f"{self.symbol(cls).name}.{name}")
            return [spot] if spot else []
        return [spot for other in self._files_of(file, item.module) for spot in self.handed_on(other, name, depth)]

    def _class_of_java(self, path: str) -> Spot | None:
        """Give the class whose static members an import takes."""
        package, _, name = path.rpartition(".")
        return next((spot for other in self._by_package.get(("Java", package), ()) if (spot := other.spot(name))), None)

    def _files_of(self, file: OtherFile, source: str) -> list[OtherFile]:
        if not source:
            return []
        if file.family == "JavaScript":
            return self._scripts(file, source)
        if file.family == "Go":
            return self._go_package(source)
        if file.family == "Rust":
            return self._rust_module(file, source)
        if file.family in ("Java", "PHP"):
            return self._by_package.get((file.family, source), [])
        if file.family == "C":
            return self._headers(file, source)
        return []

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
        names = [path, *(f"{stem}{suffix}" for suffix in _SCRIPTS), *(f"{path}{suffix}" for suffix in _SCRIPTS)]
        names += [posixpath.join(path, f"index{suffix}").removeprefix("./") for suffix in _SCRIPTS]
        return next(([self._by_path[name]] for name in names if name in self._by_path), [])

    def _go_package(self, source: str) -> list[OtherFile]:
        for module, folder in self.manifests.modules:
            if source == module or source.startswith(f"{module}/"):
                inside = posixpath.join(folder, source[len(module) + 1 :]).strip("/")
                return [
                    other for other in self._by_folder.get(("Go", inside), []) if not other.path.endswith("_test.go")
                ]
        return []

    def _rust_module(self, file: OtherFile, source: str) -> list[OtherFile]:
        parts = source.replace(".", "::").split("::")
        root = f"{file.path[: file.path.rfind('src/')]}src" if "src/" in file.path else file.folder
        base = file.path.rpartition("/")[2]
        own = file.folder if base in ("mod.rs", "lib.rs", "main.rs") else file.path.removesuffix(".rs")
        if parts[0] == "crate":
            folder, parts = root, parts[1:]
        elif parts[0] in ("self", "super"):
            folder = own
            while parts and parts[0] in ("self", "super"):
                folder = folder.rpartition("/")[0] if parts[0] == "super" else folder
                parts = parts[1:]
        else:
            folder = self.manifests.packages.get(f"rust:{parts[0]}", own)
            parts = parts[1:] if folder is not own else parts
        for count in range(len(parts), -1, -1):
            found = self._rust_file(folder, parts[:count], root)
            if found:
                return found if count >= len(parts) - 1 else []
        return []

    def _rust_file(self, folder: str, parts: list[str], root: str) -> list[OtherFile]:
        place = "/".join([folder, *parts]).strip("/")
        names = [f"{place}.rs", f"{place}/mod.rs"]
        if not parts:
            names += [f"{place}/lib.rs", f"{place}/main.rs"]
        return next(([self._by_path[name]] for name in names if name in self._by_path), [])

    def _headers(self, file: OtherFile, source: str) -> list[OtherFile]:
        near = self._by_path.get(posixpath.normpath(posixpath.join(file.folder, source)))
        if near is not None:
            return [near]
        found = self._by_base.get(source.rpartition("/")[2], [])
        return [other for other in found if f"/{other.path}".endswith(f"/{source.lstrip('./')}")][:1]

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


def _joined(file: OtherFile, item: Import) -> str:
    """Give the path of what an import takes, for where it may be a module itself: `use crate::a` is `crate::a`."""
    separator = {"Rust": "::", "Java": "."}.get(file.family, "")
    return f"{item.module}{separator}{item.target}" if separator and item.module else item.target
